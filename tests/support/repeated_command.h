// Runs the command stored in a file of the program, unchanged, by a shell: in an empty folder, which is also the home,
// without other variables.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing {

// Returns the exit status; output is in `folder`.
inline int repeat_command(const std::string& command, const TemporaryFolder& folder) {
  const std::filesystem::path program = std::filesystem::absolute(ECHO_PROGRAM);
  EXPECT_EQ(program.filename(), "echoloop");
  folder.write("repeat.sh", command + "\n");
  const std::string at = "'" + folder.path().string() + "'";
  const std::string path = "'" + program.parent_path().string() + ":/usr/bin:/bin'";
  const std::string whole =
      "cd " + at + " && env -i HOME=" + at + " PATH=" + path + " sh repeat.sh > out.txt 2> err.txt";
  const int status = std::system(whole.c_str());
  EXPECT_EQ(status, 0) << command << "\n" << read_text(folder / "err.txt");
  return status;
}

}  // namespace echoloop::testing
