// Adaptive methods (dsp/methods/): one thread per pixel, with the pixel's channels as in das_pixel(), by the fast
// instructions of das_math.cuh if lines are short enough. A warp owns 8 x 4 pixels, as in das_grouped.cu. Methods that
// read rows store slices of a band of rows first, then make its pixels.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/method_parts.cuh"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/cuda_own_kernels.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop::cuda {
namespace {

constexpr int kTall = 16;  // rows of a block: its warps read nearly the same samples
constexpr int kHalf = 8;   // of kernels that need twice the registers
constexpr int kLow = 4;    // of kernels with many registers

struct Tiles {
  dim3 grid, block;

  // Blocks of kTileX columns and rows_of_block rows.
  Tiles(int nx, int rows, int rows_of_block)
      : grid(static_cast<unsigned>((nx + kTileX - 1) / kTileX),
             static_cast<unsigned>((rows + rows_of_block - 1) / rows_of_block)),
        block(kTileX, static_cast<unsigned>(rows_of_block)) {}
};

TileElements elements_of(const MethodInput& in) {
  const DasGeometry& g = in.geometry;
  if (g.f_number > 0.0f || g.apodization != Apodization::boxcar || g.width_over_wavelength > 0.0f)
    return TileElements::weighed;
  return in.is_flat ? TileElements::flat : TileElements::equal;
}

TileArgs tile_args(const MethodInput& in) {
  const DasGeometry& g = in.geometry;
  const long long transmit = static_cast<long long>(g.n_el) * g.n_line;
  return {static_cast<unsigned>(transmit), elements_of(in),
          g.columns == nullptr && g.weights.cone == nullptr && g.n_line < kMostSamples &&
              g.n_tx * transmit < static_cast<long long>(~kMagicBits)};
}

template <class Method>
inline constexpr int kRows = kLarge<Method>   ? kLow
                             : Method::counts ? kHalf
                                              : kTall;

// Per SM: two where 64 registers per thread suffice; images of 100,000 pixels are then made at once.
template <class Method>
inline constexpr int kBlocksPerSm = kLarge<Method> ? 3 : 2;

template <ChannelLoop loop, class Method>
__global__ void __launch_bounds__(kTileX* kRows<Method>, kBlocksPerSm<Method>)
    method_kernel(const __grid_constant__ DasGeometry geometry, const Method method, const TileArgs args,
                  const Complex* __restrict__ lines, const MethodImage to) {
  const MethodPixel made = formed_at<loop, PixelForm::tuned>(geometry, method, args, lines);
  if (!is_in_image(geometry)) return;
  const long long at = static_cast<long long>(thread_z()) * geometry.nx + thread_x();
  to.pixels[at] = made.sum;
  to.weights[at] = made.weight;
}

__global__ void __launch_bounds__(kTileX* kTall)
    store_kernel(const __grid_constant__ DasGeometry geometry, int neighbours, const Complex* __restrict__ lines,
                 const Slices to) {
  const int ix = thread_x();
  const int row = thread_z();
  if (ix >= geometry.nx || row >= to.count) return;
  store_channels(FastChannels(geometry, lines, ix, to.first + row), neighbours, to.of(row, ix, geometry.nx));
}

// Sums of pairs of channels up to kMost places apart. Channels come in groups, which saves register moves.
template <int kMost>
struct LagSums {
  Complex before[kMost] = {};  // channel m + 1 places before
  float pairs[kMost] = {};

  static __device__ __forceinline__ float add_product(float to, Complex a, Complex b) {
    return to + a.re * b.re + a.im * b.im;
  }

  template <int n>
  __device__ __forceinline__ void add(const Complex (&s)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
#pragma unroll
      for (int m = 0; m < kMost; ++m) pairs[m] = add_product(pairs[m], s[i], m < i ? s[i - 1 - m] : before[m - i]);
    }
    // Unrolled: a loop would be compiled into a memory move.
    [&]<std::size_t... m>(std::index_sequence<m...>) {
      ((before[kMost - 1 - m] = kMost - 1 - m < n ? s[m + n - kMost] : before[kMost - 1 - m - n]), ...);
    }
    (std::make_index_sequence<kMost>());
  }
};

// Short-lag coherence of pixels without a zero channel between the first and the last: sums of energies are those of
// all channels minus the first or last ones.
template <int kMost>
class TileTerms {
 public:
  __device__ TileTerms(const ShortLagCoherence& method, bool in_image, const Strided& to)
      : method_(method), in_image_(in_image), to_(to) {}

  template <Chunk kind>
  __device__ __forceinline__ void add(const TilePixels::Element (&chunk)[kChunk], const Complex (&s)[kChunk]) {
    float before[kChunk];  // energy of the channels up to this one
#pragma unroll
    for (int i = 0; i < kChunk; ++i) {
      if (kind == Chunk::some && chunk[i].weight == 0.0f) continue;
      const float own = Sums::add_product(0.0f, s[i], s[i]);
      least_ = fminf(least_, own);
      energy_ += own;
      before[i] = energy_;
      if constexpr (kind == Chunk::full) continue;
      if (n_ < method_.lags) keep(n_, energy_);
      if (n_ == 0) first_ = chunk[i].index;
      last_ = chunk[i].index;
      ++n_;
      const Complex one[] = {s[i]};
      sums_.add(one);
    }
    if (kind == Chunk::full && n_ < method_.lags) {
#pragma unroll
      for (int i = 0; i < kChunk; ++i)
        if (n_ + i < method_.lags) keep(n_ + i, before[i]);
    }
    if constexpr (kind == Chunk::full) {
      sums_.add(s);
      n_ += kChunk;
      last_ = chunk[kChunk - 1].index;
    }
  }

  // Returns false, with nothing valid stored, if this form does not apply to the terms.
  __device__ bool store() const {
    constexpr float kLeastShare = 1e-2f;  // smallest share of the energy that the difference may leave
    if (!in_image_ || !(least_ > 0.0f) || n_ == 0 || last_ - first_ + 1 != n_) return false;
    float behind = 0.0f;
#pragma unroll
    for (int m = 0; m < kMost; ++m) {
      if (m >= method_.lags) break;
      behind = Sums::add_product(behind, sums_.before[m], sums_.before[m]);
      const bool any = m + 1 < n_;
      const float left = any ? energy_ - behind : 0.0f;
      const float right = any ? energy_ - method_.right_term(to_, m) : 0.0f;
      if (any && fminf(left, right) < kLeastShare * energy_) return false;
      to_[m] = {sums_.pairs[m], left};
      method_.right_term(to_, m) = right;
    }
    method_.store_factor(to_, 1.0f);
    return true;
  }

 private:
  using Sums = LagSums<kMost>;

  __device__ void keep(int n, float energy) {
    if (in_image_) method_.right_term(to_, n) = energy;
  }

  const ShortLagCoherence& method_;
  bool in_image_;
  Strided to_;
  Sums sums_;
  float energy_ = 0.0f;
  float least_ = 1.0f;  // smallest energy of a channel
  int n_ = 0;           // channels
  int first_ = 0, last_ = 0;
};

template <int kMost, class Tile>
__device__ bool store_tile_terms(const ShortLagCoherence& method, const Tile& tile, bool in_image, const Strided& to) {
  TileTerms<kMost> terms(method, in_image, to);
  for_each_compounded(tile, terms);
  return terms.store();
}

constexpr int kFewLags = 10;  // sums of so many fit the registers of an SM

// elements: work space of pixels that need the general form.
template <int kMost>
__global__ void __launch_bounds__(kTileX* kLow, kMost > kFewLags ? 3 : 4)
    slsc_terms_kernel(const __grid_constant__ DasGeometry geometry, const ShortLagCoherence method, const TileArgs args,
                      const Complex* __restrict__ lines, const Slices elements, const Slices terms) {
  const int ix = thread_x();
  const int row = thread_z();
  const bool in_image = ix < geometry.nx && row < terms.count;
  const Strided to = in_image ? terms.of(row, ix, geometry.nx) : Strided{};
  bool made = false;
  const TilePixels tile(geometry, args, lines, ix, terms.first + row);
  if (args.may_fit && method.lags <= kMost && tile.fits()) {
    made = with_elements(tile, args.elements,
                         [&](const auto& channels) { return store_tile_terms<kMost>(method, channels, in_image, to); });
  }
  if (made || !in_image) return;
  const Strided element = elements.of(row, ix, geometry.nx);
  store_channels(FastChannels(geometry, lines, ix, terms.first + row), 1, element);
  method.store_terms(ScaledElements(element, geometry.n_el), geometry.n_el, to);
}

constexpr int kSlscRows = 16;  // of a block: rows above and below are read once for all

__global__ void __launch_bounds__(kTileX* kSlscRows)
    slsc_kernel(const ShortLagCoherence method, const Slices terms, const RowBand band, const MethodImage to) {
  const int ix = static_cast<int>(blockIdx.x * kTileX + threadIdx.x);
  const int iz = band.begin + static_cast<int>(blockIdx.y * kSlscRows + threadIdx.y);
  if (ix >= band.nx || iz >= band.end) return;
  const float value = method.pixel(rows_around(terms, band, ix, iz));
  const long long at = static_cast<long long>(iz) * band.nx + ix;
  to.pixels[at] = {value, 0.0f};
  to.weights[at] = value;
}

// scratch: [n_scratch][threads of the launch]
__global__ void __launch_bounds__(kTileX* kTall)
    minimum_variance_kernel(const MinimumVariance method, int n, const Slices channels, const RowBand band,
                            Complex* __restrict__ scratch, const MethodImage to) {
  const int ix = thread_x();
  const int iz = band.begin + thread_z();
  if (ix >= band.nx || iz >= band.end) return;
  const long long threads = static_cast<long long>(band.end - band.begin) * band.nx;
  const long long own = static_cast<long long>(iz - band.begin) * band.nx + ix;
  const long long at = static_cast<long long>(iz) * band.nx + ix;
  to.pixels[at] = method.pixel(rows_around(channels, band, ix, iz), n, {scratch + own, threads});
  to.weights[at] = 1.0f;
}

RowSizes sizes_of(const MethodSettings& s, int n_el) {
  if (s.method == Adaptive::slsc) return {n_el + 1, ShortLagCoherence{s.lags}.n_terms(), 0};
  const int n = n_channels(n_el, s.neighbours);
  return {n + 1, 0, MinimumVariance{s.subarray, s.loading}.n_scratch(n)};
}

// Division of rows that keeps scratch within kMostMethodScratch, if one row does.
struct RowPlan {
  std::size_t per_row;     // complex values per row of slices
  std::size_t per_pixels;  // and per row of pixels
  int band;                // rows of pixels in a band
};

RowPlan plan_rows(const RowSizes& sizes, int kernel_rows, const DasGeometry& g) {
  const auto nx = static_cast<std::size_t>(g.nx);
  RowPlan plan{.per_row = nx * static_cast<std::size_t>(sizes.channels + sizes.terms),
               .per_pixels = nx * static_cast<std::size_t>(sizes.scratch),
               .band = 0};
  const std::size_t rows = kMostMethodScratch / sizeof(Complex);
  const std::size_t halo = plan.per_row * 2 * static_cast<std::size_t>(kernel_rows);
  const std::size_t fit = rows > halo ? (rows - halo) / (plan.per_row + plan.per_pixels) : 0;
  const auto nz = static_cast<std::size_t>(g.nz);
  const std::size_t most = std::clamp(fit, std::min(std::size_t{8}, nz), nz);
  const std::size_t bands = (nz + most - 1) / most;
  // Bands of similar size: a small one takes as long as a large one.
  plan.band = static_cast<int>((nz + bands - 1) / bands);
  return plan;
}

std::size_t scratch_of(const RowSizes& sizes, int kernel_rows, const DasGeometry& g) {
  const RowPlan plan = plan_rows(sizes, kernel_rows, g);
  return plan.per_row * static_cast<std::size_t>(std::min(g.nz, plan.band + 2 * kernel_rows)) +
         plan.per_pixels * static_cast<std::size_t>(plan.band);
}

// Calls run(band, channels, terms, scratch of its pixels) for all bands.
template <class Run>
void for_each_band(const RowSizes& sizes, int kernel_rows, const DasGeometry& g, Complex* memory, SkippableWork& work,
                   StreamView stream, const Run& run) {
  const RowPlan plan = plan_rows(sizes, kernel_rows, g);
  QueueLimit queue(stream);
  for (int begin = 0; begin < g.nz && !work.skip(); begin += plan.band, queue.add()) {
    const int end = std::min(begin + plan.band, g.nz);
    const int first = std::max(begin - kernel_rows, 0);
    const int count = std::min(end + kernel_rows, g.nz) - first;
    const auto of_rows = [&](int n) { return static_cast<std::size_t>(count) * static_cast<std::size_t>(n * g.nx); };
    Complex* const terms = memory + of_rows(sizes.channels);
    run(RowBand{begin, end, kernel_rows, g.nx, g.nz}, Slices{memory, sizes.channels, first, count},
        Slices{terms, sizes.terms, first, count}, terms + of_rows(sizes.terms));
  }
}

void sum_by_rows(const MethodSettings& s, const MethodInput& in, MethodImage to, Complex* memory, SkippableWork& work,
                 StreamView stream) {
  const DasGeometry& g = in.geometry;
  const auto run_slsc = [&](const RowBand& band, const Slices& channels, const Slices& terms, Complex* /*scratch*/) {
    const ShortLagCoherence method{s.lags};
    const auto kernel = s.lags > kFewLags ? slsc_terms_kernel<2 * kFewLags> : slsc_terms_kernel<kFewLags>;
    const Tiles of_terms(g.nx, terms.count, kLow);
    kernel<<<of_terms.grid, of_terms.block, 0, stream.get()>>>(g, method, tile_args(in), in.lines, channels, terms);
    const Tiles of_image(g.nx, band.end - band.begin, kSlscRows);
    slsc_kernel<<<of_image.grid, of_image.block, 0, stream.get()>>>(method, terms, band, to);
  };
  const auto run_variance = [&](const RowBand& band, const Slices& channels, const Slices& /*terms*/,
                                Complex* scratch) {
    const Tiles stored(g.nx, channels.count, kTall);
    store_kernel<<<stored.grid, stored.block, 0, stream.get()>>>(g, s.neighbours, in.lines, channels);
    const MinimumVariance method{s.subarray, s.loading};
    const Tiles made(g.nx, band.end - band.begin, kTall);
    minimum_variance_kernel<<<made.grid, made.block, 0, stream.get()>>>(method, channels.n_slice - 1, channels, band,
                                                                        scratch, to);
  };
  const RowSizes sizes = sizes_of(s, g.n_el);
  if (s.method == Adaptive::slsc)
    for_each_band(sizes, s.rows, g, memory, work, stream, run_slsc);
  else
    for_each_band(sizes, s.rows, g, memory, work, stream, run_variance);
}

}  // namespace

std::size_t method_scratch(const MethodSettings& s, const DasGeometry& g) {
  return reads_rows(s.method) ? scratch_of(sizes_of(s, g.n_el), s.rows, g) : 0;
}

std::size_t own_scratch(const RowSizes& sizes, const MethodSettings& s, const DasGeometry& g) {
  return sizes.channels > 0 ? scratch_of(sizes, s.rows, g) : 0;
}

void sum_by_method(const MethodSettings& s, const MethodInput& in, const MethodBuffers& buffers, SkippableWork& work,
                   StreamView stream) {
  const DasGeometry& g = in.geometry;
  const MethodImage to{buffers.pixels, buffers.weights};
  if (reads_rows(s.method)) sum_by_rows(s, in, to, buffers.scratch, work, stream);
  with_method(s, [&](const auto& method) {
    using Method = std::decay_t<decltype(method)>;
    const Tiles tiles(g.nx, g.nz, kRows<Method>);
    const auto run = [&](auto kernel) {
      kernel<<<tiles.grid, tiles.block, 0, stream.get()>>>(g, method, tile_args(in), in.lines, to);
    };
    const auto run_loop = [&]<ChannelLoop loop>() { run(method_kernel<loop, Method>); };
    switch (loop_of(method)) {
      case ChannelLoop::each_transmit:
        return run_loop.template operator()<ChannelLoop::each_transmit>();
      case ChannelLoop::compounded:
        return run_loop.template operator()<ChannelLoop::compounded>();
      case ChannelLoop::both:
        if constexpr (!Method::replaces) run_loop.template operator()<ChannelLoop::both>();
        return;
      case ChannelLoop::transmits:
        if constexpr (!Method::replaces) run_loop.template operator()<ChannelLoop::transmits>();
    }
  });
  CUDA_CHECK_LAUNCH("sum_by_method");
}

void sum_by_own(const OwnFunctor& own, const MethodInput& in, const MethodBuffers& to, SkippableWork& work,
                StreamView stream) {
  DasGeometry g = in.geometry;
  MethodSettings s = own.settings;
  const Complex* lines = in.lines;
  MethodImage image{to.pixels, to.weights};
  const auto launch = [&](OwnKernel kernel, int nz, std::initializer_list<void*> arguments) {
    own.kernels.launch({kernel, s.axis, s.order, g.nx, nz}, arguments, stream);
  };
  if (own.kernels.rows() == OwnRows::none) {
    TileArgs args = tile_args(in);
    return launch(OwnKernel::pixels, g.nz, {&g, &s, &args, &lines, &image});
  }
  for_each_band(own.sizes, s.rows, g, to.scratch, work, stream,
                [&](RowBand band, Slices channels, Slices terms, Complex* scratch) {
                  launch(OwnKernel::store, channels.count, {&g, &s, &lines, &channels, &terms});
                  Slices* const read = own.sizes.terms > 0 ? &terms : &channels;
                  launch(OwnKernel::rows, band.end - band.begin, {&s, &g.n_el, read, &band, &scratch, &image});
                });
}

}  // namespace echoloop::cuda
