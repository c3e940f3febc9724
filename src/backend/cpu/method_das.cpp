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

void fit(std::vector<Complex>& memory, std::size_t size) {
  if (memory.size() < size) memory.resize(size);
}

void run_rows(WorkerPool& pool, MethodRowKernel method_row, const MethodSettings& settings, const DasInput& input,
              MethodScratch& scratch, MethodImage to) {
  const DasGeometry& g = input.geometry;
  for (std::vector<Complex>& own : scratch) fit(own, static_cast<std::size_t>(method_row_floats(settings, g.n_tx) / 2));
  pool.run(g.nz, 1, [&](int begin, int end, int thread) {
    float* const own = &scratch[static_cast<std::size_t>(thread)].front().re;
    for (int iz = begin; iz < end; ++iz) {
      const std::size_t row = static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx);
      method_row(settings, {g, input.lines, iz, own, to.pixels + row, to.weights + row});
    }
  });
}

// Line by line imaging: a transmit of its own for each column.
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
  for (std::vector<Complex>& own : scratch) fit(own, behind + static_cast<std::size_t>(sizes.n_more));
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

// Whether a method reads rows above and below the pixel.
template <DasForm form>
bool run_columns_method(WorkerPool& pool, const MethodSettings& s, const DasInput& input, MethodScratch& scratch,
                        MethodImage to) {
  if (s.method == Adaptive::slsc) {
    run_slsc<form>(pool, s, input, scratch, to);
  } else if (s.method == Adaptive::minimum_variance) {
    run_minimum_variance<form>(pool, s, input, scratch, to);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void method_das(WorkerPool& pool, MethodRowKernel method_row, const MethodSettings& settings, const DasInput& input,
                MethodScratch& scratch, Complex* pixels, float* weights) {
  const MethodImage to{pixels, weights};
  if (is_plain(input.geometry) ? run_columns_method<DasForm::plain>(pool, settings, input, scratch, to)
                               : run_columns_method<DasForm::general>(pool, settings, input, scratch, to)) {
    return;
  }
  if (input.geometry.columns == nullptr) return run_rows(pool, method_row, settings, input, scratch, to);
  with_method(settings, [&](const auto& method) { run_pixels(pool, method, input, to); });
}

}  // namespace echoloop
