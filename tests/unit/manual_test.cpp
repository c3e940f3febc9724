// Pages of the manual that repeat what the program knows (options, parameters) say the same; no link of README.md or of
// the manual is dead, also where the manual is installed without the source tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/options/folders.h"
#include "app/options/options.h"
#include "app/outputs/measured_values.h"
#include "core/facts.h"
#include "core/param_table.h"
#include "core/source_properties.h"
#include "formats/base/format_table.h"
#include "gui/state/marks.h"
#include "source/phantom_text.h"
#include "support/environment_variable.h"
#include "support/sanitized.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::manual_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ECHO_SOURCE_DIR;
const fs::path kManual = kRoot / "assets" / "manual";

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(kManual)) found.push_back(entry.path());
  return found;
}

// The files that links and images of a page name; not addresses of the web.
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

TEST(Manual, NamesThePropertiesOfReading) {
  const std::string page = testing::read_text(kManual / "open-data.md");
  for (const SourceProperty& property : kSourceProperties)
    EXPECT_NE(page.find("| `" + std::string(property.name) + "` |"), std::string::npos) << property.name;
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

// One row of each need, with all options that have it.
TEST(Manual, HoldsWhatOptionsNeed) {
  std::string rows = "| option | needs |\n|---|---|\n";
  std::vector<std::pair<std::string, std::string>> needs;
  for (const OptionNeedRow& row : option_needs()) {
    if (row.need.is_met == nullptr) continue;
    const std::string text(row.need.text), option(row.option);
    const auto found = std::find_if(needs.begin(), needs.end(), [&](const auto& need) { return need.first == text; });
    if (found == needs.end()) {
      needs.emplace_back(text, option);
    } else {
      found->second += ", " + option;
    }
  }
  for (const auto& [text, options] : needs) rows += "| " + options + " | " + text + " |\n";
  EXPECT_NE(testing::read_text(kManual / "options.md").find(rows), std::string::npos)
      << "put these rows into assets/manual/options.md:\n"
      << rows;
}

// Every kind of mark with its points, as --marks takes them.
TEST(Manual, HasThePointsOfEveryKindOfMark) {
  const std::string page = testing::read_text(kManual / "measurement.md");
  for (int i = 0; i <= static_cast<int>(MarkKind::point); ++i) {
    const auto kind = static_cast<MarkKind>(i);
    const std::size_t n = points_of(kind);
    const std::vector<PlanePoint> corners(n == 0 ? 3 : n);
    const std::string word = marks_json({.list = {{.number = 1, .kind = kind, .points = corners}}})[0]["kind"];
    const std::string row = "\n| " + word + " | " + (n == 0 ? "3 to 2000" : std::to_string(n)) + ": ";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(Manual, HoldsTheProgramsFormats) {
  EXPECT_NE(testing::read_text(kManual / "formats.md").find(formats_markdown()), std::string::npos)
      << "put these rows into assets/manual/formats.md:\n"
      << formats_markdown();
  EXPECT_NE(testing::read_text(kManual / "formats.md").find(description_markdown()), std::string::npos)
      << "put these rows into assets/manual/formats.md:\n"
      << description_markdown();
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

TEST(Manual, IsFoundInTheSourceTreeAndWhereItIsInstalled) {
  EXPECT_EQ(manual_page(), kManual / "README.md");
  EXPECT_TRUE(fs::exists(manual_page()));
  const testing::TemporaryFolder share;
  fs::create_directories(share / "shaders");
  testing::write_text_file(share / "shaders/image.frag", "");
  const testing::Variable installed("ECHOLOOP_SHARE", share.path().string());
  EXPECT_EQ(manual_page(), share / "assets/manual/README.md");
  EXPECT_EQ(open_manual(), "The manual is not installed: " + manual_page().string() + " does not exist.");
}

// HTML made of the same pages: as many, complete, and every link and every heading that a link names is there.
TEST(Manual, IsHtmlBesideTheProgramOfABuildTree) {
  const fs::path program = program_file();
  program_file() = ECHO_PROGRAM;
  const fs::path index = manual_page();
  program_file() = program;
  if (index.extension() != ".html") GTEST_SKIP() << "built without python3-markdown";
  EXPECT_EQ(index, fs::path(ECHO_PROGRAM).parent_path() / "assets/manual/README.html");
  int n_links = 0;
  for (const fs::path& page : pages()) {
    const fs::path html = index.parent_path() / page.filename().replace_extension(".html");
    const std::string text = testing::read_text(html);
    EXPECT_TRUE(text.ends_with("</html>\n")) << html;
    EXPECT_EQ(text.find(".md\""), std::string::npos) << html;
    const std::regex link("(?:href|src)=\"([^\"#]*)(?:#([^\"]*))?\"");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), link); it != std::sregex_iterator(); ++it) {
      const std::string file = (*it)[1], heading = (*it)[2];
      if (file.starts_with("http")) continue;
      ++n_links;
      const fs::path target = file.empty() ? html : html.parent_path() / file;
      EXPECT_TRUE(fs::exists(target)) << target << " in " << html;
      if (heading.empty()) continue;
      EXPECT_NE(testing::read_text(target).find("id=\"" + heading + "\""), std::string::npos)
          << file << '#' << heading << " in " << html;
    }
  }
  EXPECT_GT(n_links, 50);
}

TEST(Manual, IsOpenedByTheProgramOfTheDesktop) {
  const testing::TemporaryFolder folder;
  const fs::path opened = folder / "opened";
  testing::write_text_file(folder / "xdg-open", "#!/bin/sh\necho \"$@\" >" + opened.string() + ".part\nmv " +
                                                    opened.string() + ".part " + opened.string() + "\n");
  fs::permissions(folder / "xdg-open", fs::perms::owner_all);
  const testing::Variable path("PATH", folder.path().string() + ":/usr/bin:/bin");
  EXPECT_EQ(open_manual(), "Opening the manual: " + manual_page().string());
  ASSERT_TRUE(testing::wait_until([&] { return fs::exists(opened); }));
  EXPECT_EQ(testing::read_text(opened), manual_page().string() + "\n");
}

TEST(Manual, IsNamedWhereNoProgramOpensIt) {
  const testing::TemporaryFolder empty;
  const testing::Variable path("PATH", empty.path().string());
  EXPECT_EQ(open_manual(), "xdg-open is not installed. The manual is in the folder " + kManual.string() + ".");
}

// `core/frame_ring.cpp`, or `core/frame_ring.cpp: FrameRing::begin_write`; from src/, or from the root.
TEST(CodeReadme, NamesFilesAndFunctionsThatExist) {
  const std::string text = testing::read_text(kRoot / "src" / "README.md");
  const std::regex name(R"(`([a-z0-9_/]+/[a-z0-9_]*(\.[a-z]+)?)(: (\w+::)*(\w+))?`)");
  int n_names = 0;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), name); it != std::sregex_iterator(); ++it, ++n_names) {
    const std::string path = (*it)[1], function = (*it)[5];
    const fs::path file = fs::exists(kRoot / "src" / path) ? kRoot / "src" / path : kRoot / path;
    EXPECT_TRUE(fs::exists(file)) << path;
    if (!function.empty()) {
      EXPECT_NE(testing::read_text(file).find(function + "("), std::string::npos) << it->str();
    }
  }
  EXPECT_GT(n_names, 100);
}

TEST(CodeReadme, NamesEveryFileWithAMutexOrAThread) {
  if (testing::kSanitized) GTEST_SKIP() << "it reads texts, and computes nothing of the program";
  const std::string text = testing::read_text(kRoot / "src" / "README.md");
  const std::regex made(R"(std::(mutex&? \w+[;(]|j?thread \w+;|j?thread\(\[|async\())");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    if (!entry.is_regular_file() || !std::regex_search(testing::read_text(entry.path()), made)) continue;
    const std::string file = fs::relative(entry.path(), kRoot / "src").replace_extension().string();
    EXPECT_NE(text.find("`" + file + "."), std::string::npos) << entry.path() << " is not in src/README.md";
  }
}

TEST(Readme, HasAtMost200Lines) {
  const std::string text = testing::read_text(kRoot / "README.md");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 200);
}

}  // namespace
}  // namespace echoloop::manual_test
