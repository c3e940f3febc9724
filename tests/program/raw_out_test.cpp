// --raw-out: the samples of a run as NumPy has them, complete, killed, on a full disk, and refused.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "program/run_program.h"
#include "program/started_program.h"
#include "source/phantom.h"
#include "source/phantom_text.h"
#include "support/temporary_folder.h"

namespace echoloop::raw_out_test {
namespace {

using namespace testing;

// With images of few pixels: they are not what is tested.
Words raw_out_to(const std::filesystem::path& file, const Words& more) {
  return joined(
      {"sim:points", "--headless", "--backend", "cpu", "--grid", "-5:5:16,5:25:16", "--raw-out", file.string()}, more);
}

// Reads the head as numpy does, without the program's own reader; more samples than the head says are allowed.
struct Npy {
  explicit Npy(const std::filesystem::path& path) : Npy(read_text(path)) {}
  explicit Npy(std::string bytes) : text(std::move(bytes)) {
    if (text.size() < 10 || text.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0) return;
    begin = 10U + static_cast<unsigned char>(text[8]) + 256U * static_cast<unsigned char>(text[9]);
    head = text.substr(10, begin - 10);
    const std::size_t shape = head.find("'shape': (");
    if (shape != std::string::npos) frames = std::stoull(head.substr(shape + 10));
  }
  std::string text, head;
  std::size_t begin = 0;
  std::uint64_t frames = 0;
};

// Of a file that grows: to read all of it may take longer than it takes to grow.
std::uint64_t frames_so_far(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(1024, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return Npy(head.substr(0, static_cast<std::size_t>(file.gcount()))).frames;
}

// Frames 0, 1, 2 ... of the phantom, bit for bit.
void expect_phantom(const Npy& file) {
  const std::unique_ptr<SeekableSource> phantom = make_phantom(parse_phantom("points"));
  const Acquisition& a = *phantom->acquisition();
  EXPECT_NE(file.head.find("'descr': '<i2', 'fortran_order': False"), std::string::npos) << file.head;
  EXPECT_NE(file.head.find(", 3, 64, 1024)"), std::string::npos) << file.head;
  EXPECT_EQ(file.begin % 64, 0U);
  EXPECT_EQ(file.head.back(), '\n');
  std::vector<std::byte> slot(a.frame_bytes());
  ASSERT_GE(file.text.size(), file.begin + file.frames * slot.size());
  for (std::uint64_t i = 0; i < file.frames; ++i) {
    const std::span<const std::byte> made = phantom->at(i, slot);
    ASSERT_EQ(std::memcmp(made.data(), file.text.data() + file.begin + i * made.size(), made.size()), 0) << i;
  }
}

TEST(RawOut, HoldsThePhantomBitForBit) {
  const TemporaryFolder folder;
  const Ended ended = run_program(
      raw_out_to(folder / "a.npy", {"--frames", "40", "--rate", "max", "--report", (folder / "report.json").string()}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("a.npy: recorded 40 frames"), std::string::npos) << ended.out;
  EXPECT_NE(read_text(folder / "report.json").find("\"raw_out\""), std::string::npos);
  const Npy file(folder / "a.npy");
  EXPECT_EQ(file.frames, 40U);
  EXPECT_EQ(file.text.size(), file.begin + 40U * 3 * 64 * 1024 * 2);
  expect_phantom(file);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npy.partial"));
}

TEST(RawOut, ReplacesNoFileAndStandsBesideARecording) {
  const TemporaryFolder folder;
  testing::write_text_file(folder / "a.npy", "mine");
  const Words words =
      raw_out_to(folder / "a.npy", {"--frames", "12", "--rate", "max", "--record", (folder / "a.uff").string()});
  const Ended ended = run_program(words);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(read_text(folder / "a.npy"), "mine");
  const Npy file(folder / "a_2.npy");
  EXPECT_EQ(file.frames, 12U);
  expect_phantom(file);
  EXPECT_NE(ended.out.find("a.uff: recorded 12 frames"), std::string::npos) << ended.out;
}

TEST(RawOut, AKilledProgramLeavesWhatWasFlushed) {
  const TemporaryFolder folder;
  const std::filesystem::path partial = folder / "a.npy.partial";
  StartedProgram program(raw_out_to(folder / "a.npy", {"--rate", "200", "--duration", "600"}), folder);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (frames_so_far(partial) == 0 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  program.send(SIGKILL);
  program.end();
  const Npy file(partial);
  EXPECT_GT(file.frames, 0U);
  expect_phantom(file);
}

TEST(RawOut, AFullDiskIsOneLineAndKeepsWhatWasWritten) {
  const TemporaryFolder folder;
  Ended ended;
  {
    const testing::ResourceLimit limit(RLIMIT_FSIZE, 24 << 20);
    ended = run_program(raw_out_to(folder / "a.npy", {"--frames", "400", "--rate", "max"}));
  }
  EXPECT_EQ(ended.status, 1);
  const std::vector<std::string> complaints = testing::complaints_of(ended);
  ASSERT_EQ(complaints.size(), 1U) << ended.err;
  EXPECT_NE(complaints[0].find("the recording ended early"), std::string::npos) << complaints[0];
  const Npy file(folder / "a.npy");
  EXPECT_GT(file.frames, 0U);
  EXPECT_LT(file.frames, 400U);
  expect_phantom(file);
}

TEST(RawOut, RefusesWhatCannotBeWritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.npy");
  const Words window = {"sim:points", "--frames", "1", "--raw-out", (folder / "a.npy").string()};
  for (const Words& words :
       {raw_out_to("/nowhere/a.npy", {"--frames", "1"}), raw_out_to(folder / "folder.npy", {"--frames", "1"}),
        raw_out_to(folder / "a.uff", {"--frames", "1"}), window}) {
    const Ended ended = run_program(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(testing::lines_of(ended.err).size(), 1U) << ended.err;
  }
}

}  // namespace
}  // namespace echoloop::raw_out_test
