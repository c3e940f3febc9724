// The channels of the 8 x 4 pixels of a warp for adaptive methods, tuned: where all samples that the pixels read lie
// within the record, and floats hold their squares as they are. Nothing has to be checked for a sample then, and every
// transmit has the same elements. The sums are those of dsp/methods/channel_sums.h, without the turn of the transmit
// where all channels of a set share it.
#pragma once

#include <type_traits>

#include "backend/cuda/kernels/das_math.cuh"
#include "dsp/methods/channel_sums.h"

namespace echoloop::cuda {

// What is the same for all pixels.
struct TileArgs {
  unsigned long long transmit_bytes;  // from a transmit's lines to the next one's
  bool is_weighed;                    // elements have weights
  bool may_fit;                       // every pixel has the lines of every transmit

  static TileArgs of(const DasGeometry& g) {
    return {static_cast<unsigned long long>(g.n_el) * static_cast<unsigned long long>(g.n_line) * sizeof(Complex),
            g.f_number > 0.0f || g.apodization != Apodization::boxcar || g.width_over_wavelength > 0.0f,
            g.columns == nullptr && g.weights.cone == nullptr};
  }
};

class TileChannels {
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
  __device__ TileChannels(const DasGeometry& g, const TileArgs& args, const Complex* lines, int ix, int iz)
      : g_(g),
        lines_(lines),
        ix_(min(ix, g.nx - 1)),
        iz_(min(iz, g.nz - 1)),
        at_(place_of(g, ix_, iz_)),
        transmit_bytes_(args.transmit_bytes),
        is_weighed_(args.is_weighed) {}

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

  // Elements that count; a loop of its own where they are weighed.
  [[nodiscard]] __device__ float n_channels() const {
    if (!is_weighed_) return static_cast<float>(g_.n_el);
    float n = 0.0f;
    for (int e = 0; e < g_.n_el; ++e) n += receive_weight(g_, g_.elements[e], at_) != 0.0f ? 1.0f : 0.0f;
    return n;
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

  // run(element) for those that count; their lines are those of transmit `first`.
  template <class Run>
  __device__ __forceinline__ void for_each_element(int first, const Run& run) const {
    // In integers: no such object exists.
    unsigned long long line = reinterpret_cast<unsigned long long>(lines_) +
                              static_cast<unsigned>(first) * transmit_bytes_ -
                              static_cast<unsigned long long>(kMagicBits) * sizeof(Complex);
#pragma unroll 1
    for (int e = 0; e < g_.n_el; ++e, line += static_cast<unsigned long long>(g_.n_line) * sizeof(Complex)) {
      const ElementGeometry* element = g_.elements + e;
      float weight = 1.0f;
      if (is_weighed_) weight = receive_weight(g_, *element, at_);
      if (weight == 0.0f) continue;
      const float rx = receive_excess<DasForm::general>(g_, element->x_m, element->z_m, at_);
      run(Element{e, weight, rx, reduced_phasor(rx * g_.turns_per_sample), line});
    }
  }

  // The element with its line of a later transmit.
  [[nodiscard]] __device__ Element of_transmit(int first, Element element) const {
    element.line += static_cast<unsigned>(first) * transmit_bytes_;
    return element;
  }

  // run(t, x) for the transmits of a group: x turned by the phase of the receive delay.
  template <int n, class Run>
  __device__ __forceinline__ void for_each_sample(const Group<n>& group, const Element& element, const Run& run) const {
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
      run(t, element.turn * Complex{__fmaf_rn(w, b.x - a.x, a.x), __fmaf_rn(w, b.y - a.y, a.y)});
    }
  }

  [[nodiscard]] __device__ float transmit_weight(int t) const { return echoloop::transmit_weight(g_, t); }
  [[nodiscard]] __device__ Complex transmit_turn(int t, float excess) const {
    return unit_phasor(transmit_turns<DasForm::plain>(g_, t, ix_, iz_, excess));
  }

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

  const DasGeometry& g_;
  const Complex* lines_;
  int ix_, iz_;
  PixelPlace at_;
  unsigned long long transmit_bytes_;
  bool is_weighed_;
};

// exp(2 pi i j / N) of the places that a method reads, j < N: absolute error 5e-7.
template <class Method>
__device__ __forceinline__ Complex turn_of(float place, float count) {
  if constexpr (!Method::counts) return {};
  const float radians = 6.28318531f * __fdividef(place, count);
  return {__cosf(radians), __sinf(radians)};
}

template <class Method>
__device__ __forceinline__ void add_channel(const Method& method, typename Method::Sums& sums, float weight, Complex x,
                                            Complex turn) {
  if constexpr (Method::counts) {
    method.add_turned(sums, weight, x, turn);
  } else {
    method.add(sums, weight, x, {});
  }
}

// What the sets of all transmits have in common: n channels and the sum of their weights.
template <class Method>
__device__ void set_common(ChannelSet<Method>& set, float n, float weights) {
  set.n = n;
  if constexpr (requires { set.sums.weights; }) set.sums.weights = weights;
  if constexpr (requires { set.sums.count; }) set.sums.count = n;
}

template <class Method>
__device__ MethodPixel form_tile_each_transmit(const Method& method, const TileChannels& tile) {
  FormedPixel made;
  const float count = Method::counts ? tile.n_channels() : 0.0f;
  tile.for_each_group(0, [&](const auto& group) {
    constexpr int kSize = std::decay_t<decltype(group)>::kSize;
    ChannelSet<Method> sets[kSize];
    float n = 0.0f;
    float weights = 0.0f;
    tile.for_each_element(group.first, [&](const TileChannels::Element& element) {
      const Complex turn = turn_of<Method>(n, count);
      tile.for_each_sample(group, element, [&](int t, Complex x) {
        sets[t].sum = sets[t].sum + element.weight * x;
        add_channel(method, sets[t].sums, element.weight, x, turn);
      });
      n += 1.0f;
      weights += fabsf(element.weight);
    });
#pragma unroll
    for (int t = 0; t < kSize; ++t) {
      set_common(sets[t], n, weights);
      FormedPixel one;
      one.factor = 1.0f;
      one.add(method, sets[t], tile.transmit_weight(group.first + t));
      const Complex turn = tile.transmit_turn(group.first + t, group.excess[t]);
      made.das = made.das + turn * one.das;
      made.formed = made.formed + turn * one.formed;
    }
  });
  return made.template pixel<Method>();
}

template <class Method>
__device__ MethodPixel pixel_of(const Method& method, const ChannelSet<Method>& set) {
  FormedPixel made;
  made.factor = 1.0f;
  made.add(method, set, 1.0f);
  return made.template pixel<Method>();
}

template <class Method>
__device__ MethodPixel form_tile_both(const Method& method, const TileChannels& tile) {
  const float count = Method::counts ? tile.n_channels() : 0.0f;
  ChannelSet<Method> all;
  Complex sum{0.0f, 0.0f};
  float n_all = 0.0f;
  float weights_all = 0.0f;
  tile.for_each_group(0, [&](const auto& group) {
    constexpr int kSize = std::decay_t<decltype(group)>::kSize;
    Complex transmit_turn[kSize];
    float weight[kSize];
    Complex partial[kSize] = {};
#pragma unroll
    for (int t = 0; t < kSize; ++t) {
      weight[t] = tile.transmit_weight(group.first + t);
      transmit_turn[t] = tile.transmit_turn(group.first + t, group.excess[t]);
    }
    float n = 0.0f;
    float weights = 0.0f;
    tile.for_each_element(group.first, [&](const TileChannels::Element& element) {
      const Complex turn = turn_of<Method>(n, count);
      tile.for_each_sample(group, element, [&](int t, Complex x) {
        partial[t] = partial[t] + element.weight * x;
        if constexpr (Method::reads_phases) x = transmit_turn[t] * x;
        add_channel(method, all.sums, element.weight * weight[t], x, turn);
      });
      n += 1.0f;
      weights += fabsf(element.weight);
    });
#pragma unroll
    for (int t = 0; t < kSize; ++t) {
      n_all += weight[t] != 0.0f ? n : 0.0f;
      weights_all += fabsf(weight[t]) * weights;
      sum = sum + weight[t] * transmit_turn[t] * partial[t];
    }
  });
  all.sum = sum;
  set_common(all, n_all, weights_all);
  if constexpr (requires { all.sums.count; }) all.sums.count = count;  // of one transmit
  return pixel_of(method, all);
}

template <class Method>
__device__ MethodPixel form_tile_transmits(const Method& method, const TileChannels& tile) {
  float count = 0.0f;
  if constexpr (Method::counts) {
    tile.for_each_group(0, [&](const auto& group) {
      for (int t = 0; t < std::decay_t<decltype(group)>::kSize; ++t) {
        count += tile.transmit_weight(group.first + t) != 0.0f ? 1.0f : 0.0f;
      }
    });
  }
  ChannelSet<Method> all;
  tile.for_each_group(0, [&](const auto& group) {
    constexpr int kSize = std::decay_t<decltype(group)>::kSize;
    Complex sum[kSize] = {};
    bool any = false;
    tile.for_each_element(group.first, [&](const TileChannels::Element& element) {
      tile.for_each_sample(group, element, [&](int t, Complex x) { sum[t] = sum[t] + element.weight * x; });
      any = true;
    });
#pragma unroll
    for (int t = 0; t < kSize; ++t) {
      const float weight = tile.transmit_weight(group.first + t);
      if (!any || weight == 0.0f) continue;
      all.add(method, weight, tile.transmit_turn(group.first + t, group.excess[t]) * sum[t], {all.n, count});
    }
  });
  return pixel_of(method, all);
}

// What x_{e,t} of a group are multiplied by for the sum over the transmits.
template <class Group>
struct TransmitRotors {
  Complex of[Group::kSize];

  __device__ TransmitRotors(const TileChannels& tile, const Group& group) {
#pragma unroll
    for (int t = 0; t < Group::kSize; ++t) {
      of[t] = tile.transmit_weight(group.first + t) * tile.transmit_turn(group.first + t, group.excess[t]);
    }
  }
};

// run(element, s) for the elements that count, s summed over the transmits: those of a first group are read once.
template <class Run>
__device__ __forceinline__ void for_each_compounded(const TileChannels& tile, const Run& run) {
  const auto add = [&](const auto& group, const auto& rotors, const TileChannels::Element& element, Complex& s) {
    tile.for_each_sample(group, element, [&](int t, Complex x) { s = s + rotors.of[t] * x; });
  };
  tile.with_first_group([&](const auto& group) {
    const TransmitRotors rotors(tile, group);
    tile.for_each_element(group.first, [&](const TileChannels::Element& element) {
      Complex s{0.0f, 0.0f};
      add(group, rotors, element, s);
      tile.for_each_group(std::decay_t<decltype(group)>::kSize, [&](const auto& more) {
        add(more, TransmitRotors(tile, more), tile.of_transmit(more.first, element), s);
      });
      run(element, s);
    });
  });
}

template <class Method>
__device__ MethodPixel form_tile_compounded(const Method& method, const TileChannels& tile) {
  const float count = Method::counts ? tile.n_channels() : 0.0f;
  ChannelSet<Method> all;
  float weights = 0.0f;
  for_each_compounded(tile, [&](const TileChannels::Element& element, Complex s) {
    all.sum = all.sum + element.weight * s;
    add_channel(method, all.sums, element.weight, s, turn_of<Method>(all.n, count));
    all.n += 1.0f;
    weights += fabsf(element.weight);
  });
  set_common(all, all.n, weights);
  return pixel_of(method, all);
}

}  // namespace echoloop::cuda
