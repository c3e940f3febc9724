// Adaptive methods (dsp/methods/): one thread a pixel, with the pixel's channels as das_pixel() reads them, by the fast
// instructions of das_math.cuh where lines are short enough. A warp owns 8 x 4 pixels, as in das_grouped.cu. Methods
// that read rows store slices of a band of rows first, then make its pixels.
#include <algorithm>
#include <type_traits>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/tile_channels.cuh"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop::cuda {
namespace {

constexpr int kTileX = 32;
constexpr int kTileZ = 4;
constexpr int kWarpX = 8;

struct MethodImage {
  Complex* pixels;
  float* weights;
};

dim3 tiles(int nx, int rows) {
  return {static_cast<unsigned>((nx + kTileX - 1) / kTileX), static_cast<unsigned>((rows + kTileZ - 1) / kTileZ)};
}

// A warp's 8 x 4 pixels of the block's 32 x 4.
__device__ int thread_x() {
  return static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.y) * kWarpX +
         static_cast<int>(threadIdx.x) % kWarpX;
}
__device__ int thread_z() { return static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.x) / kWarpX; }

// Any grid, any transmits: the kernels are too many for two forms.
using DasChannels = echoloop::DasChannels<DasForm::general>;

// The same by the fast instructions; lines of at most kMostSamples.
class FastChannels {
 public:
  struct Element {
    float weight;
    float excess;  // samples
    Complex turn;
    int index;
  };
  struct Transmit {
    float weight;
    float excess;  // samples beyond base
    float magic;   // kMagic + base
    Complex turn;
    int transmit;  // -1: none
  };

  __device__ FastChannels(const DasGeometry& geometry, const Complex* lines, int ix, int iz)
      : geometry_(geometry), lines_(lines), ix_(ix), iz_(iz), at_(place_of(geometry, ix, iz)) {}

  [[nodiscard]] __device__ int n_elements() const { return geometry_.n_el; }
  [[nodiscard]] __device__ int n_transmits() const { return geometry_.n_tx; }

  [[nodiscard]] __device__ __forceinline__ Element element(int e) const {
    const ElementGeometry& element = geometry_.elements[e];
    const float weight = receive_weight(geometry_, element, at_);
    if (weight == 0.0f) return {0.0f, 0.0f, {0.0f, 0.0f}, e};
    const float excess = receive_excess<DasForm::general>(geometry_, element.x_m, element.z_m, at_);
    return {weight, excess, reduced_phasor(excess * geometry_.turns_per_sample), e};
  }

  [[nodiscard]] __device__ __forceinline__ Transmit transmit(int t) const {
    const TransmitPlace place = transmit_place<DasForm::general>(geometry_, t, ix_, iz_);
    const float turns = transmit_turns<DasForm::general>(geometry_, t, ix_, iz_, place.excess);
    // A base that no such float counts lies outside every record.
    const int base = abs(place.base) < kMostSamples ? place.base : -kMostSamples;
    return {transmit_weight<DasForm::general>(geometry_, t, ix_, iz_), place.excess, kMagic + static_cast<float>(base),
            unit_phasor(turns), place.transmit};
  }

  [[nodiscard]] __device__ __forceinline__ bool recorded(const Transmit& t, const Element& e) const {
    return t.transmit >= 0 && is_inside(__fadd_rd(t.excess + e.excess, t.magic));
  }

  [[nodiscard]] __device__ __forceinline__ ChannelSample sample(const Transmit& t, const Element& e) const {
    const float p = t.excess + e.excess;
    const float place = __fadd_rd(p, t.magic);
    if (t.transmit < 0 || !is_inside(place)) return {{0.0f, 0.0f}, false};
    const float w = p - (place - t.magic);
    const Complex* s = lines_ + (static_cast<long long>(t.transmit) * geometry_.n_el + e.index) * geometry_.n_line +
                       (__float_as_uint(place) - kMagicBits);
    const Complex a = s[0];
    const Complex b = s[1];
    const Complex v{__fmaf_rn(w, b.re - a.re, a.re), __fmaf_rn(w, b.im - a.im, a.im)};
    return {t.turn * e.turn * v, true};
  }

 private:
  [[nodiscard]] __device__ __forceinline__ bool is_inside(float place) const {
    return __float_as_uint(place) - kMagicBits < static_cast<unsigned>(geometry_.n_valid - 1);
  }

  const DasGeometry& geometry_;
  const Complex* lines_;
  int ix_, iz_;
  PixelPlace at_;
};

// Which channels a method compares, and when.
enum class ChannelLoop { each_transmit, compounded, both, transmits };

template <class Method>
ChannelLoop loop_of(const Method& method) {
  if constexpr (!Method::replaces) {
    if (method.axis == AdaptiveAxis::transmits) return ChannelLoop::transmits;
    if (method.axis == AdaptiveAxis::both) return ChannelLoop::both;
  }
  return method.order == AdaptiveOrder::compounded ? ChannelLoop::compounded : ChannelLoop::each_transmit;
}

// form_pixel() of dsp/methods/channel_sums.h, of one loop.
template <ChannelLoop loop, class Method, class Channels>
__device__ MethodPixel form_with(const Method& method, const Channels& channels) {
  if constexpr (loop == ChannelLoop::transmits) return form_transmits(method, channels);
  if constexpr (loop == ChannelLoop::both) return form_both(method, channels);
  if constexpr (loop == ChannelLoop::compounded) return form_compounded(method, channels);
  return form_each_transmit(method, channels);
}

template <ChannelLoop loop, class Method, class Tile>
__device__ MethodPixel form_tile_with(const Method& method, const Tile& tile) {
  if constexpr (loop == ChannelLoop::transmits) return form_tile_transmits(method, tile);
  if constexpr (loop == ChannelLoop::both) return form_tile_both(method, tile);
  if constexpr (loop == ChannelLoop::compounded) return form_tile_compounded(method, tile);
  return form_tile_each_transmit(method, tile);
}

// Sums of many bins: of several transmits they do not fit into registers.
template <class Method>
inline constexpr bool kLarge = sizeof(typename Method::Sums) > 64;

// An SM holds eight where 64 registers a thread are enough: then images of 100,000 pixels are made at once.
template <class Method>
inline constexpr int kBlocksPerSm = kLarge<Method>   ? 3
                                    : Method::counts ? 5
                                                     : 8;

template <ChannelLoop loop, class Channels, class Method>
__global__ void __launch_bounds__(kTileX* kTileZ, kBlocksPerSm<Method>)
    method_kernel(const __grid_constant__ DasGeometry geometry, const Method method, const TileArgs args,
                  const Complex* __restrict__ lines, const MethodImage to) {
  const int ix = thread_x();
  const int iz = thread_z();
  const long long at = static_cast<long long>(iz) * geometry.nx + ix;
  const bool in_image = ix < geometry.nx && iz < geometry.nz;
  MethodPixel made;
  bool tuned = false;
  if constexpr (std::is_same_v<Channels, FastChannels> && !(kLarge<Method> && loop == ChannelLoop::each_transmit)) {
    const TilePixels tile(geometry, args, lines, ix, iz);
    tuned = args.may_fit && tile.fits();
    if (tuned && args.is_weighed) made = form_tile_with<loop>(method, TileChannels<true>(tile));
    if (tuned && !args.is_weighed) made = form_tile_with<loop>(method, TileChannels<false>(tile));
  }
  if (!in_image) return;
  if (!tuned) made = form_with<loop>(method, Channels(geometry, lines, ix, iz));
  to.pixels[at] = made.sum;
  to.weights[at] = made.weight;
}

// Rows first .. first + count - 1, [count][n_slice][nx].
struct Slices {
  Complex* values;
  int n_slice;
  int first;
  int count;

  // Of row first + row.
  [[nodiscard]] __device__ Strided of(int row, int ix, int nx) const {
    return {values + static_cast<long long>(row) * n_slice * nx + ix, nx};
  }
};

template <class Channels>
__global__ void __launch_bounds__(kTileX* kTileZ)
    store_kernel(const __grid_constant__ DasGeometry geometry, int neighbours, const Complex* __restrict__ lines,
                 const Slices to) {
  const int ix = thread_x();
  const int row = thread_z();
  if (ix >= geometry.nx || row >= to.count) return;
  store_channels(Channels(geometry, lines, ix, to.first + row), neighbours, to.of(row, ix, geometry.nx));
}

// Sums of pairs of channels up to kMost places apart. Channels are taken two by two: half as many moves from register
// to register as one by one.
template <int kMost>
struct LagSums {
  Complex before[kMost] = {};  // the channel m + 1 places before
  float pairs[kMost] = {};
  Complex waiting{0.0f, 0.0f};  // the first of two
  bool waits = false;

  static __device__ __forceinline__ float product(Complex a, Complex b) { return a.re * b.re + a.im * b.im; }

  __device__ __forceinline__ void add(Complex s) {
    if (!waits) {
      waiting = s;
      waits = true;
      return;
    }
    waits = false;
#pragma unroll
    for (int m = 0; m < kMost; ++m) {
      pairs[m] += product(waiting, before[m]);
      pairs[m] += product(s, m == 0 ? waiting : before[m - 1]);
    }
#pragma unroll
    for (int m = kMost - 1; m > 1; --m) before[m] = before[m - 2];
    before[0] = s;
    before[1] = waiting;
  }

  // After the last channel.
  __device__ __forceinline__ void finish() {
    if (!waits) return;
#pragma unroll
    for (int m = 0; m < kMost; ++m) pairs[m] += product(waiting, before[m]);
#pragma unroll
    for (int m = kMost - 1; m > 0; --m) before[m] = before[m - 1];
    before[0] = waiting;
  }
};

// Short-lag coherence of pixels of whose channels none between the first and the last is 0: sums of energies are those
// of all channels less the first or last ones.
template <int kMost, class Tile>
__device__ bool store_tile_terms(const ShortLagCoherence& method, const Tile& tile, bool in_image, const Strided& to) {
  constexpr float kLeastShare = 1e-2f;  // of the energy, that the difference may leave
  LagSums<kMost> sums;
  float energy = 0.0f;
  float least = 1.0f;  // energy of a channel
  int n = 0;
  int first = 0;
  int last = 0;
  for_each_compounded(tile, [&](const TilePixels::Element& element, Complex s) {
    const float own = LagSums<kMost>::product(s, s);
    least = fminf(least, own);
    last = element.index;
    if (n == 0) first = last;
    energy += own;
    if (in_image && n < method.lags) to[2 * n + 1].re = energy;
    sums.add(s);
    ++n;
  });
  sums.finish();
  if (!in_image || !(least > 0.0f) || n == 0 || last - first + 1 != n) return false;
  float behind = 0.0f;
#pragma unroll
  for (int m = 0; m < kMost; ++m) {
    if (m >= method.lags) break;
    behind += LagSums<kMost>::product(sums.before[m], sums.before[m]);
    const bool any = m + 1 < n;
    const float left = any ? energy - behind : 0.0f;
    const float right = any ? energy - to[2 * m + 1].re : 0.0f;
    if (any && fminf(left, right) < kLeastShare * energy) return false;
    to[2 * m] = {sums.pairs[m], left};
    to[2 * m + 1] = {right, 0.0f};
  }
  to[2 * method.lags] = {1.0f, 0.0f};
  return true;
}

constexpr int kFewLags = 10;  // sums of so many stay in registers of which an SM has enough

// elements: work space of pixels that are not made so.
template <int kMost, class Channels>
__global__ void __launch_bounds__(kTileX* kTileZ, kMost > kFewLags ? 3 : 5)
    slsc_terms_kernel(const __grid_constant__ DasGeometry geometry, const ShortLagCoherence method, const TileArgs args,
                      const Complex* __restrict__ lines, const Slices elements, const Slices terms) {
  const int ix = thread_x();
  const int row = thread_z();
  const bool in_image = ix < geometry.nx && row < terms.count;
  const Strided to = in_image ? terms.of(row, ix, geometry.nx) : Strided{};
  bool made = false;
  if constexpr (std::is_same_v<Channels, FastChannels>) {
    const TilePixels tile(geometry, args, lines, ix, terms.first + row);
    if (args.may_fit && method.lags <= kMost && tile.fits()) {
      made = args.is_weighed ? store_tile_terms<kMost>(method, TileChannels<true>(tile), in_image, to)
                             : store_tile_terms<kMost>(method, TileChannels<false>(tile), in_image, to);
    }
  }
  if (made || !in_image) return;
  const Strided element = elements.of(row, ix, geometry.nx);
  store_channels(Channels(geometry, lines, ix, terms.first + row), 1, element);
  method.store_terms([&](int e) { return element[e]; }, geometry.n_el, to);
}

struct RowBand {
  int begin, end;   // rows of the image that are made
  int kernel_rows;  // K
  int nx, nz;
};

__device__ StridedRows rows_around(const Slices& slices, const RowBand& band, int ix, int iz) {
  const int first = iz > band.kernel_rows ? iz - band.kernel_rows : 0;
  const int last = iz + band.kernel_rows < band.nz ? iz + band.kernel_rows : band.nz - 1;
  return {.first = slices.of(first - slices.first, ix, band.nx).at,
          .row_step = static_cast<long long>(slices.n_slice) * band.nx,
          .step = band.nx,
          .count = last - first + 1,
          .centre = iz - first};
}

__global__ void __launch_bounds__(kTileX* kTileZ)
    slsc_kernel(const ShortLagCoherence method, const Slices terms, const RowBand band, const MethodImage to) {
  const int ix = thread_x();
  const int iz = band.begin + thread_z();
  if (ix >= band.nx || iz >= band.end) return;
  const float value = method.pixel(rows_around(terms, band, ix, iz));
  const long long at = static_cast<long long>(iz) * band.nx + ix;
  to.pixels[at] = {value, 0.0f};
  to.weights[at] = value;
}

// scratch: [n_scratch][threads of the launch]
__global__ void __launch_bounds__(kTileX* kTileZ)
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

// How rows are divided, so that scratch stays within kMostScratch where one row does.
struct RowPlan {
  std::size_t per_row;     // complex values of a row of slices
  std::size_t per_pixels;  // and of a row of pixels
  int band;                // rows of pixels in a band
};

constexpr std::size_t kMostScratch = std::size_t{192} << 20;  // bytes

RowPlan plan_rows(const MethodSettings& s, const DasGeometry& g) {
  const auto nx = static_cast<std::size_t>(g.nx);
  RowPlan plan{};
  if (s.method == Adaptive::slsc) {
    plan.per_row = nx * static_cast<std::size_t>(g.n_el + 1 + ShortLagCoherence{s.lags}.n_terms());
  } else {
    const int n = n_channels(g.n_el, s.neighbours);
    plan.per_row = nx * static_cast<std::size_t>(n + 1);
    plan.per_pixels = nx * static_cast<std::size_t>(MinimumVariance{s.subarray, s.loading}.n_scratch(n));
  }
  const std::size_t rows = kMostScratch / sizeof(Complex);
  const std::size_t halo = plan.per_row * 2 * static_cast<std::size_t>(s.rows);
  const std::size_t fit = rows > halo ? (rows - halo) / (plan.per_row + plan.per_pixels) : 0;
  const auto nz = static_cast<std::size_t>(g.nz);
  const std::size_t most = std::clamp(fit, std::min(std::size_t{8}, nz), nz);
  const std::size_t bands = (nz + most - 1) / most;
  // Of about one size: a small band takes as long as a large one.
  plan.band = static_cast<int>((nz + bands - 1) / bands);
  return plan;
}

int slice_rows(const MethodSettings& s, const DasGeometry& g, int band) { return std::min(g.nz, band + 2 * s.rows); }

template <class Channels>
void sum_by_rows(const MethodSettings& s, const DasGeometry& g, const Complex* lines, MethodImage to, Complex* scratch,
                 StreamView stream) {
  const dim3 threads(kTileX, kTileZ);
  const RowPlan plan = plan_rows(s, g);
  for (int begin = 0; begin < g.nz; begin += plan.band) {
    const int end = std::min(begin + plan.band, g.nz);
    const RowBand band{begin, end, s.rows, g.nx, g.nz};
    const int first = std::max(begin - s.rows, 0);
    const int count = std::min(end + s.rows, g.nz) - first;
    const bool slsc = s.method == Adaptive::slsc;
    const int neighbours = slsc ? 1 : s.neighbours;
    const int n = n_channels(g.n_el, neighbours);
    const Slices channels{scratch, n + 1, first, count};
    Complex* const behind =
        scratch + static_cast<std::size_t>(count) * static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(g.nx);
    if (slsc) {
      const ShortLagCoherence method{s.lags};
      const Slices terms{behind, method.n_terms(), first, count};
      const auto kernel =
          s.lags > kFewLags ? slsc_terms_kernel<2 * kFewLags, Channels> : slsc_terms_kernel<kFewLags, Channels>;
      kernel<<<tiles(g.nx, count), threads, 0, stream.get()>>>(g, method, TileArgs::of(g), lines, channels, terms);
      slsc_kernel<<<tiles(g.nx, end - begin), threads, 0, stream.get()>>>(method, terms, band, to);
    } else {
      store_kernel<Channels><<<tiles(g.nx, count), threads, 0, stream.get()>>>(g, neighbours, lines, channels);
      const MinimumVariance method{s.subarray, s.loading};
      minimum_variance_kernel<<<tiles(g.nx, end - begin), threads, 0, stream.get()>>>(method, n, channels, band, behind,
                                                                                      to);
    }
  }
}

}  // namespace

std::size_t method_scratch(const MethodSettings& s, const DasGeometry& g) {
  if (!reads_rows(s.method)) return 0;
  const RowPlan plan = plan_rows(s, g);
  return plan.per_row * static_cast<std::size_t>(slice_rows(s, g, plan.band)) +
         plan.per_pixels * static_cast<std::size_t>(plan.band);
}

void sum_by_method(const MethodSettings& s, const DasGeometry& g, const Complex* lines, const MethodBuffers& buffers,
                   StreamView stream) {
  const MethodImage to{buffers.pixels, buffers.weights};
  const bool countable = g.n_line < kMostSamples;
  if (reads_rows(s.method)) {
    const auto run = countable ? sum_by_rows<FastChannels> : sum_by_rows<DasChannels>;
    run(s, g, lines, to, buffers.scratch, stream);
  }
  with_method(s, [&](const auto& method) {
    const auto run = [&](auto kernel) {
      kernel<<<tiles(g.nx, g.nz), dim3(kTileX, kTileZ), 0, stream.get()>>>(g, method, TileArgs::of(g), lines, to);
    };
    using Method = std::decay_t<decltype(method)>;
    const auto run_loop = [&]<ChannelLoop loop>() {
      run(countable ? method_kernel<loop, FastChannels, Method> : method_kernel<loop, DasChannels, Method>);
    };
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

}  // namespace echoloop::cuda
