// Loops of method_row() and of SlscKernel, written for the vectoriser. CMakeLists.txt compiles them once per
// instruction set, which sets the namespace ECHO_ISA. No standard library here, see method_loops.h.
#include "backend/cpu/isa_loops.h"
#include "backend/cpu/method_loops.h"
#include "dsp/methods/methods.h"
#include "dsp/methods/slsc.h"

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

// Number of bins known at compile time; sums of bins that the weight does not read are ignored.
template <int kBins>
struct BinsCoherence : GeneralizedCoherence<kBins> {
  using Sums = typename GeneralizedCoherence<kBins>::Sums;
  [[gnu::always_inline]] void add_turned(Sums& sums, float weight, Complex s, Complex step) const {
    GeneralizedCoherence<kBins>{kBins, this->strength, this->axis, this->order}.add_turned(sums, weight, s, step);
  }
};

template <class Method>
static void form_part(const Method& method, const PartLoops& loops) {
  if constexpr (!Method::replaces) {
    if (method.axis == AdaptiveAxis::transmits) return form_transmits(method, loops);
    if (method.axis == AdaptiveAxis::both) return form_both(method, loops);
  }
  if (method.order == AdaptiveOrder::compounded) return form_compounded(method, loops);
  form_each_transmit(method, loops);
}

void method_row(const MethodSettings& settings, const MethodRow& row) {
  if (row.geometry.n_valid < 2) {  // no sample has a neighbour
    for (int ix = 0; ix < row.geometry.nx; ++ix) {
      row.pixels[ix] = {0.0f, 0.0f};
      row.weights[ix] = 0.0f;
    }
    return;
  }
  const auto form = [&](const auto& method) {
    for (int first = 0; first < row.geometry.nx; first += kMethodPixels) form_part(method, PartLoops(row, first));
  };
  if (settings.method == Adaptive::generalized) {
    const auto form_bins = [&]<int kBins>() {
      form(BinsCoherence<kBins>{{settings.bins, settings.strength, settings.axis, settings.order}});
    };
    if (settings.bins <= 2) return form_bins.template operator()<2>();
    if (settings.bins <= 4) return form_bins.template operator()<4>();
    if (settings.bins <= 8) return form_bins.template operator()<8>();
    return form_bins.template operator()<kMostAdaptiveBins>();
  }
  // The methods that count channels are those of bins, above.
  with_method(settings, [&]<class Method>(const Method& method) {
    if constexpr (!Method::counts) form(method);
  });
}

#if defined(__AVX512F__)
static constexpr int kLanes = 16;
#elif defined(__AVX__)
static constexpr int kLanes = 8;
#else
static constexpr int kLanes = 4;
#endif
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float)), aligned(sizeof(float))));

[[gnu::always_inline]] static inline const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }
[[gnu::always_inline]] static inline Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }

// Elements of a part, [n_el][re | im | energy][kMethodPixels], times the power of two of the pixel; 0 if the element
// does not count.
struct PartElements {
  static constexpr std::ptrdiff_t kElement = 3 * kMethodPixels;
  float* at;
  int n;

  void store(const PartLoops& loops) const {
    const Part& p = loops.p;
    clear(at, 3 * n);
    clear(p.factor, 1);
    float* const largest = p.factor;
    loops.for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
      compound(loops, e, begin, end);
      float* const re = at + e * kElement;
      float* const im = re + kMethodPixels;
#pragma GCC ivdep
      for (int i = begin; i < end; ++i) {
        const float counts = p.weight[i] > 0.0f ? 1.0f : 0.0f;
        re[i] = counts * p.element[i];
        im[i] = counts * p.element[kMethodPixels + i];
        largest[i] = larger_of(largest[i], larger_of(fabsf(re[i]), fabsf(im[i])));
      }
    });
    for (int i = 0; i < kMethodPixels; ++i) largest[i] = largest[i] > 0.0f ? factor_towards_one(largest[i]) : 0.0f;
    for (int e = 0; e < n; ++e) {
      float* const re = at + e * kElement;
      float* const im = re + kMethodPixels;
      float* const energy = im + kMethodPixels;
#pragma GCC ivdep
      for (int i = 0; i < kMethodPixels; ++i) {
        re[i] *= p.factor[i];
        im[i] *= p.factor[i];
        energy[i] = re[i] * re[i] + im[i] * im[i];
      }
    }
  }

  // Sums lags m .. m + kLags - 1 of kLanes pixels from pixel i on.
  template <int kLags>
  void sum_lags(int m, int i, float* sums) const {
    Lanes pairs[kLags] = {}, left[kLags] = {}, right[kLags] = {};
    const Lanes none = {};
    for (int e = 0; e + m < n; ++e) {
      const float* a = at + e * kElement + i;
      const Lanes re = lanes(a), im = lanes(a + kMethodPixels), of_a = lanes(a + 2 * kMethodPixels);
      const auto counts = of_a > none;
      const float* b = a + m * kElement;
      const int last = n - 1 - e - m;  // of the lags of this element
#pragma GCC unroll 8
      for (int k = 0; k < kLags; ++k) {
        if (k > last) break;
        const Lanes of_b = lanes(b + k * kElement + 2 * kMethodPixels);
        pairs[k] += re * lanes(b + k * kElement) + im * lanes(b + k * kElement + kMethodPixels);
        left[k] += of_b > none ? of_a : none;
        right[k] += counts ? of_b : none;
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < kLags; ++k) {
      lanes(sums + (3 * k) * kMethodPixels + i) = pairs[k];
      lanes(sums + (3 * k + 1) * kMethodPixels + i) = left[k];
      lanes(sums + (3 * k + 2) * kMethodPixels + i) = right[k];
    }
  }
};

static void store_slsc(int lags, const MethodRow& row, float* sums) {
  constexpr int kGroup = 4;  // lags whose sums are kept in registers
  const DasGeometry& g = row.geometry;
  for (int first = 0; first < g.nx; first += kMethodPixels, sums += slsc_terms(lags) * kMethodPixels) {
    if (g.n_valid < 2) {  // no sample has a neighbour
      clear(sums, slsc_terms(lags));
      continue;
    }
    const PartLoops loops(row, first);
    const PartElements elements{row.scratch + method_row_floats({}, g.n_tx), g.n_el};
    elements.store(loops);
    for (int i = 0; i < kMethodPixels; ++i) sums[i] = loops.p.factor[i];
    for (int i = 0; i < kMethodPixels; i += kLanes) {
      float* to = sums + kMethodPixels;
      int m = 1;
      for (; m + kGroup <= lags + 1; m += kGroup, to += 3 * kGroup * kMethodPixels) elements.sum_lags<kGroup>(m, i, to);
      for (; m <= lags; ++m, to += 3 * kMethodPixels) elements.sum_lags<1>(m, i, to);
    }
  }
}

// Same as ShortLagCoherence::pixel().
static void form_slsc(int lags, const SlscRows& rows, const MethodRow& row) {
  const int nx = row.geometry.nx;
  const long long per_row = slsc_row_floats(lags, nx);
  for (int first = 0; first < nx; first += kMethodPixels) {
    const auto sums_of = [&](int k) {
      return rows.kept + (k % rows.n_kept) * per_row + static_cast<long long>(first) * slsc_terms(lags);
    };
    float common[kMethodPixels], mean[kMethodPixels] = {}, count[kMethodPixels] = {};
    for (int i = 0; i < kMethodPixels; ++i) common[i] = sums_of(rows.centre)[i];
    for (int k = rows.begin; k < rows.end; ++k) {
      const float* factor = sums_of(k);
      for (int i = 0; i < kMethodPixels; ++i) common[i] = ShortLagCoherence::common_factor(common[i], factor[i]);
    }
    for (int m = 0; m < lags; ++m) {
      float pairs[kMethodPixels] = {}, left[kMethodPixels] = {}, right[kMethodPixels] = {};
      for (int k = rows.begin; k < rows.end; ++k) {
        const float* factor = sums_of(k);
        const float* from = factor + (1 + 3 * m) * kMethodPixels;
        for (int i = 0; i < kMethodPixels; ++i) {
          const float ratio = ShortLagCoherence::power_ratio(common[i], factor[i]);
          pairs[i] += ratio * from[i];
          left[i] += ratio * from[kMethodPixels + i];
          right[i] += ratio * from[2 * kMethodPixels + i];
        }
      }
      for (int i = 0; i < kMethodPixels; ++i) {
        const float energy = sqrtf(left[i]) * sqrtf(right[i]);
        mean[i] += energy > 0.0f ? pairs[i] / energy : 0.0f;
        count[i] += energy > 0.0f ? 1.0f : 0.0f;
      }
    }
    for (int i = 0; i < kMethodPixels && first + i < nx; ++i) {
      const float value = ShortLagCoherence::mean_of(mean[i], count[i]);
      row.pixels[first + i] = {value, 0.0f};
      row.weights[first + i] = value;
    }
  }
}

const SlscKernel kSlsc{store_slsc, form_slsc};

}  // namespace echoloop::ECHO_ISA
