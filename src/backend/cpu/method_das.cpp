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
  for (std::vector<Complex>& own : scratch.own) {
    fit(own, static_cast<std::size_t>(method_row_floats(settings, g.n_tx) / 2));
  }
  pool.run(g.nz, 1, [&](int begin, int end, int thread) {
    for (int iz = begin; iz < end; ++iz) method_row(settings, row_of(input, iz, scratch, thread, to));
  });
}

// Blocks of rows, from whose sums the pixels are formed before the next block's take the place of the oldest.
void run_slsc_rows(WorkerPool& pool, const SlscKernel& kernel, const MethodSettings& settings, const DasInput& input,
                   MethodScratch& scratch, MethodImage to) {
  const DasGeometry& g = input.geometry;
  const int block = std::max(64, 4 * pool.threads());
  const int n_kept = std::min(block + 2 * settings.rows, g.nz);
  const auto per_row = static_cast<std::size_t>(slsc_row_floats(settings.lags, g.nx));
  for (std::vector<Complex>& own : scratch.own) {
    fit(own, static_cast<std::size_t>(slsc_scratch_floats(g.n_tx, g.n_el) / 2));
  }
  fit(scratch.rows, per_row * static_cast<std::size_t>(n_kept));
  pool.run_parts(2 * g.nz, [&] {
    int stored = 0;
    for (int first = 0; first < g.nz; first += block) {
      const int next = std::min(first + block, g.nz);
      const int needed = std::min(next + settings.rows, g.nz);
      pool.run(needed - stored, 1, [&](int begin, int end, int thread) {
        for (int iz = stored + begin; iz < stored + end; ++iz) {
          kernel.store(settings.lags, row_of(input, iz, scratch, thread, to),
                       scratch.rows.data() + static_cast<std::size_t>(iz % n_kept) * per_row);
        }
      });
      stored = needed;
      pool.run(next - first, 1, [&](int begin, int end, int thread) {
        for (int iz = first + begin; iz < first + end; ++iz) {
          const SlscRows rows{scratch.rows.data(), n_kept, std::max(iz - settings.rows, 0),
                              std::min(iz + settings.rows + 1, g.nz), iz};
          kernel.form(settings.lags, rows, row_of(input, iz, scratch, thread, to));
        }
      });
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
  for (std::vector<Complex>& own : scratch.own) fit(own, behind + static_cast<std::size_t>(sizes.n_more));
  pool.run(g.nx, 1, [&](int begin, int end, int thread) {
    Complex* const slices = scratch.own[static_cast<std::size_t>(thread)].data();
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

// Line by line imaging; otherwise run_slsc_rows().
void run_slsc_lines(WorkerPool& pool, const MethodSettings& s, const DasInput& input, MethodScratch& scratch,
                    MethodImage to) {
  using Channels = DasChannels<DasForm::general>;
  const ShortLagCoherence method{s.lags};
  const int n = input.geometry.n_el;
  run_columns<DasForm::general>(
      pool, input, s.rows, {method.n_terms(), n + 1}, scratch, to,
      [&](const Channels& channels, Strided slice, Strided elements) {
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

}  // namespace

void method_das(WorkerPool& pool, const CpuKernels& kernels, const MethodSettings& settings, const DasInput& input,
                MethodScratch& scratch, Complex* pixels, float* weights) {
  const MethodImage to{pixels, weights};
  const DasGeometry& g = input.geometry;
  const bool lines = g.columns != nullptr;
  if (settings.method == Adaptive::slsc) {
    lines ? run_slsc_lines(pool, settings, input, scratch, to)
          : run_slsc_rows(pool, *kernels.slsc, settings, input, scratch, to);
  } else if (settings.method == Adaptive::minimum_variance) {
    is_plain(g) ? run_minimum_variance<DasForm::plain>(pool, settings, input, scratch, to)
                : run_minimum_variance<DasForm::general>(pool, settings, input, scratch, to);
  } else if (!lines) {
    run_rows(pool, kernels.method_row, settings, input, scratch, to);
  } else {
    with_method(settings, [&](const auto& method) { run_pixels(pool, method, input, to); });
  }
}

}  // namespace echoloop
