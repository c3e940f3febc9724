// The report of a run (--report).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/stream/session.h"
#include "backend/backend.h"
#include "core/sample_log.h"
#include "core/timing_trace.h"
#include "history/recorder.h"

namespace echoloop {

struct RunTotals {
  double seconds = 0.0;
  std::uint64_t shown = 0;
  std::uint64_t errors = 0;
};

nlohmann::json make_report(const Backend& backend, const Session& session, const std::string& source,
                           const ImagingParams& params, const TimingTrace& trace, const RunTotals& totals);

// Faults of the source's samples: of all processed frames, and of the last one. `log` null: nothing was checked.
nlohmann::json samples_json(const SampleLogPtr& log, const FrameStamp& last);

nlohmann::json recording_json(const RecorderStatus& status);

// How a recording ended, in one line: "scan.uff: recorded 1200 frames, 1200.0 MB"; with what went wrong, if it did.
std::string recording_text(const RecorderStatus& status);

// To each file of all frames in the report: the command that makes it again, or why there is none.
struct RepeatedRun {
  const std::string& named;  // the source, as the user named it
  const AcquisitionPtr& acquisition;
  const ImagingParams& params;
  const Backend& backend;
  RingCounts counts;
};
void add_commands(nlohmann::json& report, const RepeatedRun& run);

}  // namespace echoloop
