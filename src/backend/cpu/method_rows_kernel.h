// The loops of method_row(), written for the vectoriser and compiled once an instruction set: each method_rows_*.cpp
// names a namespace in ECHO_ISA and includes this file. No standard library here: an inline function compiled with AVX
// must not become the copy that every machine runs.
#include <cstddef>

#include "backend/cpu/method_rows.h"
#include "backend/cpu/receive_weights.h"
#include "dsp/methods/methods.h"

namespace echoloop::ECHO_ISA {

// A type that consists of floats, each in a row of values: [number][kMethodPixels].
template <class Numbers>
inline constexpr int kNumbers = static_cast<int>(sizeof(Numbers) / sizeof(float));

template <class Numbers, int k = 0>
[[gnu::always_inline]] static inline void load_numbers(const float* rows, int i, Numbers& to) {
  if constexpr (k < kNumbers<Numbers>) {
    reinterpret_cast<float*>(&to)[k] = rows[k * kMethodPixels + i];
    load_numbers<Numbers, k + 1>(rows, i, to);
  }
}

template <class Numbers, int k = 0>
[[gnu::always_inline]] static inline void store_numbers(float* rows, int i, const Numbers& from) {
  if constexpr (k < kNumbers<Numbers>) {
    rows[k * kMethodPixels + i] = reinterpret_cast<const float*>(&from)[k];
    store_numbers<Numbers, k + 1>(rows, i, from);
  }
}

// One channel set for each pixel: re and im of the weighted sum, number of channels, sums of the method.
template <class Method>
struct SetRows {
  using Sums = typename Method::Sums;
  static constexpr int kRows = 3 + kNumbers<Sums>;
  float* at;

  // weight 0: no channel, and its place none that counts.
  [[gnu::always_inline]] void add(const Method& method, int i, float weight, Complex x, ChannelPlace place) const {
    Sums sums;
    load_numbers(at + 3 * kMethodPixels, i, sums);
    method.add(sums, weight, x, {place.place, weight != 0.0f ? place.count : 1.0f});
    store_numbers(at + 3 * kMethodPixels, i, sums);
    at[i] += weight * x.re;
    at[kMethodPixels + i] += weight * x.im;
    at[2 * kMethodPixels + i] += weight != 0.0f ? 1.0f : 0.0f;
  }

  [[nodiscard, gnu::always_inline]] float n(int i) const { return at[2 * kMethodPixels + i]; }

  [[nodiscard, gnu::always_inline]] ChannelSet<Method> set(int i) const {
    ChannelSet<Method> made;
    load_numbers(at + 3 * kMethodPixels, i, made.sums);
    made.sum = {at[i], at[kMethodPixels + i]};
    made.n = n(i);
    return made;
  }
};

// Pixels first .. first + n - 1 of a row. All arrays are work space, with kMethodPixels values in a row.
struct Part {
  int first, n;
  float *x_m, *z_m, *r_m;
  float *weight, *excess, *re, *im;  // of one element; samples; unit phasor
  float* factor;                     // of FormedPixel
  float* element;                    // [re | im | recorded] compounded
  float* transmits;                  // [n_tx][re | im] unit phasors
  float* transmit_weights;           // [n_tx]
  float* counts;                     // [n_tx] channels
  float* places;                     // [n_tx] of an element among them
  float* sets;

  static Part in(float* scratch, int n_tx, int first, int nx) {
    constexpr int kElement = 8, kTransmits = 11;
    const auto at = [&](int k) { return scratch + static_cast<std::ptrdiff_t>(k) * kMethodPixels; };
    return {first,
            nx - first < kMethodPixels ? nx - first : kMethodPixels,
            at(0),
            at(1),
            at(2),
            at(3),
            at(4),
            at(5),
            at(6),
            at(7),
            at(kElement),
            at(kTransmits),
            at(kTransmits + 2 * n_tx),
            at(kTransmits + 3 * n_tx),
            at(kTransmits + 4 * n_tx),
            at(kTransmits + 5 * n_tx)};
  }
};

static void clear(float* rows, int n) {
  for (int i = 0; i < n * kMethodPixels; ++i) rows[i] = 0.0f;
}

// The loops over the channels of one part; `run` gets what a loop has at hand.
struct PartLoops {
  const MethodRow& row;
  const DasGeometry& g;
  Part p;

  PartLoops(const MethodRow& of, int first) : row(of), g(of.geometry), p(Part::in(of.scratch, g.n_tx, first, g.nx)) {
    for (int i = 0; i < p.n; ++i) {
      const PixelPlace at = place_of(g, first + i, row.iz);
      p.x_m[i] = at.x_m;
      p.z_m[i] = at.z_m;
      p.r_m[i] = at.r_m;
      p.factor[i] = 0.0f;
    }
    for (int t = 0; t < g.n_tx; ++t) {
      const float* excess = tx_excess(t);
      const float turns = g.row_turns[row_of(t)];
      float* re = p.transmits + static_cast<std::ptrdiff_t>(2 * t) * kMethodPixels;
      for (int i = 0; i < p.n; ++i) {
        const Complex phasor = unit_phasor(turns + excess[i] * g.turns_per_sample);
        re[i] = phasor.re;
        re[kMethodPixels + i] = phasor.im;
      }
      float* weights = p.transmit_weights + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
      for (int i = 0; i < p.n; ++i) weights[i] = transmit_weight<DasForm::general>(g, t, first + i, row.iz);
    }
  }

  [[nodiscard]] std::ptrdiff_t row_of(int t) const { return static_cast<std::ptrdiff_t>(t) * g.nz + row.iz; }
  [[nodiscard]] const float* tx_excess(int t) const { return g.tx_excess + row_of(t) * g.nx + p.first; }
  [[nodiscard]] Complex transmit_turn(int t, int i) const {
    const float* re = p.transmits + static_cast<std::ptrdiff_t>(2 * t) * kMethodPixels;
    return {re[i], re[kMethodPixels + i]};
  }

  [[nodiscard]] const float* transmit_weights(int t) const {
    return p.transmit_weights + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
  }
  // Those of begin .. end - 1 where the transmit may weigh something.
  [[nodiscard]] PixelSpan reached(int t, int begin, int end) const {
    if (g.weights.cone_span == nullptr) return {begin, end};
    const PixelSpan span = g.weights.cone_span[row_of(t)];
    return {begin > span.begin - p.first ? begin : span.begin - p.first,
            end < span.end - p.first ? end : span.end - p.first};
  }

  void set_delays(const ElementGeometry element) const {
    const float samples_per_m = g.samples_per_m;
    const float turns_per_sample = g.turns_per_sample;
    const float apex = g.apex_z_m;
    if (g.down_m == nullptr) {
#pragma GCC ivdep
      for (int i = 0; i < p.n; ++i) {
        p.excess[i] = receive_excess_m(p.x_m[i] - element.x_m, p.z_m[i], element.z_m) * samples_per_m;
      }
    } else {
#pragma GCC ivdep
      for (int i = 0; i < p.n; ++i) {
        p.excess[i] = receive_excess_polar_m(p.x_m[i], p.z_m[i] - apex, p.r_m[i], element.x_m, element.z_m - apex) *
                      samples_per_m;
      }
    }
#pragma GCC ivdep
    for (int i = 0; i < p.n; ++i) {
      const Complex phasor = unit_phasor(p.excess[i] * turns_per_sample);
      p.re[i] = phasor.re;
      p.im[i] = phasor.im;
    }
  }

  // run(e, begin, end): the pixels of the part that may see the element, whose weights and delays are set.
  template <class Run>
  [[gnu::always_inline]] void for_each_element(const Run& run) const {
    for (int e = 0; e < g.n_el; ++e) {
      weigh_row(g, g.elements[e], p.x_m, p.n, p.z_m, p.weight);
      int begin = 0;
      while (begin < p.n && p.weight[begin] == 0.0f) ++begin;
      int end = p.n;
      while (end > begin && p.weight[end - 1] == 0.0f) --end;
      if (begin == end) continue;
      set_delays(g.elements[e]);
      run(e, begin, end);
    }
  }

  // run(i, recorded, x): sample of transmit t and element e, turned by the receive delay; recorded: 1 or 0, where x is
  // 0. Not where the transmit weighs nothing along the row.
  template <class Run>
  [[gnu::always_inline]] void for_each_pixel(int t, int e, int begin, int end, const Run& run) const {
    const float* line = &(row.lines + (static_cast<std::ptrdiff_t>(t) * g.n_el + e) * g.n_line)->re;
    const float* transmit = tx_excess(t);
    const float* excess = p.excess;
    const float* re = p.re;
    const float* im = p.im;
    const int base = g.row_base[row_of(t)];
    const int last = g.n_valid - 2;
    const PixelSpan pixels = reached(t, begin, end);
#pragma GCC ivdep
    for (int i = pixels.begin; i < pixels.end; ++i) {
      const float offset = transmit[i] + excess[i];
      const int whole = floor_to_int(offset);
      const int wanted = base + whole;
      int at = wanted < 0 ? 0 : wanted;
      at = at > last ? last : at;
      const float recorded = at == wanted ? 1.0f : 0.0f;
      const float w = offset - static_cast<float>(whole);
      const Complex x{recorded * (line[2 * at] + w * (line[2 * at + 2] - line[2 * at])),
                      recorded * (line[2 * at + 1] + w * (line[2 * at + 3] - line[2 * at + 1]))};
      run(i, recorded, Complex{re[i], im[i]} * x);
    }
  }

  // FormedPixel::scaled() without a branch.
  [[gnu::always_inline]] Complex scaled(int i, Complex x) const {
    const float larger = larger_of(fabsf(x.re), fabsf(x.im));
    const float known = p.factor[i];
    const float factor = known == 0.0f && larger > 0.0f ? factor_towards_one(larger) : known;
    p.factor[i] = factor;
    return factor * x;
  }

  // counts[t]: elements of a weight that transmit t recorded.
  void count_elements() const {
    clear(p.counts, g.n_tx);
    for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
      for (int t = 0; t < g.n_tx; ++t) {
        float* counts = p.counts + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
        for_each_pixel(
            t, e, begin, end, [&](int i, float recorded, Complex /*x*/) __attribute__((always_inline)) {
              counts[i] += p.weight[i] != 0.0f ? recorded : 0.0f;
            });
      }
    });
  }

  // counts[0]: elements of a weight that any transmit recorded.
  void count_compounded() const {
    clear(p.counts, 1);
    float* const recorded_any = p.element;
    for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
      for (int i = begin; i < end; ++i) recorded_any[i] = 0.0f;
      for (int t = 0; t < g.n_tx; ++t) {
        const float* weights = transmit_weights(t);
        for_each_pixel(
            t, e, begin, end, [&](int i, float recorded, Complex /*x*/) __attribute__((always_inline)) {
              recorded_any[i] = recorded * weights[i] != 0.0f ? 1.0f : recorded_any[i];
            });
      }
      for (int i = begin; i < end; ++i) p.counts[i] += p.weight[i] != 0.0f ? recorded_any[i] : 0.0f;
    });
  }

  template <class Method>
  void write(int i, const FormedPixel& made) const {
    const MethodPixel pixel = made.template pixel<Method>();
    row.pixels[p.first + i] = pixel.sum;
    row.weights[p.first + i] = pixel.weight;
  }

  template <class Method>
  void write_one_set(const Method& method, SetRows<Method> set) const {
    for (int i = 0; i < p.n; ++i) {
      FormedPixel made;
      made.factor = p.factor[i];
      made.add(method, set.set(i), 1.0f);
      write<Method>(i, made);
    }
  }
};

template <class Method>
[[gnu::noinline]] static void form_each_transmit(const Method method, const PartLoops& loops) {
  const Part& p = loops.p;
  const int n_tx = loops.g.n_tx;
  const auto set_of = [&](int t) {
    return SetRows<Method>{p.sets + static_cast<std::ptrdiff_t>(t) * SetRows<Method>::kRows * kMethodPixels};
  };
  if constexpr (Method::counts) loops.count_elements();
  clear(p.sets, n_tx * SetRows<Method>::kRows);
  loops.for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
    for (int t = 0; t < n_tx; ++t) {
      const SetRows<Method> set = set_of(t);
      const float* counts = p.counts + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
      loops.for_each_pixel(
          t, e, begin, end, [&](int i, float recorded, Complex x) __attribute__((always_inline)) {
            set.add(method, i, recorded * p.weight[i], loops.scaled(i, x),
                    {set.n(i), Method::counts ? counts[i] : 1.0f});
          });
    }
  });
  for (int i = 0; i < p.n; ++i) {
    FormedPixel made;
    for (int t = 0; t < n_tx; ++t) {
      FormedPixel one;  // the turn of the transmit is common to its channels
      one.factor = p.factor[i];
      one.add(method, set_of(t).set(i), loops.transmit_weights(t)[i]);
      made.das = made.das + loops.transmit_turn(t, i) * one.das;
      made.formed = made.formed + loops.transmit_turn(t, i) * one.formed;
    }
    loops.write<Method>(i, made);
  }
}

template <class Method>
[[gnu::noinline]] static void form_both(const Method method, const PartLoops& loops) {
  const Part& p = loops.p;
  const int n_tx = loops.g.n_tx;
  if constexpr (Method::counts) {
    loops.count_elements();
    clear(p.places, n_tx);
  }
  const SetRows<Method> set{p.sets};
  clear(p.sets, SetRows<Method>::kRows);
  loops.for_each_element([&](int e, int begin, int end) __attribute__((always_inline)) {
    for (int t = 0; t < n_tx; ++t) {
      const float* transmit = loops.transmit_weights(t);
      const float* counts = p.counts + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
      float* places = p.places + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
      loops.for_each_pixel(
          t, e, begin, end, [&](int i, float recorded, Complex x) __attribute__((always_inline)) {
            const float weight = recorded * p.weight[i];
            const Complex turned = loops.scaled(i, loops.transmit_turn(t, i) * x);
            if constexpr (Method::counts) {
              set.add(method, i, weight * transmit[i], turned, {places[i], counts[i]});
              places[i] += weight != 0.0f ? 1.0f : 0.0f;
            } else {
              set.add(method, i, weight * transmit[i], turned, {0.0f, 1.0f});
            }
          });
    }
  });
  loops.write_one_set(method, set);
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
    for (int i = 0; i < p.n; ++i) {
      const Complex s = loops.transmit_turn(t, i) * Complex{re[i], re[kMethodPixels + i]};
      set.add(method, i, weights[i] * re[2 * kMethodPixels + i], s, {set.n(i), Method::counts ? p.counts[i] : 1.0f});
    }
  }
  loops.write_one_set(method, set);
}

// The sum over transmits of the samples of one element into p.element.
static void compound(const PartLoops& loops, int e, int begin, int end) {
  const Part& p = loops.p;
  float* const re = p.element;
  float* const im = re + kMethodPixels;
  float* const recorded_any = im + kMethodPixels;
  for (int i = begin; i < end; ++i) re[i] = im[i] = recorded_any[i] = 0.0f;
  for (int t = 0; t < loops.g.n_tx; ++t) {
    const float* weights = loops.transmit_weights(t);
    loops.for_each_pixel(
        t, e, begin, end, [&](int i, float recorded, Complex x) __attribute__((always_inline)) {
          const Complex turned = loops.transmit_turn(t, i) * x;
          re[i] += weights[i] * turned.re;
          im[i] += weights[i] * turned.im;
          recorded_any[i] = recorded * weights[i] != 0.0f ? 1.0f : recorded_any[i];
        });
  }
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
#pragma GCC ivdep
    for (int i = begin; i < end; ++i) {
      const Complex s = loops.scaled(i, {p.element[i], p.element[kMethodPixels + i]});
      set.add(method, i, recorded_any[i] * p.weight[i], s, {set.n(i), Method::counts ? p.counts[i] : 1.0f});
    }
  });
  loops.write_one_set(method, set);
}

// With a root, or a number of bins, that the loops know when they are compiled.
struct SquareRootDas : PDas {
  [[gnu::always_inline]] void add(Sums& sums, float weight, Complex s, ChannelPlace at) const {
    PDas{2.0f, order}.add(sums, weight, s, at);
  }
};

// Sums of more bins than the weight reads do not matter.
template <int kBins>
struct BinsCoherence : GeneralizedCoherence<kBins> {
  using Sums = typename GeneralizedCoherence<kBins>::Sums;
  [[gnu::always_inline]] void add(Sums& sums, float weight, Complex s, ChannelPlace at) const {
    GeneralizedCoherence<kBins>{kBins, this->strength, this->axis, this->order}.add(sums, weight, s, at);
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
  if (row.geometry.n_valid < 2) {  // no sample has a neighbour to interpolate with
    for (int ix = 0; ix < row.geometry.nx; ++ix) {
      row.pixels[ix] = {0.0f, 0.0f};
      row.weights[ix] = 0.0f;
    }
    return;
  }
  const auto form = [&](const auto& method) {
    for (int first = 0; first < row.geometry.nx; first += kMethodPixels) form_part(method, PartLoops(row, first));
  };
  if (settings.method == Adaptive::p_das && settings.root == 2.0f) return form(SquareRootDas{{2.0f, settings.order}});
  if (settings.method == Adaptive::generalized) {
    const auto form_bins = [&]<int kBins>() {
      form(BinsCoherence<kBins>{{settings.bins, settings.strength, settings.axis, settings.order}});
    };
    if (settings.bins <= 2) return form_bins.template operator()<2>();
    if (settings.bins <= 4) return form_bins.template operator()<4>();
    if (settings.bins <= 8) return form_bins.template operator()<8>();
    return form_bins.template operator()<kMostAdaptiveBins>();
  }
  with_method(settings, form);
}

}  // namespace echoloop::ECHO_ISA
