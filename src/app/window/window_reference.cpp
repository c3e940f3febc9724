#include "app/window/window_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/transmits.h"
#include "core/units.h"

namespace echoloop {

void WindowReference::set() {
  if (parts_.session == nullptr) return;
  set_ = true;
  before_ = parts_.viewer->shown_image().params;
  until_ns_ = now_ns() + 1'000'000'000;
  if (!review_.frozen()) {
    parts_.session->measure_reference();
    return;
  }
  const std::vector<float> pixels = parts_.viewer->shown_db();
  if (pixels.empty()) return;
  const double brightest = static_cast<double>(*std::max_element(pixels.begin(), pixels.end()));
  const Image& shown = parts_.viewer->shown_image();
  const double of_selection_db = transmit_level_db(shown.params, *shown.acquisition);
  parts_.session->hold_reference(shown.params.level.reference_db + brightest - of_selection_db);
  review_.ask_again();
}

void WindowReference::report() {
  if (!before_.has_value()) return;
  const Image& shown = parts_.viewer->shown_image();
  const double change_db = shown.params.level.reference_db - before_->level.reference_db;
  const bool same_image = same_pixels(shown.params, *before_);
  if (same_image && std::abs(change_db) < 0.05 && now_ns() < until_ns_) return;
  before_.reset();
  if (!same_image) return;  // another parameter changed meanwhile: the difference says nothing
  parts_.say(Severity::info, std::abs(change_db) < 0.05
                                 ? "0 dB is already at the brightest pixel."
                                 : fmt::format("0 dB set to the brightest pixel: the image is {:.1f} dB {}.",
                                               std::abs(change_db), change_db > 0.0 ? "darker" : "brighter"));
}

void WindowReference::reset() {
  if (std::exchange(set_, false)) parts_.session->measure_reference();
}

}  // namespace echoloop
