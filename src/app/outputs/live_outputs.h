// What a run leaves of flow, objects and the spectrogram: the files that were asked for, and their part of the report.
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

// Takes the last of each from `live`, writes the files that the options name, and adds "flow", "structure" and
// "sonogram" to the report where they are on. A file that is wanted and of which nothing came is a refusal.
void end_live_outputs(const EndedRun& run, LiveImages& live, nlohmann::json& report, FileWriter& writer);

}  // namespace echoloop
