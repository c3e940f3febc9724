// Adaptive methods that are sums over the channels of a pixel (dsp/methods/channel_sums.h): one thread per pixel, with
// the pixel's channels as in das_pixel(), by the fast instructions of das_math.cuh if lines are short enough. A warp
// owns 8 x 4 pixels, as in das_grouped.cu. No standard library: compiled with the program and, for methods of the user,
// while it runs (own_method.cuh).
#pragma once

#include "backend/cuda/kernels/tile_sums.cuh"
#include "dsp/methods/element_rows.h"

namespace echoloop::cuda {

inline constexpr int kTileX = 32;
inline constexpr int kWarpX = 8;
inline constexpr int kWarpZ = 4;

struct MethodImage {
  Complex* pixels;
  float* weights;
};

// Returns the column of the thread's pixel. A warp has 8 x 4 of the block's 32 x blockDim.y pixels, number threadIdx.y.
inline __device__ int thread_x() {
  return static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.y) % (kTileX / kWarpX) * kWarpX +
         static_cast<int>(threadIdx.x) % kWarpX;
}
inline __device__ int thread_z() {
  return static_cast<int>(blockIdx.y * blockDim.y) + static_cast<int>(threadIdx.y) / (kTileX / kWarpX) * kWarpZ +
         static_cast<int>(threadIdx.x) / kWarpX;
}

// Same as echoloop::DasChannels, for any grid and transmits, by fast instructions.
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
    int base;
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
    const float excess = receive_excess<DasForm::general>(geometry_, element, at_);
    return {weight, excess, delay_phasor(excess, geometry_.turns_per_sample), e};
  }

  [[nodiscard]] __device__ __forceinline__ Transmit transmit(int t) const {
    const TransmitPlace place = transmit_place<DasForm::general>(geometry_, t, ix_, iz_);
    const float turns = transmit_turns<DasForm::general>(geometry_, t, ix_, iz_, place.excess);
    return {transmit_weight<DasForm::general>(geometry_, t, ix_, iz_), place.excess, place.base, unit_phasor(turns),
            place.transmit};
  }

  [[nodiscard]] __device__ __forceinline__ bool recorded(const Transmit& t, const Element& e) const {
    return place_of_sample(t, t.excess + e.excess).inside;
  }

  [[nodiscard]] __device__ __forceinline__ ChannelSample sample(const Transmit& t, const Element& e) const {
    const Place place = place_of_sample(t, t.excess + e.excess);
    if (!place.inside) return {{0.0f, 0.0f}, false};
    const Complex* s =
        lines_ + (static_cast<long long>(t.transmit) * geometry_.n_el + e.index) * geometry_.n_line + place.whole;
    const Complex a = s[0];
    const Complex b = s[1];
    const Complex v{__fmaf_rn(place.rest, b.re - a.re, a.re), __fmaf_rn(place.rest, b.im - a.im, a.im)};
    return {t.turn * e.turn * v, true};
  }

 private:
  struct Place {
    int whole;
    float rest;
    bool inside;
  };

  // `beyond`: samples after the base.
  [[nodiscard]] __device__ __forceinline__ Place place_of_sample(const Transmit& t, float beyond) const {
    constexpr float kFar = 1e9f;  // longer than any record, and sums of integers do not overflow
    const int whole = __float2int_rd(fminf(fmaxf(beyond, -kFar), kFar));
    const int place = max(min(t.base, 1 << 30), -(1 << 30)) + whole;
    return {place, beyond - static_cast<float>(whole),
            t.transmit >= 0 && static_cast<unsigned>(place) < static_cast<unsigned>(geometry_.n_valid - 1)};
  }

  const DasGeometry& geometry_;
  const Complex* lines_;
  int ix_, iz_;
  PixelPlace at_;
};

// Channels that a method compares, and when.
enum class ChannelLoop { each_transmit, compounded, both, transmits };

template <class Method>
ECHO_HD ChannelLoop loop_of(const Method& method) {
  if constexpr (!Method::replaces) {
    if (method.axis == AdaptiveAxis::transmits) return ChannelLoop::transmits;
    if (method.axis == AdaptiveAxis::both) return ChannelLoop::both;
  }
  return method.order == AdaptiveOrder::compounded ? ChannelLoop::compounded : ChannelLoop::each_transmit;
}

// Same as form_pixel() of dsp/methods/channel_sums.h, with a fixed loop.
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

// Sums of many bins: those of several transmits do not fit into registers.
template <class Method>
inline constexpr bool kLarge = sizeof(typename Method::Sums) > 64;

inline __device__ bool is_in_image(const DasGeometry& geometry) {
  return thread_x() < geometry.nx && thread_z() < geometry.nz;
}

// general: pixel by pixel; tuned: by tiles where they fit, a kernel of ten times the size.
enum class PixelForm { general, tuned };

// Forms pixel (thread_x(), thread_z()) if it is in the image; all threads of a warp.
template <ChannelLoop loop, PixelForm form, class Method>
__device__ __forceinline__ MethodPixel formed_at(const DasGeometry& geometry, const Method& method,
                                                 const TileArgs& args, const Complex* __restrict__ lines) {
  const int ix = thread_x();
  const int iz = thread_z();
  MethodPixel made{};
  bool tuned = false;
  if constexpr (form == PixelForm::tuned && !(kLarge<Method> && loop == ChannelLoop::each_transmit)) {
    const TilePixels tile(geometry, args, lines, ix, iz);
    tuned = args.may_fit && tile.fits();
    if (tuned) {
      made = with_elements(tile, args.elements,
                           [&](const auto& channels) { return form_tile_with<loop>(method, channels); });
    }
  }
  if (!tuned && is_in_image(geometry)) made = form_with<loop>(method, FastChannels(geometry, lines, ix, iz));
  return made;
}

// Methods that read rows store slices of a band of rows first, then make its pixels.

// Rows first .. first + count - 1, [count][n_slice][nx].
struct Slices {
  Complex* values;
  int n_slice;
  int first;
  int count;

  // Returns the slice of row first + row.
  [[nodiscard]] __device__ Strided of(int row, int ix, int nx) const {
    return {values + static_cast<long long>(row) * n_slice * nx + ix, nx};
  }
};

struct RowBand {
  int begin, end;   // rows of the image to make
  int kernel_rows;  // K
  int nx, nz;
};

inline __device__ StridedRows rows_around(const Slices& slices, const RowBand& band, int ix, int iz) {
  const int first = iz > band.kernel_rows ? iz - band.kernel_rows : 0;
  const int last = iz + band.kernel_rows < band.nz ? iz + band.kernel_rows : band.nz - 1;
  return {.first = slices.of(first - slices.first, ix, band.nx).at,
          .row_step = static_cast<long long>(slices.n_slice) * band.nx,
          .step = band.nx,
          .count = last - first + 1,
          .centre = iz - first};
}

}  // namespace echoloop::cuda
