// Frames of a long recording that are copied into page-locked memory while they are streamed.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "app/stream/session.h"
#include "support/fake_backend.h"
#include "support/lent_frames.h"
#include "support/waiting.h"

namespace echoloop::background_memory_test {
namespace {

using testing::FakeBackend;
using testing::LentFrames;

constexpr std::size_t kPiece = std::size_t{1} << 21;
constexpr std::uint64_t kFrames = LentFrames::kFrames;

struct Lock final : PageLock {
  explicit Lock(std::atomic<int>& count) : held(count) { ++held; }
  ~Lock() override { --held; }
  std::atomic<int>& held;
};

bool holds_all_frames(BackgroundMemory& frames) {
  for (std::uint64_t i = 0; i < 2 * kFrames; ++i) {
    if (!testing::is_whole({.stamp = {.sequence = i, .source_index = i % kFrames}, .samples = frames.at(i, {})}))
      return false;
  }
  return true;
}

TEST(BackgroundMemory, TimesOfARecordingAreItsOwn) {
  FakeBackend backend;
  BackgroundMemory frames(std::make_shared<LentFrames>(), HostMemory::pageable, backend,
                          {.piece_bytes = kPiece, .total_bytes = 1UL << 40, .threads = 1});
  EXPECT_TRUE(testing::gives_recorded_times(frames));
}

TEST(BackgroundMemory, CopiesFramesWhileTheyAreLent) {
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::mapped}) {
    FakeBackend backend;
    backend.all_kinds = true;
    std::atomic<int> locks{0};
    std::atomic<std::size_t> locked_bytes{0};
    backend.on_page_lock = [&](std::span<const std::byte> piece) {
      locked_bytes += piece.size();
      return std::make_unique<Lock>(locks);
    };
    const auto source = std::make_shared<LentFrames>();
    {
      BackgroundMemory frames(source, kind, backend, {.piece_bytes = kPiece, .total_bytes = 1UL << 40, .threads = 3});
      EXPECT_TRUE(holds_all_frames(frames));
      ASSERT_TRUE(testing::wait_until([&] { return !frames.working(); }));
      EXPECT_TRUE(frames.complete());
      EXPECT_EQ(frames.bytes(), kFrames * source->bytes());
      EXPECT_EQ(locked_bytes, kind == HostMemory::pinned ? frames.bytes() : 0U);
      std::fill(source->memory().begin(), source->memory().end(), std::byte{0});
      EXPECT_TRUE(holds_all_frames(frames)) << "frames come from the copy";
    }
    EXPECT_EQ(locks, 0);
  }
}

TEST(BackgroundMemory, LeavesFramesWhereTheyAreWhenTheSystemRefuses) {
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::mapped}) {
    FakeBackend backend;  // locks nothing, and has pageable memory only
    const auto source = std::make_shared<LentFrames>();
    BackgroundMemory frames(source, kind, backend, {.piece_bytes = kPiece, .total_bytes = 1UL << 40, .threads = 2});
    ASSERT_TRUE(testing::wait_until([&] { return !frames.working(); }));
    EXPECT_FALSE(frames.complete());
    EXPECT_EQ(frames.bytes(), 0U);
    EXPECT_TRUE(holds_all_frames(frames));
  }
}

TEST(BackgroundMemory, TakesNoMoreThanItsLimit) {
  FakeBackend backend;
  std::atomic<int> locks{0};
  backend.on_page_lock = [&](std::span<const std::byte>) { return std::make_unique<Lock>(locks); };
  const auto source = std::make_shared<LentFrames>();
  BackgroundMemory frames(source, HostMemory::pinned, backend, {.piece_bytes = kPiece, .total_bytes = 2 * kPiece});
  ASSERT_TRUE(testing::wait_until([&] { return !frames.working(); }));
  EXPECT_FALSE(frames.complete());
  EXPECT_EQ(locks, 2);
  EXPECT_EQ(frames.bytes(), 2 * (kPiece / source->bytes()) * source->bytes());
  EXPECT_TRUE(holds_all_frames(frames));
}

TEST(BackgroundMemory, EndsBetweenTwoPieces) {
  FakeBackend backend;
  std::atomic<int> locks{0}, asked{0};
  std::atomic<bool> go_on{false};
  backend.on_page_lock = [&](std::span<const std::byte>) {
    ++asked;
    while (!go_on) std::this_thread::yield();
    return std::make_unique<Lock>(locks);
  };
  const auto source = std::make_shared<LentFrames>();
  auto frames = std::make_unique<BackgroundMemory>(
      source, HostMemory::pinned, backend, BackgroundMemory::Limits{.piece_bytes = kPiece, .total_bytes = 1UL << 40});
  ASSERT_TRUE(testing::wait_until([&] { return asked == 1; }));
  EXPECT_TRUE(holds_all_frames(*frames)) << "frames are lent while a piece is being locked";
  std::thread end([&] { frames.reset(); });
  go_on = true;
  end.join();
  EXPECT_EQ(locks, 0);
}

}  // namespace
}  // namespace echoloop::background_memory_test
