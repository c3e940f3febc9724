// Common loops of the adaptive methods: delayed samples of a part of a row, channel by channel, along the pixels.
// Compiled once per instruction set (namespace ECHO_ISA), by the files that include the kernels. No standard library
// here: an inline function compiled with AVX must not become the copy that every machine runs.
#pragma once

#include <cstddef>

#include "backend/cpu/isa_loops.h"
#include "backend/cpu/receive_weights.h"
#include "dsp/methods/channel_sums.h"

namespace echoloop::ECHO_ISA {

// Pixels first .. first + n - 1 of a row. All arrays are work space, with kMethodPixels values in a row.
struct Part {
  int first, n;
  float *x_m, *z_m, *r_m;
  float *weight, *excess, *re, *im;  // of one element; samples; unit phasor
  float* factor;                     // of FormedPixel
  float* element;                    // [re | im | recorded] compounded
  float* turn;                       // [re | im] of a channel's place, see set_places()
  float* transmits;                  // [n_tx][re | im] unit phasors
  float* transmit_weights;           // [n_tx]
  float* counts;                     // [n_tx] channels
  float* places;                     // [n_tx] index of an element among them
  float* sets;

  static Part in(float* scratch, int n_tx, int first, int nx) {
    constexpr int kElement = 8, kTurn = 11, kTransmits = 13;
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
            at(kTurn),
            at(kTransmits),
            at(kTransmits + 2 * n_tx),
            at(kTransmits + 3 * n_tx),
            at(kTransmits + 4 * n_tx),
            at(kTransmits + 5 * n_tx)};
  }
};

// Complex sample as one load: a gather of it costs as much as one of a float.
using SampleBits [[gnu::may_alias]] = unsigned long long;
[[gnu::always_inline]] static inline float re_of(SampleBits v) {
  return __builtin_bit_cast(float, static_cast<unsigned>(v));
}
[[gnu::always_inline]] static inline float im_of(SampleBits v) {
  return __builtin_bit_cast(float, static_cast<unsigned>(v >> 32));
}

static void clear(float* rows, int n) {
  for (int i = 0; i < n * kMethodPixels; ++i) rows[i] = 0.0f;
}

// Loops over the channels of one part, each calling `run`.
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
  // Returns the pixels of begin .. end - 1 where the transmit may have a weight.
  [[nodiscard]] PixelSpan reached(int t, int begin, int end) const {
    if (g.weights.cone_span == nullptr) return {begin, end};
    const PixelSpan span = g.weights.cone_span[row_of(t)];
    return {begin > span.begin - p.first ? begin : span.begin - p.first,
            end < span.end - p.first ? end : span.end - p.first};
  }

  void set_delays(const ElementGeometry element) const {
    const float samples_per_m = g.samples_per_m;
    const float apex = g.apex_z_m;
    if (g.down_m == nullptr) {
#pragma GCC ivdep
      for (int i = 0; i < p.n; ++i)
        p.excess[i] = receive_excess_m(p.x_m[i] - element.x_m, p.z_m[i], element.z_m) * samples_per_m;
    } else {
#pragma GCC ivdep
      for (int i = 0; i < p.n; ++i) {
        p.excess[i] = receive_excess_polar_m(p.x_m[i], p.z_m[i] - apex, p.r_m[i], element.x_m, element.z_m - apex) *
                      samples_per_m;
      }
    }
  }

  void set_turns() const {
    const float turns_per_sample = g.turns_per_sample;
#pragma GCC ivdep
    for (int i = 0; i < p.n; ++i) {
      const Complex phasor = unit_phasor(p.excess[i] * turns_per_sample);
      p.re[i] = phasor.re;
      p.im[i] = phasor.im;
    }
  }

  // Calls run(e, begin, end) with the pixels of the part that may see the element, with weights and delays set.
  template <class Run>
  [[gnu::always_inline]] void for_each_delay(const Run& run) const {
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

  // Same as for_each_delay(), with the phasors of the delays set.
  template <class Run>
  [[gnu::always_inline]] void for_each_element(const Run& run) const {
    for_each_delay([&](int e, int begin, int end) __attribute__((always_inline)) {
      set_turns();
      run(e, begin, end);
    });
  }

  // Calls run(i, recorded, x): sample of transmit t and element e, turned by the receive delay; recorded: 1 or 0, where
  // x is 0. Skips pixels where the transmit has no weight along the row.
  template <class Run>
  [[gnu::always_inline]] void for_each_pixel(int t, int e, int begin, int end, const Run& run) const {
    const auto* line =
        reinterpret_cast<const SampleBits*>(row.lines + (static_cast<std::ptrdiff_t>(t) * g.n_el + e) * g.n_line);
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
      const SampleBits a = line[at];
      const SampleBits b = line[at + 1];
      const Complex x{recorded * (re_of(a) + w * (re_of(b) - re_of(a))),
                      recorded * (im_of(a) + w * (im_of(b) - im_of(a)))};
      run(i, recorded, Complex{re[i], im[i]} * x);
    }
  }

  // Same as FormedPixel::scaled(), without a branch.
  [[gnu::always_inline]] Complex scaled(int i, Complex x) const {
    const float larger = larger_of(fabsf(x.re), fabsf(x.im));
    const float known = p.factor[i];
    const float factor = known == 0.0f && larger > 0.0f ? factor_towards_one(larger) : known;
    p.factor[i] = factor;
    return factor * x;
  }

  struct WholeSamples {
    int least, most;
  };
  static WholeSamples whole_samples(const float* samples, int n) {
    int least = floor_to_int(samples[0]);
    int most = least;
    for (int i = 0; i < n; ++i) {
      const int whole = floor_to_int(samples[i]);
      least = whole < least ? whole : least;
      most = whole > most ? whole : most;
    }
    return {least, most};
  }

  // Returns the range of the transmit part over all transmits, from the start of the record.
  [[nodiscard]] WholeSamples transmit_samples() const {
    WholeSamples all{};
    for (int t = 0; t < g.n_tx; ++t) {
      const WholeSamples own = whole_samples(tx_excess(t), p.n);
      const int base = g.row_base[row_of(t)];
      all.least = t == 0 || base + own.least < all.least ? base + own.least : all.least;
      all.most = t == 0 || base + own.most > all.most ? base + own.most : all.most;
    }
    return all;
  }

  [[nodiscard]] bool all_reach_all() const {
    for (int t = 0; t < g.n_tx; ++t) {
      const PixelSpan pixels = reached(t, 0, p.n);
      if (pixels.begin != 0 || pixels.end != p.n) return false;
    }
    return true;
  }

  // Sets counts[t]: weighted elements recorded by transmit t. Returns true if every transmit recorded all of them.
  bool count_elements() const {
    const WholeSamples transmit = transmit_samples();
    const bool reach = all_reach_all();
    bool all = true;
    clear(p.counts, g.n_tx);
    for_each_delay([&](int e, int begin, int end) __attribute__((always_inline)) {
      const WholeSamples receive = whole_samples(p.excess + begin, end - begin);
      const bool recorded_all =
          reach && transmit.least + receive.least >= 0 && transmit.most + receive.most + 2 <= g.n_valid - 2;
      all = all && recorded_all;
      for (int t = 0; t < g.n_tx; ++t) {
        float* counts = p.counts + static_cast<std::ptrdiff_t>(t) * kMethodPixels;
        if (recorded_all) {
          for (int i = begin; i < end; ++i) counts[i] += p.weight[i] != 0.0f ? 1.0f : 0.0f;
          continue;
        }
        for_each_pixel(
            t, e, begin, end, [&](int i, float recorded, Complex /*x*/) __attribute__((always_inline)) {
              counts[i] += p.weight[i] != 0.0f ? recorded : 0.0f;
            });
      }
    });
    return all;
  }

  // Sets p.turn: phasor of a channel's place among those that count, exp(2 pi i place / count).
  void set_places(const float* places, const float* counts, int begin, int end) const {
    float* const re = p.turn;
    float* const im = re + kMethodPixels;
#pragma GCC ivdep
    for (int i = begin; i < end; ++i) {
      const Complex turn = unit_phasor(places[i] / larger_of(counts[i], 1.0f));
      re[i] = turn.re;
      im[i] = turn.im;
    }
  }
  [[nodiscard]] Complex place_turn(int i) const { return {p.turn[i], p.turn[kMethodPixels + i]}; }

  // Sets counts[0]: weighted elements recorded by any transmit.
  void count_compounded() const {
    clear(p.counts, 1);
    float* const recorded_any = p.element;
    for_each_delay([&](int e, int begin, int end) __attribute__((always_inline)) {
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
};

// Sums the samples of one element over transmits into p.element.
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

}  // namespace echoloop::ECHO_ISA
