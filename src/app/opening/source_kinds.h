// The kinds of sources, each announced once: how a name of that kind begins, and what opens it. open_source(), sessions
// and the check of output files read these rows; a further kind is one row. Constant data. [any thread]
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/facts.h"
#include "core/params.h"
#include "formats/open_recording.h"
#include "gui/state/ui_state.h"
#include "source/live/live_source.h"
#include "source/source.h"

namespace echoloop {

// A source that has been opened, with the facts about it. Plain values.

struct OpenedSource {
  std::string name;  // as the user named it
  std::shared_ptr<Source> source;
  Facts facts;  // that it was opened with
  SourceInfo info;
};

// Called once a scanner's address is waited at, before any sender has come. [opening thread]
using WaitingForSender = std::function<void(const LiveWaiting&)>;

struct SourceRequest {
  const std::string& name;  // whole, as the user gave it
  const Facts& facts;
  const OpenProgress& progress;
  const std::stop_token& stop;
  const WaitingForSender& waiting;
};

struct SourceKind {
  std::string_view prefix;  // of its names; empty: the name is the path of a file
  std::string (*names)();   // that --help lists
  // Source, format, and what only this kind has in SourceInfo. Throws Error. [opening thread]
  OpenedSource (*open)(const SourceRequest& request);
};

// A recording as a source: its facts replaced, its samples checked.
OpenedSource opened_recording(const std::string& name, Recording recording, const Facts& facts);

// The kind that the name begins as; every name without a prefix is a file.
const SourceKind& source_kind(std::string_view name);

// Whether the source is a file, which can be missing, moved or overwritten.
bool is_file_source(std::string_view name);
// As typed, a folder without the separators at its end: names of what lies beside it are made from this.
std::string without_last_separator(std::string name);

// "A recording, or sim:points, ...", for --help.
std::string source_names_text();

// The description that a recording was opened with where it lies in no file beside the recording: answers of the import
// assistant that were not saved, a description in the user's own folder, one of --description or of a session. It stays
// with the acquisition, so that an image of the time before another opening keeps its own. Any thread.

// `json`: on one line; empty: none.
void remember_description(const AcquisitionPtr& acquisition, const std::string& json);
std::string opened_description(const AcquisitionPtr& acquisition);

// From what the user named to a Source, by the rows of source_kinds.h.

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
