// The functor of each adaptive method, made of the parameters. A new method is a header beside this one, its include
// and its case here, and its name in core/adaptive.h.
#pragma once

#include "core/params.h"
#include "dsp/methods/coherence.h"
#include "dsp/methods/phase_coherence.h"

namespace echoloop {

// Calls run(functor) for the method of the parameters; not with Adaptive::off.
template <class Run>
void with_method(const FormationParams& params, const Run& run) {
  switch (params.adaptive) {
    case Adaptive::off:
      return;
    case Adaptive::coherence:
      return run(CoherenceFactor{static_cast<float>(params.adaptive_strength)});
    case Adaptive::phase:
      return run(PhaseCoherence{static_cast<float>(params.adaptive_strength)});
  }
}

}  // namespace echoloop
