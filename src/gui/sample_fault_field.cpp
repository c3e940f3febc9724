#include "gui/sample_fault_field.h"

#include <fmt/format.h>

#include "gui/overlay/sample_fault_text.h"

namespace echoloop {
namespace {

constexpr float kDotRoom = 14;

std::string words_of(const SampleFaults& faults, FaultWords words) {
  const std::string text = faults_text(faults);
  return words == FaultWords::all ? text : text.substr(0, text.find(", "));
}

std::string help_of(const SampleFaults& since_start, const SampleFaults& shown) {
  std::string help = "Since the start: " + faults_sentence(since_start);
  const std::string frame = faults_sentence(shown);
  help += " Frame on screen: " + (frame.empty() ? std::string("none.") : frame);
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    if (since_start.found[i].samples > 0) help += " " + std::string(kSampleFaultRows[i].help);
  }
  return help;
}

}  // namespace

float sample_faults_width(const Ui& ui, const SampleFaults& since_start, FaultWords words) {
  return since_start.any() ? ui.px(kDotRoom) + ui.width(Type::body, words_of(since_start, words)) : 0;
}

float draw_sample_faults(Ui& ui, float x, const Rect& bar, const SampleFaults& since_start, const SampleFaults& shown,
                         FaultWords words) {
  ui.disc(x + ui.px(4), bar.cy(), 4, theme::kWarn);
  const float end =
      ui.text(Type::body, x + ui.px(kDotRoom), bar.y0, bar.height(), theme::kText, words_of(since_start, words));
  const Rect area{x - ui.px(6), bar.y0 + ui.px(6), end + ui.px(6), bar.y1 - ui.px(6)};
  const Hit h = ui.hit("sample_faults", area);
  ui.tip("sample_faults", h, area, {"Faulty samples", help_of(since_start, shown), {}});
  return end;
}

}  // namespace echoloop
