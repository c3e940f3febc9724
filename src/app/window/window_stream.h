// The stream of the window: its parameters and settings at the start and while it runs, and its statistics. UI thread
// only.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/opening/source_kinds.h"
#include "app/options/options.h"
#include "app/session_file.h"
#include "app/stats_collector.h"
#include "app/window/engine.h"
#include "app/window/window_comparison.h"
#include "app/window/window_doubts.h"
#include "app/window/window_opening.h"
#include "app/window/window_presets.h"
#include "app/window/window_review.h"

namespace echoloop {

// From the command line, for the first source.
struct StreamStart {
  const ImagingOptions& imaging;
  bool queue_given;          // see StreamingOptions
  std::uint64_t max_frames;  // 0: no limit
  bool every_frame;          // counted or written to files
  double method_limit_s;     // of the wait for a frame of a method in another process
  DoubtCards doubts;         // none: facts are not tested
};

class WindowStream {
 public:
  WindowStream(WindowState& state, const StreamStart& start, SourceInUse& in_use, Engine& engine, Commands& commands)
      : state_(state),
        given_(start),
        in_use_(in_use),
        engine_(engine),
        doubts_({state, in_use, engine, commands, start.imaging}, start.doubts) {}

  void describe_backend();

  // Initial parameters and settings of an opened source's stream: from the command line, the user, a session, a reset,
  // a default preset and the source.
  enum class Change { another_source, same_source };  // same_source: other facts, or a phantom with other settings
  struct Plan {
    bool first = false;  // source of the window
    Change change = Change::another_source;
    bool described_again = false;  // a scanner whose sender has sent a new description
    ImagingParams defaults;
    WindowPresets::Default preset;  // with the parameters, even without a preset
    StreamSettings stream;
  };
  // Throws Error if the source cannot be imaged this way, or its frames need more memory than will be free.
  [[nodiscard]] Plan plan(const OpenedSource& opened, const WindowOpening::Purpose& purpose,
                          const WindowPresets& presets);
  void describe(const OpenedSource& opened, const Plan& plan);  // for the window, before it starts
  void report(const OpenedSource& opened, const Plan& plan);    // messages, after it has started

  // Returns the automatic policy and slots; nullopt: set by the user.
  [[nodiscard]] const std::optional<StreamSettings>& chosen_queue() const { return chosen_queue_; }
  // Sets policy and slots, unless the user has set them.
  void choose_queue(StreamSettings& stream, const SourceInfo& source, const ImagingParams& params);

  struct Start {
    StreamSettings stream;
    std::shared_ptr<const SavedSession> saved = {};  // start of the stream; null: at the source's beginning
    HostCopy host_copy = HostCopy::made;
    std::function<void(const Image&)> on_image = {};
    std::vector<std::shared_ptr<Outlet>> outlets = {};
    std::vector<FrameSink*> sinks = {};
  };
  void end();  // ends the session and drops its history: the next one begins empty
  // Ends the session, and makes another one with WindowState::params: at once if none runs, otherwise from advance(),
  // after the end of the previous one.
  void make(const std::shared_ptr<Source>& source, Start start);
  // Returns true if a stream of this source, to be made, continues the counts of the previous one: for a scanner.
  [[nodiscard]] bool continues(Source& source) const {
    return (engine_.session != nullptr || changing()) && &source == in_use_.source.get() && source.live() != nullptr;
  }
  [[nodiscard]] bool changing() const { return coming_.has_value(); }  // no session yet
  [[nodiscard]] bool ended() const;                                    // the previous session: the next one can be made
  void finish_change();                                                // waits

  // Returns true if a scanner's sender describes other frames: the stream has ended before them.
  [[nodiscard]] bool acquisition_changed() const;
  // Returns the same scanner with the new description. Default parameters follow, or all, if the others do not fit.
  [[nodiscard]] OpenedSource described_again();

  void apply_params();
  void apply(const StreamSettings& wanted);
  // Once a window frame: the second half of a change of slots, lanes, memory or streams, and of a start; doubts.
  void advance();
  void fail(const std::string& why);  // stopped until a restart
  void update_numbers(std::uint64_t shown) { stats_.update(state_, *engine_.session, engine_.trace, shown); }
  void report_refusal();
  [[nodiscard]] WindowDoubts& doubts() { return doubts_; }

 private:
  [[nodiscard]] ImagingParams params_to_start(const ImagingParams& defaults) const;
  [[nodiscard]] ImagingParams params_with_facts(const ImagingParams& defaults) const;
  void require_room(const OpenedSource& opened, const StreamSettings& stream, const ImagingParams& params) const;
  void begin(const RingCounts& counts);
  void follow_doppler();
  void describe_transport();

  struct Coming {
    std::shared_ptr<Source> source;
    Start start;
    bool continues = false;
    bool keeps_history = false;
  };

  WindowState& state_;
  const StreamStart given_;
  SourceInUse& in_use_;
  Engine& engine_;
  AcquisitionPtr acquisition_;                  // of the last session
  ImagingParams accepted_;                      // the last parameters with which the source could be imaged
  std::optional<StreamSettings> chosen_queue_;  // automatic policy and slots; nullopt: the command line's
  std::optional<Coming> coming_;                // the next stream
  std::future<RingCounts> ended_;               // end of the previous stream; the counts that it leaves
  StatsCollector stats_;
  WindowDoubts doubts_;
};

// States to restore. Reset: that of a fresh start, with its own stream; by key, by control, and automatically in a
// kiosk without input; and the undo of the user's reset, which restores the settings. The previous source with its
// state, until the first image of its replacement; and the marks of all previous sources. UI thread only.

class WindowReset {
 public:
  struct Controllers {
    WindowOpening& opening;
    WindowPresets& presets;
    WindowReview& review;
    WindowReference& reference;
    WindowStream& stream;
  };
  WindowReset(WindowState& state, const WindowOptions& options, SourceInUse& in_use, Engine& engine, Viewer& viewer,
              Controllers controllers)
      : state_(state),
        options_(options),
        in_use_(in_use),
        engine_(engine),
        viewer_(viewer),
        with_(std::move(controllers)) {}

  void begin();  // the first source has been opened: state of a reset
  void reset();  // by the user: can be undone
  void undo();
  void look();  // once a window frame, after drawing: the previous source, and a kiosk without input
  // Call after a reset's source has been opened: drops counts and history of the previous stream.
  void forget_stream();
  // Prepares another source than the one in use: with its own view, and its earlier marks. `now`: session on screen.
  void change_source(const SourceInfo& next, const WindowOpening::Purpose& purpose, const SavedSession& now);
  // Returns true while waiting for the first image of the source in use.
  [[nodiscard]] bool can_return() const { return former_.has_value(); }
  void return_to_source();
  // Applies the part of `wanted` that belongs to the running source.
  void apply_to_source(const Setup& wanted);

 private:
  struct Former {
    OpenedSource opened;
    Setup setup;
    std::shared_ptr<const SavedSession> seen;  // null: a scanner, whose frames cannot be repeated
  };
  [[nodiscard]] Setup setup() const;
  void forget_former();
  void reset_when_idle();
  void apply(const Setup& wanted);
  void reset_to_start(std::optional<Setup> undo, std::string done);

  WindowState& state_;
  const WindowOptions& options_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  const Controllers with_;
  std::optional<Setup> start_;   // at the start of the first source
  std::optional<Setup> before_;  // before the last reset, while it can be undone
  std::optional<Former> former_;
  std::map<std::string, std::vector<Mark>> marks_;  // by the source's name when opened
  std::string done_;                                // message after the source has been opened
  std::int64_t reset_ns_ = 0;                       // of the last one
};

// Returns the state of a fresh start. Keeps of `used` only device, files and presets, and the running source.
WindowState fresh_state(WindowState used);

}  // namespace echoloop
