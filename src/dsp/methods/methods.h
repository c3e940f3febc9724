// The functor of each adaptive method, made of the settings. A new method is a header beside this one, its include and
// its case here, and its name in core/adaptive.h. Methods that read rows have executors' functions of their own.
#pragma once

#include "dsp/methods/coherence.h"
#include "dsp/methods/generalized_coherence.h"
#include "dsp/methods/minimum_variance.h"
#include "dsp/methods/p_das.h"
#include "dsp/methods/phase_coherence.h"
#include "dsp/methods/plain_sum.h"
#include "dsp/methods/slsc.h"

namespace echoloop {

// Calls run(functor) for a method whose pixel needs the pixel's own channels only; otherwise not.
template <class Run>
void with_method(const MethodSettings& s, const Run& run) {
  switch (s.method) {
    case Adaptive::coherence:
      return run(CoherenceFactor{s.strength, s.axis, s.order});
    case Adaptive::generalized:
      if (s.bins <= 2) return run(GeneralizedCoherence<2>{s.bins, s.strength, s.axis, s.order});
      return run(GeneralizedCoherence<kMostAdaptiveBins>{s.bins, s.strength, s.axis, s.order});
    case Adaptive::phase:
      return run(PhaseCoherence{s.strength, s.axis, s.order});
    case Adaptive::p_das:
      if (s.root == 1.0f) return run(PlainSum{s.order});
      if (s.root == 2.0f) return run(SquareRootDas{{2.0f, s.order}});
      return run(PDas{s.root, s.order});
    case Adaptive::off:
    case Adaptive::slsc:
    case Adaptive::minimum_variance:
      return;
  }
}

}  // namespace echoloop
