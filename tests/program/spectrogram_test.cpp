// The spectrogram without a window: what the program writes and reports, and what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program/run_program.h"

namespace echoloop::spectrogram_test {
namespace {

using namespace testing;

Words run_of(const Words& more) {
  return joined({"sim:flow,rate_hz=2000,angles_deg=0,peak_mm_s=200,pulsation=0,angle_deg=-30", "--headless",
                 "--backend", "cpu", "--rate", "max", "--grid", "-2:2:17,12:24:121"},
                more);
}

TEST(Spectrogram, FileAndReport) {
  const TemporaryFolder folder;
  const Ended ended = run_program(
      run_of({"--frames", "300", "--set", "gate=on", "--set", "gate_x_m=0", "--set", "gate_z_m=0.018", "--set",
              "flow_angle_rad=1.0471975512", "--set", "f_number=4", "--set", "sonogram_cutoff_hz=60", "--sonogram-out",
              (folder / "sonogram.npy").string(), "--report", (folder / "report.json").string()}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json told = nlohmann::json::parse(read_text(folder / "sonogram.json"));
  // A window of 64 frames, from then on every tenth frame: 24 columns.
  EXPECT_NE(read_text(folder / "sonogram.npy").find("'shape': (24, 128)"), std::string::npos);
  ASSERT_EQ(told.at("time_s").size(), 24U);
  ASSERT_EQ(told.at("velocity_m_s").size(), 128U);
  ASSERT_EQ(told.at("envelope_m_s").size(), 24U);
  EXPECT_NEAR(told.at("time_s")[0].get<double>(), 31.5 / 2000.0, 1e-9);
  EXPECT_NEAR(told.at("time_s")[1].get<double>() - told.at("time_s")[0].get<double>(), 5e-3, 1e-9);
  EXPECT_NEAR(told.at("velocity_m_s")[64].get<double>(), 0.0, 1e-12);
  const nlohmann::json& s = told.at("sonogram");
  EXPECT_EQ(s.at("window_frames"), 64);
  EXPECT_EQ(s.at("prf_hz"), 2000.0);
  EXPECT_NEAR(s.at("gate").at("z_m").get<double>(), 0.018, 1e-4);
  const double mean_m_s = s.at("mean_m_s").at("median").get<double>();
  EXPECT_NEAR(mean_m_s, 0.18, 0.03) << "a little below the peak; upwards to the right: towards the probe";
  EXPECT_GT(s.at("envelope_m_s").at("median").get<double>(), mean_m_s);
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "report.json")).at("sonogram");
  EXPECT_EQ(report.at("columns"), 24);
  EXPECT_EQ(report.at("gaps"), 0);
  EXPECT_EQ(report.at("late"), 0);
}

TEST(Spectrogram, WhatCannotBeIsSaidInOneLine) {
  const TemporaryFolder folder;
  const std::string out = (folder / "sonogram.npy").string();
  const auto refused = [&](const Words& more, const std::string& naming) {
    const Ended ended = run_program(run_of(joined(more, {"--frames", "8"})));
    EXPECT_EQ(ended.status, 2) << naming;
    EXPECT_NE(ended.err.find(naming), std::string::npos) << ended.err;
    EXPECT_EQ(folder.files(), 0U);
  };
  refused({"--sonogram-out", out}, "--set gate=on");
  refused({"--set", "gate=on", "--sonogram-out", out}, "sonogram_frames");
  refused({"--set", "gate=on", "--sonogram-out", (folder / "sonogram.png").string()}, ".npy");
  refused({"--set", "gate=maybe"}, "off, on");
}

}  // namespace
}  // namespace echoloop::spectrogram_test
