// From what the user named to a Source, by the rows of source_kinds.h.
#pragma once

#include <stop_token>
#include <string>

#include "app/opening/opened_source.h"
#include "app/opening/source_kinds.h"
#include "core/acquisition_facts.h"
#include "core/params.h"
#include "formats/open_recording.h"

namespace echoloop {

// Throws Error. Any thread; big recordings report progress and end early (with an Error) when asked to stop.
// A scanner's address is waited at until a sender has come, or a stop is requested; `waiting` is called at the start.
// `facts`: what the user knows about a recording that its file does not hold.
OpenedSource open_source(const std::string& name, const Facts& facts = {}, const OpenProgress& progress = {},
                         std::stop_token stop = {}, const WaitingForSender& waiting = {});

// A recording that is opened with this JSON description, whatever lies beside it; frames are read as they are needed.
OpenedSource open_described(const std::string& file, const std::string& description, std::stop_token stop = {});

// default_params() for a window: the sample volume lies where a phantom has its vessel.
ImagingParams window_params(const OpenedSource& opened);

// check_params() for a source opened beside another one: the Error names this source.
void check_params_of(const OpenedSource& opened, const ImagingParams& params);

}  // namespace echoloop
