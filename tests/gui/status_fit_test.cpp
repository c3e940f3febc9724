// What of the status bar has room: a pure function of widths.
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/toolkit/layout.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop::status_fit_test {
namespace {

constexpr StatusWidths kWidths = {.always = 250,
                                  .device = 120,
                                  .present = 90,
                                  .latency_word = 50,
                                  .shown = 80,
                                  .playing = 110,
                                  .backend = 70,
                                  .mode = 170,
                                  .reset = 50,
                                  .latency = 100,
                                  .keys = 80,
                                  .rate = 90};

float width_of(const StatusFit& fit, const StatusWidths& w) {
  float sum = w.always;
  for (const auto& [shown, width] : {std::pair{fit.device, w.device},
                                     {fit.present, w.present},
                                     {fit.latency_word, w.latency_word},
                                     {fit.shown, w.shown},
                                     {fit.playing, w.playing},
                                     {fit.backend, w.backend},
                                     {fit.mode, w.mode},
                                     {fit.reset, w.reset},
                                     {fit.latency, w.latency},
                                     {fit.keys, w.keys},
                                     {fit.rate, w.rate}}) {
    if (shown) sum += width;
  }
  return sum;
}

TEST(StatusFit, NothingOverlapsFromTheLeastRoomOn) {
  for (const StatusForm form : {StatusForm::wide, StatusForm::compact}) {
    for (float room = kWidths.always; room < 1600; ++room) {
      StatusWidths w = kWidths;
      w.room = room;
      EXPECT_LE(width_of(fit_status_bar(w, form), w), room);
    }
  }
}

TEST(StatusFit, PartsLeaveInTheirOrder) {
  StatusWidths w = kWidths;
  w.room = 1260;
  EXPECT_TRUE(fit_status_bar(w, StatusForm::wide).device);
  EXPECT_FALSE(fit_status_bar(w, StatusForm::compact).device);
  w.room = 920;
  const StatusFit narrow = fit_status_bar(w, StatusForm::wide);
  EXPECT_FALSE(narrow.device || narrow.present || narrow.latency_word || narrow.shown);
  EXPECT_TRUE(narrow.playing && narrow.backend && narrow.mode && narrow.reset && narrow.latency);
  w.room = 520;
  const StatusFit least = fit_status_bar(w, StatusForm::compact);
  EXPECT_TRUE(least.latency);
  EXPECT_FALSE(least.reset || least.backend || least.mode);
  w.room = 345;
  EXPECT_TRUE(fit_status_bar(w, StatusForm::compact).rate);
  EXPECT_FALSE(fit_status_bar(w, StatusForm::compact).keys);
}

// What of the tool bar has room: pure functions of widths.

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
}  // namespace echoloop::status_fit_test
