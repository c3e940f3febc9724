#include <fmt/format.h>

#include <string>

#include "gui/docks/docks.h"
#include "gui/overlay/caption.h"
#include "gui/state/stream_text.h"

namespace echoloop {
namespace {

constexpr float kDot = 14, kBadgeGap = 16;

struct Parts {
  std::string held_back, speed;
};

Parts parts_of(const StreamPace& pace, PaceWords words) {
  Parts p{held_back_text(pace), speed_text(pace)};
  if (words == PaceWords::first && !p.held_back.empty()) p.speed.clear();
  return p;
}

constexpr float kDotRoom = 14;

std::string words_of(const SampleFaults& faults, FaultWords words) {
  const std::string text = faults_text(faults);
  return words == FaultWords::all ? text : text.substr(0, text.find(", "));
}

std::string late_text(const PanelContext& c) {
  const OwnProgram& program = c.model.image.method.program;
  const bool in_use = c.edits.params.formation.adaptive == Adaptive::own && program.connected;
  if (!in_use || program.late_hz < 0.5) return {};
  return fmt::format("late {:.0f} of {:.0f} fps", program.late_hz, program.rate_hz + program.skipped_hz);
}

std::string help_of(const SampleFaults& since_start, const SampleFaults& shown) {
  std::string help = "Since the start: " + faults_sentence(since_start);
  const std::string frame = faults_sentence(shown);
  help += " Frame on screen: " + (shown.frames == 0 ? std::string("not checked.") : frame.empty() ? "none." : frame);
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    if (since_start.found[i].samples > 0) help += " " + std::string(kSampleFaultRows[i].help);
  }
  return help;
}

}  // namespace

float pace_width(const Ui& ui, const StreamPace& pace, Type type, PaceWords words) {
  const Parts p = parts_of(pace, words);
  float w = 0;
  if (!p.held_back.empty()) w += ui.px(kDot) + ui.width(type, p.held_back);
  if (!p.held_back.empty() && !p.speed.empty()) w += ui.px(kBadgeGap);
  return w + ui.width(type, p.speed);
}

float draw_pace(const Ui& ui, float x, const Rect& line, const StreamPace& pace, Type type, PaceWords words) {
  const Parts p = parts_of(pace, words);
  if (!p.held_back.empty()) {
    ui.disc(x + ui.px(4), line.cy(), 4, theme::kWarn);
    x = ui.text(type, x + ui.px(kDot), line.y0, line.height(), theme::kText2, p.held_back);
    if (!p.speed.empty()) x += ui.px(kBadgeGap);
  }
  return ui.text(type, x, line.y0, line.height(), theme::kText2, p.speed);
}

float late_width(const PanelContext& c) { return c.ui.width(Type::body, late_text(c)); }

float draw_late(PanelContext& c, float x, const Rect& bar) {
  const float end = c.ui.text(Type::body, x, bar.y0, bar.height(), theme::kRed, late_text(c));
  c.ui.hit("method_late", {x, bar.y0 + c.ui.px(6), end, bar.y1 - c.ui.px(6)},
           {"Late frames of the method", "Without an answer of its program in time: they have delay-and-sum.", {}});
  return end;
}

float sample_faults_width(const Ui& ui, const SampleFaults& since_start, FaultWords words) {
  return since_start.any() ? ui.px(kDotRoom) + ui.width(Type::body, words_of(since_start, words)) : 0;
}

float draw_sample_faults(Ui& ui, float x, const Rect& bar, const SampleFaults& since_start, const SampleFaults& shown,
                         FaultWords words) {
  ui.disc(x + ui.px(4), bar.cy(), 4, theme::kWarn);
  const float end =
      ui.text(Type::body, x + ui.px(kDotRoom), bar.y0, bar.height(), theme::kText, words_of(since_start, words));
  const Rect area{x - ui.px(6), bar.y0 + ui.px(6), end + ui.px(6), bar.y1 - ui.px(6)};
  ui.hit("sample_faults", area, {"Faulty samples", help_of(since_start, shown), {}});
  return end;
}

}  // namespace echoloop
