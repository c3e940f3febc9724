// Chips of marks on the image of the window: none over another, at every size of window; alone, beside its mark.
#include <gtest/gtest.h>

#include "gui/view/marks_view.h"

namespace echoloop::mark_chips_test {
namespace {

constexpr Grid kGrid{.x0_m = -20e-3, .x1_m = 20e-3, .z0_m = 2e-3, .z1_m = 42e-3, .nx = 400, .nz = 400};

std::vector<Mark> crowd() {
  std::vector<Mark> marks;
  for (int i = 0; i < 4; ++i) {
    const double x_m = -1e-3 + 0.5e-3 * i, z_m = 20e-3 + 0.3e-3 * i;
    marks.push_back({.number = 3 * i + 1, .kind = MarkKind::distance, .points = {{x_m, z_m}, {x_m + 5e-3, z_m}}});
    marks.push_back(
        {.number = 3 * i + 2, .kind = MarkKind::circle, .points = {{x_m, z_m}, {x_m + 2e-3, z_m}}, .pair = 1});
    marks.push_back({.number = 3 * i + 3, .kind = MarkKind::point, .points = {{x_m + 5e-3, z_m + 1e-3}}});
  }
  return marks;
}

TEST(MarkChips, NoneCoversAnother) {
  const std::vector<Mark> marks = crowd();
  for (const auto& [width, height, scale] : {std::tuple{420.0F, 330.0F, 1.0F},
                                             {700.0F, 560.0F, 1.0F},
                                             {1100.0F, 1000.0F, 2.0F},
                                             {2400.0F, 1700.0F, 1.0F},
                                             {2400.0F, 1700.0F, 3.0F}}) {
    const ImageLayout layout = place_picture({30, 60, 30 + width, 60 + height}, kGrid, scale, {});
    std::vector<ChipWish> wishes;
    for (const Mark& m : marks) wishes.push_back({&m, (m.kind == MarkKind::circle ? 60 : 74) * scale, 20 * scale});
    const std::vector<PlacedChip> chips = place_chips(layout, wishes);
    ASSERT_EQ(chips.size(), marks.size());
    for (std::size_t i = 0; i < chips.size(); ++i) {
      const Rect& r = chips[i].rect;
      EXPECT_TRUE(r.x0 >= layout.image.x0 - 1 && r.x1 <= layout.image.x1 + 1) << i << " of " << width;
      EXPECT_TRUE(r.y0 >= layout.image.y0 - 1 && r.y1 <= layout.image.y1 + 1) << i << " of " << width;
      for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(r.inset(1).overlaps(chips[k].rect)) << i << " over " << k;
    }
  }
}

TEST(MarkChips, AloneItIsWhereItWantsToBe) {
  const Mark mark{.number = 1, .kind = MarkKind::distance, .points = {{0.0, 20e-3}, {5e-3, 20e-3}}};
  const ImageLayout layout = place_picture({30, 60, 730, 620}, kGrid, 1.0F, {});
  const ChipWish wish{&mark, 74, 20};
  const Rect chip = place_chips(layout, {wish})[0].rect;
  EXPECT_EQ(chip, wished_chip(layout, wish));
  EXPECT_GT(chip.x0, layout.x_px(5e-3));
}

}  // namespace
}  // namespace echoloop::mark_chips_test
