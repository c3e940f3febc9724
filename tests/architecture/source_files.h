// Source files checked by the architecture rules, with their text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "test_paths.h"

namespace echoloop::architecture {

struct SourceFile {
  std::string name;  // relative to the folder
  std::string text;
};

inline const std::vector<std::string_view> kHeaders = {".h", ".cuh"}, kCode = {".h", ".cpp", ".cu", ".cuh"};

// Returns the files with one of these endings in a folder of the source tree ("src") and its subfolders.
inline std::vector<SourceFile> files_in(const std::string& folder, const std::vector<std::string_view>& endings) {
  const std::filesystem::path root = std::filesystem::path(ECHO_SOURCE_DIR) / folder;
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (std::ranges::find(endings, entry.path().extension().string()) == endings.end()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    files.push_back({entry.path().lexically_relative(root).generic_string(), text.str()});
  }
  EXPECT_FALSE(files.empty()) << "nothing under " << root;
  return files;
}

}  // namespace echoloop::architecture
