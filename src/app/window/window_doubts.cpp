#include "app/window/window_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/window/window_review.h"
#include "core/error.h"
#include "core/units.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/state/marks.h"

namespace echoloop {
namespace {

// Returns the message of a doubt with its `text`. Long: the key first, as a line may be cut.
std::string message_of(const Doubt& doubt, const std::string& text) {
  if (doubt.key != "fc_hz" || doubt.measured == 0.0) return "Check (Ctrl+Shift+O): " + text;
  return fmt::format("Check the centre frequency: {:.4g} MHz, echoes centred at {:.3g} MHz (Ctrl+Shift+O)",
                     doubt.stated * 1e-6, doubt.measured * 1e-6);
}

}  // namespace

void WindowDoubts::begin() {
  state_.opening.doubts.clear();
  in_use_.doubts.reset();
  wanted_ = on_ && is_file_source(in_use_.named) && !is_kiosk(options_);  // not if nothing can be corrected
}

void WindowDoubts::look() {
  if (work_.valid()) {
    if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    try {
      const std::vector<Doubt> doubts = work_.get();
      if (!wanted_) show(doubts);
    } catch (const std::exception& error) {
      state_.say(Severity::error, error.what(), "source");
    }
  }
  if (wanted_) measure();
}

void WindowDoubts::measure() {
  const auto kept = engine_.history.at(0);
  if (!kept || kept->acquisition != in_use_.source->acquisition()) return;
  wanted_ = false;
  work_ = std::async(std::launch::async,
                     [frame = *kept] { return measure_doubts(frame.acquisition, frame.frame.samples); });
}

void WindowDoubts::show(const std::vector<Doubt>& doubts) {
  in_use_.doubts = doubts;
  for (const Doubt& doubt : doubts) {
    const std::string& text = state_.opening.doubts.emplace_back(capitalized(doubt.text) + ".");
    state_.say(Severity::warning, message_of(doubt, text), "source");
  }
}

namespace {

const Mark* selected_region(const Marks& marks) {
  const auto found = std::ranges::find(marks.list, marks.selected, &Mark::number);
  return found != marks.list.end() && is_region(found->kind) ? &*found : nullptr;
}

FoundSpeed shown(const SoundSpeedCurve& curve) {
  return {.phi = {curve.phi.begin(), curve.phi.end()},
          .peak_m_s = curve.peak_m_s,
          .prominence = curve.prominence,
          .warnings = curve.warnings};
}

// Returns half of the cores: the other half is for the stream.
int search_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2); }

}  // namespace

std::string WindowSoundSpeed::why_not() const {
  const WindowState& state = state_;
  if (engine_.session == nullptr || state.source.acquisition == nullptr) return "No source is open.";
  if (!state.kept.why_not.empty()) return state.kept.why_not;
  return why_no_sound_speed(state.params, *state.source.acquisition);
}

void WindowSoundSpeed::begin() {
  const WindowState& state = state_;
  if (work_.valid() || !why_not().empty()) return;
  const auto kept = find_kept(engine_.history, viewer_.shown_image().stamp.sequence);
  if (!kept) throw Error("speed of sound", "the frame on screen is not in the history", "a frame of the history");
  SoundSpeedTask task{.acquisition = state.source.acquisition,
                      .params = state.params,
                      .grid = sound_speed_grid(state.params, *state.source.acquisition),
                      .pixels = {},
                      .speeds_m_s = speeds_around(state.params.formation.sound_speed_m_s)};
  const Mark* region = selected_region(state.marks);
  if (region != nullptr) {
    task.pixels = pixels_in(region_of(*region), task.grid).index;
    if (task.pixels.empty()) {
      throw Error("speed of sound", fmt::format("no pixel of the image lies in region {}", region->number),
                  "a region in the image");
    }
  }
  searched_ = {.first_m_s = task.speeds_m_s.front(),
               .last_m_s = task.speeds_m_s.back(),
               .assumed_m_s = state.params.formation.sound_speed_m_s,
               .region = region == nullptr ? "whole image" : fmt::format("region {}", region->number),
               .f_number = search_f_number_note(state.params),
               .elements = {},
               .transmits = {}};
  stop_ = false;
  done_ = 0.0;
  state_.analyses.of<SoundSpeedView>().found.reset();
  // Copies the samples: the stream may restart meanwhile, and free its memory.
  work_ = std::async(
      std::launch::async, [this, task = std::move(task), stamp = kept->frame.stamp,
                           samples = std::vector<std::byte>(kept->frame.samples.begin(), kept->frame.samples.end())] {
        const std::unique_ptr<Backend> backend = make_cpu_backend(search_threads());
        return find_sound_speed(*backend, task, {.stamp = stamp, .samples = samples}, [this](double done) {
          done_ = done;
          return !stop_;
        });
      });
}

void WindowSoundSpeed::stop() {
  if (!work_.valid()) return;
  stop_ = true;
  work_.wait();  // for one image of the coarse grid
  work_ = {};
}

void WindowSoundSpeed::forget() {
  stop();
  state_.analyses.of<SoundSpeedView>() = {};
}

void WindowSoundSpeed::act(SoundSpeedAct what) {
  if (what == SoundSpeedAct::find) return begin();
  stop();
  state_.analyses.of<SoundSpeedView>().found.reset();
}

void WindowSoundSpeed::update() {
  SoundSpeedView& view = state_.analyses.of<SoundSpeedView>();
  view.why_not = why_not();
  view.fraction.reset();
  if (!work_.valid()) return;
  if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    view.fraction = done_.load();
    return;
  }
  try {
    const SoundSpeedResult result = work_.get();
    view.found = std::exchange(searched_, {});
    view.found->elements = shown(result.elements);
    view.found->transmits = shown(result.transmits);
  } catch (const std::exception& error) {
    state_.say(Severity::error, error.what(), "sound speed");
  }
}

}  // namespace echoloop
