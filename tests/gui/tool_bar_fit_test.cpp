// What of the tool bar has room: pure functions of widths.
#include "gui/workspace/tool_bar_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace echoloop::tool_bar_fit_test {
namespace {

BarSizes sizes(float room) {
  return {.room = room,
          .tools_apart = 480,
          .tools_grouped = 330,
          .tools_least = 230,
          .icon = 28,
          .named = {90, 96, 88, 84},
          .gap = 2,
          .menu = 32};
}

TEST(ToolBarFit, NothingOverlapsFromTheLeastRoomOn) {
  const float least = 230 + 32 + 2 + 30;
  for (float room = least; room < 2000; ++room) {
    for (int open = 0; open < 16; ++open) {
      BarSizes s = sizes(room);
      for (std::size_t i = 0; i < s.open.size(); ++i) s.open[i] = (open >> i & 1) != 0;
      const BarFit fit = fit_tool_bar(s);
      const bool possible =
          room >= least + 30.0F * static_cast<float>(std::count(s.open.begin() + 1, s.open.end(), true));
      if (possible) {
        ASSERT_LE(width_of(fit, s), room) << room << " " << open;
      }
      ASSERT_TRUE(fit[BarView::measure]);
      for (std::size_t i = 0; i < s.open.size(); ++i) ASSERT_TRUE(fit.shown[i] || !s.open[i]) << room << " " << open;
    }
  }
}

TEST(ToolBarFit, ViewsLeaveFromTheRight) {
  const auto all = sizes(480 + 90 + 96 + 88 + 84 + 5 * 2 + 32);
  EXPECT_EQ(fit_tool_bar(all).tools, BarTools::apart);
  EXPECT_EQ(fit_tool_bar(sizes(all.room - 1)).tools, BarTools::grouped);
  const float grouped = all.room - 150;
  EXPECT_TRUE(fit_tool_bar(sizes(grouped))[BarView::sonogram]);
  const BarFit three = fit_tool_bar(sizes(grouped - 1));
  EXPECT_FALSE(three[BarView::sonogram]);
  EXPECT_TRUE(three[BarView::m_mode]);
  BarSizes narrow = sizes(grouped - 1);
  narrow.open[static_cast<std::size_t>(BarView::sonogram)] = true;
  const BarFit open = fit_tool_bar(narrow);
  EXPECT_TRUE(open[BarView::sonogram]) << "what is open stays";
  EXPECT_FALSE(open[BarView::m_mode]);
}

}  // namespace
}  // namespace echoloop::tool_bar_fit_test
