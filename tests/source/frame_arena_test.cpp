// Pieces of memory that is shared with another process: huge pages reach over several of them, and what one piece does
// must not be seen in another.
#include "transport/frame_arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <random>
#include <vector>

#include "transport/file_descriptor.h"

namespace echoloop {
namespace {

constexpr std::size_t kSize = std::size_t{48} << 20;

struct Shared {
  Shared() : file(::memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_TRUE(seal(file.get(), kSize));
    arena = std::make_shared<FrameArena>(SharedMemory::map(file.get(), kSize));
    other_process = SharedMemory::map(file.get(), kSize);
  }
  [[nodiscard]] std::size_t bytes_in_use() const {
    struct stat info {};
    EXPECT_EQ(::fstat(file.get(), &info), 0);
    return static_cast<std::size_t>(info.st_blocks) * 512;
  }
  // The piece as the other process has it.
  [[nodiscard]] std::span<std::byte> seen_by_other(const FrameMemory& piece) const {
    return other_process->bytes().subspan(arena->offset_of(piece.bytes), piece.bytes.size());
  }

  FileDescriptor file;
  std::shared_ptr<FrameArena> arena;
  std::shared_ptr<SharedMemory> other_process;
};

bool holds_only(std::span<const std::byte> bytes, std::byte value) {
  return std::ranges::all_of(bytes, [value](std::byte one) { return one == value; });
}

TEST(FrameArena, PiecesKeepTheirSamplesWhileOthersComeAndGo) {
  const Shared shared;
  struct Filled {
    FrameMemory memory;
    std::byte value{};
  };
  std::vector<Filled> pieces;
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    if (pieces.size() > 6 || (!pieces.empty() && random() % 3 == 0)) {
      const auto going = pieces.begin() + static_cast<std::ptrdiff_t>(random() % pieces.size());
      ASSERT_TRUE(holds_only(going->memory.bytes, going->value)) << "round " << round;
      pieces.erase(going);
      continue;
    }
    const std::size_t bytes = 1000 + random() % (std::size_t{5} << 20);
    FrameMemory memory = shared.arena->allocate(bytes);
    ASSERT_EQ(memory.bytes.size(), bytes);
    ASSERT_TRUE(holds_only(memory.bytes, std::byte{0})) << "round " << round << ": samples of an earlier piece";
    const auto value = static_cast<std::byte>(1 + round % 255);
    std::ranges::fill(shared.seen_by_other(memory), value);
    pieces.push_back({std::move(memory), value});
  }
  for (const Filled& piece : pieces) EXPECT_TRUE(holds_only(piece.memory.bytes, piece.value));
}

TEST(FrameArena, PiecesGivenBackTakeNoMemory) {
  const Shared shared;
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    std::vector<FrameMemory> pieces;
    std::size_t bytes = 0;
    while (pieces.size() < 8) {
      pieces.push_back(shared.arena->allocate(4096 + random() % (std::size_t{5} << 20)));
      bytes += pieces.back().bytes.size();
    }
    EXPECT_GE(shared.bytes_in_use(), bytes);
    EXPECT_LE(shared.bytes_in_use(), bytes + 8 * 4096 + SharedMemory::kHugePage);
    std::ranges::shuffle(pieces, random);
    while (!pieces.empty()) pieces.pop_back();
    EXPECT_EQ(shared.bytes_in_use(), 0U) << "round " << round;
  }
}

}  // namespace
}  // namespace echoloop
