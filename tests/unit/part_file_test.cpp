// Files that are written beside their place: new names only, whole or not there.
#include "history/part_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::part_file_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(PartFile, IsWholeOrNotThere) {
  const TemporaryFolder folder;
  {
    const PartFile dropped(folder / "a.txt");
    dropped.write(bytes_of("half"));
  }
  EXPECT_EQ(folder.files(), 0U);
  PartFile file(folder / "a.txt");
  file.write(bytes_of("whole"));
  EXPECT_FALSE(fs::exists(folder / "a.txt"));
  file.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "whole");
  EXPECT_EQ(folder.files(), 1U);
}

// What a killed program of the same number has left, and what another user has put there.
TEST(PartFile, NeverWritesToAFileOrLinkOfItsName) {
  const TemporaryFolder folder;
  const std::string number = std::to_string(::getpid());
  write_text_file(folder / ("a.txt.part" + number), "stale");
  write_text_file(folder / "victim", "untouched");
  fs::create_symlink(folder / "victim", folder / ("a.txt.part" + number + "_2"));
  fs::create_symlink(folder / "nowhere", folder / ("a.txt.part" + number + "_3"));
  PartFile file(folder / "a.txt");
  EXPECT_EQ(file.part(), folder / ("a.txt.part" + number + "_4"));
  file.write(bytes_of("whole"));
  file.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "whole");
  EXPECT_EQ(read_text(folder / "victim"), "untouched");
  EXPECT_EQ(read_text(folder / ("a.txt.part" + number)), "stale");
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST(PartFile, TwoOfOneNameAreTwoFiles) {
  const TemporaryFolder folder;
  PartFile first(folder / "a.txt"), second(folder / "a.txt");
  EXPECT_NE(first.part(), second.part());
  first.write(bytes_of("first"));
  second.write(bytes_of("second"));
  second.commit();
  first.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "first");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(PartFile, RefusesInOneLine) {
  testing::expect_refusal([] { PartFile("/nowhere/a.txt"); }, "/nowhere/a.txt: cannot be written");
  const TemporaryFolder folder;
  fs::create_directory(folder / "taken");
  testing::expect_refusal(
      [&] {
        PartFile file(folder / "taken");
        if (file.replaces()) file.commit();
        file.write(bytes_of("x"));
      },
      "taken: cannot be written");
}

}  // namespace
}  // namespace echoloop::part_file_test
