// Folder of real recordings and reference images: $ECHOLOOP_DATA, or ../shared/data relative to the project folder;
// absolute, as a file dialog resolves relative names from its own folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace echoloop::testing {

// Returns $ECHOLOOP_DATA, otherwise ../shared/data relative to the working directory of the tests.
inline std::filesystem::path data_folder() {
  const char* named = std::getenv("ECHOLOOP_DATA");
  return std::filesystem::absolute(named != nullptr && *named != '\0' ? named : "../shared/data");
}

}  // namespace echoloop::testing

// Skips a test that needs `file` (relative to the data folder), with a message, if it is missing.
#define ECHO_NEED_DATA(file)                                                                    \
  do {                                                                                          \
    if (!std::filesystem::exists(::echoloop::testing::data_folder() / (file))) {                \
      GTEST_SKIP() << "no recording " << (::echoloop::testing::data_folder() / (file)).string() \
                   << "; ECHOLOOP_DATA names another folder";                                   \
    }                                                                                           \
  } while (false)
