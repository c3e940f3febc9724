// The report of a run (--report).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/session.h"
#include "backend/backend.h"
#include "core/timing_trace.h"

namespace echoloop {

struct RunTotals {
  double seconds = 0.0;
  std::uint64_t shown = 0;
  std::uint64_t errors = 0;
};

nlohmann::json make_report(const Backend& backend, const Session& session, const std::string& source,
                           const ImagingParams& params, const TimingTrace& trace, const RunTotals& totals);

}  // namespace echoloop
