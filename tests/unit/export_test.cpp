// Files that leave the program: complete, readable by others, never half written.
#include "history/export.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "core/param_table.h"
#include "support/analysis_file.h"
#include "support/npy_file.h"
#include "support/one_line.h"
#include "support/resource_limit.h"
#include "support/temporary_folder.h"

namespace echoloop::export_test {
namespace {

using namespace testing;

struct TestImage {
  std::vector<float> pixels;
  Image image;
  TestImage(int nx, int nz) : pixels(static_cast<std::size_t>(nx * nz)) {
    std::iota(pixels.begin(), pixels.end(), -60.25f);
    image.grid = {.x0_m = -0.01, .x1_m = 0.01, .z0_m = 0.002, .z1_m = 0.03, .nx = nx, .nz = nz};
    image.params.formation.f_number = 1.25;
    image.params.formation.apodization = Apodization::tukey;
    image.stamp = {.sequence = 41, .source_index = 9, .acquired_ns = 1, .time_s = 0.18};
    image.host_db = pixels.data();
  }
};

TEST(WriteImageNpy, BytesAndHeaderAreNumpys) {
  for (const auto& [nx, nz] : {std::pair(3, 2), std::pair(1, 1), std::pair(251, 7)}) {
    const TemporaryFolder folder;
    const TestImage test(nx, nz);
    write_image_npy(folder / "image.npy", test.image, {{"version", "test"}});
    const testing::NpyImage read = testing::read_npy_image(folder / "image.npy");
    EXPECT_EQ(read.nx, nx);
    EXPECT_EQ(read.nz, nz);
    EXPECT_EQ(read.values, test.pixels);
    const std::string file = read_text(folder / "image.npy");
    EXPECT_EQ((file.size() - test.pixels.size() * 4) % 64, 0U) << "numpy aligns the data";
    EXPECT_EQ(folder.files(), 2U) << "something temporary was left";
  }
}

TEST(WriteImageNpy, SidecarTellsGridParametersAndOrigin) {
  const TemporaryFolder folder;
  const TestImage test(5, 4);
  write_image_npy(folder / "image.npy", test.image, {{"version", "1.2.3"}, {"source", "sim:points"}});
  const nlohmann::json json = nlohmann::json::parse(read_text(folder / "image.json"));
  EXPECT_EQ(json.at("version"), "1.2.3");
  EXPECT_EQ(json.at("source"), "sim:points");
  EXPECT_EQ(json.at("file"), "image.npy");
  EXPECT_EQ(json.at("grid").at("nx"), 5);
  EXPECT_EQ(json.at("grid").at("nz"), 4);
  EXPECT_EQ(json.at("grid").at("x_first_m"), -0.01);
  EXPECT_EQ(json.at("grid").at("z_last_m"), 0.03);
  EXPECT_EQ(json.at("parameters").at("f_number"), 1.25);
  EXPECT_EQ(json.at("parameters").at("apodization"), "tukey");
  EXPECT_EQ(json.at("frame").at("sequence"), 41);
  EXPECT_EQ(json.at("parameters").size(), param_table().size());
}

// Levels without the JSON that says what they are would be half of what was asked for.
TEST(WriteImageNpy, AFullDiskLeavesNeitherOfTheTwo) {
  const std::pair<rlim_t, const char*> cases[] = {{1000, "image.json"}, {10, "image.npy"}};  // room for none or for one
  for (const auto& [bytes, full] : cases) {
    const TemporaryFolder folder;
    const TestImage test(5, 4);
    {
      const testing::ResourceLimit limit(RLIMIT_FSIZE, bytes);
      expect_refusal([&] { write_image_npy(folder / "image.npy", test.image, {{"version", "test"}}); }, full);
    }
    EXPECT_EQ(folder.files(), 0U) << full;
  }
}

TEST(GridJson, SaysHowASectorLies) {
  const nlohmann::json json = grid_json(polar_grid({-0.04, -0.5, 0.6, 0.05, 0.15}, 7, 9));
  EXPECT_EQ(json.at("kind"), "polar");
  EXPECT_EQ(json.at("apex_z_m"), -0.04);
  EXPECT_EQ(json.at("angle_first_rad"), -0.5);
  EXPECT_EQ(json.at("angle_last_rad"), 0.6);
  EXPECT_EQ(json.at("nangle"), 7);
  EXPECT_EQ(json.at("r_first_m"), 0.05);
  EXPECT_EQ(json.at("r_last_m"), 0.15);
  EXPECT_EQ(json.at("nr"), 9);
}

TEST(WriteText, ReplacesAFileWholeAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", "a longer first text");
  write_text(folder / "a.txt", "second");
  EXPECT_EQ(read_text(folder / "a.txt"), "second");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteText, UnwritablePlacesAreOneLineAndLeaveNothing) {
  const TemporaryFolder folder;
  expect_refusal([&] { write_text(folder / "none/a.txt", "x"); }, "none/a.txt");
  expect_refusal([&] { write_text("/proc/no-such-place/a.txt", "x"); }, "a.txt");
  std::filesystem::create_directory(folder / "taken");
  expect_refusal([&] { write_text(folder / "taken", "x"); }, "taken");  // rename onto a folder fails
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteText, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", "old");
  {
    const testing::ResourceLimit limit(RLIMIT_FSIZE, 5000);
    expect_refusal([&] { write_text(folder / "a.txt", std::string(100000, 'x')); }, "a.txt");
  }
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteText, LinksStayAndDevicesAreNotReplaced) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", "old");
  std::filesystem::create_symlink("a.txt", folder / "link");
  write_text(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "a.txt"), "new");
  std::filesystem::create_symlink("/dev/null", folder / "nowhere");
  write_text(folder / "nowhere", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(folder.files(), 3U);
}

// Flow images on disk: shape and order of the array, what the JSON says, the overlay's rule.

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
  write_analysis_file("--flow-out", flow, folder / "flow.npy", {{"version", "test"}});
  const std::string file = read_text(folder / "flow.npy");
  EXPECT_TRUE(testing::contains(file, "'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }"));
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
  flow.components.first = flow.components.last = 1;
  write_analysis_file("--flow-out", flow, folder / "flow.npy");
  const std::string file = read_text(folder / "flow.npy");
  EXPECT_TRUE(testing::contains(file, "'shape': (3, 2, 3)"));
  EXPECT_EQ(values_of(file, 6), flow.low_rank_db);
  const nlohmann::json told = nlohmann::json::parse(read_text(folder / "flow.json")).at("flow");
  EXPECT_EQ(told.at("singular_values").size(), 2U);
  EXPECT_EQ(told.at("components").at("first"), 1);
}

TEST(FlowOverlay, PowerAboveTheThresholdAndPictureBelowThePriority) {
  ImagingParams p;
  p.color_flow.threshold_db = -40.0;
  p.color_flow.priority_db = -20.0;
  EXPECT_EQ(flow_opacity(-30.0f, -25.0f, p), 1.0f);
  EXPECT_EQ(flow_opacity(-44.0f, -25.0f, p), 0.0f) << "too weak";
  EXPECT_EQ(flow_opacity(-30.0f, -16.0f, p), 0.0f) << "tissue wins";
  EXPECT_FLOAT_EQ(flow_opacity(-40.0f, -25.0f, p), 0.5f) << "fades over 6 dB about the threshold";
  EXPECT_FLOAT_EQ(flow_opacity(-38.5f, -21.5f, p), 0.75f * 0.75f);
}

}  // namespace
}  // namespace echoloop::export_test
