// RAII for KissFFT configurations, host only. A configuration holds scratch memory: one a thread. Transforms are not
// normalised: forward and inverse give n times the signal.
#pragma once

#include <kiss_fft.h>
#include <kiss_fftr.h>

#include <memory>
#include <new>

namespace echoloop {

struct KissFree {
  void operator()(void* p) const { kiss_fft_free(p); }
};
using KissComplexPlan = std::unique_ptr<kiss_fft_state, KissFree>;
using KissRealPlan = std::unique_ptr<kiss_fftr_state, KissFree>;

enum class Transform { forward, inverse };

inline KissComplexPlan make_complex_plan(int n, Transform transform) {
  KissComplexPlan plan(kiss_fft_alloc(n, transform == Transform::inverse ? 1 : 0, nullptr, nullptr));
  if (plan == nullptr) throw std::bad_alloc();
  return plan;
}
inline KissRealPlan make_real_plan(int n) {
  KissRealPlan plan(kiss_fftr_alloc(n, 0, nullptr, nullptr));
  if (plan == nullptr) throw std::bad_alloc();
  return plan;
}

}  // namespace echoloop
