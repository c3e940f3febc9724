#include "backend/cpu/method_das.h"

#include <algorithm>

#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop {
namespace {

struct MethodImage {
  Complex* pixels;
  float* weights;
};

template <DasForm form, class Method>
void run_rows(WorkerPool& pool, const Method& method, const DasInput& input, MethodImage to) {
  const DasGeometry& g = input.geometry;
  pool.run(g.nz, 1, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      for (int ix = 0; ix < g.nx; ++ix) {
        const MethodPixel made = method(DasChannels<form>(g, input.lines, ix, iz));
        const std::size_t at =
            static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix);
        to.pixels[at] = made.sum;
        to.weights[at] = made.weight;
      }
    }
  });
}

// Slices of a column, [nz][n_slice], and n_more values behind them.
struct ColumnSlices {
  int n_slice;
  int n_more;
};

// For each column: store(channels of the pixel, its slice, values behind the slices) for all rows, then
// make(rows around the pixel, values behind) for all of them.
template <DasForm form, class Store, class Make>
void run_columns(WorkerPool& pool, const DasInput& input, int kernel_rows, ColumnSlices sizes, MethodScratch& scratch,
                 MethodImage to, const Store& store, const Make& make) {
  const DasGeometry& g = input.geometry;
  const auto n_slice = static_cast<std::size_t>(sizes.n_slice);
  const std::size_t behind = n_slice * static_cast<std::size_t>(g.nz);
  for (std::vector<Complex>& own : scratch) {
    if (own.size() < behind + static_cast<std::size_t>(sizes.n_more)) {
      own.resize(behind + static_cast<std::size_t>(sizes.n_more));
    }
  }
  pool.run(g.nx, 1, [&](int begin, int end, int thread) {
    Complex* const slices = scratch[static_cast<std::size_t>(thread)].data();
    const Strided more{slices + behind, 1};
    for (int ix = begin; ix < end; ++ix) {
      for (int iz = 0; iz < g.nz; ++iz) {
        store(DasChannels<form>(g, input.lines, ix, iz), Strided{slices + static_cast<std::size_t>(iz) * n_slice, 1},
              more);
      }
      for (int iz = 0; iz < g.nz; ++iz) {
        const int first = std::max(iz - kernel_rows, 0);
        const int last = std::min(iz + kernel_rows, g.nz - 1);
        const MethodPixel made = make(StridedRows{.first = slices + static_cast<std::size_t>(first) * n_slice,
                                                  .row_step = sizes.n_slice,
                                                  .step = 1,
                                                  .count = last - first + 1,
                                                  .centre = iz - first},
                                      more);
        const std::size_t at =
            static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix);
        to.pixels[at] = made.sum;
        to.weights[at] = made.weight;
      }
    }
  });
}

template <DasForm form>
void run_slsc(WorkerPool& pool, const MethodSettings& s, const DasInput& input, MethodScratch& scratch,
              MethodImage to) {
  const ShortLagCoherence method{s.lags};
  const int n = input.geometry.n_el;
  run_columns<form>(
      pool, input, s.rows, {method.n_terms(), n + 1}, scratch, to,
      [&](const DasChannels<form>& channels, Strided slice, Strided elements) {
        store_channels(channels, 1, elements);
        method.store_terms([&](int e) { return elements[e]; }, n, slice);
      },
      [&](const StridedRows& rows, Strided /*more*/) {
        const float value = method.pixel(rows);
        return MethodPixel{{value, 0.0f}, value};
      });
}

template <DasForm form>
void run_minimum_variance(WorkerPool& pool, const MethodSettings& s, const DasInput& input, MethodScratch& scratch,
                          MethodImage to) {
  const MinimumVariance method{s.subarray, s.loading};
  const int n = n_channels(input.geometry.n_el, s.neighbours);
  run_columns<form>(
      pool, input, s.rows, {n + 1, method.n_scratch(n)}, scratch, to,
      [&](const DasChannels<form>& channels, Strided slice, Strided /*more*/) {
        store_channels(channels, s.neighbours, slice);
      },
      [&](const StridedRows& rows, Strided more) {
        return MethodPixel{method.pixel(rows, n, more), 1.0f};
      });
}

template <DasForm form>
void run_method(WorkerPool& pool, const MethodSettings& s, const DasInput& input, MethodScratch& scratch,
                MethodImage to) {
  if (s.method == Adaptive::slsc) return run_slsc<form>(pool, s, input, scratch, to);
  if (s.method == Adaptive::minimum_variance) return run_minimum_variance<form>(pool, s, input, scratch, to);
  with_method(s, [&](const auto& method) { run_rows<form>(pool, method, input, to); });
}

}  // namespace

void method_das(WorkerPool& pool, const MethodSettings& settings, const DasInput& input, MethodScratch& scratch,
                Complex* pixels, float* weights) {
  if (input.geometry.down_m == nullptr && input.geometry.columns == nullptr) {
    run_method<DasForm::plain>(pool, settings, input, scratch, {pixels, weights});
  } else {
    run_method<DasForm::general>(pool, settings, input, scratch, {pixels, weights});
  }
}

}  // namespace echoloop
