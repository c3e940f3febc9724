// Pixels and metres: one mapping, at every zoom, size and scale.
#include <gtest/gtest.h>

#include <array>

#include "core/units.h"
#include "gui/overlay/image_scales.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/layout.h"

namespace echoloop::picture_layout_test {
namespace {

constexpr Grid kTall{.x0_m = -9e-3, .x1_m = 10e-3, .z0_m = 2e-3, .z1_m = 38e-3, .nx = 188, .nz = 350};
constexpr Grid kFlat{.x0_m = -40e-3, .x1_m = 40e-3, .z0_m = 0, .z1_m = 12e-3, .nx = 801, .nz = 121};

Grid sector() { return polar_grid({-40e-3, -35 * kRadiansPerDegree, 30 * kRadiansPerDegree, 52e-3, 150e-3}, 141, 201); }

const std::array<Rect, 3> kAreas = {Rect{296, 44, 1256, 740}, Rect{232, 44, 776, 520}, Rect{592, 88, 3152, 1900}};

TEST(ImageLayout, TheFlowBarStandsBesideTheOtherOne) {
  for (const Grid& grid : {kTall, kFlat, sector()}) {
    for (const bool compact : {false, true}) {
      const Rect& area = kAreas[0];
      EXPECT_EQ(lay_out_picture(area, grid, 1, compact, {}).flow_bar.width(), 0.0F);
      const ImageLayout l = lay_out_picture(area, grid, 1, compact, {}, {.flow = true});
      EXPECT_GT(l.flow_bar.x0, l.color_bar.x1 + 30);  // its labels
      EXPECT_LT(l.flow_bar.x1 + 30, area.x1);
      EXPECT_EQ(l.flow_bar.height(), l.image.height());
    }
  }
}

TEST(ImageLayout, MetresToPixelsAndBack) {
  for (const Grid& grid : {kTall, kFlat, sector()}) {
    for (const Rect& area : kAreas) {
      for (const float scale : {1.0F, 1.5F, 2.0F}) {
        ImageLayout l = lay_out_picture(area, grid, scale, false, {});
        for (int step = 0; step < 20; ++step) {
          for (const float share : {0.0F, 0.3F, 1.0F}) {
            const float x = l.image.x0 + share * l.image.width(), y = l.image.y0 + share * l.image.height();
            EXPECT_NEAR(l.x_m(l.x_px(l.x_m(x))), l.x_m(x), 1e-7);
            EXPECT_NEAR(l.z_m(l.z_px(l.z_m(y))), l.z_m(y), 1e-7);
            EXPECT_NEAR(l.x_px(l.x_m(x)), x, 1e-2F);
          }
          EXPECT_LE(l.zoom(), kMaxZoom * (1 + 1e-9));
          l = lay_out_picture(area, grid, scale, false, zoomed_about(l, l.image.x0 + 40, l.image.y0 + 60, 1.25));
        }
        EXPECT_NEAR(l.zoom(), kMaxZoom, 1e-6);
      }
    }
  }
}

TEST(ImageLayout, MirroredTheMappingGoesBackAndForthAndFollowsTheMouse) {
  for (const Grid& grid : {kTall, kFlat, sector()}) {
    const auto lay_out = [&](const PanZoom& view, Mirrored mirrored) {
      return lay_out_picture(kAreas[0], grid, 1, false, view, {}, mirrored);
    };
    ImageLayout l = lay_out({}, Mirrored::on);
    EXPECT_EQ(l.image, lay_out({}, Mirrored::off).image);
    EXPECT_NEAR(l.x_px(grid.x1_m), l.image.x0, 1.0F);
    EXPECT_NEAR(l.x_px(grid.x0_m), l.image.x1, 1.0F);
    const Rect whole = l.place(grid);
    EXPECT_LT(whole.x0, whole.x1);
    for (int step = 0; step < 6; ++step) {
      const float x = l.image.x0 + 0.3F * l.image.width(), y = l.image.y0 + 0.4F * l.image.height();
      const PlanePoint still = l.point(x, y);
      EXPECT_NEAR(l.x_px(still.x_m), x, 1e-2F);
      const PanZoom nearer = zoomed_about(l, x, y, 1.5);
      EXPECT_NEAR(with_view(l, nearer).x_px(still.x_m), x, 0.1F);
      l = lay_out(nearer, Mirrored::on);
      EXPECT_NEAR(l.x_px(still.x_m), x, 0.1F);
      const ImageLayout moved = lay_out(panned(l, 5, 3), Mirrored::on);
      if (step < 3 || grid.polar()) continue;
      EXPECT_NEAR(moved.x_px(still.x_m), x + 5, 0.1F) << "with the mouse";
    }
  }
}

TEST(ImageLayout, ThePointUnderTheCursorStays) {
  for (const Grid& grid : {kTall, kFlat, sector()}) {
    for (const Rect& area : kAreas) {
      ImageLayout l = lay_out_picture(area, grid, 1, false, {});
      const PlanePoint still = grid.point(grid.nx / 3, grid.nz / 3);
      const float x = l.x_px(still.x_m), y = l.z_px(still.z_m);
      for (int step = 0; step < 18; ++step) {
        l = lay_out_picture(area, grid, 1, false, zoomed_about(l, x, y, 1.25));
        EXPECT_NEAR(l.x_px(still.x_m), x, 0.05F) << step;
        EXPECT_NEAR(l.z_px(still.z_m), y, 0.05F) << step;
      }
      EXPECT_GT(l.zoom(), 50.0);
    }
  }
}

TEST(ImageLayout, FittedItIsWholeAndZoomedItFillsTheRoom) {
  const ImageLayout fitted = lay_out_picture(kAreas[0], kTall, 1, false, {});
  EXPECT_NEAR(fitted.x_m(fitted.image.x0), kTall.x0_m, 0.6 / fitted.px_per_m);
  EXPECT_NEAR(fitted.z_m(fitted.image.y1), kTall.z1_m, 0.6 / fitted.px_per_m);
  const ImageLayout l =
      lay_out_picture(kAreas[0], kTall, 1, false, zoomed_about(fitted, fitted.image.cx(), fitted.image.cy(), 4.0));
  EXPECT_EQ(l.image, l.room);
  EXPECT_NEAR(l.px_per_m, 4.0 * fitted.px_per_m, 1e-6 * l.px_per_m);
}

TEST(ImageLayout, PanningCannotLoseThePicture) {
  for (const Grid& grid : {kTall, kFlat, sector()}) {
    for (const double zoom : {1.3, 4.0, 60.0}) {
      for (const auto& [dx, dy] : {std::pair{1e6F, 1e6F}, {-1e6F, 3e5F}, {3e3F, -1e6F}}) {
        ImageLayout l = lay_out_picture(kAreas[0], grid, 1, false, {});
        const PlanePoint middle = grid.point(grid.nx / 2, grid.nz / 2);
        l = lay_out_picture(kAreas[0], grid, 1, false, zoomed_about(l, l.x_px(middle.x_m), l.z_px(middle.z_m), zoom));
        l = lay_out_picture(kAreas[0], grid, 1, false, panned(l, dx, dy));
        EXPECT_GT(l.image.width(), 100.0F);
        EXPECT_GT(l.image.height(), 50.0F);
        const GridPlace seen = grid.place(l.centre.x_m, l.centre.z_m);
        if (zoom > 50) {
          EXPECT_TRUE(grid.contains(seen, 0.01)) << seen.column << " " << seen.row;
        }
      }
    }
  }
}

TEST(ImageLayout, ZoomingOutEndsFitted) {
  ImageLayout l = lay_out_picture(kAreas[0], kTall, 1, false, {});
  const ImageLayout fitted = l;
  l = lay_out_picture(kAreas[0], kTall, 1, false, zoomed_about(l, l.image.x1 - 3, l.image.y0 + 3, 3.0));
  ImageLayout before = l;
  for (int step = 0; step < 40; ++step) {
    before = l;
    l = lay_out_picture(kAreas[0], kTall, 1, false, zoomed_about(l, 500, 300, 0.97));
  }
  EXPECT_EQ(l.image, fitted.image);
  EXPECT_DOUBLE_EQ(l.zoom(), 1.0);
}

TEST(ImageLayout, AnotherSizeOfTheWindowKeepsCentreAndScale) {
  ImageLayout l = lay_out_picture(kAreas[0], kTall, 1, false, {});
  const PanZoom view = zoomed_about(l, l.image.x0 + 50, l.image.cy(), 6.0);
  l = lay_out_picture(kAreas[0], kTall, 1, false, view);
  const ImageLayout smaller = lay_out_picture(kAreas[1], kTall, 1, true, view);
  EXPECT_DOUBLE_EQ(smaller.px_per_m, l.px_per_m);
  EXPECT_DOUBLE_EQ(smaller.centre.x_m, l.centre.x_m);
  EXPECT_DOUBLE_EQ(smaller.centre.z_m, l.centre.z_m);
  const ImageLayout fine = lay_out_picture(kAreas[2], kTall, 2, false, view);  // another monitor
  EXPECT_DOUBLE_EQ(fine.px_per_m, 2.0 * l.px_per_m);
}

// Where things go and how numbers are written: pure functions, no window.

TEST(Layout, PictureStaysTheLargestThing) {
  for (const float width : {1024.0F, 1279.0F, 1280.0F, 1600.0F, 3840.0F}) {
    for (const float wish : {0.0F, 420.0F, 9999.0F}) {
      const WindowLayout l = lay_out_window(width, 900, 1.0F, {wish, wish});
      EXPECT_GE(l.centre.width() + 2, 480.0F) << width << " " << wish;
      EXPECT_GT(l.centre.width() + 2, l.left.width());
      EXPECT_FLOAT_EQ(l.status.height(), 44);
    }
  }
}

// Below the least width that the window asks for, where a window manager sets it all the same.
TEST(Layout, AVeryNarrowWindowIsAllImage) {
  for (const float scale : {1.0F, 2.0F}) {
    EXPECT_TRUE(lay_out_window(612 * scale, 300, scale, {}).left_shown);
    const WindowLayout l = lay_out_window(400 * scale, 300 * scale, scale, {});
    EXPECT_FALSE(l.left_shown || l.right_shown);
    EXPECT_EQ(l.centre.width(), 400 * scale);
    EXPECT_EQ(l.left.width(), 0);
  }
}

TEST(Layout, RulerStepsAreRound) {
  EXPECT_DOUBLE_EQ(ruler_step(26.0, 64.0, 1.0).major_mm, 5.0);
  EXPECT_DOUBLE_EQ(ruler_step(26.0, 52.0, 1.0).major_mm, 2.0);
  EXPECT_EQ(ruler_step(26.0, 52.0, 1.0).minor_per_major, 4);
  EXPECT_EQ(ruler_step(700.0, 64.0, 1.0).decimals, 1);
  EXPECT_DOUBLE_EQ(ruler_axis(-19e-3, 19e-3, 243.0, 64.0, 1.0).step.major_mm, 10.0);  // 64 pixels apart or nearly so
  EXPECT_DOUBLE_EQ(ruler_axis(-19e-3, 19e-3, 197.0, 64.0, 1.0).step.major_mm, 10.0);
}

TEST(NumberText, MinusGroupsAndDecimals) {
  EXPECT_EQ(fixed(-6.04, 1), "\u22126.0");
  EXPECT_EQ(fixed(-0.01, 1), "0.0");
  EXPECT_EQ(fixed(1480, 0), "1\u202F480");
  for (const auto& [speed, text] :
       {std::pair{0.01, "0.01"}, {0.05, "0.05"}, {0.25, "0.25"}, {1.0, "1"}, {10.0, "10"}}) {
    EXPECT_EQ(factor_text(speed), text);
  }
  EXPECT_EQ(signed_fixed(6, 1), "+6.0");
  EXPECT_EQ(signed_fixed(0, 1), "0.0");
  EXPECT_EQ(grouped(24680), "24\u202F680");
  EXPECT_EQ(span_text(4, 6, 1), "4.0\u20136.0");
  EXPECT_EQ(byte_text(1'234'567), "1.2 MB");
  EXPECT_EQ(fixed(std::nan(""), 1), "\u2014");
  EXPECT_EQ(ms_text(9.994, true), "9.99");
  EXPECT_EQ(ms_text(9999, true), "9\u202F999");
  EXPECT_EQ(ms_text(12'345, true), "12.3 s") << "no wider than before";
  EXPECT_EQ(ms_text(124'000, true), "124 s");
  EXPECT_EQ(ms_words(12.34), "12.3 ms");
  EXPECT_EQ(ms_words(12'345), "12.3 s");
}

}  // namespace
}  // namespace echoloop::picture_layout_test
