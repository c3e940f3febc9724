// The modes of flow on a real loop, as the window shows them: a disk that turns in water, left side towards the probe.
// The recording may not be copied, so images are held against what is known of it and not against stored ones.
#include <cmath>
#include <cstdlib>

#include "app/opening/source_kinds.h"
#include "core/param_table.h"
#include "gui/scene.h"
#include "history/export.h"
#include "support/flow_run.h"
#include "support/recorded_data.h"

namespace echoloop::testing::flow_disk_test {
namespace {

constexpr const char* kDisk = "must_pwi_disk/PWI_disk.mat";
constexpr double kCentreX_mm = -0.9, kCentreZ_mm = 22.4, kRadius_mm = 10.0;

class FlowOfTheDisk : public ::testing::Test {
 protected:
  // The window with the last of 32 frames, and the flow of all.
  void show(Scene& scene, std::initializer_list<const char*> settings) {
    const OpenedSource opened = open_source((data_folder() / kDisk).string());
    ImagingParams p = default_params(*opened.info.acquisition);
    for (const char* setting : {"lateral_min_m=-0.0125", "lateral_max_m=0.0125", "grid_nx=126", "depth_min_m=0.010",
                                "depth_max_m=0.035", "grid_nz=126", "f_number=1.5", "band_low_hz=3333333.3333",
                                "band_high_hz=6666666.6667", "flow_frames=32", "flow_step=32"}) {
      set_from_text(p, setting);
    }
    for (const char* setting : settings) set_from_text(p, setting);
    run_ = run_flow(opened.source, p, 32);
    const FlowImage& flow = run_.flow;
    const auto at = [grid = flow.grid](double x_mm, double z_mm) {
      const GridPlace place = grid.place(1e-3 * x_mm, 1e-3 * z_mm);
      return static_cast<std::size_t>(std::lround(place.row) * grid.nx + std::lround(place.column));
    };
    scene.state.params = p;
    scene.put_image(run_.picture.grid, [&](double x, double z) { return run_.picture.db[at(x, z)]; });
    const bool low_rank = p.color_flow.mode == FlowMode::low_rank;
    scene.put_flow(
        flow.grid, [&](double x, double z) { return (low_rank ? flow.low_rank_db : flow.power_db)[at(x, z)]; },
        [&](double x, double z) { return flow.velocity_m_s[at(x, z)]; }, flow.aliasing_m_s);
    scene.frames(2);
    shot_ = scene.shot();
    layout_ = scene.viewer->screen().image_layout();
    if (const char* folder = std::getenv("ECHOLOOP_KEEP_PICTURES")) {  // to be looked at
      write_png(std::filesystem::path(folder) / (std::string("disk_") + *settings.begin() + ".png"), shot_.width,
                shot_.height, shot_.rgb);
    }
  }

  [[nodiscard]] Rgb pixel(double x_mm, double z_mm) const {
    const auto column = static_cast<std::size_t>(layout_.x_px(1e-3 * x_mm));
    const auto row = static_cast<std::size_t>(layout_.z_px(1e-3 * z_mm));
    const std::uint8_t* rgb = &shot_.rgb[3 * (row * static_cast<std::size_t>(shot_.width) + column)];
    return {rgb[0], rgb[1], rgb[2]};
  }

  // Share of the points of the disk's left half, right half and of the water for which `is` holds.
  struct Shares {
    double left = 0, right = 0, water = 0;
  };
  template <class Is>
  [[nodiscard]] Shares share(const Is& is) const {
    Shares sum, n;
    for (double x = -12.0; x <= 12.0; x += 0.1) {
      for (double z = 10.5; z <= 34.5; z += 0.1) {
        const double r = std::hypot(x - kCentreX_mm, z - kCentreZ_mm), side = x - kCentreX_mm;
        const double one = is(pixel(x, z)) ? 1.0 : 0.0;
        const bool scale_bar = x < -5.0 && z > 31.0;
        if (r < kRadius_mm - 1.0 && std::abs(side) > 2.0) {
          (side < 0 ? sum.left : sum.right) += one;
          (side < 0 ? n.left : n.right) += 1.0;
        } else if (r > kRadius_mm + 1.0 && !scale_bar) {
          sum.water += one;
          n.water += 1.0;
        }
      }
    }
    return {sum.left / n.left, sum.right / n.right, sum.water / n.water};
  }

  FlowRun run_;
  RgbImage shot_;
  ImageLayout layout_;
};

bool is_towards(const Rgb& c) { return c.r > c.b + 40; }
bool is_away(const Rgb& c) { return c.b > c.r + 40; }
bool is_colored(const Rgb& c) { return is_towards(c) || is_away(c); }

TEST_F(FlowOfTheDisk, VelocityIsRedOnTheLeftAndBlueOnTheRight) {
  ECHO_NEED_DATA(kDisk);
  ECHO_SCENE(scene, 1600, 900);
  show(scene, {"flow=velocity", "wall_filter=none", "flow_priority_db=10", "flow_threshold_db=-26"});
  const Shares red = share(is_towards), blue = share(is_away);
  std::printf("velocity: red %.3f left, %.3f right; blue %.3f, %.3f; water %.3f\n", red.left, red.right, blue.left,
              blue.right, red.water + blue.water);
  EXPECT_GT(red.left, 0.9);
  EXPECT_LT(blue.left, 0.02);
  EXPECT_GT(blue.right, 0.9);
  EXPECT_LT(red.right, 0.02);
  EXPECT_LT(red.water + blue.water, 0.25);
  // Faster to the outside: brighter.
  const Rgb inner = pixel(kCentreX_mm - 3.0, kCentreZ_mm), outer = pixel(kCentreX_mm - 8.0, kCentreZ_mm);
  EXPECT_GT(outer.r + outer.g, inner.r + inner.g + 40);
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST_F(FlowOfTheDisk, PowerIsTheDisk) {
  ECHO_NEED_DATA(kDisk);
  ECHO_SCENE(scene, 1600, 900);
  show(scene, {"flow=power", "wall_filter=none", "flow_priority_db=10", "flow_threshold_db=-26"});
  const Shares colored = share(is_colored);
  std::printf("power: %.3f of the disk's left, %.3f of its right, %.3f of the water\n", colored.left, colored.right,
              colored.water);
  EXPECT_GT(colored.left, 0.9);
  EXPECT_GT(colored.right, 0.9);
  EXPECT_LT(colored.water, 0.25);
}

TEST_F(FlowOfTheDisk, TheLowRankPictureIsGrayAndDarkensTheWater) {
  ECHO_NEED_DATA(kDisk);
  ECHO_SCENE(scene, 1600, 900);
  show(scene, {"flow=low_rank", "svd_low=1", "svd_high=12"});
  const Shares colored = share(is_colored);
  EXPECT_EQ(colored.left + colored.right + colored.water, 0.0);
  double disk = 0.0, water = 0.0, whole_water = 0.0;  // mean powers, of the image of 12 components and of the whole
  double n_disk = 0.0, n_water = 0.0, whole_disk = 0.0;
  for (std::size_t i = 0; i < run_.flow.low_rank_db.size(); ++i) {
    const PlanePoint p = run_.flow.grid.point(static_cast<int>(i % 126), static_cast<int>(i / 126));
    const double r = std::hypot(1e3 * p.x_m - kCentreX_mm, 1e3 * p.z_m - kCentreZ_mm);
    const double low = std::pow(10.0, 0.1 * static_cast<double>(run_.flow.low_rank_db[i]));
    const double whole = std::pow(10.0, 0.1 * static_cast<double>(run_.picture.db[i]));
    if (r < kRadius_mm - 1.0) {
      disk += low, whole_disk += whole, n_disk += 1.0;
    } else if (r > kRadius_mm + 1.0) {
      water += low, whole_water += whole, n_water += 1.0;
    }
  }
  const double contrast_db = 10.0 * std::log10(disk / n_disk / (water / n_water));
  const double whole_db = 10.0 * std::log10(whole_disk / n_disk / (whole_water / n_water));
  std::printf("low rank: disk %.1f dB above water with 12 of 32 components, %.1f dB with all; error %.3f\n",
              contrast_db, whole_db, run_.flow.relative_error);
  EXPECT_GT(contrast_db, 10.0);
  EXPECT_GT(run_.flow.relative_error, 0.1);
  EXPECT_LT(run_.flow.relative_error, 0.9);
}

}  // namespace
}  // namespace echoloop::testing::flow_disk_test
