// What of the tool bar has room: pure functions of widths.
#include "gui/workspace/tool_bar_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace echoloop::tool_bar_fit_test {
namespace {

constexpr std::size_t kMeasure = 0, kLast = kBarViews - 1;

BarSizes sizes(float room) {
  BarSizes s{
      .room = room, .tools_apart = 480, .tools_grouped = 330, .tools_least = 230, .icon = 28, .gap = 2, .menu = 32};
  s.named.fill(90);
  return s;
}

TEST(ToolBarFit, NothingOverlapsFromTheLeastRoomOn) {
  const float least = 230 + 32 + 2 + 30;
  for (float room = least; room < 2000; ++room) {
    for (int open = 0; open < 1 << kBarViews; ++open) {
      BarSizes s = sizes(room);
      for (std::size_t i = 0; i < s.open.size(); ++i) s.open[i] = (open >> i & 1) != 0;
      const BarFit fit = fit_tool_bar(s);
      const bool possible =
          room >= least + 30.0F * static_cast<float>(std::count(s.open.begin() + 1, s.open.end(), true));
      if (possible) {
        ASSERT_LE(width_of(fit, s), room) << room << " " << open;
      }
      ASSERT_FALSE(fit.hidden[kMeasure]);
      for (std::size_t i = 0; i < s.open.size(); ++i) ASSERT_FALSE(fit.hidden[i] && s.open[i]) << room << " " << open;
    }
  }
}

TEST(ToolBarFit, ViewsLeaveFromTheRight) {
  const auto all = sizes(480 + kBarViews * 90.0F + (kBarViews + 1) * 2.0F + 32);
  EXPECT_EQ(fit_tool_bar(all).tools, BarTools::apart);
  EXPECT_EQ(fit_tool_bar(sizes(all.room - 1)).tools, BarTools::grouped);
  const float grouped = all.room - 150;
  EXPECT_FALSE(fit_tool_bar(sizes(grouped)).hidden[kLast]);
  const BarFit three = fit_tool_bar(sizes(grouped - 1));
  EXPECT_TRUE(three.hidden[kLast]);
  EXPECT_FALSE(three.hidden[kLast - 1]);
  BarSizes narrow = sizes(grouped - 1);
  narrow.open[kLast] = true;
  const BarFit open = fit_tool_bar(narrow);
  EXPECT_FALSE(open.hidden[kLast]) << "what is open stays";
  EXPECT_TRUE(open.hidden[kLast - 1]);
}

}  // namespace
}  // namespace echoloop::tool_bar_fit_test
