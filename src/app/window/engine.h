// Objects shared by the controllers of the window: the source in use, and the objects that make images of it. UI thread
// only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/session_file.h"
#include "app/stream/session.h"
#include "core/acquisition.h"
#include "core/results/live_images.h"
#include "core/timing_trace.h"
#include "gui/state/ui_state.h"
#include "gui/viewer.h"
#include "history/rf_history.h"

namespace echoloop {

struct SourceInUse {
  std::shared_ptr<Source> source;            // null: none opened yet
  std::string named;                         // name given by the user
  Facts facts;                               // used to open it
  std::optional<std::vector<Doubt>> doubts;  // about the facts; nullopt: not measured
};

// In the order of their construction; the session ends first.
struct Engine {
  std::unique_ptr<Backend> backend;
  RfHistory history;
  TimingTrace trace{};
  LiveImages live = {};
  PastImages past = {};
  InspectionAnswers inspections = {};
  std::unique_ptr<Session> session = {};  // null: no stream

  [[nodiscard]] bool on_gpu() const { return backend->name() == "CUDA"; }
};

enum class RunKind { attended, unattended };  // unattended: messages in the window are not read

[[nodiscard]] bool refused_in_kiosk(Model& model);  // with a message
[[nodiscard]] inline bool is_kiosk(const WindowOptions& options) { return options.kiosk_idle_s > 0.0; }
// Returns true for a run with an end on the command line.
[[nodiscard]] inline bool has_end(const RunLimits& limits) { return limits.frames > 0 || limits.duration_s > 0.0; }

// Returns the session of the image on screen; empty without a source.
[[nodiscard]] SavedSession session_now(const SourceInUse& in_use, const Edits& edits, const Viewer& viewer,
                                       SavedMoment moment);

// Returns the options of the window, from those of the program and its kind of run: kiosk, script or user.
ViewerOptions viewer_options(const WindowOptions& options, RunKind kind, Interop interop, SurfaceKind surface,
                             Queries queries);

[[nodiscard]] ProgramFacts program_facts();

}  // namespace echoloop
