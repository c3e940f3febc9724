// Folders of a Verasonics dump: the same recording as with RcvData, buffers as tracks, and what is refused.
#include <fstream>

#include "core/facts.h"
#include "formats/verasonics_fixture.h"

namespace echoloop::verasonics_dump_test {
namespace {

using namespace test;
using namespace test::verasonics;

class VerasonicsDump : public ::testing::Test {
 protected:
  [[nodiscard]] std::string refusal_of(std::vector<std::string> settings) const {
    try {
      static_cast<void>(open_recording(folder_.path(), {}, {}, take_facts(settings)));
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    ADD_FAILURE() << "opened";
    return {};
  }

  TemporaryFolder folder_;
  std::filesystem::path list_ = write_workspace(folder_.path(), {.dump = true});
};

TEST_F(VerasonicsDump, OpensAsTheWorkspaceWithItsSamples) {
  const Recording workspace = open_workspace({});
  for (const auto& path : {folder_.path(), list_}) {
    const Recording dump = open_recording(path);
    ASSERT_EQ(dump.frame_count, workspace.frame_count);
    EXPECT_EQ(dump.acquisition->sample_type, SampleType::int16);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_EQ(dump.acquisition->transmits[k].t0_s, workspace.acquisition->transmits[k].t0_s);
    for (std::size_t f = 0; f < kFrames; ++f)
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t e = 0; e < kElements; ++e)
          for (const std::size_t i : {std::size_t{0}, kSamples - 1})
            EXPECT_EQ(value_at(dump, f, k, e, i), value_at(workspace, f, k, e, i));
  }
}

TEST_F(VerasonicsDump, BuffersAreTracks) {
  const Recording dump = open_recording(folder_.path());
  ASSERT_EQ(dump.tracks.size(), 2U);
  EXPECT_TRUE(dump.tracks[0].chosen);
  EXPECT_EQ(dump.tracks[0].transmits, 2U);
  EXPECT_EQ(dump.tracks[0].frames, kFrames);
  EXPECT_EQ(dump.tracks[1].why_not, "no RF_data_2.bin: present but not saved");
  EXPECT_EQ(tracks_of(folder_.path()), std::vector<std::string>{"buffer 1"});
  EXPECT_TRUE(contains(refusal_of({"track=2"}), "track = 2 has no RF_data_2.bin: present but not saved"));
  EXPECT_TRUE(contains(refusal_of({"track=3"}), "tracks are buffer 1"));
}

TEST_F(VerasonicsDump, ColumnsThatAreNotSavedAreZeros) {
  write_workspace(folder_.path(), {.connector = {1, 10, 11, 12, 13, 14, 15, 16}, .dump = true});
  const Recording dump = open_recording(folder_.path());
  EXPECT_EQ(value_at(dump, 1, 0, 0, 5), 0.0);
  EXPECT_EQ(value_at(dump, 1, 0, 1, 5), sample_at(first_row(0) + 5, 9, 1));
}

TEST_F(VerasonicsDump, RefusesPartsOfAnotherSizeOrNone) {
  const auto part = folder_.path() / "RF_data_1.bin";
  std::filesystem::resize_file(part, std::filesystem::file_size(part) - 2);
  EXPECT_TRUE(contains(refusal_of({}), "3070 bytes; expected 3072 bytes: int16, RF_rows x RF_cols x RF_frames"))
      << refusal_of({});
  std::filesystem::remove(part);
  EXPECT_TRUE(contains(refusal_of({}), "no RF_data_1.bin: buffer 1 is not saved"));
}

}  // namespace
}  // namespace echoloop::verasonics_dump_test
