// Flow without a window: what the program writes and reports, and what it refuses.
#include <gtest/gtest.h>
#include <png.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

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

#if defined(ECHO_HAVE_GUI)

// Pixels of flow away from the probe: dark blue, which nothing else in the window is.
std::size_t blue_pixels(const std::filesystem::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0) return 0;
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr) == 0) return 0;
  std::size_t blue = 0;
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3)
    blue += rgb[i + 2] > 100 && rgb[i] < 40 && rgb[i + 1] < 80 ? 1 : 0;
  return blue;
}

TEST(Flow, IsOnTheScreenshotAsInTheWindow) {
  const TemporaryFolder folder;
  const std::string source = "sim:flow,rate_hz=2000,angles_deg=0,peak_mm_s=200,pulsation=0,angle_deg=30";
  const auto blue_with = [&](const std::string& mode) {
    const LeaksOfDriversIgnored ignored;
    const Ended ended = run_program(run_of(source, {"--frames", "40", "--set", "flow=" + mode + ",flow_frames=32",
                                                    "--screenshot", (folder / (mode + ".png")).string()}));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return blue_pixels(folder / (mode + ".png"));
  };
  EXPECT_LT(blue_with("off"), 50U);
  EXPECT_GT(blue_with("velocity"), 2000U);
}

#endif

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
