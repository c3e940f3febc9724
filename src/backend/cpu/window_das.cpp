#include "backend/cpu/window_das.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

// Delays of a vector's pixels against each other must fit 16.16 fixed point, transmit and receive part together.
constexpr float kMaxSpread = 30000.0f;

// More than a receive delay can differ along a row.
float width_m(const DasGeometry& g) {
  return g.down_m == nullptr ? g.x_m[g.nx - 1] - g.x_m[0] : 2.0f * g.z_m[g.nz - 1];
}

bool delays_fit(const DasGeometry& g, const PlainArray<float>& tx_excess) {
  float largest = 0.0f;
  for (const float v : tx_excess) largest = std::max(largest, std::abs(v));
  return largest + width_m(g) * g.samples_per_m < kMaxSpread;
}

WindowWeights weight_kind(const DasGeometry& g) {
  const auto flat = [](const ElementGeometry& e) { return e.normal_sin == 0.0f && e.normal_cos > 0.0f; };
  if (g.apodization != Apodization::boxcar || g.width_over_wavelength > 0.0f) return WindowWeights::general;
  if (g.f_number <= 0.0f) return WindowWeights::one;
  return std::all_of(g.elements, g.elements + g.n_el, flat) ? WindowWeights::boxcar : WindowWeights::general;
}

// Whether pixel i and element e look at each other as nx - 1 - i and n_el - 1 - e do, to 1e-4 samples.
bool is_symmetric(const DasGeometry& g) {
  const float near_m = 1e-4f / g.samples_per_m;
  const bool polar = g.down_m != nullptr;
  const float middle_twice = polar ? 0.0f : g.x_m[0] + g.x_m[g.nx - 1];
  const float farthest = polar ? g.z_m[g.nz - 1] : 1.0f;
  for (int i = 0; i < g.nx; ++i) {
    if (farthest * std::abs(g.x_m[i] + g.x_m[g.nx - 1 - i] - middle_twice) > near_m) return false;
    if (polar && farthest * std::abs(g.down_m[i] - g.down_m[g.nx - 1 - i]) > near_m) return false;
  }
  for (int i = 0; i < g.n_el; ++i) {
    const ElementGeometry& e = g.elements[i];
    const ElementGeometry& other = g.elements[g.n_el - 1 - i];
    if (std::abs(e.x_m + other.x_m - middle_twice) > near_m || std::abs(e.z_m - other.z_m) > near_m) return false;
    if (std::abs(e.normal_sin + other.normal_sin) > 1e-6f || e.normal_cos * other.normal_cos < 0.0f) return false;
  }
  return true;
}

int up_to(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

bool WindowDas::set_plan(const std::shared_ptr<const DasPlan>& plan, int threads) {
  if (plan == plan_) return usable_;
  const bool same_tables = plan_ != nullptr && plan_->tables == plan->tables && usable_;
  plan_ = plan;
  const DasGeometry& g = plan->geometry;
  usable_ = g.n_valid >= 2 && g.columns == nullptr && g.weights.cone == nullptr &&
            (same_tables || delays_fit(g, plan->tables->tx_excess));
  if (!usable_) return false;
  x_m_.assign(g.x_m, g.x_m + g.nx);
  x_m_.resize(static_cast<std::size_t>(up_to(g.nx, kWindowLanes)), g.x_m[g.nx - 1]);
  down_m_.clear();
  if (g.down_m != nullptr) {
    down_m_.assign(g.down_m, g.down_m + g.nx);
    down_m_.resize(x_m_.size(), g.down_m[g.nx - 1]);
  }
  element_x_m_.assign(static_cast<std::size_t>(up_to(g.n_el, kElementsPerFlush)), 0.0f);
  element_z_m_ = element_x_m_;
  for (std::size_t e = 0; e < static_cast<std::size_t>(g.n_el); ++e) {
    element_x_m_[e] = g.elements[e].x_m;
    element_z_m_[e] = g.elements[e].z_m;
  }
  // An odd number of cache lines from line to line: no set of a cache is favoured.
  const int stride = up_to(g.n_valid + kWindowMargin, 16) | 16;
  pairs_.resize(static_cast<std::size_t>(g.n_tx) * static_cast<std::size_t>(g.n_el) * static_cast<std::size_t>(stride));
  const int sides = is_symmetric(g) ? 2 : 1;
  const std::size_t rows = static_cast<std::size_t>(g.n_tx) * static_cast<std::size_t>(sides * kWindowRows);
  memory_.resize(static_cast<std::size_t>(threads));
  for (Memory& m : memory_) {
    m.sums.resize(2 * rows * kWindowLanes);
    m.delay.resize(rows * kWindowLanes);
    m.start.resize(rows);
  }
  frame_ = {.das = g,
            .x_m = x_m_.data(),
            .down_m = down_m_.empty() ? nullptr : down_m_.data(),
            .element_x_m = element_x_m_.data(),
            .element_z_m = element_z_m_.data(),
            .weights = weight_kind(g),
            .sides = sides,
            .pairs = pairs_.data(),
            .stride = stride,
            .unit = 0.0f};
  return true;
}

bool WindowDas::quantise(WorkerPool& pool, const LineSteps& steps, const Complex* lines, const float* peaks) {
  const DasGeometry& g = frame_.das;
  const int n_lines = g.n_tx * g.n_el;
  float peak = 0.0f;
  for (int i = 0; i < n_lines; ++i) peak = largest_of(peak, peaks[i]);
  if (!(peak > 1e-30f && peak < 1e30f)) return false;
  const float scale = kSamplePeak / peak;
  frame_.unit = peak / (kSamplePeak * kPhasorPeak);
  pool.run(n_lines, 8, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      const auto line = static_cast<std::size_t>(i);
      steps.quantise(lines + line * static_cast<std::size_t>(g.n_line), g.n_valid, scale, kSamplePeak,
                     pairs_.data() + line * static_cast<std::size_t>(frame_.stride));
    }
  });
  return true;
}

void WindowDas::run(WorkerPool& pool, WindowTile tile, Complex* image) {
  const DasGeometry& g = frame_.das;
  const int n_blocks = up_to(frame_.sides == 1 ? g.nx : (g.nx + 1) / 2, kWindowLanes) / kWindowLanes;
  const int n_groups = up_to(g.nz, kWindowRows) / kWindowRows;
  pool.run(n_groups * n_blocks, 1, [&](int begin, int end, int thread) {
    Memory& m = memory_[static_cast<std::size_t>(thread)];
    const WindowScratch scratch{.sums = m.sums.data(), .delay = m.delay.data(), .start = m.start.data()};
    for (int i = begin; i < end; ++i) {
      const int row = i / n_blocks * kWindowRows;
      tile(frame_, i % n_blocks, row, std::min(row + kWindowRows, g.nz), scratch, image);
    }
  });
}

}  // namespace echoloop
