// The channels of the 8 x 4 pixels of a warp for adaptive methods, tuned: where all samples that the pixels read lie
// within the record, and floats hold their squares as they are. Nothing has to be checked for a sample then, and every
// transmit has the same elements.
#pragma once

#include "backend/cuda/kernels/das_math.cuh"
#include "dsp/level.h"

namespace echoloop::cuda {

// What is the same for all pixels.
struct TileArgs {
  unsigned long long transmit_bytes;  // from a transmit's lines to the next one's
  bool is_weighed;                    // elements have weights
  bool may_fit;                       // every pixel has the lines of every transmit, of at most kMostSamples

  static TileArgs of(const DasGeometry& g) {
    return {static_cast<unsigned long long>(g.n_el) * static_cast<unsigned long long>(g.n_line) * sizeof(Complex),
            g.f_number > 0.0f || g.apodization != Apodization::boxcar || g.width_over_wavelength > 0.0f,
            g.columns == nullptr && g.weights.cone == nullptr && g.n_line < kMostSamples};
  }
};

// The pixels of a warp and their transmits.
class TilePixels {
 public:
  static constexpr int kTogether = 3;  // transmits for which the receive part is computed once

  struct Element {
    int index;
    float weight;
    float excess;  // samples
    Complex turn;
    unsigned long long line;  // address of its line of a group's first transmit, less kMagicBits samples
  };
  // n transmits, kTogether or 1.
  template <int n>
  struct Group {
    static constexpr int kSize = n;
    int first;
    float excess[n];  // samples beyond the base
    float magic[n];   // kMagic + base
  };

  // Every thread of the warp; of threads beyond the edge the image's last pixel.
  __device__ TilePixels(const DasGeometry& g, const TileArgs& args, const Complex* lines, int ix, int iz)
      : g_(g),
        lines_(lines),
        ix_(min(ix, g.nx - 1)),
        iz_(min(iz, g.nz - 1)),
        at_(place_of(g, ix_, iz_)),
        transmit_bytes_(args.transmit_bytes) {}

  // The same for the warp. From the elements' delays at one of its pixels, and the samples of the first transmit there.
  [[nodiscard]] __device__ bool fits() const {
    constexpr int kMiddle = 20;  // of 8 x 4
    const PixelPlace middle{__shfl_sync(kWarp, at_.x_m, kMiddle), __shfl_sync(kWarp, at_.z_m, kMiddle),
                            __shfl_sync(kWarp, at_.r_m, kMiddle)};
    const float start = __shfl_sync(kWarp, start_of(0), kMiddle);
    float nearest = 1e30f;
    float farthest = -1e30f;
    float largest = 0.0f;
    for (int e = static_cast<int>(threadIdx.x); e < g_.n_el; e += 32) {
      const float rx = receive_excess<DasForm::general>(g_, g_.elements[e].x_m, g_.elements[e].z_m, middle);
      nearest = fminf(nearest, rx);
      farthest = fmaxf(farthest, rx);
      const int i = min(max(__float2int_rd(start + rx), 0), g_.n_valid - 1);
      const Complex v = lines_[static_cast<long long>(e) * g_.n_line + i];
      largest = fmaxf(largest, fmaxf(fabsf(v.re), fabsf(v.im)));
    }
    const float dx = at_.x_m - middle.x_m;
    const float dz = at_.z_m - middle.z_m;
    // Distance and depth of a pixel change by no more than its way from the middle.
    const float slack = 2.0f + 2.0f * warp_max(sqrtf(dx * dx + dz * dz)) * g_.samples_per_m;
    nearest = -warp_max(-nearest) - slack;
    farthest = warp_max(farthest) + slack;
    largest = warp_max(largest);
    bool fit = largest > 0.0f && factor_towards_one(largest) == 1.0f;
    for (int t = 0; t < g_.n_tx; ++t) {
      const float at = start_of(t);
      fit = fit && at + nearest >= 0.0f && at + farthest <= static_cast<float>(g_.n_valid - 2);
    }
    return __all_sync(kWarp, fit) != 0;
  }

  // run(group) for all transmits.
  template <class Run>
  __device__ __forceinline__ void for_each_group(int first, const Run& run) const {
#pragma unroll 1
    for (; first + kTogether <= g_.n_tx; first += kTogether) run(group<kTogether>(first));
#pragma unroll 1
    for (; first < g_.n_tx; ++first) run(group<1>(first));
  }

  template <class Run>
  __device__ __forceinline__ void with_first_group(const Run& run) const {
    if (g_.n_tx >= kTogether) {
      run(group<kTogether>(0));
    } else {
      run(group<1>(0));
    }
  }

  [[nodiscard]] __device__ bool is_one_group() const { return g_.n_tx == kTogether || g_.n_tx == 1; }
  [[nodiscard]] __device__ int n_elements() const { return g_.n_el; }

  // The element with its line of a later transmit.
  [[nodiscard]] __device__ Element of_transmit(int first, Element element) const {
    element.line += static_cast<unsigned>(first) * transmit_bytes_;
    return element;
  }

  // run(t, v) for the transmits of a group, v interpolated.
  template <int n, class Run>
  __device__ __forceinline__ void for_each_value(const Group<n>& group, const Element& element, const Run& run) const {
#pragma unroll
    for (int t = 0; t < n; ++t) {
      const float p = group.excess[t] + element.excess;
      const float place = __fadd_rd(p, group.magic[t]);
      const float w = p - (place - group.magic[t]);
      const auto* s =
          reinterpret_cast<const float2*>(element.line + t * transmit_bytes_ +
                                          static_cast<unsigned long long>(__float_as_uint(place)) * sizeof(Complex));
      const float2 a = __ldg(s);
      const float2 b = __ldg(s + 1);
      run(t, Complex{__fmaf_rn(w, b.x - a.x, a.x), __fmaf_rn(w, b.y - a.y, a.y)});
    }
  }

  // run(t, x): turned by the phase of the receive delay.
  template <int n, class Run>
  __device__ __forceinline__ void for_each_sample(const Group<n>& group, const Element& element, const Run& run) const {
    for_each_value(group, element, [&](int t, Complex v) { run(t, element.turn * v); });
  }

  [[nodiscard]] __device__ float transmit_weight(int t) const { return echoloop::transmit_weight(g_, t); }
  [[nodiscard]] __device__ Complex transmit_turn(int t, float excess) const {
    return unit_phasor(transmit_turns<DasForm::plain>(g_, t, ix_, iz_, excess));
  }

 protected:
  [[nodiscard]] __device__ unsigned long long first_line(int transmit) const {
    // In integers: no such object exists.
    return reinterpret_cast<unsigned long long>(lines_) + static_cast<unsigned>(transmit) * transmit_bytes_ -
           static_cast<unsigned long long>(kMagicBits) * sizeof(Complex);
  }
  [[nodiscard]] __device__ unsigned long long line_bytes() const {
    return static_cast<unsigned long long>(g_.n_line) * sizeof(Complex);
  }
  [[nodiscard]] __device__ __forceinline__ Element element_at(int e, float weight, unsigned long long line) const {
    const ElementGeometry* element = g_.elements + e;
    const float rx = receive_excess<DasForm::general>(g_, element->x_m, element->z_m, at_);
    return {e, weight, rx, reduced_phasor(rx * g_.turns_per_sample), line};
  }

  const DasGeometry& g_;
  const Complex* lines_;
  int ix_, iz_;
  PixelPlace at_;
  unsigned long long transmit_bytes_;

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

  // Samples; far outside the record where they cannot be counted.
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

// Its elements: all of them, or those of a weight.
template <bool kWeighed>
class TileChannels : public TilePixels {
 public:
  static constexpr bool kIsWeighed = kWeighed;

  __device__ explicit TileChannels(const TilePixels& pixels) : TilePixels(pixels) {}

  // Elements that count; a loop of its own where they are weighed.
  [[nodiscard]] __device__ float n_channels() const {
    if (!kWeighed) return static_cast<float>(g_.n_el);
    float n = 0.0f;
    for (int e = 0; e < g_.n_el; ++e) n += receive_weight(g_, g_.elements[e], at_) != 0.0f ? 1.0f : 0.0f;
    return n;
  }

  // run(element) for those that count; their lines are those of transmit `first`.
  template <class Run>
  __device__ __forceinline__ void for_each_element(int first, const Run& run) const {
    unsigned long long line = first_line(first);
#pragma unroll 1
    for (int e = 0; e < g_.n_el; ++e, line += line_bytes()) {
      float weight = 1.0f;
      if constexpr (kWeighed) weight = receive_weight(g_, g_.elements[e], at_);
      if (weight == 0.0f) continue;
      run(element_at(e, weight, line));
    }
  }

  // With its line of the first transmit; weight 0 where there is none that counts.
  [[nodiscard]] __device__ __forceinline__ Element element_or_none(int e) const {
    if (e >= g_.n_el) return {};
    const float weight = kWeighed ? receive_weight(g_, g_.elements[e], at_) : 1.0f;
    return element_at(e, weight, first_line(0) + static_cast<unsigned>(e) * line_bytes());
  }

  // run(element, mirrored element), from the first and the last one to the middle; an element there has itself.
  template <class Run>
  __device__ __forceinline__ void for_each_mirrored(int first, const Run& run) const {
    const unsigned long long begin = first_line(first);
#pragma unroll 1
    for (int e = 0; 2 * e < g_.n_el; ++e) {
      const int mirrored = g_.n_el - 1 - e;
      run(element_at(e, 1.0f, begin + static_cast<unsigned>(e) * line_bytes()),
          element_at(mirrored, 1.0f, begin + static_cast<unsigned>(mirrored) * line_bytes()));
    }
  }
};

}  // namespace echoloop::cuda
