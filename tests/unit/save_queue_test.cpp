// Files are written on a thread, one after another, and each is reported once.
#include "app/window/save_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "support/waiting.h"

namespace echoloop::save_queue_test {
namespace {

TEST(SaveQueue, WritesOnAnotherThreadWhileTheCallerGoesOn) {
  std::atomic<bool> released{false};
  std::thread::id writer;
  SaveQueue queue;
  queue.add([&] {
    writer = std::this_thread::get_id();
    while (!released) std::this_thread::yield();
    return std::string("first");
  });
  queue.add([] { return std::string("second"); });
  EXPECT_TRUE(queue.busy());
  EXPECT_FALSE(queue.take().has_value()) << "the caller did not write it";
  released = true;
  queue.finish();
  EXPECT_NE(writer, std::this_thread::get_id());
  EXPECT_TRUE(queue.busy()) << "the results are to be reported";
  EXPECT_EQ(queue.take()->text, "first");
  EXPECT_EQ(queue.take()->text, "second");
  EXPECT_FALSE(queue.busy());
}

TEST(SaveQueue, AFailureIsReportedAndTheNextFileWritten) {
  SaveQueue queue;
  queue.add([]() -> std::string { throw std::runtime_error("disk full"); });
  queue.add([] { return std::string("saved"); });
  queue.finish();
  const auto failed = queue.take();
  ASSERT_TRUE(failed.has_value());
  EXPECT_TRUE(failed->failed);
  EXPECT_EQ(failed->text, "disk full");
  EXPECT_FALSE(queue.take()->failed);
}

TEST(SaveQueue, WhatWasAskedForIsWrittenBeforeItEnds) {
  int written = 0;
  {
    SaveQueue queue;
    for (int i = 0; i < 3; ++i) queue.add([&] { return std::to_string(++written); });
  }
  EXPECT_EQ(written, 3);
}

}  // namespace
}  // namespace echoloop::save_queue_test
