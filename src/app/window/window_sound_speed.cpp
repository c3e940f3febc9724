#include "app/window/window_sound_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/window/fine_points.h"
#include "core/error.h"
#include "gui/overlay/measure_marks.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
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

// Half of the cores: the other half is the stream's.
int search_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2); }

}  // namespace

std::string WindowSoundSpeed::why_not() const {
  const UiState& state = parts_.state;
  if (parts_.session == nullptr || state.source.acquisition == nullptr) return "No source is open.";
  if (!state.cine.why_not.empty()) return state.cine.why_not;
  return why_no_sound_speed(state.params, *state.source.acquisition);
}

void WindowSoundSpeed::begin() {
  const UiState& state = parts_.state;
  if (work_.valid() || !why_not().empty()) return;
  const auto kept = find_kept(parts_.history, parts_.viewer->shown_image().stamp.sequence);
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
  parts_.state.analyses.sound_speed.found.reset();
  // A copy of the samples: the stream may be started again meanwhile, and its memory with it.
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
  parts_.state.analyses.sound_speed = {};
}

void WindowSoundSpeed::act(SoundSpeedAct what) {
  if (what == SoundSpeedAct::find) return begin();
  stop();
  parts_.state.analyses.sound_speed.found.reset();
}

void WindowSoundSpeed::update() {
  SoundSpeedView& view = parts_.state.analyses.sound_speed;
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
    parts_.say(Severity::error, error.what(), "sound speed");
  }
}

}  // namespace echoloop
