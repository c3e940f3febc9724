// Flow pictures on disk: shape and order of the array, what the JSON says, the overlay's rule.
#include <gtest/gtest.h>

#include <cstring>

#include "history/export.h"
#include "support/temporary_folder.h"

namespace echoloop::flow_export_test {
namespace {

using testing::read_text;
using testing::TemporaryFolder;

FlowImage small_flow() {
  FlowImage flow;
  flow.grid = {.x0_m = -0.01, .x1_m = 0.01, .z0_m = 0.0, .z1_m = 0.03, .nx = 3, .nz = 2};
  flow.params.color_flow.mode = FlowMode::velocity;
  flow.params.color_flow.threshold_db = -30.0;
  flow.power_db = {-10.0f, -20.0f, -29.0f, -31.0f, -50.0f, -60.0f};
  flow.velocity_m_s = {0.1f, 0.2f, 0.3f, -9.0f, -9.0f, -9.0f};
  flow.frames = 16;
  flow.prf_hz = 1000.0;
  flow.center_hz = 4.9e6;
  flow.aliasing_m_s = 0.077;
  flow.stamp.source_index = 15;
  return flow;
}

std::vector<float> values_of(const std::string& file, std::size_t n) {
  std::vector<float> values(n);
  std::memcpy(values.data(), file.data() + file.size() - n * sizeof(float), n * sizeof(float));
  return values;
}

TEST(WriteFlowNpy, PowerThenVelocity) {
  const TemporaryFolder folder;
  const FlowImage flow = small_flow();
  write_flow_npy(folder / "flow.npy", flow, {{"version", "test"}});
  const std::string file = read_text(folder / "flow.npy");
  EXPECT_NE(file.find("'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }"), std::string::npos);
  EXPECT_EQ((file.size() - 12 * sizeof(float)) % 64, 0U);
  std::vector<float> want = flow.power_db;
  want.insert(want.end(), flow.velocity_m_s.begin(), flow.velocity_m_s.end());
  EXPECT_EQ(values_of(file, 12), want);
  const nlohmann::json json = nlohmann::json::parse(read_text(folder / "flow.json"));
  EXPECT_EQ(json.at("version"), "test");
  EXPECT_EQ(json.at("parameters").at("flow"), "velocity");
  EXPECT_EQ(json.at("frame").at("source_index"), 15);
  const nlohmann::json& told = json.at("flow");
  EXPECT_EQ(told.at("frames"), 16);
  EXPECT_EQ(told.at("prf_hz"), 1000.0);
  EXPECT_EQ(told.at("received_center_hz"), 4.9e6);
  EXPECT_EQ(told.at("aliasing_m_s"), 0.077);
  EXPECT_FALSE(told.contains("singular_values"));
  EXPECT_EQ(told.at("above_threshold").at("pixels"), 3);
  EXPECT_FLOAT_EQ(told.at("above_threshold").at("velocity_m_s").at("median").get<float>(), 0.2f);
}

TEST(WriteFlowNpy, TheLowRankPictureComesLast) {
  const TemporaryFolder folder;
  FlowImage flow = small_flow();
  flow.low_rank_db = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
  flow.singular_values = {3.0f, 1.0f};
  flow.first_component = flow.last_component = 1;
  write_flow_npy(folder / "flow.npy", flow, nlohmann::json::object());
  const std::string file = read_text(folder / "flow.npy");
  EXPECT_NE(file.find("'shape': (3, 2, 3)"), std::string::npos);
  EXPECT_EQ(values_of(file, 6), flow.low_rank_db);
  const nlohmann::json told = nlohmann::json::parse(read_text(folder / "flow.json")).at("flow");
  EXPECT_EQ(told.at("singular_values").size(), 2U);
  EXPECT_EQ(told.at("components").at("first"), 1);
}

TEST(FlowOverlay, PowerAboveTheThresholdAndPictureBelowThePriority) {
  ImagingParams p;
  p.color_flow.threshold_db = -40.0;
  p.color_flow.priority_db = -20.0;
  EXPECT_TRUE(shows_flow(-30.0f, -25.0f, p));
  EXPECT_FALSE(shows_flow(-41.0f, -25.0f, p)) << "too weak";
  EXPECT_FALSE(shows_flow(-30.0f, -19.0f, p)) << "tissue wins";
}

}  // namespace
}  // namespace echoloop::flow_export_test
