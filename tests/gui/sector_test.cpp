// Sectors on the screen: points land where the rulers say, the ground shows outside, what lies between pixels is what
// the export says, and the panel's controls say when they have no effect.
#include <algorithm>
#include <cmath>

#include "core/param_table.h"
#include "gui/overlay/transfer_function.h"
#include "gui/scene.h"
#include "gui/toolkit/theme.h"
#include "gui/view/image_view.h"
#include "support/acquisitions.h"

namespace echoloop::testing::sector_test {
namespace {

constexpr double kDegree = kRadiansPerDegree;

int gray(const RgbImage& p, int x, int y) {
  return p.rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x)) * 3 + 1];
}

Grid phased_grid() { return polar_grid({0.0, -40 * kDegree, 40 * kDegree, 10e-3, 90e-3}, 81, 201); }
Grid convex_grid() { return polar_grid({-40e-3, -35 * kDegree, 30 * kDegree, 52e-3, 150e-3}, 141, 201); }

TEST(SectorPicture, PointsAppearWhereTheRulersSay) {
  for (const auto& [width, height] : {std::pair{1600, 900}, {1024, 640}}) {
    for (const Grid& grid : {phased_grid(), convex_grid()}) {
      ECHO_SCENE(scene, width, height);
      const PlanePoint wanted = grid.point(grid.nx / 4, grid.nz / 2);
      // A spot several pixels wide, as its level falls by 3 dB a millimetre around the point.
      scene.put_image(grid, [&](double x, double z) {
        return static_cast<float>(-15.0 * std::hypot(x - wanted.x_m * 1e3, z - wanted.z_m * 1e3));
      });
      scene.frames(2);
      const Rect r = scene.viewer->screen().picture();
      const RgbImage shot = scene.shot();
      double sum = 0, sx = 0, sy = 0;
      const ImageLayout& layout = scene.viewer->screen().image_layout();
      const float at_x = layout.x_px(wanted.x_m), at_y = layout.z_px(wanted.z_m);
      for (int y = static_cast<int>(at_y) - 40; y <= static_cast<int>(at_y) + 40; ++y) {
        for (int x = static_cast<int>(at_x) - 40; x <= static_cast<int>(at_x) + 40; ++x) {
          const int v = gray(shot, x, y);
          if (v < 90) continue;
          sum += v, sx += v * (x + 0.5), sy += v * (y + 0.5);
        }
      }
      ASSERT_GT(sum, 0.0);
      EXPECT_NEAR(sx / sum, static_cast<double>(at_x), 1.0) << width;
      EXPECT_NEAR(sy / sum, static_cast<double>(at_y), 1.0) << width;
      EXPECT_NEAR(static_cast<double>(r.width()) / (grid.x1_m - grid.x0_m),
                  static_cast<double>(r.height()) / (grid.z1_m - grid.z0_m), 1.0 / 10e-3);
    }
  }
}

TEST(SectorPicture, TheGroundShowsOutside) {
  ECHO_SCENE(scene, 1600, 900);
  const Grid grid = phased_grid();
  scene.state.params.display.color_map = ColorMap::inverted;  // the darkest echo is white: not what is outside
  scene.put_image(grid, [](double, double) { return -200.0F; });
  scene.frames(2);
  const Rect r = scene.viewer->screen().picture();
  const RgbImage shot = scene.shot();
  const ImageLayout& layout = scene.viewer->screen().image_layout();
  int wrong = 0;
  for (int y = static_cast<int>(r.y0) + 30; y < static_cast<int>(r.y1) - 2; y += 7) {
    for (int x = static_cast<int>(r.x0) + 2; x < static_cast<int>(r.x1) - 2; x += 7) {
      const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
      if (fx < r.x0 + 250 && fy > r.y1 - 60) continue;  // the scale bar
      const GridPlace place = grid.place(layout.x_m(fx), layout.z_m(fy));
      if (grid.contains(place, -2.0) && gray(shot, x, y) != 255) ++wrong;
      // Ticks and numbers of the scale lie within a few pixels of the edge.
      if (!grid.contains(place, 12.0) && gray(shot, x, y) > 100) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Between pixels the shader and the PNG have the same colour: linear in the amplitude.
void expect_that_the_screen_is_the_export(double tgc_db, double reject_db) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.display.tgc_db[1] = tgc_db;
  scene.state.params.display.tgc_db[5] = -tgc_db;
  scene.state.params.display.reject_db = reject_db;
  const Grid grid = polar_grid({0.0, -40 * kDegree, 40 * kDegree, 10e-3, 90e-3}, 17, 41);  // coarse
  std::vector<float> values;
  for (int i = 0; i < grid.nx * grid.nz; ++i)
    values.push_back(static_cast<float>(-25.0 + 20.0 * std::sin(0.6 * (i % grid.nx)) * std::cos(0.5 * (i / grid.nx))));
  int at = 0;
  scene.put_image(grid, [&](double, double) { return values[static_cast<std::size_t>(at++)]; });
  scene.frames(2);
  const RgbImage shot = scene.shot();
  Image image;
  image.grid = grid;
  image.host_db = values.data();
  const ImageLayout& layout = scene.viewer->screen().image_layout();
  const RgbImage png = render_rgb(image, scene.state.params.display);
  int compared = 0;
  for (int y = 0; y < png.height; ++y) {
    for (int x = 0; x < png.width; ++x) {
      const double x_m = grid.x0_m + (grid.x1_m - grid.x0_m) * x / (png.width - 1);
      const double z_m = grid.z0_m + (grid.z1_m - grid.z0_m) * y / (png.height - 1);
      if (!grid.contains(grid.place(x_m, z_m), -0.5)) continue;
      const float px = layout.x_px(x_m), py = layout.z_px(z_m);
      // The screen's pixel centres are not the export's places: between its four neighbours.
      const int ix = static_cast<int>(std::floor(px - 0.5F)), iy = static_cast<int>(std::floor(py - 0.5F));
      int low = 255, high = 0;
      for (int k = 0; k < 4; ++k) {
        const int v = gray(shot, ix + k % 2, iy + k / 2);
        low = std::min(low, v), high = std::max(high, v);
      }
      const int wanted =
          png.rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(png.width) + static_cast<std::size_t>(x)) *
                      3 +
                  1];
      EXPECT_GE(wanted, low - 4) << x << " " << y;
      EXPECT_LE(wanted, high + 4) << x << " " << y;
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(SectorPicture, TheScreenIsTheExport) { expect_that_the_screen_is_the_export(0.0, kNoReject_db); }
TEST(SectorPicture, TheScreenIsTheExportWithTgcAndReject) { expect_that_the_screen_is_the_export(14.0, -38.0); }

TEST(SectorPanel, ControlsWithoutEffectDoNotMove) {
  ECHO_SCENE(scene, 1600, 900);
  const AcquisitionPtr sector = share(convex_acquisition(33, 2000));
  for (const bool polar : {true, false}) {
    scene.state.source.acquisition = sector;
    scene.state.params = scene.state.defaults = default_params(*sector);
    scene.state.params.formation.grid_kind = polar ? GridChoice::automatic : GridChoice::cartesian;
    scene.put_image(make_grid(scene.state.params, *sector), [](double, double) { return -30.0F; });
    scene.frames(2);
    if (polar) scene.click("more_formation");
    const ImagingParams before = scene.state.params;
    scene.drag("lateral", 0.72F, 0.85F);
    EXPECT_EQ(scene.state.params.formation.lateral_max_m != before.formation.lateral_max_m, !polar);
    scene.drag("sector", 0.65F, 0.8F);
    EXPECT_EQ(scene.state.params.formation.sector_max_rad != before.formation.sector_max_rad, polar);
    EXPECT_EQ(scene.state.params.formation.compounding, Compounding::automatic);  // nothing is focused here
  }
}

// The read-out under the pointer and the scale at the edges count from the same place.
TEST(SectorPicture, ThePointerReadsWhatTheScaleSays) {
  const AcquisitionPtr convex = share(convex_acquisition(33, 2000));
  Image image;
  image.acquisition = convex;
  image.grid = make_grid(default_params(*convex), *convex);
  ASSERT_TRUE(image.grid.polar());
  const double apex_m = image.grid.sector.apex_z_m, radius_m = surface_radius_m(image);
  const Element& middle = convex->probe.elements[16];
  EXPECT_NEAR(radius_m, middle.z_m - apex_m, 1e-6);
  for (const double degrees : {0.0, 20.0}) {
    const double r = radius_m + 30e-3, angle = degrees * kDegree;
    const std::string text = polar_text(image, image.grid.sector, r * std::sin(angle), apex_m + r * std::cos(angle));
    EXPECT_NE(text.find("depth 30.0 mm"), std::string::npos) << text;
    EXPECT_NE(text.find(degrees > 0 ? "20.0°" : "0.0°"), std::string::npos) << text;
  }
  image.acquisition = share(phased_acquisition());
  image.grid = phased_grid();
  EXPECT_NE(polar_text(image, image.grid.sector, 0.0, 30e-3).find("r 30.0 mm"), std::string::npos);
}

TEST(SectorPicture, LooksAtHomeEverywhere) {
  for (const auto& [width, height] : {std::pair{1600, 900}, {1024, 640}}) {
    ECHO_SCENE(scene, width, height);
    scene.state.source.acquisition = share(convex_acquisition(33, 2000));
    scene.put_image(convex_grid(), [](double, double) { return -30.0F; });
    scene.frames(2);
    const Rect r = scene.viewer->screen().picture();
    for (float y = r.y0 - 20; y < r.y1 + 20; y += 61) {  // the pointer's read-out, inside and outside the sector
      for (float x = r.x0 - 20; x < r.x1 + 20; x += 97) scene.move(x, y);
    }
    scene.state.cine.compare = true;
    scene.freeze(5, 50.0);
    scene.put_past(0, convex_grid(), [](double, double) { return -20.0F; });
    scene.put_past(1, kSquare, [](double, double) { return -40.0F; });
    scene.frames(3);
    scene.tap(Key::f5);
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

}  // namespace
}  // namespace echoloop::testing::sector_test
