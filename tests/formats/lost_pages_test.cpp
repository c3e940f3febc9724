// A mapped file that becomes shorter while its bytes are in use: reading goes on with empty pages, and they are known.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/process_memory.h"
#include "formats/base/mapping.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::lost_pages_test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

constexpr std::size_t kPage = 4096;

struct Mapped {
  explicit Mapped(std::size_t pages) {
    testing::write_text_file(folder / "a.bin", std::string(pages * kPage, 'x'));
    file = MappedFile::open(folder / "a.bin");
  }
  [[nodiscard]] std::span<const std::byte> page(std::size_t i) const { return file->bytes().subspan(i * kPage, kPage); }
  TemporaryFolder folder;
  std::shared_ptr<const MappedFile> file;
};

bool all_are(std::span<const std::byte> bytes, char c) {
  return std::all_of(bytes.begin(), bytes.end(), [c](std::byte b) { return b == static_cast<std::byte>(c); });
}

TEST(LostPages, AreEmptyAndKnown) {
  const Mapped mapped(8);
  EXPECT_TRUE(in_mapped_file(mapped.page(3)));
  fs::resize_file(mapped.folder / "a.bin", 5 * kPage);
  EXPECT_TRUE(all_are(mapped.page(4), 'x'));
  require_readable(mapped.file->bytes());  // no page was missed yet
  EXPECT_TRUE(all_are(mapped.page(6), '\0'));
  require_readable(mapped.page(4));
  require_readable(mapped.page(5));
  testing::expect_refusal([&] { require_readable(mapped.page(6)); }, "a.bin: a part of the file cannot be read");
  testing::expect_refusal([&] { require_readable(mapped.file->bytes()); }, "a.bin");
}

TEST(LostPages, OfManyThreadsAtOnce) {
  const Mapped mapped(512);
  fs::resize_file(mapped.folder / "a.bin", 0);
  std::vector<std::thread> readers;
  std::atomic<int> empty{0};
  for (int t = 0; t < 4; ++t) {
    readers.emplace_back([&] { empty += all_are(mapped.file->bytes(), '\0') ? 1 : 0; });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(empty, 4);
  testing::expect_refusal([&] { require_readable(mapped.page(511)); }, "a.bin");
}

TEST(LostPages, BelongToTheirFile) {
  const Mapped one(2), other(2);
  fs::resize_file(one.folder / "a.bin", 0);
  EXPECT_TRUE(all_are(one.page(0), '\0'));
  require_readable(other.file->bytes());
  EXPECT_TRUE(all_are(other.page(1), 'x'));
  const std::vector<std::byte> memory(kPage);
  EXPECT_FALSE(in_mapped_file(memory));
  require_readable(memory);
}

TEST(LostPages, AreForgottenWithTheirFile) {
  for (std::size_t i = 0; i < 2 * MappingEntry::kMost; ++i) {
    const Mapped mapped(1);
    if (i % 2 == 0) fs::resize_file(mapped.folder / "a.bin", 0);
    EXPECT_EQ(all_are(mapped.page(0), '\0'), i % 2 == 0);
    if (i % 2 != 0) require_readable(mapped.page(0));
  }
}

TEST(LostPages, FaultsElsewhereStillEndTheProgram) {
  survive_lost_pages();
  const TemporaryFolder folder;
  testing::write_text_file(folder / "a.bin", std::string(kPage, 'x'));
  const int file = ::open((folder / "a.bin").c_str(), O_RDONLY);
  auto* page = static_cast<volatile char*>(::mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE, file, 0));
  ASSERT_EQ(::truncate((folder / "a.bin").c_str(), 0), 0);
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
#if defined(ECHO_SANITIZED)
  EXPECT_DEATH(static_cast<void>(page[0]), "");
#else
  EXPECT_EXIT(static_cast<void>(page[0]), ::testing::KilledBySignal(SIGBUS), "");
#endif
  ::close(file);
}

}  // namespace
}  // namespace echoloop::lost_pages_test
