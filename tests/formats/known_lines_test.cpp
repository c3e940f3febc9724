// Clarius raw data (.raw with .yml, .tar) and other lines whose header says what they are.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "formats/file_outline.h"
#include "formats/support.h"

namespace echoloop::known_lines_test {
namespace {

using namespace test;

constexpr int kFrames = 2, kLines = 12, kSamples = 256;

// An echo of 5 MHz at sample 100 + line of frame 0, 20 later in frame 1.
std::string clarius_raw(int sample_bytes = 2) {
  std::string file =
      packed(std::vector<std::uint32_t>{7, kFrames, kLines, kSamples, static_cast<std::uint32_t>(sample_bytes)});
  for (int frame = 0; frame < kFrames; ++frame) {
    file += packed(std::vector<std::uint64_t>{1'000'000ULL * static_cast<unsigned>(frame)});
    for (int line = 0; line < kLines; ++line) {
      std::vector<std::int16_t> samples;
      for (int i = 0; i < kSamples; ++i) {
        const double at = i - (100.0 + line + 20.0 * frame);
        samples.push_back(static_cast<std::int16_t>(
            std::lround(8000.0 * std::exp(-at * at / 60.0) * std::cos(2.0 * std::numbers::pi * 0.25 * at))));
      }
      if (sample_bytes == 2) file += packed(samples);
      if (sample_bytes == 1) file += std::string(kSamples, 'x');
    }
  }
  return file;
}

std::string clarius_yml(const std::string& first = "probe: {version: , elements: 128, pitch: 200 um, radius: 0 mm}\n") {
  std::string yml = first +
                    "frame rate: 11 Hz\ntransmit frequency: 5 MHz\ntgc: { 0.00mm, 30.00dB }{ 40.00mm, 35.00dB }\n"
                    "size: {samples per line: 256, number of lines: 12, sample size: 2 bytes}\ntype: RF\n"
                    "sampling rate: 20 MHz\ndelay samples: 40\nlines:\n";
  for (int line = 0; line < kLines; ++line)
    yml += "  - {rx element: " + std::to_string(20 + line) + ", tx element: 1.5, angle: 0}\n";
  return yml;
}

std::string tar(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string file;
  for (const auto& [name, content] : members) {
    std::string block(512, '\0');
    block.replace(0, name.size(), name);
    char size[13];
    std::snprintf(size, sizeof size, "%011zo", content.size());
    block.replace(124, 11, size);
    block[156] = '0';
    block.replace(257, 5, "ustar");
    file += block + content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return file + std::string(1024, '\0');
}

// Sample of the largest magnitude of a line.
int peak(const Recording& recording, std::uint64_t frame, int line) {
  int best = 0;
  double most = -1.0;
  for (int i = 0; i < recording.acquisition->n_samples; ++i) {
    const double level = std::hypot(sample(recording, frame, 0, line, i, 0), sample(recording, frame, 0, line, i, 1));
    if (level > most) most = level, best = i;
  }
  return best;
}

void expect_clarius(const Recording& recording) {
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(recording.format, "Clarius RF");
  EXPECT_EQ(a.data, DataKind::beamformed);
  EXPECT_EQ(recording.frame_count, 2U);
  EXPECT_DOUBLE_EQ(a.sampling_hz, 20e6);
  EXPECT_DOUBLE_EQ(a.center_hz, 5e6);
  EXPECT_DOUBLE_EQ(a.frame_rate_hz, 11.0);
  EXPECT_EQ(a.transmits[0].t0_s, 0.0);
  EXPECT_TRUE(std::ranges::any_of(a.assumptions, [](const Assumption& one) {
    return one.text.find("the first 40 (delay samples of the .yml) are not valid") != std::string::npos;
  }));
  EXPECT_NEAR(a.probe.elements[0].x_m, (20 - 63.5) * 0.2e-3, 1e-9);
  EXPECT_NEAR(a.probe.elements[11].x_m, (31 - 63.5) * 0.2e-3, 1e-9);
  EXPECT_NEAR(peak(recording, 0, 3), 103, 1);
  EXPECT_NEAR(peak(recording, 1, 9), 129, 1);
}

TEST(Clarius, RawWithItsYml) {
  const TemporaryFolder folder;
  folder.write("a_rf.yml", clarius_yml());
  expect_clarius(open_recording(folder.write("a_rf.raw", clarius_raw())));
}

TEST(Clarius, TarOfTheScanner) {
  const TemporaryFolder folder;
  expect_clarius(open_recording(folder.write("a.tar", tar({{"x/1_env.yml", "type: envelope\n"},
                                                           {"x/1_env.raw", clarius_raw(1)},
                                                           {"x/1_rf.raw", clarius_raw()},
                                                           {"x/1_rf.yml", clarius_yml()}}))));
}

TEST(Clarius, WhatIsNotReadIsNamedWithWhatToDo) {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> kCases[] = {
      {tar({{"1_rf.yml", clarius_yml()}, {"1_rf.raw.lzo", std::string(900, 'x')}}), "lzop -d 1_rf.raw.lzo"},
      {tar({{"1_env.raw", clarius_raw(1)}, {"1_env.yml", "type: envelope\n"}}), "of the envelope only"},
      {tar({{"readme.txt", std::string(900, 'x')}}), "a tar archive"},
      {clarius_raw(1), "an envelope of a Clarius scanner"},
      {clarius_raw(), "without the sampling frequency"},
      {tar({{"1_rf.raw", clarius_raw()}}).substr(0, 4000), "ends too early"}};
  for (const auto& [content, said] : kCases) {
    const std::string line = refusal(folder.write("a.raw", content));
    EXPECT_TRUE(contains(line, said));
  }
}

// The same lines in both files of ITK: depth 0.0385 mm a sample, lines 0.3 mm apart.
TEST(ImageLines, MetaImageAndNrrd) {
  const TemporaryFolder folder;
  std::vector<std::int16_t> values(12 * 256, 0);
  for (int i = 0; i < 256; ++i)
    values[static_cast<std::size_t>(3 * 256 + i)] = static_cast<std::int16_t>(
        1000.0 * std::exp(-std::pow((i - 150) / 8.0, 2)) * std::cos(0.5 * std::numbers::pi * i));
  for (const auto& [name, header, endian] :
       {std::tuple{"a.mha",
                   "ObjectType = Image\nNDims = 2\nBinaryDataByteOrderMSB = False\nCompressedData = False\n"
                   "ElementSpacing = 0.0385 0.3\nDimSize = 256 12\nElementType = MET_SHORT\nElementDataFile = LOCAL\n",
                   Endian::little},
        {"a.nrrd",
         "NRRD0004\n# lines\ntype: short\ndimension: 2\nsizes: 256 12\nspacings: 0.0385 0.3\nendian: little\n"
         "encoding: raw\n\n",
         Endian::little},
        {"b.nrrd",
         "NRRD0005\ntype: int16\ndimension: 2\nspace dimension: 2\nsizes: 256 12\n"
         "space directions: (0.0385,0) (0,0.3)\nendian: big\nencoding: raw\n\n",
         Endian::big}}) {
    const Recording recording = open_recording(folder.write(name, header + packed(values, endian)));
    EXPECT_EQ(recording.acquisition->data, DataKind::beamformed) << name;
    EXPECT_NEAR(recording.acquisition->sampling_hz, 20e6, 1.0) << name;
    EXPECT_NEAR(recording.acquisition->probe.pitch_m, 0.3e-3, 1e-9) << name;
    EXPECT_NEAR(peak(recording, 0, 3), 150, 1) << name;
  }
  for (const auto& [name, header, said] :
       {std::tuple{"c.nrrd", "NRRD0004\ntype: short\nsizes: 256 12\nencoding: gzip\n\n", "NRRD with encoding gzip"},
        {"d.nrrd", "NRRD0004\ntype: short\nsizes: 256 12\ndata file: d.raw\n\n", "samples are in d.raw"},
        {"e.mhd", "ObjectType = Image\nNDims = 2\nElementDataFile = e.raw\n", "samples are in e.raw"}}) {
    const std::string line = refusal(folder.write(name, header + std::string(600, '\0')));
    EXPECT_TRUE(contains(line, said));
  }
  const std::string bpr =
      packed(std::vector<std::int32_t>{2, 2, 16, 64, 8, 0, 0, 0, 0, 0, 0, 0, 0, 2, 5000000, 20000000, 30, 16, 0}) +
      std::string(2 * 16 * 64, 'b');
  const std::string image = refusal(folder.write("a.bpr", bpr));
  EXPECT_TRUE(contains(image, "an image of an Ultrasonix scanner"));
}

// What ITK writes where nobody has set a spacing: 256 mm deep and 12 mm wide.
TEST(ImageLines, ASpacingOfOneIsUnknown) {
  const TemporaryFolder folder;
  const auto header = [](const char* spacing) {
    return std::string("ObjectType = Image\nNDims = 2\nBinaryDataByteOrderMSB = False\nCompressedData = False\n") +
           "ElementSpacing = " + spacing + "\nDimSize = 256 12\nElementType = MET_SHORT\nElementDataFile = LOCAL\n" +
           packed(std::vector<std::int16_t>(12 * 256, 7));
  };
  const std::filesystem::path file = folder.write("a.mha", header("1 1"));
  const std::string line = refusal(file);
  EXPECT_TRUE(contains(line, "a spacing of 1 x 1, which is no length"));
  EXPECT_TRUE(contains(line, "\"fs_hz\" and \"pitch_m\" (distance of the lines) in a JSON file of the same name"));
  const FileOutline outline = outline_file(file);
  ASSERT_EQ(outline.missing.size(), 2U);
  EXPECT_EQ(outline.missing[1].key, "pitch_m");
  folder.write("a.json", R"({"fs_hz": 20e6, "pitch_m": 0.3e-3, "x_note": "a phantom"})");
  EXPECT_NEAR(open_recording(file).acquisition->probe.pitch_m, 0.3e-3, 1e-9);
  folder.write("a.json", R"({"fs_hz": 20e6, "pitch_mm": 0.3})");
  EXPECT_TRUE(contains(refusal(file), "the unknown key 'pitch_mm'; expected 'pitch_m'"));
  EXPECT_TRUE(contains(refusal(folder.write("b.mha", header("1 0.3"))), "\"fs_hz\" in a JSON"));
}

// Where the strongest echo of a frame of columns lies.
std::pair<double, double> strongest(const Recording& recording) {
  const Acquisition& a = *recording.acquisition;
  double most = -1.0;
  std::pair<double, double> at_m;
  for (int e = 0; e < a.n_elements(); ++e) {
    for (int i = 0; i < a.n_samples; ++i) {
      const double level = std::hypot(sample(recording, 0, 0, e, i, 0), sample(recording, 0, 0, e, i, 1));
      if (level <= most) continue;
      most = level;
      at_m = {a.probe.elements[static_cast<std::size_t>(e)].x_m,
              0.5 * a.sound_speed_m_s * (a.transmits[0].t0_s + i / a.sampling_hz)};
    }
  }
  return at_m;
}

struct Sector {
  const char* probe;
  double radius_m, first_element, step_element, first_deg, step_deg;
};
class ClariusSector : public ::testing::TestWithParam<Sector> {};

// 64 elements of 0.3 mm; 48 lines, RF of a point at (3, 25) mm, by geometry alone.
TEST_P(ClariusSector, PointsLieWhereTheyAre) {
  const Sector s = GetParam();
  constexpr int kN = 48, kLong = 1000;
  constexpr double kX = 3e-3, kZ = 25e-3, kPitch = 0.3e-3, kFs = 20e6;
  std::string yml = std::string(s.probe) + "sampling rate: 20 MHz\ntransmit frequency: 5 MHz\nlines:\n";
  std::string raw = packed(std::vector<std::uint32_t>{7, 1, kN, kLong, 2}) + packed(std::vector<std::uint64_t>{0});
  const double outer = s.radius_m > 0.0 ? (31.5 - s.first_element) * kPitch / s.radius_m : 0.0;
  for (int line = 0; line < kN; ++line) {
    const double element = s.first_element + s.step_element * line, angle_deg = s.first_deg + s.step_deg * line;
    yml +=
        "  - {rx element: " + std::to_string(element) + ", tx element: 1, angle: " + std::to_string(angle_deg) + "}\n";
    const double arc_m = (element - 31.5) * kPitch, bend = s.radius_m > 0.0 ? arc_m / s.radius_m : 0.0;
    const double x = s.radius_m > 0.0 ? s.radius_m * std::sin(bend) : arc_m;
    const double z = s.radius_m > 0.0 ? s.radius_m * (std::cos(bend) - std::cos(outer)) : 0.0;
    const double direction = bend + angle_deg * std::numbers::pi / 180.0;
    const double along = (kX - x) * std::sin(direction) + (kZ - z) * std::cos(direction);
    const double beside = (kX - x) * std::cos(direction) - (kZ - z) * std::sin(direction);
    std::vector<std::int16_t> samples;
    for (int i = 0; i < kLong; ++i) {
      const double at = i / kFs - 2.0 * along / 1540.0;
      const double level = std::exp(-std::pow(at * 4e6, 2) - std::pow(beside / 1e-3, 2));
      samples.push_back(
          static_cast<std::int16_t>(std::lround(8000.0 * level * std::cos(2e7 * std::numbers::pi / 2 * at))));
    }
    raw += packed(samples);
  }
  const TemporaryFolder folder;
  folder.write("a_rf.yml", yml);
  const Recording recording = open_recording(folder.write("a_rf.raw", raw));
  EXPECT_EQ(recording.acquisition->data, DataKind::beamformed);
  EXPECT_EQ(recording.acquisition->n_elements(), 4 * kN);
  const auto [x_m, z_m] = strongest(recording);
  EXPECT_NEAR(x_m, kX, 0.25e-3);
  EXPECT_NEAR(z_m, kZ, 0.1e-3);
}

INSTANTIATE_TEST_SUITE_P(Probes, ClariusSector,
                         ::testing::Values(Sector{"probe: {elements: 64, pitch: 300 um, radius: 40 mm}\n", 0.04, 0.0,
                                                  63.0 / 47.0, 0.0, 0.0},
                                           Sector{"probe: {elements: 64, pitch: 300 um, radius: 0 mm}\n", 0.0, 31.5,
                                                  0.0, -35.0, 70.0 / 47.0},
                                           Sector{"probe: {elements: 64, pitch: 300 um, radius: 0 mm}\n", 0.0, 0.0,
                                                  63.0 / 47.0, -10.0, 20.0 / 47.0}));

// Doppler IQ: 32 lines of 15 degrees, each fired three times, sampled from 50 samples after the firing on; 2 frames.
TEST(Clarius, RepeatedLinesAreFramesInSlowTime) {
  constexpr int kN = 32, kFirings = 3, kLong = 300, kDelay = 50;
  constexpr double kX = 6e-3, kZ = 12e-3, kPitch = 0.3e-3, kFs = 15e6, kSteered = 15.0 * std::numbers::pi / 180.0;
  std::string yml =
      "probe: {elements: 64, pitch: 300 um, radius: 0 mm}\nframe rate: 18 Hz\nsampling rate: 15 MHz\n"
      "transmit frequency: 5 MHz\ndelay samples: 50\nlines:\n";
  std::string raw = packed(std::vector<std::uint32_t>{7, 2, kN * kFirings, kLong, 4});
  for (int frame = 0; frame < 2; ++frame) {
    raw += packed(std::vector<std::uint64_t>{0});
    for (int line = 0; line < kN * kFirings; ++line) {
      const int element = 16 + line / kFirings;
      if (frame == 0)
        yml += "  - {rx element: " + std::to_string(element) + ", tx element: 17.5, angle: 15 \xc2\xb0}\n";
      const double x = (element - 31.5) * kPitch;
      const double along = (kX - x) * std::sin(kSteered) + kZ * std::cos(kSteered);
      const double beside = (kX - x) * std::cos(kSteered) - kZ * std::sin(kSteered);
      std::vector<std::int16_t> samples;
      for (int i = 0; i < kLong; ++i) {
        const double at = (i + kDelay) / kFs - 2.0 * along / 1540.0;
        const double level = std::exp(-std::pow(at * 4e6, 2) - std::pow(beside / 1e-3, 2));
        samples.push_back(
            static_cast<std::int16_t>(std::lround(1000.0 * (frame * kFirings + line % kFirings + 1) * level)));
        samples.push_back(0);
      }
      raw += packed(samples);
    }
  }
  const TemporaryFolder folder;
  folder.write("a_iq.yml", yml);
  const Recording recording = open_recording(folder.write("a_iq.raw", raw));
  const Acquisition& a = *recording.acquisition;
  ASSERT_EQ(recording.frame_count, 6U);
  EXPECT_EQ(a.frame_rate_hz, 0.0);
  EXPECT_TRUE(assumes(a, "each line is repeated: 3 firings of 32 lines"));
  EXPECT_TRUE(assumes(a, "frame rate unknown"));
  const auto [x_m, z_m] = strongest(recording);
  EXPECT_NEAR(x_m, kX, 0.25e-3);
  EXPECT_NEAR(z_m, kZ, 0.1e-3);
  const double left_m = (16 - 31.5) * kPitch + 0.5 * a.sound_speed_m_s * kDelay / kFs * std::sin(kSteered);
  EXPECT_NEAR(a.probe.elements.front().x_m, left_m, 1e-6) << "a parallelogram";
  const double first = frame_sum(recording, 0);
  for (std::uint64_t f = 1; f < 6; ++f) EXPECT_NEAR(frame_sum(recording, f) / first, static_cast<double>(f + 1), 0.02);
  folder.write("a_iq.json", R"({"frame_rate_hz": 4000})");
  EXPECT_EQ(open_recording(folder.path() / "a_iq.raw").acquisition->frame_rate_hz, 4000.0);
}

TEST(Clarius, LinesThatCrossAreRefused) {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"axes": ["line", "time"], "fs_hz": 20e6, "fc_hz": 5e6, "element_x_m": [0, 1e-3, 2e-3],
                             "element_normal_rad": [0.1, 0, -0.1]})");
  const std::string line =
      refusal(folder.write("a.npy", npy("<f4", false, "(3, 256)", packed(std::vector<float>(768)))));
  EXPECT_TRUE(contains(line, "line 2 left of line 1, or crossing it"));
}

// The assistant asks for what is assumed.
TEST(Clarius, AnAssumedPitchIsAssumedInTheListing) {
  const TemporaryFolder folder;
  folder.write("a_rf.yml", clarius_yml(""));
  const FileOutline outline = outline_file(folder.write("a_rf.raw", clarius_raw()));
  const auto places = std::ranges::find(outline.guesses, "element_x_m", &OutlineGuess::key);
  ASSERT_NE(places, outline.guesses.end());
  EXPECT_TRUE(places->assumed);
  EXPECT_TRUE(contains(places->reason, "pitch 0.2 mm assumed"));
  const auto sampling = std::ranges::find(outline.guesses, "fs_hz", &OutlineGuess::key);
  ASSERT_NE(sampling, outline.guesses.end());
  EXPECT_FALSE(sampling->assumed);
}

TEST(Clarius, AnAssumedPitchIsSaidAndCanBeCorrected) {
  const TemporaryFolder folder;
  folder.write("a_rf.yml", clarius_yml(""));
  const auto file = folder.write("a_rf.raw", clarius_raw());
  const auto says = [](const Recording& recording, const char* words) {
    for (const Assumption& one : recording.acquisition->assumptions)
      if (one.text.find(words) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(says(open_recording(file), "pitch 0.2 mm assumed"));
  folder.write("a_rf.json", R"({"pitch_m": 0.5e-3})");
  const Recording corrected = open_recording(file);
  EXPECT_TRUE(says(corrected, "pitch_m from a_rf.json"));
  EXPECT_NEAR(corrected.acquisition->probe.elements[11].x_m, 5.5 * 0.5e-3, 1e-9);
}

}  // namespace
}  // namespace echoloop::known_lines_test
