// A pipeline.yaml of zea as settings of this program. Reader process. Internal to src/formats.
#pragma once

#include <string>

#include "formats/base/open_request.h"

namespace echoloop {

[[nodiscard]] bool is_pipeline(const OpenRequest& request);  // by its name: *.yaml, *.yml

// Returns JSON: {"set": ["f_number=1.5", ...], "not_available": ["companding (mu: 255)", ...]}. Of YAML it reads maps,
// lists, scalars and comments; anchors, tags, several documents, texts over lines and files above 64 kB are refused.
// Throws Error.
std::string pipeline_settings(const OpenRequest& request);

}  // namespace echoloop
