// The kinds of sources, each announced once: how a name of that kind begins, and what opens it. open_source(), sessions
// and the check of output files read these rows; a further kind is one row. Constant data. [any thread]
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/opening/opened_source.h"
#include "formats/open_recording.h"
#include "source/live/live_source.h"

namespace echoloop {

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

}  // namespace echoloop
