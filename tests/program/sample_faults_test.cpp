// Recordings with samples that cannot be right: an image all the same, and the run says so; without a valid sample, one
// line and status 2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "program/run_program.h"
#include "support/npy_file.h"

namespace echoloop::sample_faults_test {
namespace {

using namespace testing;

constexpr int kFrames = 2, kElements = 32, kSamples = 512;
constexpr std::size_t kValues = std::size_t{kFrames} * kElements * kSamples;

std::string recording(const TemporaryFolder& folder, const std::vector<float>& values) {
  const std::string data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  testing::write_text_file(folder / "scan.npy", npy("<f4", false, "(2, 32, 512)", data));
  const nlohmann::json sidecar = {{"axes", {"frame", "element", "time"}},
                                  {"t_zero", "origin"},
                                  {"fs_hz", 20e6},
                                  {"fc_hz", 5e6},
                                  {"c_m_s", 1540.0},
                                  {"t0_s", 0.0},
                                  {"pitch_m", 0.3e-3},
                                  {"tx", {{{"kind", "plane"}, {"angle_rad", 0.0}}}}};
  testing::write_text_file((folder / "scan.json").string(), sidecar.dump());
  return (folder / "scan.npy").string();
}

// An echo on every element, beyond `limit` where that is low enough.
std::vector<float> echoes(float limit) {
  std::vector<float> values(kValues);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double periods =
        (static_cast<double>(i % kSamples) - 150.0 - static_cast<double>(i / kSamples % kElements)) / 4.0;
    const double v = 2000.0 * std::exp(-0.1 * periods * periods) * std::cos(2.0 * M_PI * periods + 0.4);
    values[i] = std::clamp(static_cast<float>(v), -limit, limit);
  }
  return values;
}

struct Result {
  Ended ended;
  nlohmann::json samples;
  std::vector<float> db;
};

Result result_of(const TemporaryFolder& folder, const std::vector<float>& values) {
  const std::string report = (folder / "r.json").string(), image = (folder / "i.npy").string();
  Result run;
  run.ended = run_program({recording(folder, values), "--headless", "--backend", "cpu", "--no-loop", "--report", report,
                           "--image-out", image, "--figure", (folder / "f.svg").string()});
  if (run.ended.status != 0) return run;
  run.samples = nlohmann::json::parse(testing::read_text(report)).at("samples");
  run.db = testing::read_npy_image(image).values;
  return run;
}

TEST(SampleFaults, InvalidSamplesAreZeroAndSaidAloud) {
  const TemporaryFolder folder;
  std::vector<float> values = echoes(1e9F);
  for (std::size_t i = 0; i < 3; ++i) values[7 * kSamples + 300 + i] = 0.0F;
  const Result clean = result_of(folder, values);
  ASSERT_EQ(clean.ended.status, 0) << clean.ended.err;
  EXPECT_EQ(clean.ended.err.find("Invalid"), std::string::npos) << clean.ended.err;
  values[7 * kSamples + 300] = std::numeric_limits<float>::quiet_NaN();
  values[7 * kSamples + 301] = std::numeric_limits<float>::infinity();
  values[7 * kSamples + 302] = 3e30F;
  const Result spoilt = result_of(folder, values);
  ASSERT_EQ(spoilt.ended.status, 0) << spoilt.ended.err;
  EXPECT_NE(spoilt.ended.err.find("Invalid: 3 samples, element 8."), std::string::npos) << spoilt.ended.err;
  EXPECT_EQ(spoilt.samples.at("frames_checked"), kFrames);
  EXPECT_EQ(spoilt.samples.at("invalid").at("samples"), 3);
  EXPECT_EQ(spoilt.samples.at("invalid").at("elements"), nlohmann::json({8}));
  EXPECT_EQ(spoilt.samples.at("last_frame").at("invalid").at("samples"), 0) << "they are in the first frame";
  EXPECT_EQ(spoilt.db, clean.db);
}

TEST(SampleFaults, ClippedSamplesAreSaidAloudInReportAndCaption) {
  const TemporaryFolder folder;
  const Result run = result_of(folder, echoes(500.0F));
  ASSERT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_NE(run.ended.err.find("Clipped: "), std::string::npos) << run.ended.err;
  EXPECT_GT(run.samples.at("clipped").at("share"), 0.001);
  EXPECT_EQ(run.samples.at("clipped").at("elements").size(), kElements);
  EXPECT_GT(run.samples.at("last_frame").at("clipped").at("samples"), 0);
  EXPECT_NE(testing::read_text(folder / "f.svg").find("clipped"), std::string::npos);
}

TEST(SampleFaults, SilentFramesAreSaidAloud) {
  const TemporaryFolder folder;
  const Result run = result_of(folder, std::vector<float>(kValues, 0.0F));
  ASSERT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_NE(run.ended.err.find("Warning: Silent: 100.00 % of samples, all elements. "), std::string::npos)
      << run.ended.err;
  EXPECT_EQ(run.ended.err.find("Clipped"), std::string::npos) << run.ended.err;
  EXPECT_EQ(run.samples.at("silent").at("share"), 1.0);
}

TEST(SampleFaults, ARecordingWithoutAValidSampleIsOneLine) {
  const TemporaryFolder folder;
  const Result run = result_of(folder, std::vector<float>(kValues, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(run.ended.status, 2);
  EXPECT_EQ(run.ended.err,
            "echoloop: scan.npy: no valid sample (all NaN, infinite or beyond 1e15) in 2 frames; expected channel data "
            "with finite "
            "samples\n");
}

}  // namespace
}  // namespace echoloop::sample_faults_test
