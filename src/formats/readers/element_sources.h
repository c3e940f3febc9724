// Waves of single elements in UFF files (synthetic aperture), whose time zero USTB counts in a way of its own: any
// source from 1 mm behind z = 0 on is taken for one in front of the array, which its wave reaches |s|/c after the
// origin. The arrival is then (|p - s| + |s|)/c - delay, and USTB's scripts write delay = |s|/c for times from the
// firing. By UFF's own words, time zero when the wave passes the origin, it is (|p - s| - |s|)/c. Internal to
// src/formats, reader process.
#pragma once

#include <limits>

#include "formats/readers/placed_probe.h"

namespace echoloop {

// See all waves of a file first. `placed` must outlive this. Transmits count from the file's origin.
class ElementSources {
 public:
  ElementSources(const PlacedProbe& placed, double sound_speed_m_s) : placed_(placed), c_m_s_(sound_speed_m_s) {}

  void see(const Transmit& transmit, double delay_s);

  // How much the file's times of `transmit` exceed those from the passage of the origin: 2 |s|/c where USTB's way
  // holds, else 0. The delays tell: where all waves fire at one time, the delays less |s|/c are the same (USTB), or
  // those plus |s|/c are. When neither is, as where there are no delays, USTB's rule holds.
  [[nodiscard]] double early_s(const Transmit& transmit) const;

 private:
  struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void see(double value);
    [[nodiscard]] double spread() const { return high - low; }
  };
  [[nodiscard]] bool is_element(const Transmit& transmit) const;
  [[nodiscard]] double away_s(const Transmit& transmit) const;

  const PlacedProbe& placed_;
  double c_m_s_;
  Range in_front_, passing_;
};

}  // namespace echoloop
