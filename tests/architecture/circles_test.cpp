// No circles of includes between folders, nor between the files of a folder, where X.h and X.cpp count as one: what a
// file needs can be read, tested and changed without what needs it. And no folder of more files than one can overlook.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "test_paths.h"

namespace echoloop::architecture::circles_test {
namespace {

namespace fs = std::filesystem;

// By names from src/ without their ending.
using Includes = std::map<std::string, std::set<std::string>>;

std::string without_ending(const std::string& name) { return name.substr(0, name.rfind('.')); }

Includes includes_of(const fs::path& src, const std::string& folder) {
  static const std::regex include_line(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
  Includes all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(src / folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string file = without_ending(fs::relative(entry.path(), src).generic_string());
    std::ifstream text(entry.path());
    std::smatch parts;
    for (std::string line; std::getline(text, line);) {
      if (!std::regex_match(line, parts, include_line)) continue;
      const std::string header = without_ending(parts[1]);
      if ((folder.empty() ? header.find('/') != header.npos : header.starts_with(folder + "/")) && header != file)
        all[file].insert(header);
    }
  }
  return all;
}

// Takes away what includes nothing that is left; what stays is in a circle, or leads into one.
std::set<std::string> in_circles(Includes includes) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [file, headers] : includes) {
      changed = std::erase_if(headers, [&](const auto& header) { return !includes.contains(header); }) > 0 || changed;
    }
    changed = std::erase_if(includes, [](const auto& file) { return file.second.empty(); }) > 0 || changed;
  }
  std::set<std::string> left;
  for (const auto& [file, headers] : includes) left.insert(file);
  return left;
}

TEST(Circles, AreFound) {
  EXPECT_TRUE(in_circles({{"a", {"b", "c"}}, {"b", {"c"}}}).empty());
  EXPECT_EQ(in_circles({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a", "d"}}}), (std::set<std::string>{"a", "b", "c"}));
}

TEST(Circles, ThereAreNoneBetweenFolders) {
  const fs::path src = fs::path(ECHO_SOURCE_DIR) / "src";
  Includes folders;
  for (const auto& [file, headers] : includes_of(src, "")) {
    const std::string folder = fs::path(file).parent_path().generic_string();
    for (const std::string& header : headers) {
      const std::string seen = fs::path(header).parent_path().generic_string();
      if (seen != folder && fs::is_directory(src / seen)) folders[folder].insert(seen);
    }
  }
  ASSERT_GT(folders.size(), 30U);
  for (const std::string& folder : in_circles(folders)) ADD_FAILURE() << folder;
}

TEST(Folders, CanBeOverlooked) {
  std::map<fs::path, int> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(ECHO_SOURCE_DIR) / "src")) {
    if (entry.is_regular_file()) ++files[entry.path().parent_path()];
  }
  for (const auto& [folder, count] : files) EXPECT_LE(count, 60) << folder;
}

TEST(Headers, NeverShareAName) {
  std::map<std::string, fs::path> headers;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(ECHO_SOURCE_DIR) / "src")) {
    if (!entry.path().extension().string().ends_with("h")) continue;
    const auto [other, is_new] = headers.emplace(entry.path().filename().string(), entry.path());
    EXPECT_TRUE(is_new) << entry.path() << " and " << other->second;
  }
}

TEST(Circles, ThereAreNone) {
  for (const std::string folder :
       {"app", "backend", "core", "dsp", "formats", "gui", "history", "measure", "render", "source", "transport"}) {
    for (const std::string& file : in_circles(includes_of(fs::path(ECHO_SOURCE_DIR) / "src", folder)))
      ADD_FAILURE() << file;
  }
}

}  // namespace
}  // namespace echoloop::architecture::circles_test
