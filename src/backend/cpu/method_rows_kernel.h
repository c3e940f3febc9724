// Loops of method_row() and of SlscKernel, written for the vectoriser. CMakeLists.txt compiles them once per
// instruction set, which sets the namespace ECHO_ISA. No standard library here, see method_loops.h.
#include "backend/cpu/method_parts.h"
#include "dsp/methods/methods.h"
#include "dsp/methods/slsc.h"

namespace echoloop::ECHO_ISA {

// Number of bins known at compile time; sums of bins that the weight does not read are ignored.
template <int kBins>
struct BinsCoherence : GeneralizedCoherence<kBins> {
  using Sums = typename GeneralizedCoherence<kBins>::Sums;
  [[gnu::always_inline]] void add_turned(Sums& sums, float weight, Complex s, Complex step) const {
    GeneralizedCoherence<kBins>{kBins, this->strength, this->axis, this->order}.add_turned(sums, weight, s, step);
  }
};

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
