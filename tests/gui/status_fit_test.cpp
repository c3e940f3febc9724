// What of the status bar has room: a pure function of widths.
#include "gui/toolkit/status_fit.h"

#include <gtest/gtest.h>

namespace echoloop::status_fit_test {
namespace {

constexpr StatusWidths kWidths = {.always = 420,
                                  .device = 120,
                                  .present = 90,
                                  .latency_word = 50,
                                  .shown = 80,
                                  .playing = 110,
                                  .backend = 70,
                                  .reset = 50,
                                  .latency = 100};

float width_of(const StatusFit& fit, const StatusWidths& w) {
  float sum = w.always;
  for (const auto& [shown, width] : {std::pair{fit.device, w.device},
                                     {fit.present, w.present},
                                     {fit.latency_word, w.latency_word},
                                     {fit.shown, w.shown},
                                     {fit.playing, w.playing},
                                     {fit.backend, w.backend},
                                     {fit.reset, w.reset},
                                     {fit.latency, w.latency}}) {
    if (shown) sum += width;
  }
  return sum;
}

TEST(StatusFit, NothingOverlapsFromTheLeastRoomOn) {
  for (const StatusForm form : {StatusForm::wide, StatusForm::compact}) {
    for (float room = kWidths.always; room < 1400; ++room) {
      StatusWidths w = kWidths;
      w.room = room;
      EXPECT_LE(width_of(fit_status_bar(w, form), w), room);
    }
  }
}

TEST(StatusFit, PartsLeaveInTheirOrder) {
  StatusWidths w = kWidths;
  w.room = 1090;
  EXPECT_TRUE(fit_status_bar(w, StatusForm::wide).device);
  EXPECT_FALSE(fit_status_bar(w, StatusForm::compact).device);
  w.room = 750;
  const StatusFit narrow = fit_status_bar(w, StatusForm::wide);
  EXPECT_FALSE(narrow.device || narrow.present || narrow.latency_word || narrow.shown);
  EXPECT_TRUE(narrow.playing && narrow.backend && narrow.reset && narrow.latency);
  w.room = 520;
  const StatusFit least = fit_status_bar(w, StatusForm::compact);
  EXPECT_TRUE(least.latency);
  EXPECT_FALSE(least.reset || least.backend);
}

}  // namespace
}  // namespace echoloop::status_fit_test
