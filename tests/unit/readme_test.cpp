// What the README says about options and parameters is what the program says; this keeps the two from drifting apart.
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <set>

#include "app/options.h"
#include "core/param_table.h"
#include "source/phantom_list.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop {
namespace {

std::string readme() { return testing::read_text(ECHO_SOURCE_DIR "/README.md"); }

TEST(Readme, HoldsTheParameterTableOfTheProgram) {
  EXPECT_NE(readme().find(params_markdown_table()), std::string::npos)
      << "put the output of `echoloop --list-params` between the marks in README.md";
}

TEST(Readme, HoldsTheProgramsPhantoms) {
  EXPECT_NE(readme().find(phantoms_markdown()), std::string::npos)
      << "put these rows into the table of sources in README.md:\n"
      << phantoms_markdown();
}

TEST(Readme, NamesEveryOptionOfTheHelpAndNoOther) {
  std::array<char*, 2> words = {const_cast<char*>("echoloop"), const_cast<char*>("--help")};
  const std::string help = parse_command_line(2, words.data()).help;
  const std::string text = readme();
  const std::size_t begin = text.find("## Command line");
  const std::string ours = text.substr(begin, text.find("### Parameters", begin) - begin);
  const auto options = [](const std::string& from) {
    const std::regex option("--[a-z][a-z0-9-]+");
    return std::set<std::string>(std::sregex_token_iterator(from.begin(), from.end(), option), {});
  };
  std::set<std::string> said = options(ours);
  for (const std::string& option : options(help)) {
    EXPECT_TRUE(said.erase(option) > 0) << option << " is not in README.md";
  }
  for (const std::string& option : said) ADD_FAILURE() << option << " is in README.md only";
}

}  // namespace
}  // namespace echoloop
