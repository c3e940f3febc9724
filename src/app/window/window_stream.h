// The stream behind the window: its parameters and settings at the start and while it runs, and the numbers about it.
// UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "app/opening/open_source.h"
#include "app/session_file.h"
#include "app/stats_collector.h"
#include "app/window/window_doubts.h"
#include "app/window/window_opening.h"
#include "app/window/window_parts.h"
#include "app/window/window_presets.h"

namespace echoloop {

class WindowStream {
 public:
  explicit WindowStream(WindowParts& parts) : parts_(parts) {}

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
  // Ends the session, and makes another one with UiState::params: at once where none runs, otherwise from advance(),
  // when the one before has ended.
  void make(const std::shared_ptr<Source>& source, Start start);
  // Whether a stream of this source, which is to be made, goes on with the counts of the one before: of a scanner.
  [[nodiscard]] bool continues(Source& source) const {
    return (parts_.session != nullptr || changing()) && &source == parts_.source.get() && source.live() != nullptr;
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
  void update_numbers(std::uint64_t shown) { stats_.update(parts_.state, *parts_.session, parts_.trace, shown); }
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

  WindowParts& parts_;
  AcquisitionPtr acquisition_;                  // of the last session
  ImagingParams accepted_;                      // the last parameters that the source could be imaged with
  std::optional<StreamSettings> chosen_queue_;  // policy and slots that no user chose; nothing: the command line's
  std::optional<Coming> coming_;                // the next stream
  std::future<RingCounts> ended_;               // the stream before, which ends; the counts that it leaves
  StatsCollector stats_;
  WindowDoubts doubts_{parts_};
};

}  // namespace echoloop
