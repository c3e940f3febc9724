// The stream behind the window: its parameters and settings at the start and while it runs, and the numbers about it.
// UI thread only.
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

class WindowStream {
 public:
  WindowStream(WindowState& state, const Options& options, SourceInUse& in_use, Engine& engine)
      : state_(state), options_(options), in_use_(in_use), engine_(engine) {}

  void describe_backend();

  // With which parameters and settings the stream of an opened source starts: as the command line, the user, a session,
  // a reset, a default preset and the source have them.
  enum class Change { another_source, same_source };  // same: other facts, or a phantom with other settings
  struct Plan {
    bool first = false;  // source of the window
    Change change = Change::another_source;
    bool described_again = false;  // a scanner whose sender has described other frames
    ImagingParams defaults;
    WindowPresets::Default preset;  // with the parameters, also where none is used
    StreamSettings stream;
  };
  // Throws Error where the source cannot be imaged so, or its frames need more memory than will be free.
  [[nodiscard]] Plan plan(const OpenedSource& opened, const WindowOpening::Purpose& purpose,
                          const WindowPresets& presets);
  void describe(const OpenedSource& opened, const Plan& plan);  // for the window, before it starts
  void report(const OpenedSource& opened, const Plan& plan);    // messages, after it has started

  // Policy and slots that no user chose; nothing: a user did.
  [[nodiscard]] const std::optional<StreamSettings>& chosen_queue() const { return chosen_queue_; }
  // Policy and slots, as long as no user has chosen others.
  void choose_queue(StreamSettings& stream, const SourceInfo& source);

  struct Start {
    StreamSettings stream;
    std::shared_ptr<const SavedSession> saved = {};  // where the stream begins; null: at the source's beginning
    HostCopy host_copy = HostCopy::made;
    std::function<void(const Image&)> on_image = {};
    std::vector<FrameSink*> sinks = {};
  };
  void end();  // of the session, and of what it has kept: the next one begins from nothing
  // Ends the session, and makes another one with WindowState::params: at once where none runs, otherwise from
  // advance(), when the one before has ended.
  void make(const std::shared_ptr<Source>& source, Start start);
  // Whether a stream of this source, which is to be made, goes on with the counts of the one before: of a scanner.
  [[nodiscard]] bool continues(Source& source) const {
    return (engine_.session != nullptr || changing()) && &source == in_use_.source.get() && source.live() != nullptr;
  }
  [[nodiscard]] bool changing() const { return coming_.has_value(); }  // there is no session yet
  [[nodiscard]] bool ended() const;                                    // the session before: the next one can be made
  void finish_change();                                                // waits

  // A scanner whose sender describes other frames: the stream has ended before them.
  [[nodiscard]] bool acquisition_changed() const;
  // The same scanner with them. Parameters at their defaults follow; where the others do not fit, all of them.
  [[nodiscard]] OpenedSource described_again();

  void apply_params();
  void apply(const StreamSettings& wanted);
  // Once a window frame: the second half of a change of slots, lanes, memory or streams, and of a start; doubts.
  void advance();
  void fail(const std::string& why);  // nothing runs until a restart
  void update_numbers(std::uint64_t shown) { stats_.update(state_, *engine_.session, engine_.trace, shown); }
  void report_refusal();

 private:
  [[nodiscard]] ImagingParams params_to_start(const ImagingParams& defaults) const;
  [[nodiscard]] ImagingParams params_with_facts(const ImagingParams& defaults) const;
  void require_room(const OpenedSource& opened, const StreamSettings& stream, const ImagingParams& params) const;
  void begin(const RingCounts& counts);

  struct Coming {
    std::shared_ptr<Source> source;
    Start start;
    bool continues = false;
    bool keeps_history = false;
  };

  WindowState& state_;
  const Options& options_;
  SourceInUse& in_use_;
  Engine& engine_;
  AcquisitionPtr acquisition_;                  // of the last session
  ImagingParams accepted_;                      // the last parameters that the source could be imaged with
  std::optional<StreamSettings> chosen_queue_;  // policy and slots that no user chose; nothing: the command line's
  std::optional<Coming> coming_;                // the next stream
  std::future<RingCounts> ended_;               // the stream before, which ends; the counts that it leaves
  StatsCollector stats_;
  WindowDoubts doubts_{state_, options_, in_use_, engine_};
};

// States to go back to. Reset: that of a fresh start, with a stream of its own; by key, by control, and by itself in a
// kiosk without input; and the undo of the user's reset, which restores what was set. The source before, as it was,
// until the first image of the one that has replaced it; and the marks of all sources before. UI thread only.

class WindowReset {
 public:
  struct Controllers {
    WindowOpening& opening;
    WindowPresets& presets;
    WindowReview& review;
    WindowReference& reference;
    WindowStream& stream;
  };
  WindowReset(WindowState& state, const Options& options, SourceInUse& in_use, Engine& engine, Viewer& viewer,
              Controllers controllers)
      : state_(state),
        options_(options),
        in_use_(in_use),
        engine_(engine),
        viewer_(viewer),
        with_(std::move(controllers)) {}

  void begin();  // the first source has been opened: a reset leads here
  void reset();  // by the user: can be undone
  void undo();
  void look();  // once a window frame, after drawing: the source before, and a kiosk without input
  // The source of a reset has been opened: nothing of the stream before remains, neither counts nor kept frames.
  void forget_stream();
  // Another source than the one in use begins: with its own view, and the marks that were on it. `now`: what is seen.
  void change_source(const SourceInfo& next, const WindowOpening::Purpose& purpose, const SavedSession& now);
  // While the first image of the source in use is awaited.
  [[nodiscard]] bool can_return() const { return former_.has_value(); }
  void return_to_source();
  // The part of `wanted` that belongs to the source, which runs.
  void apply_to_source(const Setup& wanted);

 private:
  struct Former {
    OpenedSource opened;
    Setup setup;
    std::shared_ptr<const SavedSession> seen;  // null: a scanner, whose frames do not come again
  };
  [[nodiscard]] Setup setup() const;
  void forget_former();
  void reset_when_idle();
  void apply(const Setup& wanted);
  void reset_to_start(std::optional<Setup> undo, std::string done);

  WindowState& state_;
  const Options& options_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  const Controllers with_;
  std::optional<Setup> start_;   // when the first source began
  std::optional<Setup> before_;  // the last reset, as long as it can be undone
  std::optional<Former> former_;
  std::map<std::string, std::vector<Mark>> marks_;  // by the source's name, as it is opened
  std::string done_;                                // the message when the source has been opened
  std::int64_t reset_ns_ = 0;                       // of the last one
};

// That of a fresh start. Of `used` remain what is known of device, files and presets, and of the source that runs.
WindowState fresh_state(WindowState used);

}  // namespace echoloop
