// Frames from the reader process without a copy: pieces of the shared memory, exchanged frame by frame.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "formats/fake_reader.h"
#include "formats/sandbox/reader_main.h"

namespace echoloop::streamed_frames_test {
namespace {

using namespace test;

class StreamedMemory : public ::testing::Test {
 public:
  StreamedMemory() {
    reader_settings().memory_budget = 10'000;
    recording = open_recording(fake.file("streamed"));
    bytes = recording.acquisition->frame_bytes();
  }
  FrameStream& reader() const { return *recording.reader; }

  FakeReader fake;
  Recording recording;
  std::size_t bytes = 0;
};

bool holds_frame(const FrameMemory& slot, std::uint64_t index) {
  const auto* const values = reinterpret_cast<const float*>(slot.bytes.data());
  for (std::size_t k = 0; k < slot.bytes.size() / sizeof(float); ++k) {
    if (values[k] != fake_value(index, k)) return false;
  }
  return !slot.bytes.empty();
}

TEST_F(StreamedMemory, IsExchangedAndNotCopied) {
  FrameMemory slot = reader().allocate(bytes);
  std::set<const std::byte*> places;
  for (std::uint64_t k = 0; k < 5 * kFakeFrames; ++k) {
    const std::byte* const before = slot.bytes.data();
    reader().read(k % kFakeFrames, slot);
    ASSERT_TRUE(holds_frame(slot, k % kFakeFrames)) << k;
    ASSERT_NE(slot.bytes.data(), before) << k;
    places.insert(before);
  }
  EXPECT_LE(places.size(), 12U);  // the same few pieces again and again
}

// What a history does: a frame's memory goes, other memory comes for it.
TEST_F(StreamedMemory, FramesThatAreKeptStayAsTheyAre) {
  std::vector<FrameMemory> kept;
  for (std::uint64_t k = 0; k < 3 * kFakeFrames; ++k) {
    FrameMemory slot = reader().allocate(bytes);
    reader().read(k % kFakeFrames, slot);
    kept.push_back(std::move(slot));
  }
  for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_TRUE(holds_frame(kept[k], k % kFakeFrames)) << k;
  recording = {};  // nor do they need the process
  for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_TRUE(holds_frame(kept[k], k % kFakeFrames)) << k;
}

TEST_F(StreamedMemory, OtherMemoryIsWrittenInto) {
  const auto own = std::make_shared<std::vector<std::byte>>(bytes);
  FrameMemory slot{.bytes = *own, .owner = own, .kind = HostMemory::pageable};
  reader().read(3, slot);
  EXPECT_EQ(slot.bytes.data(), own->data());
  EXPECT_TRUE(holds_frame(slot, 3));
  const FrameMemory piece = reader().allocate(bytes);
  FrameMemory borrowed{.bytes = piece.bytes, .owner = nullptr, .kind = HostMemory::pageable};
  reader().read(4, borrowed);
  EXPECT_EQ(borrowed.bytes.data(), piece.bytes.data());
  EXPECT_TRUE(holds_frame(borrowed, 4));
}

TEST_F(StreamedMemory, WhatIsReadAheadMovesToMemoryOfAnotherKind) {
  FrameMemory slot = reader().allocate(bytes);
  reader().read(0, slot);
  reader().read_ahead_in([&](std::size_t n) {
    FrameMemory memory = reader().allocate(n);
    memory.kind = HostMemory::pinned;  // as if
    return memory;
  });
  for (std::uint64_t k = 1; k < kFakeFrames; ++k) {
    FrameMemory pinned = reader().allocate(bytes);
    pinned.kind = HostMemory::pinned;
    reader().read(k, pinned);
    EXPECT_EQ(pinned.kind, HostMemory::pinned) << k;
    EXPECT_TRUE(holds_frame(pinned, k)) << k;
  }
  reader().read_ahead_in([](std::size_t) { return FrameMemory{}; });  // there is none: nothing changes
  reader().read(2, slot);
  EXPECT_TRUE(holds_frame(slot, 2));
  EXPECT_EQ(slot.kind, HostMemory::pinned);
}

TEST_F(StreamedMemory, PiecesDoNotOverlapAndComeAgain) {
  std::vector<FrameMemory> pieces;
  for (std::size_t k = 1; k <= 20; ++k) pieces.push_back(reader().allocate(k * 1000));
  for (std::size_t k = 0; k < pieces.size(); ++k)
    std::memset(pieces[k].bytes.data(), static_cast<int>(k), (k + 1) * 1000);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    EXPECT_TRUE(std::all_of(pieces[k].bytes.begin(), pieces[k].bytes.end(),
                            [k](std::byte b) { return b == static_cast<std::byte>(k); }));
  }
  const std::byte* const first = pieces[0].bytes.data();
  std::swap(pieces[3], pieces[11]);
  pieces.clear();
  const FrameMemory again = reader().allocate(150'000);  // as one piece, whatever the order in which they went
  EXPECT_EQ(again.bytes.data(), first);
  EXPECT_TRUE(std::all_of(again.bytes.begin(), again.bytes.end(), [](std::byte b) { return b == std::byte{0}; }))
      << "what was given back was not forgotten";
  EXPECT_TRUE(reader().allocate(std::size_t{1} << 50).bytes.empty());
  EXPECT_TRUE(reader().allocate(0).bytes.empty());
}

#if defined(MADV_POPULATE_READ)
// Whoever takes the memory waits for it, not the frames that come into it.
TEST_F(StreamedMemory, IsThereBeforeFramesAreReadIntoIt) {
  constexpr std::size_t kPage = 4096, kPages = 64;
  const FrameMemory other = reader().allocate(kPage);
  if (::madvise(other.bytes.data(), kPage, MADV_POPULATE_READ) != 0) GTEST_SKIP() << "not on this kernel";
  const FrameMemory piece = reader().allocate(kPages * kPage);
  std::vector<unsigned char> there(kPages);
  ASSERT_EQ(::mincore(piece.bytes.data(), kPages * kPage, there.data()), 0);
  EXPECT_EQ(std::count(there.begin(), there.end(), 1), static_cast<std::ptrdiff_t>(kPages));
}
#endif

}  // namespace
}  // namespace echoloop::streamed_frames_test
