// The adaptive methods by name, in the order of their values. A method is a value and a row here, and its functor in
// dsp/methods/.
#pragma once

#include <array>

#include "core/param_choice.h"

namespace echoloop {

enum class Adaptive { off, coherence, phase };  // off: delay-and-sum

inline constexpr std::array<ParamChoice, 3> kAdaptiveMethods = {
    {{"off", "Off", "delay-and-sum"},
     {"coherence", "Coherence", "coherence factor over elements"},
     {"phase", "Phase", "agreement of phases over elements"}}};

}  // namespace echoloop
