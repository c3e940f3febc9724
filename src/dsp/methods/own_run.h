// Calls the method of a file (dsp/methods/own.h). Included after the file, by what is compiled with it for each device.
#pragma once

#include "dsp/methods/element_rows.h"
#include "dsp/methods/own.h"

namespace echoloop {

struct AnyRun {
  template <class Method>
  ECHO_HD void operator()(const Method& /*method*/) const {}
};
template <int value>
concept OwnTag = requires(const MethodSettings& s) {
  run_method(MethodTag<static_cast<Adaptive>(value)>(), s, AnyRun{});
};

// Returns the largest value up to `value` whose run_method() the file has, `own` or that of a built-in method; -1:
// none.
template <int value>
constexpr int own_tag() {
  if constexpr (value < 0)
    return -1;
  else if constexpr (OwnTag<value>)
    return value;
  else
    return own_tag<value - 1>();
}
inline constexpr int kOwnTag = own_tag<static_cast<int>(Adaptive::own)>();
static_assert(kOwnTag >= 0,
              "no run_method(MethodTag<Adaptive::own>, const MethodSettings&, const Run&) in namespace echoloop");

template <class Run>
ECHO_HD void with_own_method(const MethodSettings& settings, const Run& run) {
  run_method(MethodTag<static_cast<Adaptive>(kOwnTag)>(), settings, run);
}

// Of sums over channels; other methods loop over the channels of a pixel themselves.
template <class Method>
concept SumsChannels = requires {
  sizeof(typename Method::Sums);
};

template <class Method>
constexpr bool replaces_pixel() {
  if constexpr (SumsChannels<Method>) return Method::replaces;
  return true;
}

}  // namespace echoloop
