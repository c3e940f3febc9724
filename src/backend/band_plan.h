// Rates and response of the analytic recipe's lines (Plan::band).
#pragma once

#include <memory>

#include "backend/plan.h"

namespace echoloop {

std::shared_ptr<const BandPlan> make_band(const Acquisition& a, const ImagingParams& p);

// Of the tuned path, whose own filter has the response: its lines need fewer samples.
std::shared_ptr<const BandPlan> make_packed_rates(const Acquisition& a, const ImagingParams& p);

}  // namespace echoloop
