// Where things go and how numbers are written: pure functions, no window.
#include "gui/toolkit/layout.h"

#include <gtest/gtest.h>

#include "gui/overlay/ruler.h"
#include "gui/state/number_text.h"

namespace echoloop::layout_test {
namespace {

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

TEST(Layout, RulerStepsAreRound) {
  EXPECT_DOUBLE_EQ(ruler_step(26.0, 64.0, 1.0).major_mm, 5.0);
  EXPECT_DOUBLE_EQ(ruler_step(26.0, 52.0, 1.0).major_mm, 2.0);
  EXPECT_EQ(ruler_step(26.0, 52.0, 1.0).minor_per_major, 4);
  EXPECT_EQ(ruler_step(700.0, 64.0, 1.0).decimals, 1);
}

TEST(NumberText, MinusGroupsAndDecimals) {
  EXPECT_EQ(fixed(-6.04, 1), "\u22126.0");
  EXPECT_EQ(fixed(-0.01, 1), "0.0");
  EXPECT_EQ(fixed(1480, 0), "1\u202F480");
  EXPECT_EQ(signed_fixed(6, 1), "+6.0");
  EXPECT_EQ(signed_fixed(0, 1), "0.0");
  EXPECT_EQ(grouped(24680), "24\u202F680");
  EXPECT_EQ(span_text(4, 6, 1), "4.0\u20136.0");
  EXPECT_EQ(byte_text(1'234'567), "1.2 MB");
  EXPECT_EQ(fixed(std::nan(""), 1), "\u2014");
}

}  // namespace
}  // namespace echoloop::layout_test
