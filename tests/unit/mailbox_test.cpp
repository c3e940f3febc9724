#include "core/mailbox.h"

#include <gtest/gtest.h>

#include <string>

namespace echoloop::mailbox_test {
namespace {

TEST(Mailbox, NothingBeforeTheFirstValue) {
  Mailbox<int> box;
  EXPECT_FALSE(box.take());
  box.back() = 1;
  EXPECT_FALSE(box.take()) << "a value counts only when published";
}

TEST(Mailbox, LatestValueWinsAndIsTakenOnce) {
  Mailbox<int> box;
  for (int v = 1; v <= 5; ++v) {
    box.back() = v;
    box.publish();
  }
  ASSERT_TRUE(box.take());
  EXPECT_EQ(box.front(), 5);
  EXPECT_FALSE(box.take());
  EXPECT_EQ(box.front(), 5) << "front() stays until another value is taken";
}

TEST(Mailbox, WriterNeverTouchesWhatTheReaderHolds) {
  Mailbox<std::string> box;
  box.back() = "held";
  box.publish();
  ASSERT_TRUE(box.take());
  const std::string* held = &box.front();
  for (int v = 0; v < 10; ++v) {
    EXPECT_NE(&box.back(), held);
    box.back() = std::to_string(v);
    box.publish();
  }
  EXPECT_EQ(*held, "held");
  ASSERT_TRUE(box.take());
  EXPECT_EQ(box.front(), "9");
}

TEST(Mailbox, ResetForgets) {
  Mailbox<int> box;
  box.back() = 3;
  box.publish();
  box.reset();
  EXPECT_FALSE(box.take());
  EXPECT_EQ(box.front(), 0);
  box.back() = 4;
  box.publish();
  ASSERT_TRUE(box.take());
  EXPECT_EQ(box.front(), 4);
}

}  // namespace
}  // namespace echoloop::mailbox_test
