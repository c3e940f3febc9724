#include "app/window/window_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/outputs/comparison.h"
#include "core/params.h"
#include "core/units.h"

namespace echoloop {

void WindowComparison::forget() {
  compared_.forget();
  state_.kept.a_recording = {};
}

void WindowComparison::begin(const OpenedSource& opened, const ImagingParams& params) {
  state_.kept.a_recording = {.name = opened.info.name,
                             .acquisition = opened.info.acquisition,
                             .opened_as = opened.name,
                             .frame_count = opened.info.frame_count,
                             .samples = opened.info.samples};
  state_.cine.a = params;
}

void WindowComparison::open_a(const std::filesystem::path& path) {
  if (path.empty()) {
    forget();
    state_.cine.a = state_.params;
  } else {
    compared_.open(path.string());
    state_.kept.a_recording = {.name = path.filename().string(), .acquisition = nullptr, .samples = nullptr};
  }
}

void WindowComparison::use_as_a(OpenedSource opened, const ImagingParams& params) {
  begin(opened, params);
  compared_.use(std::move(opened));
}

void WindowComparison::advance() {
  WindowState& state = state_;
  if (!state.cine.compare) {
    if (compared_.wanted()) compared_.forget();
    state.kept.a_recording = {};
    state.notices.messages.resolve("comparing");
    return;
  }
  if (compared_.opening() && !state.opening.progress) {
    state.opening.progress = Progress{.text = "Opening " + compared_.name(), .fraction = compared_.fraction()};
  }
  const auto result = compared_.take_result();
  if (!result) return;
  try {
    if (*result != nullptr) std::rethrow_exception(*result);
    const OpenedSource& opened = *compared_.opened();
    const ImagingParams params = params_beside(state.params, state.defaults, *opened.info.acquisition);
    check_params_of(opened, params);
    begin(opened, params);
    state.notices.messages.resolve("comparing");
  } catch (const NoSandbox&) {
    throw;
  } catch (const std::exception& error) {
    end(error.what());
  }
}

void WindowComparison::end(const std::string& why) {
  forget();
  state_.cine.a = state_.params;
  state_.say(Severity::error, why, "comparing");
}

void WindowReference::set() {
  if (engine_.session == nullptr) return;
  set_ = true;
  before_ = viewer_.shown_image().params;
  until_ns_ = now_ns() + 1'000'000'000;
  if (!review_.frozen()) {
    engine_.session->measure_reference();
    return;
  }
  const std::vector<float> pixels = viewer_.shown_db();
  if (pixels.empty()) return;
  const double brightest = static_cast<double>(*std::max_element(pixels.begin(), pixels.end()));
  const Image& shown = viewer_.shown_image();
  const double of_selection_db = transmit_level_db(shown.params, *shown.acquisition);
  engine_.session->hold_reference(shown.params.level.reference_db + brightest - of_selection_db);
  review_.ask_again();
}

void WindowReference::report() {
  if (!before_.has_value()) return;
  const Image& shown = viewer_.shown_image();
  const double change_db = shown.params.level.reference_db - before_->level.reference_db;
  const bool same_image = same_pixels(shown.params, *before_);
  if (same_image && std::abs(change_db) < 0.05 && now_ns() < until_ns_) return;
  before_.reset();
  if (!same_image) return;  // another parameter changed meanwhile: the difference is meaningless
  state_.say(Severity::info, std::abs(change_db) < 0.05
                                 ? "0 dB is already at the brightest pixel."
                                 : fmt::format("0 dB set to the brightest pixel: the image is {:.1f} dB {}.",
                                               std::abs(change_db), change_db > 0.0 ? "darker" : "brighter"));
}

void WindowReference::reset() {
  if (std::exchange(set_, false) && engine_.session != nullptr) engine_.session->measure_reference();
}

}  // namespace echoloop
