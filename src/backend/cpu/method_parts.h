// Loops of one method along the pixels of a row, written for the vectoriser: of the methods whose result consists of
// sums over a pixel's own channels. Compiled once per instruction set, which sets the namespace ECHO_ISA, and with the
// file of an own method (own_method_kernel.h). No standard library here, see method_loops.h.
#pragma once

#include "backend/cpu/isa_loops.h"
#include "backend/cpu/method_loops.h"

namespace echoloop::ECHO_ISA {

// Number of floats of a type that consists of floats, each in a row of values: [number][kMethodPixels].
template <class Numbers>
inline constexpr int kNumbers = static_cast<int>(sizeof(Numbers) / sizeof(float));

template <int n, int k = 0, class Numbers>
[[gnu::always_inline]] static inline void load_numbers(const float* rows, int i, Numbers& to) {
  if constexpr (k < n) {
    reinterpret_cast<float*>(&to)[k] = rows[k * kMethodPixels + i];
    load_numbers<n, k + 1>(rows, i, to);
  }
}

template <int n, int k = 0, class Numbers>
[[gnu::always_inline]] static inline void store_numbers(float* rows, int i, const Numbers& from) {
  if constexpr (k < n) {
    rows[k * kMethodPixels + i] = reinterpret_cast<const float*>(&from)[k];
    store_numbers<n, k + 1>(rows, i, from);
  }
}

// One channel set per pixel: re and im of the weighted sum, number of channels, sums of the method except their count
// (their last float, if the method counts).
template <class Method>
struct SetRows {
  using Sums = typename Method::Sums;
  static constexpr int kSums = kNumbers<Sums> - (Method::counts ? 1 : 0);
  static constexpr int kRows = 3 + kSums;
  float* at;

  // weight 0: no channel. turn: phasor of its place, if the method counts.
  [[gnu::always_inline]] void add(const Method& method, int i, float weight, Complex x, Complex turn) const {
    Sums sums;
    load_numbers<kSums>(at + 3 * kMethodPixels, i, sums);
    if constexpr (Method::counts)
      method.add_turned(sums, weight, x, turn);
    else
      method.add(sums, weight, x, {0.0f, 1.0f});
    store_numbers<kSums>(at + 3 * kMethodPixels, i, sums);
    at[i] += weight * x.re;
    at[kMethodPixels + i] += weight * x.im;
    at[2 * kMethodPixels + i] += weight != 0.0f ? 1.0f : 0.0f;
  }

  [[nodiscard]] const float* n() const { return at + 2 * kMethodPixels; }

  // count: for methods that count.
  [[nodiscard, gnu::always_inline]] ChannelSet<Method> set(int i, float count) const {
    ChannelSet<Method> made;
    load_numbers<kSums>(at + 3 * kMethodPixels, i, made.sums);
    if constexpr (Method::counts) made.sums.count = count;
    made.sum = {at[i], at[kMethodPixels + i]};
    made.n = n()[i];
    return made;
  }
};

template <class Method>
static void write(const PartLoops& loops, int i, const FormedPixel& made) {
  const MethodPixel pixel = made.template pixel<Method>();
  loops.row.pixels[loops.p.first + i] = pixel.sum;
  loops.row.weights[loops.p.first + i] = pixel.weight;
}

// counts: channels of each pixel, if the method counts.
template <class Method>
static void write_one_set(const PartLoops& loops, const Method& method, SetRows<Method> set, const float* counts) {
  for (int i = 0; i < loops.p.n; ++i) {
    FormedPixel made;
    made.factor = loops.p.factor[i];
    made.add(method, set.set(i, Method::counts ? counts[i] : 0.0f), 1.0f);
    write<Method>(loops, i, made);
  }
}

template <class Method>
[[gnu::noinline]] static void form_each_transmit(const Method method, const PartLoops& loops) {
  const Part& p = loops.p;
  const int n_tx = loops.g.n_tx;
  const auto set_of = [&](int t) {
    return SetRows<Method>{p.sets + static_cast<std::ptrdiff_t>(t) * SetRows<Method>::kRows * kMethodPixels};
  };
  const auto counts_of = [&](int t) { return p.counts + static_cast<std::ptrdiff_t>(t) * kMethodPixels; };
  bool common_places = false;
  if constexpr (Method::counts) common_places = loops.count_elements();
  clear(p.sets, n_tx * SetRows<Method>::kRows);
  loops.for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
    for (int t = 0; t < n_tx; ++t) {
      const SetRows<Method> set = set_of(t);
      if (Method::counts && (t == 0 || !common_places)) loops.set_places(set.n(), counts_of(t), begin, end);
      loops.for_each_pixel(
          t, e, begin, end, [&](int i, float recorded, Complex x) __attribute__((always_inline)) {
            set.add(method, i, recorded * p.weight[i], loops.scaled(i, x), loops.place_turn(i));
          });
    }
  });
  for (int i = 0; i < p.n; ++i) {
    FormedPixel made;
    for (int t = 0; t < n_tx; ++t) {
      FormedPixel one;  // the transmit's turn is common to its channels
      one.factor = p.factor[i];
      one.add(method, set_of(t).set(i, Method::counts ? counts_of(t)[i] : 0.0f), loops.transmit_weights(t)[i]);
      made.das = made.das + loops.transmit_turn(t, i) * one.das;
      made.formed = made.formed + loops.transmit_turn(t, i) * one.formed;
    }
    write<Method>(loops, i, made);
  }
}

// Stores the largest count of the weighted transmits in the counts of transmit 0.
static void join_counts(const PartLoops& loops) {
  for (int t = 0; t < loops.g.n_tx; ++t) {
    const float* counts = loops.p.counts + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
    const float* weights = loops.transmit_weights(t);
    for (int i = 0; i < loops.p.n; ++i) {
      const float before = t == 0 ? 0.0f : loops.p.counts[i];
      loops.p.counts[i] = larger_of(before, weights[i] != 0.0f ? counts[i] : 0.0f);
    }
  }
}

template <class Method>
[[gnu::noinline]] static void form_both(const Method method, const PartLoops& loops) {
  const Part& p = loops.p;
  const int n_tx = loops.g.n_tx;
  bool common_places = false;
  if constexpr (Method::counts) {
    common_places = loops.count_elements();
    clear(p.places, n_tx);
  }
  const SetRows<Method> set{p.sets};
  clear(p.sets, SetRows<Method>::kRows);
  loops.for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
    for (int t = 0; t < n_tx; ++t) {
      const float* transmit = loops.transmit_weights(t);
      float* places = p.places + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
      if (Method::counts && (t == 0 || !common_places))
        loops.set_places(places, p.counts + static_cast<std::ptrdiff_t>(t) * kMethodPixels, begin, end);
      loops.for_each_pixel(
          t, e, begin, end, [&](int i, float recorded, Complex x) __attribute__((always_inline)) {
            const float weight = recorded * p.weight[i];
            const Complex turned = loops.scaled(i, loops.transmit_turn(t, i) * x);
            set.add(method, i, weight * transmit[i], turned, loops.place_turn(i));
            if constexpr (Method::counts) places[i] += weight != 0.0f ? 1.0f : 0.0f;
          });
    }
  });
  if constexpr (Method::counts) join_counts(loops);
  write_one_set(loops, method, set, p.counts);
}

template <class Method>
[[gnu::noinline]] static void form_transmits(const Method method, const PartLoops& loops) {
  constexpr int kSum = 3;  // [re | im | recorded] of a transmit
  const Part& p = loops.p;
  const int n_tx = loops.g.n_tx;
  const SetRows<Method> set{p.sets};
  float* const sums = p.sets + SetRows<Method>::kRows * kMethodPixels;
  const auto sum_of = [&](int t) { return sums + static_cast<std::ptrdiff_t>(t) * kSum * kMethodPixels; };
  clear(p.sets, SetRows<Method>::kRows + kSum * n_tx);
  loops.for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
    for (int t = 0; t < n_tx; ++t) {
      float* re = sum_of(t);
      float* im = re + kMethodPixels;
      float* recorded_any = im + kMethodPixels;
      loops.for_each_pixel(
          t, e, begin, end, [&](int i, float recorded, Complex x) __attribute__((always_inline)) {
            const float weight = recorded * p.weight[i];
            const Complex s = loops.scaled(i, x);
            re[i] += weight * s.re;
            im[i] += weight * s.im;
            recorded_any[i] = weight != 0.0f ? 1.0f : recorded_any[i];
          });
    }
  });
  if constexpr (Method::counts) {
    clear(p.counts, 1);
    for (int t = 0; t < n_tx; ++t) {
      const float* recorded_any = sum_of(t) + 2 * kMethodPixels;
      const float* weights = loops.transmit_weights(t);
      for (int i = 0; i < p.n; ++i) p.counts[i] += weights[i] != 0.0f ? recorded_any[i] : 0.0f;
    }
  }
  for (int t = 0; t < n_tx; ++t) {
    const float* re = sum_of(t);
    const float* weights = loops.transmit_weights(t);
    if constexpr (Method::counts) loops.set_places(set.n(), p.counts, 0, p.n);
    for (int i = 0; i < p.n; ++i) {
      const Complex s = loops.transmit_turn(t, i) * Complex{re[i], re[kMethodPixels + i]};
      set.add(method, i, weights[i] * re[2 * kMethodPixels + i], s, loops.place_turn(i));
    }
  }
  write_one_set(loops, method, set, p.counts);
}

template <class Method>
[[gnu::noinline]] static void form_compounded(const Method method, const PartLoops& loops) {
  const Part& p = loops.p;
  const float* const recorded_any = p.element + 2 * kMethodPixels;
  if constexpr (Method::counts) loops.count_compounded();
  const SetRows<Method> set{p.sets};
  clear(p.sets, SetRows<Method>::kRows);
  loops.for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
    compound(loops, e, begin, end);
    if constexpr (Method::counts) loops.set_places(set.n(), p.counts, begin, end);
#pragma GCC ivdep
    for (int i = begin; i < end; ++i) {
      const Complex s = loops.scaled(i, {p.element[i], p.element[kMethodPixels + i]});
      set.add(method, i, recorded_any[i] * p.weight[i], s, loops.place_turn(i));
    }
  });
  write_one_set(loops, method, set, p.counts);
}

template <class Method>
static void form_part(const Method& method, const PartLoops& loops) {
  if constexpr (!Method::replaces) {
    if (method.axis == AdaptiveAxis::transmits) return form_transmits(method, loops);
    if (method.axis == AdaptiveAxis::both) return form_both(method, loops);
  }
  if (method.order == AdaptiveOrder::compounded) return form_compounded(method, loops);
  form_each_transmit(method, loops);
}

}  // namespace echoloop::ECHO_ISA
