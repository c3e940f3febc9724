// The kinds of sources, each defined once: the prefix of its names, and the function that opens it. open_source(),
// sessions and the check of output files read these rows; a new kind is one row. Constant data. [any thread] And the
// opening of a source in the background.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/facts.h"
#include "core/params.h"
#include "formats/open_recording.h"
#include "gui/state/ui_state.h"
#include "source/live/live_source.h"
#include "source/source.h"

namespace echoloop {

// A source that has been opened, with the facts about it. Plain values.
struct OpenedSource {
  std::string name;  // as given by the user
  std::shared_ptr<Source> source;
  Facts facts;  // used to open it
  SourceInfo info;
};

// Called when a scanner's address is open, before any sender has connected. [opening thread]
using WaitingForSender = std::function<void(const LiveWaiting&)>;

struct SourceRequest {
  const std::string& name;  // complete, as given by the user
  const Facts& facts;
  const OpenProgress& progress;
  const std::stop_token& stop;
  const WaitingForSender& waiting;
};

struct SourceKind {
  std::string_view prefix;  // of its names; empty: the name is the path of a file
  std::string (*names)();   // listed by --help
  // Returns source, format, and the parts of SourceInfo specific to this kind. Throws Error. [opening thread]
  OpenedSource (*open)(const SourceRequest& request);
};

// Returns a recording as a source: with its facts replaced, its samples checked.
OpenedSource opened_recording(const std::string& name, Recording recording, const Facts& facts);

// Returns the kind by the prefix of the name; every name without a prefix is a file.
const SourceKind& source_kind(std::string_view name);

// Returns true if the source is a file, which can be missing, moved or overwritten.
bool is_file_source(std::string_view name);
// Returns the typed name, for a folder without its final separators: the base of the names of files next to it.
std::string without_last_separator(std::string name);

// Returns "A recording, or sim:points, ...", for --help.
std::string source_names_text();

// The description with which a recording was opened, if it is in no file next to the recording: unsaved answers of the
// import assistant, a description in the user's own folder, one of --description or of a session. Stored per
// acquisition, so that an image keeps its own after the recording is opened again. Any thread.

// `json`: on one line; empty: none.
void remember_description(const AcquisitionPtr& acquisition, const std::string& json);
std::string opened_description(const AcquisitionPtr& acquisition);
// Returns `t_zero` of the description, also of one beside the file; empty: none.
std::string described_time_zero(const AcquisitionPtr& acquisition);

// Opens a source by the name given by the user, with the rows of source_kinds.h.

// Throws Error. Any thread; large recordings report progress and end early (with an Error) at a stop request. Waits at
// a scanner's address until a sender has connected, or a stop is requested; `waiting` is called at the start. `facts`:
// the user's facts about a recording that its file lacks.
OpenedSource open_source(const std::string& name, const Facts& facts = {}, const OpenProgress& progress = {},
                         std::stop_token stop = {}, const WaitingForSender& waiting = {});

// Opens a recording with this JSON description instead of any next to it; frames are read on demand.
OpenedSource open_described(const std::string& file, const std::string& description, std::stop_token stop = {});

// Returns default_params() for a window: the sample volume is in the vessel of a phantom.
ImagingParams window_params(const OpenedSource& opened);

// check_params() for a source opened for comparison: the Error names this source.
void check_params_of(const OpenedSource& opened, const ImagingParams& params);

// Opens a source on its own thread, so that a large file never delays the image. The result is passed as a value. A
// cancelled attempt is requested to stop and left alone: a library that does not react delays nothing. Owned and polled
// by the UI thread.
class SourceOpener {
 public:
  struct Result {
    std::optional<OpenedSource> opened;  // empty if it failed
    std::exception_ptr error;            // reason of the failure
  };

  // Starts opening; cancels an earlier attempt in progress.
  void open(const std::string& name, const Facts& facts = {});
  void open_again();  // the source of the last open()
  void cancel();

  [[nodiscard]] bool busy() const { return busy_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double fraction() const { return attempt_ == nullptr ? 0.0 : attempt_->fraction.load(); }
  // Returns the state of the address of a scanner whose sender has not connected yet.
  [[nodiscard]] std::optional<LiveWaiting> waiting() const;
  std::optional<Result> take();  // the result, if finished

 private:
  // Shared with its worker thread. `result` belongs to the thread until `done`.
  struct Attempt {
    std::atomic<double> fraction{0.0};
    std::atomic<bool> done{false};
    bool listens = false;  // at a scanner's address
    std::mutex mutex;
    std::optional<LiveWaiting> waiting;  // under mutex
    Result result;
  };
  struct Worker {
    template <class Body>
    Worker(Body body, std::shared_ptr<Attempt> of) : attempt(std::move(of)), thread(std::move(body)) {}
    std::shared_ptr<Attempt> attempt;
    std::jthread thread;
  };

  static void run(Attempt& attempt, const std::string& name, const Facts& facts, const std::stop_token& stop);

  std::string name_;
  Facts facts_;
  bool busy_ = false;  // between open() and take() or cancel()
  std::shared_ptr<Attempt> attempt_;
  std::vector<Worker> threads_;
};

}  // namespace echoloop
