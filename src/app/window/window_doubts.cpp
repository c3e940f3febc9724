#include "app/window/window_doubts.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "app/opening/source_kinds.h"
#include "core/plain_text.h"

namespace echoloop {
namespace {

// `text`: of the doubt. The key first where it is long: a line may be cut.
std::string message_of(const Doubt& doubt, const std::string& text) {
  if (doubt.key != "fc_hz") return "Check (Ctrl+Shift+O): " + text;
  return fmt::format("Check the centre frequency: {:.4g} MHz assumed, echoes centred at {:.3g} MHz (Ctrl+Shift+O)",
                     doubt.stated * 1e-6, doubt.measured * 1e-6);
}

}  // namespace

void WindowDoubts::begin() {
  parts_.state.opening.doubts.clear();
  parts_.doubts.reset();
  wanted_ = is_file_source(parts_.named) && !parts_.kiosk();  // where nothing can be corrected
}

void WindowDoubts::look() {
  if (work_.valid()) {
    if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    try {
      const std::vector<Doubt> doubts = work_.get();
      if (!wanted_) show(doubts);
    } catch (const std::exception& error) {
      parts_.say(Severity::error, error.what(), "source");
    }
  }
  if (wanted_) measure();
}

void WindowDoubts::measure() {
  const auto kept = parts_.history.at(0);
  if (!kept || kept->acquisition != parts_.source->acquisition()) return;
  wanted_ = false;
  work_ = std::async(std::launch::async,
                     [frame = *kept] { return measure_doubts(*frame.acquisition, frame.frame.samples); });
}

void WindowDoubts::show(const std::vector<Doubt>& doubts) {
  parts_.doubts = doubts;
  for (const Doubt& doubt : doubts) {
    const std::string& text = parts_.state.opening.doubts.emplace_back(capitalized(doubt.text) + ".");
    parts_.say(Severity::warning, message_of(doubt, text), "source");
  }
}

}  // namespace echoloop
