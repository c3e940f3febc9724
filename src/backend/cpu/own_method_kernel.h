// Compiled with the file of an own method, ECHO_OWN_SOURCE, by app/own_builder.cpp: into OwnMethodCode, of rows where
// ECHO_OWN_ROWS is defined, otherwise of pixels. ECHO_ISA, ECHO_VECTOR_BYTES: as for CMakeLists.txt's echoloop_loops().
#include "backend/cpu/method_parts.h"
#include "backend/cpu/own_method_code.h"
#include "backend/cpu/row_parts.h"
#include "backend/cpu/row_pixels.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/own.h"
#include ECHO_OWN_SOURCE
#include "dsp/methods/own_run.h"

namespace echoloop::ECHO_ISA {

template <class Method>
struct OwnCall {  // a template: made for methods that read rows only
  template <class Run>
  static void with(const MethodSettings& settings, const Run& run) {
    with_own_method(settings, run);
  }
};

template <class Method>
constexpr long long set_floats() {
  if constexpr (SumsChannels<Method>) return kNumbers<typename Method::Sums>;
  return -1;
}
[[maybe_unused]] static void run_rows(const MethodSettings& settings, const MethodRow& row) {
  with_own_method(settings, [&]<class Method>(const Method& method) {
    if constexpr (SumsChannels<Method>) {
      for (int first = 0; first < row.geometry.nx; first += kMethodPixels) form_part(method, PartLoops(row, first));
    }
  });
}

[[maybe_unused]] static void run_pixels(const MethodSettings& settings, const MethodRow& row) {
  with_own_method(settings, [&]<class Method>(const Method& method) {
    if constexpr (rows_read_by<Method>() == OwnRows::none) {
      for (int ix = 0; ix < row.geometry.nx; ++ix) {
        const MethodPixel made = method(DasChannels<DasForm::general>(row.geometry, row.lines, ix, row.iz));
        row.pixels[ix] = made.sum;
        row.weights[ix] = made.weight;
      }
    }
  });
}

#if defined(ECHO_OWN_ROWS)
template <class Call>
inline constexpr RowsKernel kKept = kRowsKernel<RowParts<Call>>;
#else
template <class Call>
inline constexpr RowsKernel kKept = kRowsKernel<RowPixels<Call>>;
#endif

template <int... index>
OwnMethodCode describe(std::integer_sequence<int, index...>) {
  OwnMethodCode code{};
  ((code.parameters += kOwnParameter<index>.name != nullptr ? 1 : 0, code.parameter[index] = kOwnParameter<index>),
   ...);
  with_own_method(MethodSettings{.method = static_cast<Adaptive>(kOwnTag)},
                  [&]<class Method>(const Method& /*method*/) {
                    code.replaces = replaces_pixel<Method>();
                    code.rows = rows_read_by<Method>();
                    code.set_floats = set_floats<Method>();
                    if constexpr (rows_read_by<Method>() != OwnRows::none) code.kept = kKept<OwnCall<Method>>;
                  });
#if defined(ECHO_OWN_ROWS)
  code.run = run_rows;
#else
  code.run = run_pixels;
#endif
  return code;
}

}  // namespace echoloop::ECHO_ISA

extern "C" {
extern const echoloop::OwnMethodCode ECHO_OWN_NAME __attribute__((visibility("default")));
const echoloop::OwnMethodCode ECHO_OWN_NAME =
    echoloop::ECHO_ISA::describe(std::make_integer_sequence<int, echoloop::kMostOwnParameters>());
}
