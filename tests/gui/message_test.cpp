// Which message stands in the line, and when an error goes.
#include <gtest/gtest.h>

#include "gui/state/ui_state.h"

namespace echoloop::message_test {
namespace {

Message error(const char* text, const char* cause) {
  return {.severity = Severity::error, .text = text, .cause = cause};
}

TEST(Messages, AnErrorStandsUntilItsCauseIsGone) {
  MessageLog log;
  EXPECT_FALSE(standing(log.list()).has_value());
  log.post(error("a.uff cannot be read", "opening"));
  log.post({.text = "Saved b.png"});
  EXPECT_EQ(standing(log.list()), std::size_t{1}) << "the error, below the newer line";
  log.resolve("saving");
  EXPECT_EQ(standing(log.list()), std::size_t{1});
  log.resolve("opening");
  EXPECT_EQ(standing(log.list()), std::size_t{0});
  EXPECT_EQ(log.list().size(), 2U) << "the list keeps it";
}

TEST(Messages, OneErrorACauseAndThatTheNewest) {
  MessageLog log;
  log.post(error("first", "saving"));
  log.post(error("second", "saving"));
  EXPECT_EQ(log.list()[1].stay, Stay::resolved);
  EXPECT_EQ(standing(log.list()), std::size_t{0});
  log.post(error("of no known cause", ""));
  log.post(error("another", ""));
  log.resolve("");
  EXPECT_EQ(log.list()[1].stay, Stay::as_newest) << "only the user can dismiss it";
}

TEST(Messages, PassingLinesAndResolvedErrorsLeaveTheLineEmpty) {
  MessageLog log;
  log.post({.text = "Freeze first (Space).", .stay = Stay::passing});
  EXPECT_FALSE(standing(log.list()).has_value());
  log.post({.severity = Severity::warning, .text = "The grid is too coarse.", .cause = "formation"});
  EXPECT_EQ(standing(log.list()), std::size_t{0});
  log.resolve("formation");
  EXPECT_FALSE(standing(log.list()).has_value());
}

TEST(Messages, APlainLineIsNotResolved) {
  MessageLog log;
  log.post({.text = "Recording to a.uff", .cause = "recording"});
  log.resolve("recording");
  EXPECT_EQ(standing(log.list()), std::size_t{0});
}

TEST(Messages, TheOldestAreRemovedAndCounted) {
  MessageLog log;
  for (std::size_t i = 0; i < MessageLog::kMost; ++i) log.post({.text = std::to_string(i)});
  EXPECT_EQ(log.removed(), 0U);
  for (int i = 0; i < 3; ++i) log.post({.text = "later"});
  EXPECT_EQ(log.list().size(), MessageLog::kMost);
  EXPECT_EQ(log.list().back().text, "3");
  EXPECT_EQ(log.removed(), 3U);
  log.dismiss(0);
  log.dismiss(MessageLog::kMost);
  EXPECT_EQ(log.list().size(), MessageLog::kMost - 1);
  EXPECT_EQ(log.removed(), 3U) << "a dismissed message is not counted";
  log.clear();
  EXPECT_TRUE(log.list().empty());
  EXPECT_EQ(log.removed(), 0U) << "a new visitor's list begins";
}

TEST(Messages, TheTextHasTimesSeveritiesAndWhatIsResolved) {
  MessageLog log;
  EXPECT_EQ(log.text(), "");
  log.post({.severity = Severity::error, .clock = "12:00:00", .text = "The disk is full.", .cause = "saving"});
  log.post({.severity = Severity::warning, .clock = "12:00:01", .text = "The grid is too coarse."});
  log.post({.clock = "12:00:02", .text = "Saved b.png"});
  log.resolve("saving");
  EXPECT_EQ(log.text(),
            "12:00:02  Saved b.png\n12:00:01  Warning: The grid is too coarse.\n"
            "12:00:00  Error: The disk is full. (resolved)\n");
}

}  // namespace
}  // namespace echoloop::message_test
