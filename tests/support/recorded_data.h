// The folder of real recordings and reference images: $ECHOLOOP_DATA, or ../shared/data beside the project folder;
// absolute: a file dialog takes relative names from its own folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace echoloop::testing {

// $ECHOLOOP_DATA, otherwise ../shared/data beside the working directory of the tests.
inline std::filesystem::path data_folder() {
  const char* named = std::getenv("ECHOLOOP_DATA");
  return std::filesystem::absolute(named != nullptr && *named != '\0' ? named : "../shared/data");
}

}  // namespace echoloop::testing

// For tests that need `file` (relative to the data folder); without it the test is skipped and says so.
#define ECHO_NEED_DATA(file)                                                                    \
  do {                                                                                          \
    if (!std::filesystem::exists(::echoloop::testing::data_folder() / (file))) {                \
      GTEST_SKIP() << "no recording " << (::echoloop::testing::data_folder() / (file)).string() \
                   << "; ECHOLOOP_DATA names another folder";                                   \
    }                                                                                           \
  } while (false)
