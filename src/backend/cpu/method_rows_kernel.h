// Loops of method_row() and of SLSC, written for the vectoriser. CMakeLists.txt compiles them once per instruction set,
// which sets the namespace ECHO_ISA. No standard library here, see method_loops.h.
#include "backend/cpu/method_parts.h"
#include "backend/cpu/row_parts.h"
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

const RowsKernel kSlsc = kRowsKernel<RowParts<BuiltInMethod<Adaptive::slsc>>>;

}  // namespace echoloop::ECHO_ISA
