// Flow in saved images: its colours with the opacity of flow_opacity(), its bar beside the image, and in a film's
// images.
#include "gui/overlay/flow_overlay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gui/figure/figure.h"
#include "gui/overlay/image_scales.h"
#include "support/picture_pixels.h"

namespace echoloop::flow_overlay_test {
namespace {

using namespace testing;

constexpr Grid kPicture{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 5e-3, .z1_m = 25e-3, .nx = 101, .nz = 101};
constexpr Grid kFlow{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 5e-3, .z1_m = 25e-3, .nx = 41, .nz = 21};

template <class Value>
FlowImage flow_image(FlowMode mode, const Value& power_and_velocity) {
  FlowImage flow;
  flow.number = 1;
  flow.grid = kFlow;
  flow.params.color_flow.mode = mode;
  flow.aliasing_m_s = 0.1;
  flow.frames = 64;
  for (int iz = 0; iz < kFlow.nz; ++iz) {
    for (int ix = 0; ix < kFlow.nx; ++ix) {
      const auto [power, velocity] = power_and_velocity(ix, iz);
      flow.power_db.push_back(power);
      flow.velocity_m_s.push_back(velocity);
    }
  }
  find_flow_mask(flow);
  return flow;
}

ImagingParams shown(FlowMode mode) {
  ImagingParams p;
  p.color_flow.mode = mode;
  p.color_flow.threshold_db = -40.0;
  p.color_flow.priority_db = -10.0;
  return p;
}

struct Drawn {
  Rgb color;
  float opacity;
};

Drawn drawn_at(const FlowOverlay& overlay, PlanePoint at, float tissue_db) {
  std::uint8_t rgb[3] = {128, 128, 128};
  const float opacity = overlay.blend(rgb, at, tissue_db);
  return {{rgb[0], rgb[1], rgb[2]}, opacity};
}

struct Gray {
  std::vector<float> db = std::vector<float>(kPicture.pixels(), -30.0F);
  Image image;
  Gray() {
    image.grid = kPicture;
    image.host_db = db.data();
    image.number = 1;
  }
};

TEST(FlowOverlay, HasTheColourOfEachPixel) {
  const auto velocity = [](int ix, int) { return 0.09F * static_cast<float>(ix - 20) / 20.0F; };
  const FlowImage flow =
      flow_image(FlowMode::velocity, [&](int ix, int iz) { return std::pair(-20.0F, velocity(ix, iz)); });
  const ImagingParams p = shown(FlowMode::velocity);
  const FlowOverlay overlay(flow, p);
  for (int ix = 0; ix < kFlow.nx; ++ix) {
    const Drawn drawn = drawn_at(overlay, kFlow.point(ix, 7), -30.0F);
    ASSERT_EQ(drawn.opacity, 1.0F);
    EXPECT_LE(distance(drawn.color, flow_velocity_color(static_cast<double>(velocity(ix, 7)) / 0.1)), 2) << ix;
  }
  EXPECT_EQ(drawn_at(overlay, kFlow.point(3, 7), -5.0F).opacity, 0.0F) << "tissue wins";
  EXPECT_EQ(drawn_at(overlay, {11e-3, 10e-3}, -30.0F).opacity, 0.0F) << "outside";
}

TEST(FlowOverlay, BetweenPixelsItTurnsThroughTheAliasingLimit) {
  const FlowImage flow =
      flow_image(FlowMode::velocity, [](int ix, int) { return std::pair(-20.0F, ix <= 20 ? 0.097F : -0.097F); });
  const ImagingParams p = shown(FlowMode::velocity);
  const FlowOverlay overlay(flow, p);
  for (double x_m = 0.0; x_m <= 0.5e-3; x_m += 0.05e-3) {
    const Drawn drawn = drawn_at(overlay, {x_m, 12e-3}, -30.0F);
    ASSERT_EQ(drawn.opacity, 1.0F);
    EXPECT_GT(std::max(drawn.color.r, drawn.color.b), 150) << x_m;  // slow flow is dark
  }
}

TEST(FlowOverlay, ThresholdDecidesWhereItIs) {
  const FlowImage flow = flow_image(
      FlowMode::power, [](int ix, int) { return std::pair(-40.0F + 2.0F * static_cast<float>(ix - 20), 0.0F); });
  const ImagingParams p = shown(FlowMode::power);
  Gray gray;
  RgbImage picture = render_rgb(gray.image, p.display);
  const RgbImage beneath = picture;
  draw_flow_in(picture, gray.image, flow, p);
  ASSERT_EQ(picture.width, 101);
  // 0.8 dB from pixel to pixel: it fades from 3 dB below the threshold to 3 dB above it.
  int last = 0;
  for (int x = 0; x < 101; ++x) {
    const int change = distance(pixel(picture, x, 40), pixel(beneath, x, 40));
    if (x < 46) {
      EXPECT_EQ(change, 0) << x;
    }
    if (x > 46) {
      EXPECT_GT(change, 0) << x;
    }
    if (x >= 46 && x <= 54) {
      EXPECT_GE(change, last) << x;
    }
    last = change;
  }
  EXPECT_LE(distance(pixel(picture, 75, 40), flow_power_color(1.0)), 2);
}

TEST(FlowOverlay, SinglePixelsNeitherAppearNorDisappear) {
  const auto of = [](float power_db, float single_db) {
    return flow_image(FlowMode::power,
                      [=](int ix, int iz) { return std::pair(ix == 20 && iz == 10 ? single_db : power_db, 0.0F); });
  };
  const ImagingParams p = shown(FlowMode::power);
  const FlowImage alone = of(-70.0F, -20.0F), hole = of(-20.0F, -70.0F);
  EXPECT_EQ(drawn_at(FlowOverlay(alone, p), kFlow.point(20, 10), -30.0F).opacity, 0.0F);
  EXPECT_EQ(drawn_at(FlowOverlay(hole, p), kFlow.point(20, 10), -30.0F).opacity, 1.0F);
  // A dark speckle in tissue, and a bright one in blood.
  Gray gray;
  std::ranges::fill(gray.db, 0.0F);
  gray.db[50 * 101 + 50] = -60.0F;
  const FlowImage everywhere = of(-20.0F, -20.0F);
  const FlowOverlay overlay(everywhere, p);
  const PlanePoint middle = kPicture.point(50, 50);
  EXPECT_EQ(drawn_at(overlay, middle, TissueLevels(gray.image).at(middle)).opacity, 0.0F);
  std::ranges::fill(gray.db, -30.0F);
  gray.db[50 * 101 + 50] = 0.0F;
  EXPECT_EQ(drawn_at(overlay, middle, TissueLevels(gray.image).at(middle)).opacity, 1.0F);
}

TEST(FlowOverlay, TheBarStandsBesideThePicture) {
  const FlowImage flow = flow_image(FlowMode::velocity, [](int, int) { return std::pair(-20.0F, 0.05F); });
  const ImagingParams p = shown(FlowMode::velocity);
  Gray gray;
  RgbImage picture = render_rgb(gray.image, p.display);
  draw_flow_in(picture, gray.image, flow, p);
  const Rgb inside = pixel(picture, 50, 50);
  add_flow_scale(picture, flow, p);
  EXPECT_EQ(picture.height, 404);  // small ones become larger
  ASSERT_GT(picture.width, 404 + 60);
  EXPECT_EQ(pixel(picture, 202, 202), inside);
  int towards = 0, away = 0;  // pixels of the bar
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 404; x < picture.width; ++x) {
      const Rgb c = pixel(picture, x, y);
      const bool upper = y < picture.height / 2;
      towards += upper && c.r > c.b + 60 ? 1 : 0;
      away += !upper && c.b > c.r + 60 ? 1 : 0;
    }
  }
  EXPECT_GT(towards, 1000);
  EXPECT_GT(away, 1000);
}

TEST(FlowOverlay, FilmsHaveItOverEachPictureThatHasIt) {
  const FlowImage flow = flow_image(FlowMode::velocity, [](int, int) { return std::pair(-20.0F, 0.05F); });
  const ImagingParams p = shown(FlowMode::velocity);
  Gray gray;
  gray.image.acquisition = std::make_shared<const Acquisition>();
  FilmPainter plain({.grid = kPicture, .display = p, .source = "Vessel", .note = "", .flow = FilmFlow::none});
  FilmPainter painter({.grid = kPicture, .display = p, .source = "Vessel", .note = "", .flow = FilmFlow::shown});
  EXPECT_GT(painter.width(), plain.width()) << "room for its bar";
  const RgbImage without = painter.paint(gray.image);
  const PixelArea area = painter.area();
  const int x = (area.x0 + area.x1) / 2, y = (area.y0 + area.y1) / 2;
  const Rgb tissue = pixel(without, x, y);
  EXPECT_EQ(tissue.r, tissue.b);
  const RgbImage with = painter.paint(gray.image, &flow);
  EXPECT_LE(distance(pixel(with, x, y), flow_velocity_color(0.5)), 2);
  const auto colored = [&](const RgbImage& picture) {
    int n = 0;
    for (int row = area.y0; row < area.y1; ++row) {
      for (int column = area.x1 + 60; column < picture.width; ++column) {
        const Rgb c = pixel(picture, column, row);
        n += std::abs(c.r - c.b) > 60 ? 1 : 0;
      }
    }
    return n;
  };
  EXPECT_EQ(colored(without), 0);
  EXPECT_GT(colored(with), 5000);
  EXPECT_EQ(pixel(painter.paint(gray.image), x, y), tissue) << "nothing stays";
}

TEST(FlowOverlay, TheLowRankPictureTakesThePicturesPlace) {
  FlowImage flow = flow_image(FlowMode::low_rank, [](int, int) { return std::pair(-20.0F, 0.0F); });
  flow.low_rank_db.assign(kFlow.pixels(), -12.0F);
  const ImagingParams p = shown(FlowMode::low_rank);
  Gray gray;
  const RgbImage picture = render_rgb(low_rank_image(gray.image, flow), p.display);
  EXPECT_EQ(pixel(picture, 5, 5), map_color(p.display.color_map, transfer(-12.0, p.display)));
}

}  // namespace
}  // namespace echoloop::flow_overlay_test
