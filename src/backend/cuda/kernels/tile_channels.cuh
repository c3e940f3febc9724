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

// exp(2 pi i j / N) of the places j of N channels, counted from the middle of the aperture: sums over places that begin
// elsewhere differ in their phases only. Absolute error 5e-7.
template <class Method>
class PlaceTurns {
 public:
  __device__ explicit PlaceTurns(float count) : radians_(6.28318531f / count), place_(-0.5f * (count - 1.0f)) {}

  // Of the next place.
  __device__ __forceinline__ Complex next() {
    if constexpr (!Method::counts) return {};
    const float radians = place_ * radians_;
    place_ += 1.0f;
    return {__cosf(radians), __sinf(radians)};
  }

 private:
  float radians_, place_;
};

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

// Sums of a set of a group's transmits each.
template <class Method, class Tile, class Group>
__device__ __forceinline__ void add_elements(const Method& method, const Tile& tile, const Group& group, float count,
                                             ChannelSet<Method> (&sets)[Group::kSize]) {
  PlaceTurns<Method> turns(count);
  float n = 0.0f;
  float weights = 0.0f;
  if constexpr (Method::counts && !Tile::kIsWeighed) {
    // Mirrored places have conjugate turns: two channels are added as one.
    tile.for_each_mirrored(group.first, [&](const TilePixels::Element& a, const TilePixels::Element& b) {
      const Complex turn = turns.next();
      Complex of_a[Group::kSize];
      tile.for_each_sample(group, a, [&](int t, Complex x) { of_a[t] = x; });
      if (a.index == b.index) {
#pragma unroll
        for (int t = 0; t < Group::kSize; ++t) {
          sets[t].sum = sets[t].sum + of_a[t];
          method.add_turned(sets[t].sums, 1.0f, of_a[t], turn);
        }
        return;
      }
      tile.for_each_sample(group, b, [&](int t, Complex x) {
        sets[t].sum = sets[t].sum + (of_a[t] + x);
        method.add_mirrored(sets[t].sums, of_a[t], x, turn);
      });
    });
    n = weights = count;
  } else {
    tile.for_each_element(group.first, [&](const TilePixels::Element& element) {
      const Complex turn = turns.next();
      tile.for_each_sample(group, element, [&](int t, Complex x) {
        sets[t].sum = sets[t].sum + element.weight * x;
        add_channel(method, sets[t].sums, element.weight, x, turn);
      });
      if constexpr (Tile::kIsWeighed) {
        n += 1.0f;
        weights += fabsf(element.weight);
      }
    });
    if constexpr (!Tile::kIsWeighed) n = weights = tile.n_channels();
  }
#pragma unroll
  for (int t = 0; t < Group::kSize; ++t) set_common(sets[t], n, weights);
}

template <class Method, class Tile>
__device__ MethodPixel form_tile_each_transmit(const Method& method, const Tile& tile) {
  FormedPixel made;
  const float count = Method::counts ? tile.n_channels() : 0.0f;
  tile.for_each_group(0, [&](const auto& group) {
    constexpr int kSize = std::decay_t<decltype(group)>::kSize;
    ChannelSet<Method> sets[kSize];
    add_elements(method, tile, group, count, sets);
#pragma unroll
    for (int t = 0; t < kSize; ++t) {
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

template <class Method, class Tile>
__device__ MethodPixel form_tile_both(const Method& method, const Tile& tile) {
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
    PlaceTurns<Method> turns(count);
    tile.for_each_element(group.first, [&](const TilePixels::Element& element) {
      const Complex turn = turns.next();
      tile.for_each_sample(group, element, [&](int t, Complex x) {
        partial[t] = partial[t] + element.weight * x;
        if constexpr (Method::reads_phases) x = transmit_turn[t] * x;
        add_channel(method, all.sums, element.weight * weight[t], x, turn);
      });
      if constexpr (Tile::kIsWeighed) {
        n += 1.0f;
        weights += fabsf(element.weight);
      }
    });
    if constexpr (!Tile::kIsWeighed) n = weights = tile.n_channels();
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

template <class Method, class Tile>
__device__ MethodPixel form_tile_transmits(const Method& method, const Tile& tile) {
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
    tile.for_each_element(group.first, [&](const TilePixels::Element& element) {
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

  __device__ TransmitRotors(const TilePixels& tile, const Group& group) {
#pragma unroll
    for (int t = 0; t < Group::kSize; ++t) {
      of[t] = tile.transmit_weight(group.first + t) * tile.transmit_turn(group.first + t, group.excess[t]);
    }
  }
};

constexpr int kChunk = 4;  // elements for which the transmit part is computed once

// Whether all elements of a chunk count; of others the weight is 0.
enum class Chunk { full, some };

// run.add(chunk, s), s summed over the transmits by add(chunk, s) and turned.
template <class Tile, class Add, class Run>
__device__ __forceinline__ void for_each_chunk(const Tile& tile, const Add& add, Run&& run) {
  const auto step = [&]<Chunk kind>(int first) {
    TilePixels::Element chunk[kChunk];
    Complex s[kChunk] = {};
#pragma unroll
    for (int i = 0; i < kChunk; ++i) chunk[i] = tile.element_or_none(first + i);
    add(chunk, s);
#pragma unroll
    for (int i = 0; i < kChunk; ++i) s[i] = chunk[i].turn * s[i];
    run.template add<kind>(chunk, s);
  };
  int first = 0;
  if constexpr (!Tile::kIsWeighed) {
#pragma unroll 1
    for (; first + kChunk <= tile.n_elements(); first += kChunk) step.template operator()<Chunk::full>(first);
  }
#pragma unroll 1
  for (; first < tile.n_elements(); first += kChunk) step.template operator()<Chunk::some>(first);
}

template <class Tile, class Run>
__device__ __forceinline__ void for_each_compounded(const Tile& tile, Run&& run) {
  const auto add_group = [&](const auto& group, const auto& rotors, const auto& chunk, Complex(&s)[kChunk]) {
#pragma unroll
    for (int i = 0; i < kChunk; ++i) {
      if (chunk[i].weight == 0.0f) continue;
      tile.for_each_value(group, tile.of_transmit(group.first, chunk[i]),
                          [&](int t, Complex v) { s[i] = s[i] + rotors.of[t] * v; });
    }
  };
  if (tile.is_one_group()) {
    tile.with_first_group([&](const auto& group) {
      const TransmitRotors rotors(tile, group);
      for_each_chunk(
          tile, [&](const auto& chunk, auto& s) { add_group(group, rotors, chunk, s); }, run);
    });
    return;
  }
  for_each_chunk(
      tile,
      [&](const auto& chunk, auto& s) {
        tile.for_each_group(0, [&](const auto& group) { add_group(group, TransmitRotors(tile, group), chunk, s); });
      },
      run);
}

// The set of the elements' sums over the transmits.
template <class Method>
struct CompoundedSet {
  const Method& method;
  PlaceTurns<Method> turns;
  ChannelSet<Method> set{};
  float weights = 0.0f;

  template <Chunk kind>
  __device__ __forceinline__ void add(const TilePixels::Element (&chunk)[kChunk], const Complex (&s)[kChunk]) {
#pragma unroll
    for (int i = 0; i < kChunk; ++i) {
      const float weight = chunk[i].weight;
      if (kind == Chunk::some && weight == 0.0f) continue;
      set.sum = set.sum + weight * s[i];
      add_channel(method, set.sums, weight, s[i], turns.next());
      set.n += 1.0f;
      weights += fabsf(weight);
    }
  }
};

template <class Method, class Tile>
__device__ MethodPixel form_tile_compounded(const Method& method, const Tile& tile) {
  CompoundedSet<Method> all{method, PlaceTurns<Method>(Method::counts ? tile.n_channels() : 0.0f)};
  for_each_compounded(tile, all);
  set_common(all.set, all.set.n, all.weights);
  return pixel_of(method, all.set);
}

}  // namespace echoloop::cuda
