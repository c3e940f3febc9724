// For the file of an own method, a header in the form of dsp/methods/*.h that is compiled while the program runs:
//
//   #include "dsp/methods/own.h"
//   namespace echoloop {
//   ECHO_PARAMETER(strength, "", 0, 1, 0.5, "0: Wiener post-filter, 1: coherence factor")
//   struct Weight { ... };  // a functor: of sums over channels (channel_sums.h), or of the channels (method.h)
//   template <class Run>
//   void run_method(MethodTag<Adaptive::own>, const MethodSettings& s, const Run& run) {
//     run(Weight{s.own[strength], s.axis, s.order});
//   }
//   }
#pragma once

#include "dsp/methods/channel_sums.h"
#include "dsp/methods/method.h"

namespace echoloop {

// A parameter of an own method, at most kMostOwnParameters of them in the order of the file.
struct OwnParameterText {
  const char *name = nullptr, *unit = nullptr, *help = nullptr;  // name null: there is none
  double min = 0.0, max = 0.0, value = 0.0;                      // value: the default
};
template <int index>
inline constexpr OwnParameterText kOwnParameter{};

// NVRTC does not count: its caller defines ECHO_INDEX_OF_NAME for each parameter of the file.
#if defined(__CUDACC_RTC__)
#define ECHO_COUNTED(name) ECHO_INDEX_OF_##name
inline constexpr int kBeforeOwnParameters = -1;
#else
#define ECHO_COUNTED(name) __COUNTER__
inline constexpr int kBeforeOwnParameters = __COUNTER__;
#endif

}  // namespace echoloop

// Declares a parameter between functions of namespace echoloop; `name` is its index in MethodSettings::own.
#define ECHO_PARAMETER(name, unit, min, max, value, help) \
  ECHO_PARAMETER_AT(ECHO_COUNTED(name), name, unit, min, max, value, help)
#define ECHO_PARAMETER_AT(counter, name, unit, min, max, value, help)                          \
  inline constexpr int name = (counter)-kBeforeOwnParameters - 1;                              \
  static_assert(name < kMostOwnParameters, "an own method has at most eight parameters");      \
  static_assert((min) < (max) && (value) >= (min) && (value) <= (max),                         \
                "ECHO_PARAMETER(name, unit, min, max, default, help)");                        \
  static_assert(sizeof #name <= 64 && sizeof(unit) <= 16 && sizeof(help) <= 256,               \
                "a parameter has a name of 63, a unit of 15 and a help of 255 bytes at most"); \
  template <>                                                                                  \
  inline constexpr OwnParameterText kOwnParameter<name>{#name, unit, help, min, max, value};
