// What a killed program leaves, repaired: any HDF5 reader opens it, with all frames that are whole.
#include <gtest/gtest.h>

#include <filesystem>

#include "history/hdf5_recording.h"
#include "history/part_file.h"
#include "support/one_line.h"
#include "support/recordings.h"
#include "support/temporary_folder.h"
#include "support/uff_file.h"

namespace echoloop::hdf5_repair_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

void append_frames(Hdf5Writer& writer, const Acquisition& a, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    const std::vector<std::byte> samples = any_bits(a, static_cast<unsigned>(i));
    writer.append({.stamp = {.sequence = i, .acquired_ns = static_cast<std::int64_t>(i)}, .samples = samples});
  }
}

// A copy of the file as it is on disk while it grows: `flushed` frames are safe, the last ones need not be.
void leave_behind(const fs::path& as, const Acquisition& a, std::uint64_t flushed, std::uint64_t more) {
  const TemporaryFolder elsewhere;
  Hdf5Writer writer(elsewhere / "a.uff", share(a), {.version = "1"});
  append_frames(writer, a, 0, flushed);
  writer.flush();
  append_frames(writer, a, flushed, more);
  fs::copy(writer.partial(), as);
}

class RepairOfEveryKind : public ::testing::TestWithParam<NamedAcquisition> {};

TEST_P(RepairOfEveryKind, OpensPlainlyWithAllItsFrames) {
  const Acquisition& a = GetParam().acquisition;
  const TemporaryFolder folder;
  leave_behind(folder / "a.uff.partial", a, 7, 3);
  ASSERT_FALSE(UffFile(folder / "a.uff.partial").is_open());
  const RepairedRecording repaired = repair_recording(folder / "a.uff.partial");
  EXPECT_EQ(repaired.path, folder / "a.uff");
  EXPECT_GE(repaired.frames, 7U);
  EXPECT_EQ(folder.files(), 1U);
  const UffFile file(folder / "a.uff");
  ASSERT_TRUE(file.is_open());
  ASSERT_EQ(file.sequence().size(), repaired.frames);
  for (std::uint64_t i = 0; i < repaired.frames; ++i)
    EXPECT_EQ(file.frame(i, a), any_bits(a, static_cast<unsigned>(i)));
}

INSTANTIATE_TEST_SUITE_P(Repair, RepairOfEveryKind, ::testing::ValuesIn(testing::every_kind_of_acquisition()),
                         [](const auto& info) { return info.param.name; });

TEST(Repair, NeverReplacesAFileAndLeavesAWholeOneAlone) {
  const Acquisition a = testing::linear_acquisition();
  const TemporaryFolder folder;
  testing::write_text_file(folder / "a.uff", "another one");
  leave_behind(folder / "a.uff.partial2", a, 4, 0);
  const RepairedRecording repaired = repair_recording(folder / "a.uff.partial2");
  EXPECT_EQ(repaired.path, folder / "a_2.uff");
  EXPECT_EQ(testing::read_text(folder / "a.uff"), "another one");
  const std::string whole = testing::read_text(repaired.path);
  EXPECT_EQ(repair_recording(repaired.path).path, repaired.path);
  EXPECT_EQ(testing::read_text(repaired.path), whole);
}

TEST(Repair, RefusesInOneLine) {
  const Acquisition a = testing::linear_acquisition();
  const TemporaryFolder folder;
  const auto refused = [&](const char* name, const std::string& why) {
    testing::expect_refusal([&] { static_cast<void>(repair_recording(folder / name)); }, why);
  };
  leave_behind(folder / "empty.uff.partial", a, 0, 0);
  refused("empty.uff.partial", "no frames");
  EXPECT_TRUE(fs::exists(folder / "empty.uff.partial"));
  testing::write_text_file(folder / "text.uff.partial", "text");
  refused("text.uff.partial", "not an HDF5 file");
  refused("missing.uff.partial", "no such file");
  Hdf5Writer writer(folder / "growing.uff", share(a), {.version = "1"});
  append_frames(writer, a, 0, 3);
  writer.flush();
  refused("growing.uff.partial", "still being recorded");
  append_frames(writer, a, 3, 1);
  writer.finish();
  EXPECT_EQ(UffFile(folder / "growing.uff").frames(), 4U);
}

TEST(Repair, FindsWhatWasLeft) {
  const Acquisition a = testing::linear_acquisition();
  const TemporaryFolder folder;
  leave_behind(folder / "a.uff.partial", a, 1, 0);
  leave_behind(folder / "b.uff.partial3", a, 1, 0);
  fs::last_write_time(folder / "a.uff.partial", fs::last_write_time(folder / "b.uff.partial3") - std::chrono::hours(1));
  testing::write_text_file(folder / "c.txt.partial", "");
  testing::write_text_file(folder / "d.uff.partially", "");
  Hdf5Writer growing(folder / "e.uff", share(a), {.version = "1"});
  EXPECT_EQ(unfinished_recordings(folder.path()),
            (std::vector<fs::path>{folder / "b.uff.partial3", folder / "a.uff.partial"}));
  EXPECT_TRUE(unfinished_recordings(folder / "missing").empty());
  EXPECT_EQ(name_of_partial("x/b.uff.partial3"), fs::path("x/b.uff"));
  EXPECT_EQ(name_of_partial("x/b.uff"), fs::path("x/b.uff"));
}

// Two programs with one name: each has a file of its own, from the first moment.
TEST(Repair, TwoWritersOfOneNameNeverMeet) {
  const Acquisition a = testing::linear_acquisition();
  const TemporaryFolder folder;
  Hdf5Writer first(folder / "a.uff", share(a), {.version = "1"}), second(folder / "a.uff", share(a), {.version = "1"});
  EXPECT_NE(first.partial(), second.partial());
  append_frames(first, a, 0, 2);
  append_frames(second, a, 0, 5);
  second.finish();
  first.finish();
  EXPECT_EQ(UffFile(folder / "a.uff").frames(), 5U);
  EXPECT_EQ(UffFile(folder / "a_2.uff").frames(), 2U);
  EXPECT_EQ(folder.files(), 2U);
}

}  // namespace
}  // namespace echoloop::hdf5_repair_test
