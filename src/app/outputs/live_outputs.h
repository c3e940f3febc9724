// What a run leaves of its analyses: the files that were asked for, and their part of the report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/options/options.h"
#include "app/outputs/output_files.h"
#include "app/stream/session.h"
#include "backend/backend.h"
#include "core/results/live_images.h"

namespace echoloop {

// Throws Error when a file is wanted of something that the parameters do not turn on.
void require_live_outputs(const Options& options, const ImagingParams& params);

// A run whose stream has been stopped.
struct EndedRun {
  const Options& options;
  std::string source;  // as the user named it
  const ImagingParams& params;
  const Backend& backend;
  const Session& session;
};

// Of each of analysis_files() that is on: takes the last result from `live`, writes the file that the options name, and
// adds it to the report. A file that is wanted and of which nothing came is a refusal.
void end_live_outputs(const EndedRun& run, LiveImages& live, nlohmann::json& report, FileWriter& writer);

}  // namespace echoloop
