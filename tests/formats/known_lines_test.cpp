// Clarius raw data (.raw with .yml, .tar) and other lines whose header says what they are.
#include <cmath>
#include <numbers>

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
  EXPECT_NEAR(a.transmits[0].t0_s, 2e-6, 1e-12);
  EXPECT_NEAR(a.probe.elements[0].x_m, (20 - 63.5) * 0.2e-3, 1e-9);
  EXPECT_NEAR(a.probe.elements[11].x_m, (31 - 63.5) * 0.2e-3, 1e-9);
  EXPECT_NEAR(peak(recording, 0, 3), 103, 1);
  EXPECT_NEAR(peak(recording, 1, 9), 129, 1);
}

TEST(Clarius, RawWithItsYml) {
  const TempFolder folder;
  folder.write("a_rf.yml", clarius_yml());
  expect_clarius(open_recording(folder.write("a_rf.raw", clarius_raw())));
}

TEST(Clarius, TarOfTheScanner) {
  const TempFolder folder;
  expect_clarius(open_recording(folder.write("a.tar", tar({{"x/1_env.yml", "type: envelope\n"},
                                                           {"x/1_env.raw", clarius_raw(1)},
                                                           {"x/1_rf.raw", clarius_raw()},
                                                           {"x/1_rf.yml", clarius_yml()}}))));
}

TEST(Clarius, WhatIsNotReadIsNamedWithWhatToDo) {
  const TempFolder folder;
  const std::pair<std::string, std::string> kCases[] = {
      {tar({{"1_rf.yml", clarius_yml()}, {"1_rf.raw.lzo", std::string(900, 'x')}}), "lzop -d 1_rf.raw.lzo"},
      {tar({{"1_env.raw", clarius_raw(1)}, {"1_env.yml", "type: envelope\n"}}), "of the envelope only"},
      {tar({{"readme.txt", std::string(900, 'x')}}), "a tar archive"},
      {clarius_raw(1), "an envelope of a Clarius scanner"},
      {clarius_raw(), "without the sampling frequency"},
      {tar({{"1_rf.raw", clarius_raw()}}).substr(0, 4000), "ends too early"}};
  for (const auto& [content, said] : kCases) {
    const std::string line = refusal(folder.write("a.raw", content));
    EXPECT_NE(line.find(said), std::string::npos) << line;
  }
}

TEST(Clarius, AnAssumedPitchIsSaidAndCanBeCorrected) {
  const TempFolder folder;
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
