// Which message stands in the line, and when an error goes.
#include "gui/message.h"

#include <gtest/gtest.h>

namespace echoloop {
namespace {

Message error(const char* text, const char* cause) {
  return {.severity = Severity::error, .text = text, .cause = cause};
}

TEST(Messages, AnErrorStandsUntilItsCauseIsGone) {
  std::vector<Message> list;
  EXPECT_FALSE(standing(list).has_value());
  post(list, error("a.uff cannot be read", "opening"));
  post(list, {.text = "Saved b.png"});
  EXPECT_EQ(standing(list), std::size_t{1}) << "the error, below the newer line";
  resolve(list, "saving");
  EXPECT_EQ(standing(list), std::size_t{1});
  resolve(list, "opening");
  EXPECT_EQ(standing(list), std::size_t{0});
  EXPECT_EQ(list.size(), 2U) << "the list keeps it";
}

TEST(Messages, OneErrorACauseAndThatTheNewest) {
  std::vector<Message> list;
  post(list, error("first", "saving"));
  post(list, error("second", "saving"));
  EXPECT_EQ(list[1].stay, Stay::resolved);
  EXPECT_EQ(standing(list), std::size_t{0});
  post(list, error("of no known cause", ""));
  post(list, error("another", ""));
  resolve(list, "");
  EXPECT_EQ(list[1].stay, Stay::as_newest) << "only the user can dismiss it";
}

TEST(Messages, PassingLinesAndResolvedErrorsLeaveTheLineEmpty) {
  std::vector<Message> list;
  post(list, {.text = "Freeze first (Space).", .stay = Stay::passing});
  EXPECT_FALSE(standing(list).has_value());
  post(list, {.severity = Severity::warning, .text = "The grid is too coarse.", .cause = "formation"});
  EXPECT_EQ(standing(list), std::size_t{0});
  resolve(list, "formation");
  EXPECT_FALSE(standing(list).has_value());
}

TEST(Messages, APlainLineIsNotResolved) {
  std::vector<Message> list;
  post(list, {.text = "Recording to a.uff", .cause = "recording"});
  resolve(list, "recording");
  EXPECT_EQ(standing(list), std::size_t{0});
}

TEST(Messages, TheListHasAnEnd) {
  std::vector<Message> list;
  for (int i = 0; i < 500; ++i) post(list, {.text = std::to_string(i)});
  EXPECT_LE(list.size(), 100U);
  EXPECT_EQ(list.front().text, "499");
}

}  // namespace
}  // namespace echoloop
