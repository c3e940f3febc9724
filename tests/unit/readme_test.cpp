// The README's parameter table is made from the program's own table; this keeps the two from drifting apart.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/param_table.h"

namespace echoloop {
namespace {

TEST(Readme, HoldsTheParameterTableOfTheProgram) {
  std::ifstream file(ECHO_SOURCE_DIR "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(params_markdown_table()), std::string::npos)
      << "put the output of `echoloop --list-params` between the marks in README.md";
}

}  // namespace
}  // namespace echoloop
