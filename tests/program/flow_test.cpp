// Flow without a window: what the program writes and reports, and what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program/run_program.h"

namespace echoloop::flow_test {
namespace {

using namespace testing;

Words run_of(const std::string& source, const Words& more) {
  return joined({source, "--headless", "--backend", "cpu", "--rate", "max", "--grid", "-4:4:33,12:24:61"}, more);
}

TEST(Flow, PictureAndReport) {
  const TemporaryFolder folder;
  const std::string source = "sim:flow,rate_hz=2000,angles_deg=0,peak_mm_s=200,pulsation=0,angle_deg=30";
  const Ended ended =
      run_program(run_of(source, {"--frames", "40", "--set", "flow=velocity", "--set", "flow_frames=32", "--flow-out",
                                  (folder / "flow.npy").string(), "--report", (folder / "report.json").string()}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string file = read_text(folder / "flow.npy");
  EXPECT_NE(file.find("'shape': (2, 61, 33)"), std::string::npos);
  const nlohmann::json told = nlohmann::json::parse(read_text(folder / "flow.json")).at("flow");
  EXPECT_EQ(told.at("frames"), 32);
  EXPECT_EQ(told.at("prf_hz"), 2000.0);
  EXPECT_EQ(told.at("singular_values").size(), 32U);
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "report.json")).at("flow");
  EXPECT_GE(report.at("pictures"), 1);
  EXPECT_EQ(report.at("restarts"), 0);
  EXPECT_GT(report.at("last").at("times_ms").at("total"), 0.0);
  EXPECT_EQ(report.at("last").at("aliasing_m_s"), told.at("aliasing_m_s"));
}

TEST(Flow, WhatCannotBeIsSaidInOneLine) {
  const TemporaryFolder folder;
  const std::string out = (folder / "flow.npy").string();
  const auto refused = [&](const std::string& source, const Words& more, const std::string& naming) {
    const Ended ended = run_program(run_of(source, joined(more, {"--frames", "8"})));
    EXPECT_EQ(ended.status, 2) << naming;
    EXPECT_NE(ended.err.find(naming), std::string::npos) << ended.err;
    EXPECT_EQ(folder.files(), 0U);
  };
  refused("sim:flow", {"--flow-out", out}, "--set flow=power");
  refused("sim:flow", {"--set", "flow=power", "--flow-out", out}, "flow_frames");
  refused("sim:flow", {"--set", "flow=power", "--flow-out", (folder / "flow.png").string()}, ".npy");
  refused("sim:flow,angle_deg=80", {}, "-60 to 60 degrees");
  refused("sim:flow,speed=3", {}, "peak_mm_s");
  refused("sim:heart,peak_mm_s=3", {}, "peak_mm_s");
}

}  // namespace
}  // namespace echoloop::flow_test
