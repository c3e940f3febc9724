// What a run without a window leaves of flow, objects and the sonogram: their files and their part of the report.
#pragma once

#include <nlohmann/json.hpp>

#include "app/options.h"
#include "app/session.h"
#include "backend/backend.h"
#include "core/live_images.h"

namespace echoloop {

// Throws Error when a file is wanted of something that the parameters do not turn on.
void require_live_outputs(const Options& options, const ImagingParams& params);

// At the end of the run: takes the last of each from `live`, writes the files that the options name, and adds "flow",
// "structure" and "sonogram" to the report where they were on. Throws Error when a file is wanted and nothing came.
void end_live_outputs(const Options& options, const ImagingParams& params, const Backend& backend,
                      const Session& session, LiveImages& live, nlohmann::json& report);

}  // namespace echoloop
