// Electrocardiogram of a source.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

namespace echoloop {

// One lead over one beat, which repeats; sample 0 is at time 0 of the source's frames.
struct Ecg {
  double period_s = 1.0;
  std::vector<float> mv;  // equal steps over the period; not empty

  // Returns mV, linear between samples.
  [[nodiscard]] double at(double time_s) const {
    const double beats = time_s / period_s, place = (beats - std::floor(beats)) * static_cast<double>(mv.size());
    const std::size_t i = static_cast<std::size_t>(place) % mv.size();
    return mv[i] + (place - std::floor(place)) * (mv[(i + 1) % mv.size()] - mv[i]);
  }
};
using EcgPtr = std::shared_ptr<const Ecg>;  // null: the source gives none

}  // namespace echoloop
