// The parts of the program with a window that its controllers share, in the order in which they are made: settings,
// backend, stores, source, stream, window. WindowApp fills them, and ends window and stream first. UI thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/session_file.h"
#include "app/stream/session.h"
#include "core/facts.h"
#include "core/results/live_images.h"
#include "core/timing_trace.h"
#include "gui/state/ui_state.h"
#include "gui/viewer.h"
#include "history/rf_history.h"

namespace echoloop {

struct WindowParts {
  explicit WindowParts(const Options& options);

  const Options options;
  UiState state;
  std::unique_ptr<Backend> backend;
  TimingTrace trace;
  LiveImages live;
  PastImages past;
  InspectionAnswers inspections;
  RfHistory history;
  std::shared_ptr<Source> source;            // null: none has been opened yet
  std::string named;                         // the source, as the user named it
  Facts facts;                               // of the source, when it was opened
  std::optional<std::vector<Doubt>> doubts;  // about them; nothing: not measured
  std::unique_ptr<Session> session;          // null: no stream
  std::unique_ptr<Viewer> viewer;

  // `cause`: the name that resolves an error or a warning, as in MessageLog::resolve().
  void say(Severity severity, const std::string& text, const std::string& cause = {});
  void hint(const std::string& text);     // why an action has no effect: shown for a few seconds
  [[nodiscard]] bool refused_in_kiosk();  // with a message
  [[nodiscard]] bool on_gpu() const { return backend->name() == "CUDA"; }
  [[nodiscard]] SavedSession session_now(SavedMoment moment) const;  // of what is on screen; without a source: empty
  // True for a run without an operator: with an end or output files on the command line, or in a kiosk.
  [[nodiscard]] bool scripted() const;
  [[nodiscard]] bool kiosk() const { return options.kiosk_idle_s > 0.0; }
};

// How the window is made, from the options and from whether a kiosk, a script or a user runs it.
ViewerOptions viewer_options(const WindowParts& parts, SurfaceKind surface);

[[nodiscard]] ProgramFacts program_facts();

}  // namespace echoloop
