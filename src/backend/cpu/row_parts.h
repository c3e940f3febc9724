// Methods of sums over channels that are added over rows (dsp/methods/element_rows.h), in loops along the pixels of a
// row: each value of the method is a vector of adjacent pixels. RowPixels is the specification. Compiled once per
// instruction set, which sets the namespace ECHO_ISA, and with the file of an own method. No standard library here, see
// method_loops.h.
#pragma once

#include "backend/cpu/method_loops.h"
#include "dsp/methods/element_rows.h"

namespace echoloop::ECHO_ISA {

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
};

// What a method reads and writes of kLanes adjacent pixels.
struct LaneElements {
  struct Element {
    Lanes re, im, energy;
  };
  const float* at;  // of PartElements
  Lanes factor;

  [[gnu::always_inline]] Element operator()(int e) const {
    const float* const own = at + e * PartElements::kElement;
    return {lanes(own), lanes(own + kMethodPixels), lanes(own + 2 * kMethodPixels)};
  }
};
struct LaneTerms {
  float* at;  // [term][re | im][kMethodPixels]

  [[gnu::always_inline]] void set(int i, const Lanes& re, const Lanes& im) const {
    float* const own = at + static_cast<std::ptrdiff_t>(2 * i) * kMethodPixels;
    lanes(own) = re;
    lanes(own + kMethodPixels) = im;
  }
};
struct LaneRows {
  struct Term {
    Lanes re, im;
  };
  const float* first;  // terms of the first row
  long long row_step;
  int count, centre;

  [[gnu::always_inline]] Term at(int row, int i) const {
    const float* const own = first + row * row_step + static_cast<std::ptrdiff_t>(2 * i) * kMethodPixels;
    return {lanes(own), lanes(own + kMethodPixels)};
  }
};

// Kept of a row: [part of kMethodPixels][term][re | im][kMethodPixels]. Call::with(settings, run): run(functor).
template <class Call>
struct RowParts {
  static long long row_floats(const MethodSettings& s, const DasGeometry& g) {
    return (g.nx + kMethodPixels - 1) / kMethodPixels * part_floats(s);
  }

  static long long scratch_floats(const MethodSettings& /*s*/, const DasGeometry& g) {
    return method_row_floats(0, g.n_tx) + g.n_el * static_cast<long long>(PartElements::kElement);
  }

  static void store(const MethodSettings& s, const MethodRow& row, float* kept) {
    const DasGeometry& g = row.geometry;
    const long long part = part_floats(s);
    for (int first = 0; first < g.nx; first += kMethodPixels, kept += part) {
      if (g.n_valid < 2) {  // no sample has a neighbour
        clear(kept, static_cast<int>(part / kMethodPixels));
        continue;
      }
      const PartLoops loops(row, first);
      const PartElements elements{row.scratch + method_row_floats(0, g.n_tx), g.n_el};
      elements.store(loops);
      Call::with(s, [&]<class Method>(const Method& method) {
        if constexpr (rows_read_by<Method>() == OwnRows::coherence) {
          for (int i = 0; i < kMethodPixels; i += kLanes)
            method.store_terms(LaneElements{elements.at + i, lanes(loops.p.factor + i)}, g.n_el, LaneTerms{kept + i});
        }
      });
    }
  }

  static void form(const MethodSettings& s, const KeptRows& rows, const MethodRow& row, int first) {
    const float* const kept = rows.values + first / kMethodPixels * part_floats(s);
    float made[kMethodPixels];
    Call::with(s, [&]<class Method>(const Method& method) {
      if constexpr (rows_read_by<Method>() == OwnRows::coherence) {
        for (int i = 0; i < kMethodPixels; i += kLanes)
          lanes(made + i) = method.pixel(LaneRows{kept + i, rows.row_floats, rows.count, rows.centre});
      }
    });
    for (int i = 0; i < kMethodPixels && first + i < row.geometry.nx; ++i) {
      row.pixels[first + i] = {made[i], 0.0f};
      row.weights[first + i] = made[i];
    }
  }

 private:
  static long long part_floats(const MethodSettings& s) {
    long long terms = 0;
    Call::with(s, [&]<class Method>(const Method& method) {
      if constexpr (rows_read_by<Method>() == OwnRows::coherence) terms = method.n_terms();
    });
    return 2 * terms * kMethodPixels;
  }
};

}  // namespace echoloop::ECHO_ISA
