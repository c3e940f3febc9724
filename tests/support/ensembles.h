// Ensembles of frames with known truth, and a FlowDevice filled with one.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "backend/flow_engine.h"
#include "core/units.h"

namespace echoloop::testing {

struct Ensemble {
  int n_frames = 0;
  std::size_t n_pixels = 0;
  std::vector<Complex> x;  // [frame][pixel]

  [[nodiscard]] PixelView frame(int t) const {
    return {.values = x.data() + static_cast<std::size_t>(t) * n_pixels, .count = n_pixels};
  }
  [[nodiscard]] Complex at(std::size_t p, int t) const { return x[static_cast<std::size_t>(t) * n_pixels + p]; }
};

class Congruential {
 public:
  double draw() {
    state_ = 1664525U * state_ + 1013904223U;
    return static_cast<double>(state_) / 4294967296.0 - 0.5;
  }

 private:
  std::uint32_t state_ = 1;
};

// Returns slow tissue, weaker blood moving away, noise: as reference/flow_reference.py with 600 pixels, 24 frames.
inline Ensemble tissue_and_blood(std::size_t n_pixels, int n_frames) {
  Congruential random;
  std::vector<double> ab(4 * n_pixels);
  for (double& v : ab) v = random.draw();
  Ensemble e{.n_frames = n_frames, .n_pixels = n_pixels, .x = {}};
  for (int t = 0; t < n_frames; ++t) {
    const double slow = 2.0 * kPi * 0.01 * t;
    const double fast = -2.0 * kPi * 0.2 * t;
    for (std::size_t p = 0; p < n_pixels; ++p) {
      const double* v = ab.data() + 4 * p;
      const double re = random.draw();
      const double im = random.draw();
      e.x.push_back({static_cast<float>(100.0 * (v[0] * std::cos(slow) - v[1] * std::sin(slow)) +
                                        10.0 * (v[2] * std::cos(fast) - v[3] * std::sin(fast)) + re),
                     static_cast<float>(100.0 * (v[0] * std::sin(slow) + v[1] * std::cos(slow)) +
                                        10.0 * (v[2] * std::sin(fast) + v[3] * std::cos(fast)) + im)});
    }
  }
  return e;
}

inline std::vector<int> slots_from(int first, int n, int n_slots) {
  std::vector<int> slots;
  for (int t = 0; t < n; ++t) slots.push_back((first + t) % n_slots);
  return slots;
}

// Returns ||a - b|| / ||b||; NaN if b is zero.
inline double relative_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double off = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    off += std::pow(static_cast<double>(a[i].re) - static_cast<double>(b[i].re), 2) +
           std::pow(static_cast<double>(a[i].im) - static_cast<double>(b[i].im), 2);
    all += std::pow(static_cast<double>(b[i].re), 2) + std::pow(static_cast<double>(b[i].im), 2);
  }
  return std::sqrt(off / all);
}

inline double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double off = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    off += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    all += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(off / all);
}

}  // namespace echoloop::testing
