// What the adaptive method of a plan compares at one pixel, for the inspector. Pure; any thread.
#pragma once

#include "backend/plan.h"
#include "core/results/inspection.h"

namespace echoloop {

// `lines` as read back from a lane with this plan, in single precision; `sum` counts the plan's transmits.
MethodView inspect_method(const Plan& plan, const Complex* lines, int ix, int iz, int sum);

}  // namespace echoloop
