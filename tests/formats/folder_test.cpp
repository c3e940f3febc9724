// Folders of one file a frame, a transmit or a line as one recording.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <utility>

#include "formats/base/open_request.h"
#include "formats/file_outline.h"
#include "formats/sandbox/reader_child.h"
#include "formats/sidecar_support.h"
#include "support/mat5_file.h"
#include "support/one_line.h"

namespace echoloop::folder_test {
namespace {

using namespace test;

// int16 (2 transmits, 3 elements, 4 samples) of file `k`.
std::vector<std::int16_t> values_of_file(int k) {
  std::vector<std::int16_t> values = plane_values();
  for (std::int16_t& value : values) value = static_cast<std::int16_t>(value + 1000 * k);
  return values;
}

Json frames_meta() {
  Json meta = plane_meta();
  meta["axes"] = {"frame", "transmit", "element", "time"};
  return meta;
}

// While it lives, frames are streamed.
class LittleMemory {
 public:
  LittleMemory() : kept_(std::exchange(reader_settings().memory_budget, 1)) {}
  ~LittleMemory() { reader_settings().memory_budget = kept_; }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  std::size_t kept_;
};

class Folder : public ::testing::Test {
 protected:
  std::filesystem::path make(const std::string& name) const {
    std::filesystem::create_directories(temp_.path() / name);
    return temp_.path() / name;
  }
  void write_arrays(const std::filesystem::path& folder, int n) const {
    for (int k = 0; k < n; ++k)
      temp_.write((folder.filename() / ("rf_" + std::to_string(k + 1) + ".npy")).string(),
                  npy("<i2", false, "(2, 3, 4)", packed(values_of_file(k))));
  }
  TemporaryFolder temp_;
};

TEST_F(Folder, FactsOfAJsonFileInsideAreRead) {
  const auto folder = make("scan");
  std::vector<std::int16_t> samples(std::size_t{64} * 512, 7);
  samples[99] = 100;  // constant arrays are settings
  for (int k = 0; k < 2; ++k)
    temp_.write("scan/rf_" + std::to_string(k) + ".npy", npy("<i2", false, "(64, 512)", packed(samples)));
  temp_.write("scan/meta.json", R"({"fs": 2e7, "fc_MHz": 5, "probe": {"pitch_mm": 0.3}, "angles": [-0.1, 0.1]})");
  const Recording recording = open_recording(folder);
  const Acquisition& a = *recording.acquisition;
  EXPECT_DOUBLE_EQ(a.sampling_hz, 2e7);
  EXPECT_DOUBLE_EQ(a.probe.pitch_m, 0.3e-3);
  ASSERT_EQ(a.transmits.size(), 2U);
  EXPECT_DOUBLE_EQ(a.transmits[1].angle_rad, 0.1);
  temp_.write("scan/meta.json", "no JSON");
  EXPECT_TRUE(contains(refusal(folder), "without"));
  EXPECT_FALSE(contains(refusal(folder), "meta.json"));
}

TEST(NaturalOrder, CountsDigitsAsNumbers) {
  EXPECT_TRUE(in_natural_order("rf_2.npy", "rf_10.npy"));
  EXPECT_FALSE(in_natural_order("rf_10.npy", "rf_2.npy"));
  EXPECT_TRUE(in_natural_order("a9b1", "a9b2"));
  EXPECT_TRUE(in_natural_order("a", "a1"));
  EXPECT_TRUE(in_natural_order("007", "8"));
  EXPECT_TRUE(in_natural_order("s1_f10", "s2_f1"));
  EXPECT_FALSE(in_natural_order("x1", "x1"));
}

TEST_F(Folder, OneFileAFrameInNaturalOrder) {
  const auto folder = make("scan");
  write_arrays(folder, 12);
  temp_.write("scan.json", frames_meta().dump());
  temp_.write("scan/notes.txt", "not a recording");
  for (const std::string& path : {folder.string(), folder.string() + "/"}) {
    const Recording recording = open_recording(path);
    ASSERT_EQ(recording.frame_count, 12U);
    EXPECT_EQ(recording.name, "scan");
    EXPECT_EQ(recording.acquisition->assumptions.front().text,
              "12 files in natural order (rf_1.npy to rf_12.npy), one frame each");
    for (const int frame : {0, 1, 9, 11})
      EXPECT_EQ(sample(recording, static_cast<std::uint64_t>(frame), 1, 2, 3), 1000 * frame + 123) << frame;
  }
}

TEST_F(Folder, StreamsWhatDoesNotFitInMemory) {
  const auto folder = make("scan");
  write_arrays(folder, 12);
  temp_.write("scan/params.json", frames_meta().dump());
  const LittleMemory little;
  const Recording recording = open_recording(folder);
  ASSERT_NE(recording.reader, nullptr);
  FrameMemory slot = recording.reader->allocate(recording.acquisition->frame_bytes());
  for (const std::uint64_t frame : {std::uint64_t{11}, std::uint64_t{0}, std::uint64_t{7}}) {
    recording.reader->read(frame, slot);
    std::int16_t first = 0;
    std::memcpy(&first, slot.bytes.data(), sizeof first);
    EXPECT_EQ(first, 1000 * static_cast<int>(frame));
  }
}

// Numbers of the first file are read after the others were opened: stored members lie where the file is mapped.
TEST_F(Folder, FactsOfStoredArchivesOutliveTheOtherFiles) {
  const auto folder = make("scan");
  const auto number = [](double value) { return npy("<f8", false, "()", packed<double>({value})); };
  for (int k = 0; k < 3; ++k)
    temp_.write("scan/f" + std::to_string(k) + ".npz",
                zip({{"rf.npy", npy("<i2", false, "(2, 3, 4)", packed(values_of_file(k))), false},
                     {"fs.npy", number(20e6), false},
                     {"pitch.npy", number(kPitch), false}}));
  Json meta = frames_meta();
  meta["fs_hz"] = "fs";
  meta["pitch_m"] = "pitch";
  temp_.write("scan.json", meta.dump());
  const Recording recording = open_recording(folder);
  ASSERT_EQ(recording.frame_count, 3U);
  EXPECT_EQ(recording.acquisition->sampling_hz, 20e6);
  EXPECT_EQ(recording.acquisition->probe.pitch_m, kPitch);
  EXPECT_EQ(sample(recording, 2, 1, 2, 3), 2123);
}

TEST_F(Folder, OneFileATransmitOrALine) {
  const auto folder = make("scan");
  for (int t = 0; t < 2; ++t) {
    const std::vector<std::int16_t> all = plane_values();
    temp_.write("scan/tx" + std::to_string(t) + ".npy",
                npy("<i2", false, "(3, 4)", packed(std::vector(all.begin() + 12 * t, all.begin() + 12 * (t + 1)))));
  }
  temp_.write("scan.json", plane_meta().dump());
  const Recording transmits = open_recording(folder);
  EXPECT_EQ(transmits.frame_count, 1U);
  EXPECT_EQ(sample(transmits, 0, 1, 2, 3), 123);
  EXPECT_TRUE(contains(transmits.acquisition->assumptions.front().text, "one transmit each"));

  const auto lines = make("lines");
  for (int e = 0; e < 11; ++e)
    temp_.write("lines/ln" + std::to_string(e) + ".npy",
                npy("<f4", false, "(4,)", packed(std::vector<float>{static_cast<float>(e), 2, 3, 4})));
  Json meta = plane_meta();
  meta["axes"] = {"element", "time"};
  meta["tx"] = {{{"kind", "plane"}, {"angle_rad", 0}}};
  temp_.write("lines.json", meta.dump());
  const Recording elements = open_recording(lines);
  EXPECT_EQ(elements.acquisition->n_elements(), 11);
  EXPECT_EQ(sample(elements, 0, 0, 10, 0), 10.0);
}

// Field II's rf_lnK.mat: as long as its echoes, each from its tstart on. A short pulse 20 us after time 0 in all.
TEST_F(Folder, LinesOfFieldIIBeginAtTheirOwnTimes) {
  const auto folder = make("lines");
  constexpr double kFs = 20e6, kEcho_s = 20e-6;
  for (int k = 0; k < 12; ++k) {
    const int first = 100 + 3 * k, n = 512 - 7 * k;
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
      const double t = (first + i) / kFs - kEcho_s;
      values.push_back(100.0 * std::exp(-std::pow(t * 3e6, 2)) * std::cos(2.0 * std::numbers::pi * 5e6 * t));
    }
    temp_.write("lines/rf_ln" + std::to_string(k + 1) + ".mat",
                mat5_file({{"rf_data", {n, 1}, values}, {"tstart", {1, 1}, {first / kFs}}}));
  }
  const FileOutline outline = outline_file(folder);
  ASSERT_EQ(outline.missing.size(), 2U);
  EXPECT_EQ(outline.missing[0].key, "fs_hz");
  EXPECT_EQ(outline.missing[1].key, "pitch_m");
  const std::string asks = refusal(folder);
  EXPECT_TRUE(contains(asks, "but without sampling frequency, distance of the lines"));
  temp_.write("lines.json",
              R"({"data": "rf_data", "axes": ["line", "time"], "t0_s": "tstart", "fs_hz": 20e6, "fc_hz": 5e6,
                  "pitch_m": 0.3e-3})");
  const Recording recording = open_recording(folder);
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.data, DataKind::beamformed);
  EXPECT_EQ(a.n_samples, 512 + 33);
  EXPECT_NEAR(a.transmits[0].t0_s, 100 / kFs, 1e-12);
  for (const int line : {0, 5, 11}) {
    const auto level = [&](int i) {
      return std::hypot(sample(recording, 0, 0, line, i, 0), sample(recording, 0, 0, line, i, 1));
    };
    EXPECT_NEAR(level(300), 100.0, 3.0) << line;
    EXPECT_LT(level(290), 20.0) << line;
    EXPECT_LT(level(310), 20.0) << line;
  }
  temp_.write("lines.json", R"({"data": "rf_data", "axes": ["line", "time"], "t0_s": [0, 1], "fs_hz": 20e6,
                                "fc_hz": 5e6, "pitch_m": 0.3e-3})");
  EXPECT_TRUE(contains(refusal(folder), "t0_s = [0,1] of lines"));
}

TEST_F(Folder, RawFilesWithAHeaderEach) {
  const auto folder = make("scan");
  for (int k = 0; k < 3; ++k) temp_.write("scan/f" + std::to_string(k) + ".bin", "HEAD" + packed(values_of_file(k)));
  Json meta = frames_meta();
  meta["dtype"] = "int16";
  meta["shape"] = {0, 2, 3, 4};
  meta["header_bytes"] = 4;
  temp_.write("scan.json", meta.dump());
  const Recording recording = open_recording(folder);
  ASSERT_EQ(recording.frame_count, 3U);
  EXPECT_EQ(sample(recording, 2, 1, 2, 3), 2123);
  meta["shape"] = {4, 2, 3, 4};
  temp_.write("scan.json", meta.dump());
  EXPECT_TRUE(contains(refusal(folder), "for a folder of 3 files"));
}

TEST_F(Folder, RefusesUnequalFilesInOneLine) {
  const auto folder = make("scan");
  write_arrays(folder, 3);
  temp_.write("scan.json", frames_meta().dump());
  temp_.write("scan/rf_2.npy", npy("<i2", false, "(2, 3, 2)", packed(std::vector<std::int16_t>(12))));
  testing::expect_refusal([&] { static_cast<void>(open_recording(folder)); },
                          "rf_2.npy: array is int16 (2, 3, 2), in rf_1.npy int16 (2, 3, 4)");
  temp_.write("scan/other.mat", "MATLAB");
  EXPECT_TRUE(contains(refusal(folder), "a folder with 1 .mat and 3 .npy files"));
  EXPECT_TRUE(contains(refusal(make("empty")), "a folder without recordings"));
}

TEST_F(Folder, IsListedAsOneArray) {
  const auto folder = make("scan");
  write_arrays(folder, 3);
  const FileOutline outline = outline_file(folder);
  ASSERT_EQ(outline.entries.size(), 1U);
  EXPECT_EQ(outline.n_files, 3U);
  EXPECT_EQ(outline.entries[0].shape, (std::vector<std::size_t>{3, 2, 3, 4}));
  EXPECT_EQ(outline.container, "3 files, .npy");
}

TEST_F(Folder, MatFilesByTheirNames) {
  const auto folder = make("scan");
  for (int k = 0; k < 2; ++k) {
    std::vector<double> rf(3 * 16 * 256);
    std::iota(rf.begin(), rf.end(), 1e5 * k);
    temp_.write("scan/acq" + std::to_string(k) + ".mat", mat5_file({{"rf", {256, 16, 3}, rf},
                                                                    {"fs", {1, 1}, {20e6}},
                                                                    {"fc", {1, 1}, {5e6}},
                                                                    {"pitch", {1, 1}, {0.3e-3}},
                                                                    {"gain", {1, 1}, {10.0 + k}},
                                                                    {"angles", {1, 3}, {-0.1, 0.0, 0.1}}}));
  }
  const Recording recording = open_recording(folder);
  ASSERT_EQ(recording.frame_count, 2U);
  EXPECT_EQ(recording.acquisition->n_transmits(), 3);
  EXPECT_EQ(sample(recording, 1, 2, 5, 7), 1e5 + 2 * 16 * 256 + 5 * 256 + 7);
  for (const OutlineEntry& entry : outline_file(folder).entries) {
    if (entry.path == "gain") {
      EXPECT_EQ(entry.value, "10, 11");
    }
    if (entry.path == "fs") {
      EXPECT_EQ(entry.value, "2e+07");
    }
  }
}

}  // namespace
}  // namespace echoloop::folder_test
