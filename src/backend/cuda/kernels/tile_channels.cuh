// Channels of the 8 x 4 pixels of a warp for adaptive methods, tuned for pixels whose samples all lie within the record
// and whose squares fit floats unscaled. Samples then need no checks, and every transmit has the same elements.
#pragma once

#include "backend/cuda/kernels/das_math.cuh"
#include "dsp/level.h"

namespace echoloop::cuda {

// Elements that count: all equally (also in a straight line), or by weight.
enum class TileElements { flat, equal, weighed };

// Values common to all pixels.
struct TileArgs {
  unsigned transmit_samples;  // between the lines of successive transmits
  TileElements elements;
  bool may_fit;  // every pixel reads every transmit's lines, of at most kMostSamples
};

// Pixels of a warp and their transmits.
class TilePixels {
 public:
  static constexpr int kTogether = 3;  // transmits that share one receive part

  struct Element {
    int index;
    float weight;
    float excess;  // samples
    Complex turn;
    unsigned line;  // first sample of its line of a group's first transmit, among all lines
  };
  // n transmits, kTogether or 1.
  template <int n>
  struct Group {
    static constexpr int kSize = n;
    int first;
    float excess[n];  // samples beyond the base
    float magic[n];   // kMagic + base
  };

  // All threads of the warp; those beyond the edge use the image's last pixel.
  __device__ TilePixels(const DasGeometry& g, const TileArgs& args, const Complex* lines, int ix, int iz)
      : g_(g),
        lines_(lines),
        ix_(min(ix, g.nx - 1)),
        iz_(min(iz, g.nz - 1)),
        at_(place_of(g, ix_, iz_)),
        origin_(reinterpret_cast<unsigned long long>(lines) -
                static_cast<unsigned long long>(kMagicBits) * sizeof(Complex)),
        transmit_samples_(args.transmit_samples) {}

  // Returns true, for the whole warp, if the tuned form applies: from the elements' delays at one of its pixels, and
  // the samples of 32 elements and the first transmit there.
  [[nodiscard]] __device__ bool fits() const {
    constexpr int kMiddle = 20;  // centre of 8 x 4
    const PixelPlace middle{__shfl_sync(kWarp, at_.x_m, kMiddle), __shfl_sync(kWarp, at_.z_m, kMiddle),
                            __shfl_sync(kWarp, at_.r_m, kMiddle)};
    const float start = __shfl_sync(kWarp, start_of(0), kMiddle);
    const float reference_m = g_.down_m == nullptr ? fabsf(middle.z_m) : middle.r_m;
    const auto excess_of = [&](int e) {  // less precise than receive_excess()
      const ElementGeometry& element = g_.elements[e];
      return (distance_of(middle.x_m - element.x_m, middle.z_m - element.z_m) - reference_m) * g_.samples_per_m;
    };
    const int own = static_cast<int>(threadIdx.x) * g_.n_el / 32;
    const int sample = min(max(__float2int_rd(start + excess_of(own)), 0), g_.n_valid - 1);
    const Complex v = lines_[static_cast<long long>(own) * g_.n_line + sample];
    float nearest = 1e30f;
    float farthest = -1e30f;
    for (int e = static_cast<int>(threadIdx.x); e < g_.n_el; e += 32) {
      const float rx = excess_of(e);
      nearest = fminf(nearest, rx);
      farthest = fmaxf(farthest, rx);
    }
    const float dx = at_.x_m - middle.x_m;
    const float dz = at_.z_m - middle.z_m;
    // Distance and depth of a pixel differ from the centre's by at most its distance from the centre.
    const float slack = 2.0f + 2.0f * warp_max(sqrtf(dx * dx + dz * dz)) * g_.samples_per_m;
    nearest = -warp_max(-nearest) - slack;
    farthest = warp_max(farthest) + slack;
    const float largest = warp_max(fmaxf(fabsf(v.re), fabsf(v.im)));
    bool fit = largest > 0.0f && factor_towards_one(largest) == 1.0f;
    for (int t = 0; t < g_.n_tx; ++t) {
      const float at = start_of(t);
      fit = fit && at + nearest >= 0.0f && at + farthest <= static_cast<float>(g_.n_valid - 2);
    }
    return __all_sync(kWarp, fit) != 0;
  }

  // Calls run(group) for all transmits.
  template <class Run>
  __device__ __forceinline__ void for_each_group(int first, const Run& run) const {
#pragma unroll 1
    for (; first + kTogether <= g_.n_tx; first += kTogether) run(group<kTogether>(first));
#pragma unroll 1
    for (; first < g_.n_tx; ++first) run(group<1>(first));
  }

  template <class Run>
  __device__ __forceinline__ void with_first_group(const Run& run) const {
    if (g_.n_tx >= kTogether)
      run(group<kTogether>(0));
    else
      run(group<1>(0));
  }

  [[nodiscard]] __device__ bool is_one_group() const { return g_.n_tx == kTogether || g_.n_tx == 1; }
  [[nodiscard]] __device__ int n_elements() const { return g_.n_el; }

  // Returns the element with its line of transmit `first`.
  [[nodiscard]] __device__ Element of_transmit(int first, Element element) const {
    element.line += static_cast<unsigned>(first) * transmit_samples_;
    return element;
  }

  // Calls run(t, v) for the transmits of a group, v interpolated.
  template <int n, class Run>
  __device__ __forceinline__ void for_each_value(const Group<n>& group, const Element& element, const Run& run) const {
#pragma unroll
    for (int t = 0; t < n; ++t) {
      const float p = group.excess[t] + element.excess;
      const float place = __fadd_rd(p, group.magic[t]);
      const float w = p - (place - group.magic[t]);
      const unsigned sample = element.line + t * transmit_samples_ + __float_as_uint(place);
      const auto* s =
          reinterpret_cast<const float2*>(origin_ + static_cast<unsigned long long>(sample) * sizeof(Complex));
      const float2 a = __ldg(s);
      const float2 b = __ldg(s + 1);
      run(t, Complex{__fmaf_rn(w, b.x - a.x, a.x), __fmaf_rn(w, b.y - a.y, a.y)});
    }
  }

  [[nodiscard]] __device__ float transmit_weight(int t) const { return echoloop::transmit_weight(g_, t); }
  [[nodiscard]] __device__ Complex transmit_turn(int t, float excess) const {
    return unit_phasor(transmit_turns<DasForm::plain>(g_, t, ix_, iz_, excess));
  }

 protected:
  [[nodiscard]] __device__ unsigned line_of(int transmit, int e) const {
    return static_cast<unsigned>(transmit) * transmit_samples_ + static_cast<unsigned>(e * g_.n_line);
  }

  const DasGeometry& g_;
  const Complex* lines_;
  int ix_, iz_;
  PixelPlace at_;
  unsigned long long origin_;  // address of the lines minus kMagicBits samples; an integer, as no such object exists
  unsigned transmit_samples_;

 private:
  static constexpr unsigned kWarp = 0xffffffffU;

  template <int n>
  [[nodiscard]] __device__ Group<n> group(int first) const {
    Group<n> made{.first = first};
#pragma unroll
    for (int t = 0; t < n; ++t) {
      const int row = (first + t) * g_.nz + iz_;
      made.excess[t] = g_.tx_excess[static_cast<long long>(row) * g_.nx + ix_];
      made.magic[t] = kMagic + static_cast<float>(g_.row_base[row]);
    }
    return made;
  }

  // Returns samples; far outside the record if they cannot be counted.
  [[nodiscard]] __device__ float start_of(int t) const {
    const int row = t * g_.nz + iz_;
    const int base = g_.row_base[row];
    const float excess = g_.tx_excess[static_cast<long long>(row) * g_.nx + ix_];
    return fabsf(excess) < 1e6f && abs(base) < kMostSamples ? static_cast<float>(base) + excess : -1e9f;
  }

  static __device__ float warp_max(float v) {
#pragma unroll
    for (int by = 16; by > 0; by /= 2) v = fmaxf(v, __shfl_xor_sync(kWarp, v, by));
    return v;
  }
};

template <TileElements kElements>
class TileChannels : public TilePixels {
 public:
  static constexpr bool kIsWeighed = kElements == TileElements::weighed;

  __device__ explicit TileChannels(const TilePixels& pixels) : TilePixels(pixels) {}

  // Returns the number of elements that count; needs a loop if they are weighted.
  [[nodiscard]] __device__ float n_channels() const {
    if (!kIsWeighed) return static_cast<float>(g_.n_el);
    float n = 0.0f;
    for (int e = 0; e < g_.n_el; ++e) n += receive_weight(g_, g_.elements[e], at_) != 0.0f ? 1.0f : 0.0f;
    return n;
  }

  // Calls run(element) for those that count, with their lines of transmit `first`.
  template <class Run>
  __device__ __forceinline__ void for_each_element(int first, const Run& run) const {
    unsigned line = line_of(first, 0);
    constexpr int kAtOnce = kIsWeighed ? 1 : 2;
#pragma unroll kAtOnce
    for (int e = 0; e < g_.n_el; ++e, line += static_cast<unsigned>(g_.n_line)) {
      const float weight = weight_of(e);
      if (kIsWeighed && weight == 0.0f) continue;
      run(element_at(e, weight, line));
    }
  }

  // Returns the element with its line of the first transmit.
  [[nodiscard]] __device__ __forceinline__ Element element(int e) const {
    return element_at(e, weight_of(e), line_of(0, e));
  }
  // Returns weight 0 past the last element.
  [[nodiscard]] __device__ __forceinline__ Element element_or_none(int e) const {
    return e < g_.n_el ? element(e) : Element{};
  }

  // Calls run(element, mirrored element), from the outermost pair inwards.
  template <class Run>
  __device__ __forceinline__ void for_each_mirrored(int first, const Run& run) const {
#pragma unroll 2
    for (int a = 0, b = g_.n_el - 1; a < b; ++a, --b)
      run(element_at(a, 1.0f, line_of(first, a)), element_at(b, 1.0f, line_of(first, b)));
  }

  // Calls run(element) for the element that is its own mirror, if any.
  template <class Run>
  __device__ __forceinline__ void with_middle(int first, const Run& run) const {
    const int middle = g_.n_el / 2;
    if (g_.n_el % 2 != 0) run(element_at(middle, 1.0f, line_of(first, middle)));
  }

 private:
  [[nodiscard]] __device__ __forceinline__ float weight_of(int e) const {
    return kIsWeighed ? receive_weight(g_, g_.elements[e], at_) : 1.0f;
  }
  [[nodiscard]] __device__ __forceinline__ Element element_at(int e, float weight, unsigned line) const {
    const ElementGeometry& element = g_.elements[e];
    const float rx = kElements == TileElements::flat ? flat_excess(g_, element, at_)
                                                     : receive_excess<DasForm::general>(g_, element, at_);
    return {e, weight, rx, delay_phasor(rx, g_.turns_per_sample), line};
  }
};

// Calls run(channels) with the elements of the pixels.
template <class Run>
__device__ __forceinline__ auto with_elements(const TilePixels& pixels, TileElements elements, const Run& run) {
  if (elements == TileElements::flat) return run(TileChannels<TileElements::flat>(pixels));
  if (elements == TileElements::equal) return run(TileChannels<TileElements::equal>(pixels));
  return run(TileChannels<TileElements::weighed>(pixels));
}

}  // namespace echoloop::cuda
