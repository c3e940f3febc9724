// Pages of the manual that repeat what the program knows (options, parameters) say the same; no link of README.md or of
// the manual is dead, also where the manual is installed without the source tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <vector>

#include "app/options.h"
#include "core/param_table.h"
#include "source/phantom_list.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ECHO_SOURCE_DIR;
const fs::path kManual = kRoot / "assets" / "manual";

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(kManual)) found.push_back(entry.path());
  return found;
}

// The files that links and pictures of a page name; not addresses of the web.
std::vector<fs::path> linked_files(const fs::path& page) {
  const std::string text = testing::read_text(page);
  const std::regex link(R"(\]\(([^)#]+)(#[^)]*)?\))");
  std::vector<fs::path> found;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), link); it != std::sregex_iterator(); ++it) {
    const std::string target = (*it)[1];
    if (!target.starts_with("http")) found.push_back((page.parent_path() / target).lexically_normal());
  }
  return found;
}

std::set<std::string> options_in(const std::string& text) {
  const std::regex option("--[a-z][a-z0-9-]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), option), {}};
}

TEST(Manual, HoldsTheParameterTableOfTheProgram) {
  EXPECT_NE(testing::read_text(kManual / "parameters.md").find(params_markdown_table()), std::string::npos)
      << "put the output of `echoloop --list-params` between the marks in assets/manual/parameters.md";
}

TEST(Manual, HoldsTheProgramsPhantoms) {
  EXPECT_NE(testing::read_text(kManual / "sources.md").find(phantoms_markdown()), std::string::npos)
      << "put these rows into assets/manual/sources.md:\n"
      << phantoms_markdown();
}

TEST(Manual, NamesEveryOptionOfTheHelpAndNoOther) {
  std::array<char*, 2> words = {const_cast<char*>("echoloop"), const_cast<char*>("--help")};
  std::set<std::string> documented = options_in(testing::read_text(kManual / "options.md"));
  for (const std::string& option : options_in(parse_command_line(2, words.data()).help)) {
    EXPECT_TRUE(documented.erase(option) > 0) << option << " is not in assets/manual/options.md";
  }
  for (const std::string& option : documented) ADD_FAILURE() << option << " is in assets/manual/options.md only";
}

TEST(Manual, HasNoDeadLink) {
  std::vector<fs::path> all = pages();
  all.push_back(kRoot / "README.md");
  all.push_back(kRoot / "src" / "README.md");
  for (const fs::path& page : all) {
    for (const fs::path& file : linked_files(page)) EXPECT_TRUE(fs::exists(file)) << file << " in " << page;
  }
}

TEST(Manual, LinksOnlyToFilesThatAreInstalledWithIt) {
  for (const fs::path& page : pages()) {
    for (const fs::path& file : linked_files(page)) {
      EXPECT_TRUE(file.string().starts_with((kRoot / "assets").string())) << file << " in " << page;
    }
  }
}

TEST(Manual, HasEveryPageInItsIndex) {
  const std::vector<fs::path> listed = linked_files(kManual / "README.md");
  for (const fs::path& page : pages()) {
    if (page.filename() == "README.md") continue;
    EXPECT_NE(std::find(listed.begin(), listed.end(), page), listed.end()) << page << " is not in the index";
  }
}

TEST(Readme, HasAtMost200Lines) {
  const std::string text = testing::read_text(kRoot / "README.md");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 200);
}

}  // namespace
}  // namespace echoloop
