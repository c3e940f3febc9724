#include <algorithm>
#include <cmath>

#include "backend/cpu/cpu_steps.h"
#include "backend/cpu/kept_rows.h"
#include "backend/cpu/row_pixels.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop {
namespace {

// Largest difference of delays within a vector, transmit and receive part together, that fits 16.16 fixed point.
constexpr float kMaxSpread = 30000.0f;

// Returns an upper bound of the difference of a receive delay along a row.
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

// Returns true if pixel i and element e are the mirror images of nx - 1 - i and n_el - 1 - e, within 1e-4 samples.
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
  usable_ = g.n_valid >= 2 && g.columns == nullptr && g.weights.cone == nullptr && !g.bent.any() &&
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
  // An odd number of cache lines between lines spreads them over the sets of a cache.
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

namespace {

struct MethodImage {
  Complex* pixels;
  float* weights;
};

template <class Value>
void fit(std::vector<Value>& memory, std::size_t size) {
  if (memory.size() < size) memory.resize(size);
}

MethodRow row_of(const DasInput& input, int iz, MethodScratch& scratch, int thread, MethodImage to) {
  const std::size_t first = static_cast<std::size_t>(iz) * static_cast<std::size_t>(input.geometry.nx);
  return {input.geometry,    input.lines,       iz, &scratch.own[static_cast<std::size_t>(thread)].front().re,
          to.pixels + first, to.weights + first};
}

void run_rows(WorkerPool& pool, MethodRowKernel method_row, const MethodSettings& settings, const DasInput& input,
              MethodScratch& scratch, MethodImage to) {
  const DasGeometry& g = input.geometry;
  for (std::vector<Complex>& own : scratch.own)
    fit(own, static_cast<std::size_t>(method_row_floats(settings, g.n_tx) / 2));
  pool.run(g.nz, 1, [&](int begin, int end, int thread) {
    for (int iz = begin; iz < end; ++iz) method_row(settings, row_of(input, iz, scratch, thread, to));
  });
}

void run_rows_around(WorkerPool& pool, const RowsKernel& kernel, const MethodSettings& settings, const DasInput& input,
                     MethodScratch& scratch, MethodImage to) {
  const KeptFloats floats{kernel.row_floats(settings, input.geometry), kernel.scratch_floats(settings, input.geometry)};
  run_kept_rows(
      pool, floats, settings.rows, input, scratch, to.pixels, to.weights,
      [&](const MethodRow& row, float* kept) { kernel.store(settings, row, kept); },
      [&](const KeptRows& rows, const MethodRow& row, int first) { kernel.form(settings, rows, row, first); });
}

// Line-by-line imaging: each column has its own transmit.
template <class Method>
void run_pixels(WorkerPool& pool, const Method& method, const DasInput& input, MethodImage to) {
  const DasGeometry& g = input.geometry;
  pool.run(g.nz, 1, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      for (int ix = 0; ix < g.nx; ++ix) {
        const MethodPixel made = method(DasChannels<DasForm::general>(g, input.lines, ix, iz));
        const std::size_t at =
            static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix);
        to.pixels[at] = made.sum;
        to.weights[at] = made.weight;
      }
    }
  });
}

}  // namespace

void method_das(WorkerPool& pool, const CpuKernels& kernels, const MethodSettings& settings, const DasInput& input,
                MethodScratch& scratch, Complex* pixels, float* weights) {
  const MethodImage to{pixels, weights};
  const DasGeometry& g = input.geometry;
  const bool lines = g.columns != nullptr || g.bent.any();  // channel by channel, pixel by pixel
  if (settings.method == Adaptive::slsc) {
    const RowsKernel& one_by_one = kRowsKernel<RowPixels<BuiltInMethod<Adaptive::slsc>>>;
    run_rows_around(pool, lines ? one_by_one : *kernels.slsc, settings, input, scratch, to);
  } else if (settings.method == Adaptive::minimum_variance) {
    run_rows_around(pool, kRowsKernel<RowPixels<BuiltInMethod<Adaptive::minimum_variance>>>, settings, input, scratch,
                    to);
  } else if (!lines) {
    run_rows(pool, kernels.method_row, settings, input, scratch, to);
  } else {
    with_method(settings, [&](const auto& method) { run_pixels(pool, method, input, to); });
  }
}

}  // namespace echoloop
