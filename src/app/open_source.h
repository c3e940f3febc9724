// From what the user named to a Source, by the rows of source_kinds.h.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/acquisition_facts.h"
#include "core/params.h"
#include "formats/recording.h"
#include "gui/ui_state.h"
#include "source/source.h"

namespace echoloop {

struct OpenedSource {
  std::string name;  // as the user named it
  std::shared_ptr<Source> source;
  Facts facts;  // that it was opened with
  SourceInfo info;
};

// Throws Error. Any thread; big recordings report progress and end early (with an Error) when asked to stop.
// `facts`: what the user knows about a recording that its file does not hold.
OpenedSource open_source(const std::string& name, const Facts& facts = {}, const OpenProgress& progress = {},
                         std::stop_token stop = {});

// default_params() for a window: the sample volume lies where a phantom has its vessel.
ImagingParams window_params(const OpenedSource& opened);

}  // namespace echoloop
