// The image's pixels: where a point appears, and in which colour.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gui/overlay/transfer_function.h"
#include "gui/scene.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::picture_test {
namespace {

// The centroid of everything in r that is not black.
struct Spot {
  double x = 0, y = 0;
};
Spot find_spot(const RgbImage& p, const Rect& r) {
  double sum = 0, sx = 0, sy = 0;
  for (int y = static_cast<int>(r.y0); y < static_cast<int>(r.y1); ++y) {
    for (int x = static_cast<int>(r.x0); x < static_cast<int>(r.x1); ++x) {
      const double v = pixel(p, x, y).g;
      sum += v;
      sx += v * (x + 0.5);
      sy += v * (y + 0.5);
    }
  }
  return {sx / sum, sy / sum};
}

TEST(Picture, PointAppearsWhereTheRulerSays) {
  for (const Grid& grid : {kSquare, Grid{-15e-3, 5e-3, 3e-3, 43e-3, 61, 201}, Grid{-20e-3, 20e-3, 0, 12e-3, 401, 57}}) {
    ECHO_SCENE(scene, 1600, 900);
    const int ix = grid.nx / 3;
    const int iz = grid.nz / 4;
    const double x_mm = grid.x_m(ix) * 1e3;
    const double z_mm = grid.z_m(iz) * 1e3;
    scene.put_image(grid, [&](double x, double z) {
      return std::abs(x - x_mm) < 1e-6 && std::abs(z - z_mm) < 1e-6 ? 0.0F : -200.0F;
    });
    scene.state.params.display.dynamic_range_db =
        120;  // linear to -200 dB: the point spreads 0.6 pixels of the grid, evenly
    scene.frames(2);
    const Rect r = scene.viewer->screen().picture();
    ASSERT_GT(r.width(), 100.0F);
    const double width = static_cast<double>(r.width());
    const double height = static_cast<double>(r.height());
    Rect near = r.inset(2);  // without the scale bar in the corner
    near.y1 -= 60;
    const Spot spot = find_spot(scene.shot(), near);
    EXPECT_NEAR(spot.x, static_cast<double>(r.x0) + width * ix / (grid.nx - 1), 1.0);
    EXPECT_NEAR(spot.y, static_cast<double>(r.y0) + height * iz / (grid.nz - 1), 1.0);
    // Aspect true: a millimetre is as long across as down.
    EXPECT_NEAR(width / (grid.x1_m - grid.x0_m), height / (grid.z1_m - grid.z0_m), 1.0 / 10e-3);
  }
}

TEST(Picture, TheReadOutIsInTheCaptionLine) {
  ECHO_SCENE(scene, 1024, 640);
  constexpr Grid kNarrow{-8e-3, 8e-3, 0, 40e-3, 81, 201};
  scene.put_image(kNarrow, [](double, double) { return -30.0F; });
  scene.frames(2);
  const Rect r = scene.viewer->screen().picture();
  ASSERT_LT(r.width(), 180.0F);
  const RgbImage before = scene.shot();
  scene.move(r.x0 + 20, r.y1 - 20);
  scene.frames(2);
  const RgbImage now = scene.shot();
  const auto changed = [&](const Rect& area) {
    int n = 0;
    for (float y = area.y0; y < area.y1; ++y) {
      for (float x = area.x0; x < area.x1; ++x) n += gray_at(now, x, y) != gray_at(before, x, y) ? 1 : 0;
    }
    return n;
  };
  EXPECT_EQ(changed({r.x0, r.y0, r.x1, r.y1 - 60}), 0) << "nothing over the image";
  EXPECT_GT(changed({r.x0, r.y1 + 8, r.x1 + 200, r.y1 + 28}), 100);
}

TEST(Picture, TheScaleBarIsNeverBelow60Pixels) {
  for (float width = 90; width < 900; width += 7) {
    for (const double mm : {3.0, 20.0, 38.0, 150.0}) {
      const Grid grid{-0.5e-3 * mm, 0.5e-3 * mm, 0, 40e-3, 81, 201};
      const ImageLayout l = place_picture({0, 0, width, 4000}, grid, 1, {});
      EXPECT_GE(scale_bar_mm(l) * l.px_per_mm(), 60.0 - 1e-6) << width << " " << mm;
    }
  }
}

TEST(Picture, ColoursAreThoseOfTheFormula) {
  ECHO_SCENE(scene, 1600, 900);
  for (const ColorMap map : {ColorMap::gray, ColorMap::hot, ColorMap::viridis, ColorMap::inverted}) {
    for (const double gamma : {1.0, 0.6, 2.2}) {
      ImagingParams& p = scene.state.params;
      p.display.color_map = map;
      p.display.gamma = gamma;
      p.display.gain_db = 3.0;
      p.display.dynamic_range_db = 55.0;
      // Levels from above white to below black, one a column.
      const auto level = [](double x_mm) { return static_cast<float>(5.0 - 3.5 * (x_mm + 10.0)); };
      scene.put_image(kSquare, [&](double x, double) { return level(x); });
      scene.frames(2);
      const Rect r = scene.viewer->screen().picture();
      const RgbImage p_gl = scene.shot();
      const int y = static_cast<int>(r.cy()) + 40;
      for (int x = static_cast<int>(r.x0) + 2; x < static_cast<int>(r.x1) - 2; x += 5) {
        const double x_mm = -10.0 + 20.0 * (x + 0.5 - static_cast<double>(r.x0)) / static_cast<double>(r.width());
        const Rgb wanted = map_color(map, transfer(static_cast<double>(level(x_mm)), p.display));
        ASSERT_LE(distance(pixel(p_gl, x, y), wanted), 3)
            << "map " << static_cast<int>(map) << " gamma " << gamma << " x " << x_mm;
      }
    }
  }
}

// Every map: the TGC and reject take the general shader, whatever the map.
TEST(Picture, TgcAndRejectAreThoseOfTheFormula) {
  ECHO_SCENE(scene, 1600, 900);
  ImagingParams& p = scene.state.params;
  p.display.dynamic_range_db = 60.0;
  p.display.tgc_db = {-12, 0, 8, 3, -20, 15, 0, 6};
  const auto level = [](double x_mm) { return static_cast<float>(-30.0 - 2.0 * x_mm); };
  scene.put_image(kSquare, [&](double x, double) { return level(x); });
  for (const ColorMap map : {ColorMap::gray, ColorMap::hot}) {
    for (const double reject_db : {kNoReject_db, -33.0}) {
      p.display.color_map = map;
      p.display.reject_db = reject_db;
      scene.frames(2);
      const Rect r = scene.viewer->screen().picture();
      const RgbImage shot = scene.shot();
      for (int y = static_cast<int>(r.y0) + 60; y < static_cast<int>(r.y1) - 4; y += 7) {
        const double place = (y + 0.5 - static_cast<double>(r.y0)) / static_cast<double>(r.height());
        for (int x = static_cast<int>(r.x0) + 4; x < static_cast<int>(r.x1) - 4; x += 31) {
          if (static_cast<float>(x) < r.x0 + 250 && static_cast<float>(y) > r.y1 - 60) continue;  // the scale bar
          const double x_mm = -10.0 + 20.0 * (x + 0.5 - static_cast<double>(r.x0)) / static_cast<double>(r.width());
          const double shown_db = static_cast<double>(level(x_mm)) + tgc_at(p.display.tgc_db, place);
          if (std::abs(shown_db - reject_db) < 0.3) continue;  // black or not: a matter of rounding
          ASSERT_LE(distance(pixel(shot, x, y), map_color(map, transfer(shown_db, p.display))), 3)
              << "map " << static_cast<int>(map) << " reject " << reject_db << " at " << x << ", " << y;
        }
      }
    }
  }
}

TEST(Tone, TgcIsLinearBetweenEightEqualSteps) {
  ImagingParams p;
  EXPECT_TRUE(is_flat(p.display.tgc_db));
  p.display.tgc_db[0] = 7.0;
  p.display.tgc_db[7] = -14.0;
  EXPECT_FALSE(is_flat(p.display.tgc_db));
  EXPECT_DOUBLE_EQ(tgc_at(p.display.tgc_db, 0.0), 7.0);
  EXPECT_DOUBLE_EQ(tgc_at(p.display.tgc_db, 0.5 / 7.0), 3.5);
  EXPECT_DOUBLE_EQ(tgc_at(p.display.tgc_db, 0.5), 0.0);
  EXPECT_DOUBLE_EQ(tgc_at(p.display.tgc_db, 1.0), -14.0);
  EXPECT_DOUBLE_EQ(tgc_at(p.display.tgc_db, 2.0), -14.0);
}

TEST(Tone, RejectIsBlackBelowItsLevelOnly) {
  ImagingParams p;
  p.display.reject_db = -20.0;
  EXPECT_DOUBLE_EQ(transfer(-20.5, p.display), 0.0);
  EXPECT_DOUBLE_EQ(transfer(-20.0, p.display), 40.0 / 60.0);
  p.display.reject_db = kNoReject_db;
  EXPECT_DOUBLE_EQ(transfer(-50.0, p.display), 10.0 / 60.0);
}

TEST(Tone, TheSavedPictureHasTheTgcOfItsRows) {
  std::vector<float> pixels(2 * 8, -30.0F);
  Image image;
  image.grid = {0, 1e-3, 0, 7e-3, 2, 8};
  image.host_db = pixels.data();
  ImagingParams p;
  p.display.tgc_db[2] = 15.0;  // the third of eight rows
  const RgbImage picture = render_rgb(image, p.display);
  ASSERT_EQ(picture.height, 8);
  EXPECT_EQ(pixel(picture, 0, 1), (Rgb{128, 128, 128}));
  EXPECT_EQ(pixel(picture, 0, 2), (Rgb{191, 191, 191}));
  EXPECT_EQ(pixels, std::vector<float>(2 * 8, -30.0F)) << "the levels stay";
}

TEST(Picture, InfinitiesAndNothingnessAreBlack) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double x, double) {
    return x < 0 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  });
  scene.frames(2);
  const Rect r = scene.viewer->screen().picture();
  const RgbImage shot = scene.shot();
  EXPECT_EQ(pixel(shot, static_cast<int>(r.x0) + 50, static_cast<int>(r.cy())), Rgb());
  EXPECT_EQ(pixel(shot, static_cast<int>(r.x1) - 50, static_cast<int>(r.cy())), Rgb());
}

TEST(Picture, FrameSaysWhetherAPictureWasNew) {
  ECHO_SCENE(scene, 1024, 640);
  EXPECT_FALSE(scene.viewer->frame(scene.state));
  EXPECT_EQ(scene.viewer->shown_image().number, 0u);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  EXPECT_TRUE(scene.viewer->frame(scene.state));
  EXPECT_FALSE(scene.viewer->frame(scene.state));
  EXPECT_EQ(scene.viewer->shown_image().number, 1u);
  scene.viewer->forget_image();
  scene.frames(1);
  EXPECT_EQ(scene.viewer->screen().picture().width(), 0.0F);
}

TEST(Tone, WindowGammaAndEnds) {
  ImagingParams p;
  p.display.dynamic_range_db = 60;
  EXPECT_DOUBLE_EQ(transfer(0.0, p.display), 1.0);
  EXPECT_DOUBLE_EQ(transfer(-30.0, p.display), 0.5);
  EXPECT_DOUBLE_EQ(transfer(-60.0, p.display), 0.0);
  EXPECT_DOUBLE_EQ(transfer(-90.0, p.display), 0.0);
  p.display.gain_db = 6;
  EXPECT_DOUBLE_EQ(transfer(-36.0, p.display), 0.5);
  p.display.gamma = 2;
  EXPECT_DOUBLE_EQ(transfer(-36.0, p.display), 0.25);
  EXPECT_EQ(map_color(ColorMap::gray, 1.0), (Rgb{255, 255, 255}));
  EXPECT_EQ(map_color(ColorMap::inverted, 1.0), (Rgb{0, 0, 0}));
  EXPECT_EQ(map_color(ColorMap::hot, 0.0), (Rgb{0, 0, 0}));
  EXPECT_EQ(map_color(ColorMap::hot, 1.0), (Rgb{255, 255, 255}));
  EXPECT_LE(distance(map_color(ColorMap::viridis, 0.0), (Rgb{68, 1, 84})), 3);
  EXPECT_LE(distance(map_color(ColorMap::viridis, 1.0), (Rgb{253, 231, 37})), 4);
  EXPECT_LE(distance(map_color(ColorMap::viridis, 0.5), (Rgb{33, 145, 140})), 3);
}

// The shader's table, read as the shader reads it.
float from_table(const TransferCurve& curve, float level_db) {
  const float share = (level_db - static_cast<float>(curve.first_db)) / static_cast<float>(curve.span_db);
  if (!(share >= 0.0F)) return curve.t[0];
  const float at = 1.0F + std::sqrt(std::sqrt(std::min(share, 1.0F))) * (TransferCurve::kNodes - 1);
  const std::size_t lower = std::min<std::size_t>(static_cast<std::size_t>(at), TransferCurve::kNodes - 1);
  return std::lerp(curve.t[lower], curve.t[lower + 1], at - static_cast<float>(lower));
}

TEST(Tone, TheTableIsTheFormula) {
  for (const double gamma : {0.2, 0.6, 1.0, 2.2, 4.0}) {
    for (const double reject_db : {kNoReject_db, -90.0, -33.0, -1.0}) {
      for (const double gain_db : {-60.0, 0.0, 12.3}) {
        DisplayParams display;
        display.gamma = gamma;
        display.reject_db = reject_db;
        display.gain_db = gain_db;
        const TransferCurve curve = transfer_curve(display);
        EXPECT_EQ(curve.straight, gamma == 1.0 && reject_db <= -60.0 - gain_db);
        for (float db = -150.0F; db < 70.0F; db += 0.0078125F) {
          ASSERT_NEAR(from_table(curve, db), transfer(static_cast<double>(db), display), 0.25 / 255.0)
              << "gamma " << gamma << " reject " << reject_db << " gain " << gain_db << " level " << db;
        }
        EXPECT_EQ(from_table(curve, std::numeric_limits<float>::quiet_NaN()), 0.0F);
      }
    }
  }
}

TEST(Tone, PictureHasSquarePixelsAndTheGridsEnds) {
  std::vector<float> pixels = {0, -60, -60, -60, -60, -60, -60, 0};  // 2 columns, 4 rows
  Image image;
  image.grid = {0, 1e-3, 0, 6e-3, 2, 4};
  image.host_db = pixels.data();
  const RgbImage p = render_rgb(image, DisplayParams());
  ASSERT_EQ(p.width, 2);
  ASSERT_EQ(p.height, 7);
  EXPECT_EQ(pixel(p, 0, 0), (Rgb{255, 255, 255}));
  EXPECT_EQ(pixel(p, 1, 6), (Rgb{255, 255, 255}));
  EXPECT_EQ(pixel(p, 0, 6), Rgb());
  EXPECT_EQ(pixel(p, 0, 1), (Rgb{128, 128, 128}));  // half way between two rows
}

}  // namespace
}  // namespace echoloop::testing::picture_test
