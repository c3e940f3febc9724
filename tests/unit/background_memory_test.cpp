// Frames of a long recording that are page-locked or copied while they are streamed.
#include "app/stream/background_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "core/mapped_files.h"
#include "core/plain_array.h"
#include "support/fake_backend.h"
#include "support/numbered_frames.h"
#include "support/waiting.h"

namespace echoloop::background_memory_test {
namespace {

using testing::FakeBackend;

constexpr std::size_t kPiece = std::size_t{1} << 21;
constexpr std::uint64_t kFrames = 50;

// Frames one after the other in memory that counts as a mapped file, some bytes behind its start.
class LentFrames final : public SeekableSource {
 public:
  LentFrames() : acquisition_(testing::share(testing::integer_acquisition(64, 1111))), memory_(kFrames * bytes() + kHead) {
    for (std::uint64_t i = 0; i < kFrames; ++i)
      testing::number_frame(memory().subspan(kHead + i * bytes(), bytes()), i);
    entry_ = std::make_unique<MappingEntry>("frames", memory());
  }
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "lent frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return kFrames; }
  [[nodiscard]] bool lends_frames() const override { return true; }
  [[nodiscard]] std::span<std::byte> memory() { return {memory_.begin(), memory_.end()}; }
  [[nodiscard]] std::size_t bytes() const { return acquisition_->frame_bytes(); }

 private:
  static constexpr std::size_t kHead = 1000;

  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/, const std::stop_token&) override {
    return memory().subspan(kHead + index % kFrames * bytes(), bytes());
  }

  AcquisitionPtr acquisition_;
  PlainArray<std::byte> memory_;
  std::unique_ptr<MappingEntry> entry_;
};

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

// Pieces of 2 MiB in whole pages: which of them a frame touches.
std::set<std::size_t> pieces_of(std::span<const std::byte> frame, const std::byte* first_page) {
  return {static_cast<std::size_t>(frame.data() - first_page) / kPiece,
          static_cast<std::size_t>(frame.data() + frame.size() - 1 - first_page) / kPiece};
}

TEST(BackgroundMemory, LocksPiecesOfAMappedFileInPlace) {
  FakeBackend backend;
  backend.all_kinds = true;
  std::atomic<int> locks{0};
  std::size_t locked_bytes = 0;  // read when all is done
  const std::byte* first_page = nullptr;
  backend.on_page_lock = [&](std::span<const std::byte> piece) {
    if (first_page == nullptr) first_page = piece.data();
    EXPECT_EQ(piece.data(), first_page + locked_bytes) << "pieces follow each other";
    locked_bytes += piece.size();
    return std::make_unique<Lock>(locks);
  };
  const auto source = std::make_shared<LentFrames>();
  {
    BackgroundMemory frames(source, HostMemory::pinned, backend, {.piece_bytes = kPiece, .total_bytes = 1UL << 40});
    EXPECT_TRUE(holds_all_frames(frames));  // also while pieces are locked
    ASSERT_TRUE(testing::wait_until([&] { return !frames.working(); }));
    EXPECT_TRUE(frames.complete());
    EXPECT_TRUE(holds_all_frames(frames));
    EXPECT_GE(locked_bytes, kFrames * source->bytes());
    EXPECT_LT(locked_bytes, kFrames * source->bytes() + 3 * 4096);
    EXPECT_EQ(frames.bytes_in_place(), locked_bytes);
    EXPECT_EQ(frames.bytes_copied(), 0U);
    const std::span<const std::byte> file = source->memory();
    int in_place = 0, across = 0;
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      const std::span<const std::byte> frame = frames.at(i, {});
      const bool is_in_place = frame.data() >= file.data() && frame.data() < file.data() + file.size();
      ++(is_in_place ? in_place : across);
      if (!is_in_place) continue;
      EXPECT_EQ(pieces_of(frame, first_page).size(), 1U) << "no copy crosses a border of pieces";
    }
    EXPECT_EQ(locks, (locked_bytes + kPiece - 1) / kPiece);
    EXPECT_LE(across, locks - 1);
    EXPECT_GT(across, 0);
    EXPECT_EQ(in_place + across, static_cast<int>(kFrames));
  }
  EXPECT_EQ(locks, 0);
}

TEST(BackgroundMemory, CopiesWhereLockingIsRefusedOrAnotherKindIsWanted) {
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::mapped}) {
    FakeBackend backend;
    backend.all_kinds = true;
    const auto source = std::make_shared<LentFrames>();
    BackgroundMemory frames(source, kind, backend, {.piece_bytes = kPiece, .total_bytes = 1UL << 40});
    EXPECT_TRUE(holds_all_frames(frames));
    ASSERT_TRUE(testing::wait_until([&] { return !frames.working(); }));
    EXPECT_TRUE(frames.complete());
    EXPECT_TRUE(holds_all_frames(frames));
    EXPECT_EQ(frames.bytes_copied(), kFrames * source->bytes());
    std::fill(source->memory().begin(), source->memory().end(), std::byte{0});
    EXPECT_TRUE(holds_all_frames(frames)) << "frames come from the copy";
  }
}

TEST(BackgroundMemory, TakesNoMoreThanItsLimit) {
  for (const bool lockable : {true, false}) {
    FakeBackend backend;
    backend.all_kinds = true;
    std::atomic<int> locks{0};
    if (lockable) backend.on_page_lock = [&](std::span<const std::byte>) { return std::make_unique<Lock>(locks); };
    const auto source = std::make_shared<LentFrames>();
    BackgroundMemory frames(source, HostMemory::pinned, backend, {.piece_bytes = kPiece, .total_bytes = 2 * kPiece});
    ASSERT_TRUE(testing::wait_until([&] { return !frames.working(); }));
    EXPECT_FALSE(frames.complete());
    EXPECT_GT(frames.bytes_in_place(), kPiece / 2);
    EXPECT_LE(frames.bytes_in_place(), 2 * kPiece);
    EXPECT_TRUE(holds_all_frames(frames));
  }
}

TEST(BackgroundMemory, EndsBetweenTwoPieces) {
  FakeBackend backend;
  backend.all_kinds = true;
  std::atomic<int> locks{0}, asked{0};
  std::atomic<bool> go_on{false};
  backend.on_page_lock = [&](std::span<const std::byte>) {
    ++asked;
    while (!go_on) std::this_thread::yield();
    return std::make_unique<Lock>(locks);
  };
  const auto source = std::make_shared<LentFrames>();
  auto frames = std::make_unique<BackgroundMemory>(source, HostMemory::pinned, backend,
                                                   BackgroundMemory::Limits{kPiece, std::size_t{1} << 40});
  ASSERT_TRUE(testing::wait_until([&] { return asked == 1; }));
  EXPECT_TRUE(holds_all_frames(*frames)) << "frames are lent while a piece is being locked";
  std::thread end([&] { frames.reset(); });
  go_on = true;
  end.join();
  EXPECT_EQ(locks, 0);
}

}  // namespace
}  // namespace echoloop::background_memory_test
