// Loops of dsp/methods/channel_sums.h over the channels of a tile (tile_channels.cuh), without the turn of the transmit
// if all channels of a set share it.
#pragma once

#include "backend/cuda/kernels/tile_channels.cuh"
#include "dsp/methods/channel_sums.h"

namespace echoloop::cuda {

// Transmits of a group, from the type of a reference to one.
template <class Reference>
inline constexpr int kSizeOf = 0;
template <class Group>
inline constexpr int kSizeOf<const Group&> = Group::kSize;

// exp(2 pi i j / N) for places j of N channels, from the centre of the aperture: another origin changes only the phases
// of sums. Absolute error 5e-7.
template <class Method>
class PlaceTurns {
 public:
  __device__ explicit PlaceTurns(float count) : radians_(6.28318531f / count), place_(-0.5f * (count - 1.0f)) {}

  // Returns the turn of the next place.
  __device__ __forceinline__ Complex next() {
    if constexpr (!Method::counts) return {};
    const float radians = place_ * radians_;
    place_ += 1.0f;
    return {__cosf(radians), __sinf(radians)};
  }

 private:
  float radians_, place_;
};

template <bool kWeighed, class Method>
__device__ __forceinline__ void add_channel(const Method& method, typename Method::Sums& sums, float weight, Complex x,
                                            Complex turn) {
  if constexpr (Method::counts)
    method.add_turned(sums, weight, x, turn);
  else if constexpr (!kWeighed && requires { method.add_equal(sums, x); })
    method.add_equal(sums, x);
  else
    method.add(sums, weight, x, {});
}

// Adds sample v of an element to the sum of turned samples and to the sums of the method.
template <bool kWeighed, class Method>
__device__ __forceinline__ void add_value(const Method& method, ChannelSet<Method>& set,
                                          const TilePixels::Element& element, Complex v, Complex turn) {
  if constexpr (Method::reads_phases) {
    const Complex x = element.turn * v;
    set.sum = set.sum + element.weight * x;
    add_channel<kWeighed>(method, set.sums, element.weight, x, turn);
  } else {
    set.sum = add_product(set.sum, element.weight * element.turn, v);
    add_channel<kWeighed>(method, set.sums, element.weight, v, turn);
  }
}

// Sets the values common to the sets of all transmits: n channels and the sum of their weights.
template <class Method>
__device__ void set_common(ChannelSet<Method>& set, float n, float weights) {
  set.n = n;
  if constexpr (requires { set.sums.weights; }) set.sums.weights = weights;
  if constexpr (requires { set.sums.count; }) set.sums.count = n;
}

// Adds to one set per transmit of a group.
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
      tile.for_each_value(group, a, [&](int t, Complex v) { of_a[t] = a.turn * v; });
      tile.for_each_value(group, b, [&](int t, Complex v) {
        const Complex both = add_product(of_a[t], b.turn, v);
        sets[t].sum = sets[t].sum + both;
        method.add_mirrored(sets[t].sums, both, of_a[t], turn);
      });
    });
#pragma unroll
    for (int t = 0; t < Group::kSize; ++t) sets[t].sums.energy *= 0.5f;
    tile.with_middle(group.first, [&](const TilePixels::Element& middle) {
      tile.for_each_value(group, middle, [&](int t, Complex v) {
        add_value<false>(method, sets[t], middle, v, {1.0f, 0.0f});
      });
    });
    n = weights = count;
  } else {
    tile.for_each_element(group.first, [&](const TilePixels::Element& element) {
      const Complex turn = turns.next();
      tile.for_each_value(group, element,
                          [&](int t, Complex v) { add_value<Tile::kIsWeighed>(method, sets[t], element, v, turn); });
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
    constexpr int kSize = kSizeOf<decltype(group)>;
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

template <class Sums>
__device__ __forceinline__ void add_scaled(Sums& to, float weight, const Sums& part) {
  if constexpr (requires { to.energy; }) to.energy += weight * part.energy;
  if constexpr (requires { to.weights; }) to.weights += weight * part.weights;
}

// Adds for a group the sum of each transmit, and the method's sums over all of them, which use the transmits' phases.
template <class Method, class Tile, class Group>
__device__ __forceinline__ void add_phases(const Method& method, const Tile& tile, const Group& group, float count,
                                           ChannelSet<Method> (&sets)[Group::kSize], typename Method::Sums& sums) {
  float weight[Group::kSize];
  Complex transmit_turn[Group::kSize];
#pragma unroll
  for (int t = 0; t < Group::kSize; ++t) {
    weight[t] = tile.transmit_weight(group.first + t);
    transmit_turn[t] = tile.transmit_turn(group.first + t, group.excess[t]);
  }
  PlaceTurns<Method> turns(count);
  float n = 0.0f;
  tile.for_each_element(group.first, [&](const TilePixels::Element& element) {
    const Complex turn = turns.next();
    tile.for_each_value(group, element, [&](int t, Complex v) {
      const Complex x = element.turn * v;
      sets[t].sum = sets[t].sum + element.weight * x;
      add_channel<true>(method, sums, element.weight * weight[t], transmit_turn[t] * x, turn);
    });
    if constexpr (Tile::kIsWeighed) n += 1.0f;
  });
  if constexpr (!Tile::kIsWeighed) n = tile.n_channels();
#pragma unroll
  for (int t = 0; t < Group::kSize; ++t) sets[t].n = n;
}

template <class Method, class Tile>
__device__ MethodPixel form_tile_both(const Method& method, const Tile& tile) {
  const float count = Method::counts ? tile.n_channels() : 0.0f;
  ChannelSet<Method> all;
  tile.for_each_group(0, [&](const auto& group) {
    constexpr int kSize = kSizeOf<decltype(group)>;
    ChannelSet<Method> sets[kSize];
    if constexpr (Method::reads_phases)
      add_phases(method, tile, group, count, sets, all.sums);
    else
      add_elements(method, tile, group, count, sets);
#pragma unroll
    for (int t = 0; t < kSize; ++t) {
      const float weight = tile.transmit_weight(group.first + t);
      all.n += weight != 0.0f ? sets[t].n : 0.0f;
      all.sum = add_product(all.sum, weight * tile.transmit_turn(group.first + t, group.excess[t]), sets[t].sum);
      if constexpr (!Method::reads_phases) add_scaled(all.sums, fabsf(weight), sets[t].sums);
    }
  });
  if constexpr (Method::counts) all.sums.count = count;  // of one transmit
  return pixel_of(method, all);
}

template <class Method, class Tile>
__device__ MethodPixel form_tile_transmits(const Method& method, const Tile& tile) {
  float count = 0.0f;
  if constexpr (Method::counts) {
    tile.for_each_group(0, [&](const auto& group) {
      for (int t = 0; t < kSizeOf<decltype(group)>; ++t)
        count += tile.transmit_weight(group.first + t) != 0.0f ? 1.0f : 0.0f;
    });
  }
  ChannelSet<Method> all;
  tile.for_each_group(0, [&](const auto& group) {
    constexpr int kSize = kSizeOf<decltype(group)>;
    Complex sum[kSize] = {};
    bool any = false;
    tile.for_each_element(group.first, [&](const TilePixels::Element& element) {
      tile.for_each_value(group, element, [&, turn = element.weight * element.turn](int t, Complex v) {
        sum[t] = add_product(sum[t], turn, v);
      });
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

// Factors of x_{e,t} of a group in the sum over the transmits.
template <class Group>
struct TransmitRotors {
  Complex of[Group::kSize];

  __device__ TransmitRotors(const TilePixels& tile, const Group& group) {
#pragma unroll
    for (int t = 0; t < Group::kSize; ++t)
      of[t] = tile.transmit_weight(group.first + t) * tile.transmit_turn(group.first + t, group.excess[t]);
  }
};

constexpr int kChunk = 4;  // elements that share one transmit part

// full: all elements of a chunk count; some: the others have weight 0.
enum class Chunk { full, some };

// Calls run.add(chunk, s), with s summed over the transmits by add(chunk, s) and turned.
template <class Tile, class Add, class Run>
__device__ __forceinline__ void for_each_chunk(const Tile& tile, const Add& add, Run&& run) {
  const auto step = [&]<Chunk kind>(int first) {
    TilePixels::Element chunk[kChunk];
    Complex s[kChunk] = {};
#pragma unroll
    for (int i = 0; i < kChunk; ++i)
      chunk[i] = kind == Chunk::full ? tile.element(first + i) : tile.element_or_none(first + i);
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
                          [&](int t, Complex v) { s[i] = add_product(s[i], rotors.of[t], v); });
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

// Set of the elements' sums over the transmits.
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
      add_channel<kind == Chunk::some>(method, set.sums, weight, s[i], turns.next());
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
