// Run without a window that other programs control (--headless --control): requests are answered and executed while the
// run waits for its end. Main thread only.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/control.h"
#include "app/opening/source_kinds.h"
#include "app/options/options.h"
#include "app/session_file.h"
#include "app/stats_collector.h"
#include "app/stream/session.h"
#include "core/results/live_images.h"
#include "gui/state/any_command.h"

namespace echoloop {

class ControlRun final : public Controlled {
 public:
  // Throws Error: the name of the socket is not valid, or in use.
  ControlRun(const Options& options, const Backend& backend);

  struct Stream {
    Session& session;
    const OpenedSource& opened;
    LiveImages& live;
    TimingTrace& trace;
    const ImagingParams& params;  // at the start
  };
  void begin(const Stream& stream);
  void end();  // after the last wait()
  // Waits for requests, at most so long, and executes them.
  void wait(std::chrono::milliseconds most);
  // Returns true at a request to end, or to go on with another source.
  [[nodiscard]] bool ends() const { return control_.quits() || next_.has_value(); }
  [[nodiscard]] bool goes_on() const { return !control_.quits() && next_.has_value(); }
  // Call after the stream has ended: replaces the source and its settings, and returns true, if another one follows.
  bool take_next(Options& options, OpenedSource& source);

  [[nodiscard]] std::string_view mode() const override { return "headless"; }
  [[nodiscard]] const std::string& named() const override { return options_.source; }
  [[nodiscard]] OpenedSource opened() const override { return stream_->opened; }
  [[nodiscard]] const Backend& backend() const override { return backend_; }
  [[nodiscard]] const TimingTrace& trace() const override { return stream_->trace; }
  [[nodiscard]] const Image& image() const override { return stream_->live.images.front(); }
  [[nodiscard]] std::vector<float> levels() const override;
  [[nodiscard]] Measured measured() const override;
  [[nodiscard]] const std::vector<Doubt>* doubts() const override { return nullptr; }
  [[nodiscard]] std::string_view why_one_source() const override;
  [[nodiscard]] nlohmann::json report() const override;
  [[nodiscard]] SavedSession session() const override;
  void observe() override;
  void record(const RemoteEdit& by) override;
  std::string apply_history(HistoryAct act) override;
  nlohmann::json act(const ControlCall& call, std::string_view method) override;

 private:
  // Source that follows.
  struct Next {
    OpenedSource opened;
    Options options;
  };
  void follow_source(const ImagingParams& params);
  void look_at_stream();
  void carry_out(const AnyCommand& given);
  void load_preset(int index);
  void take_opened();
  void go_on_with(const OpenedSource& opened);
  void say_error(const std::string& text);
  [[nodiscard]] Undoable undoable() const { return {state_.params, state_.marks.list}; }

  Options options_;  // of the source in use
  const Backend& backend_;
  WindowState state_;
  Commands commands_;
  PresetStore presets_;
  EditHistory history_;
  StatsCollector stats_;
  std::int64_t counted_ns_ = 0;
  std::optional<Stream> stream_;
  SourceOpener opener_;
  std::optional<Next> next_;
  Control control_;
};

}  // namespace echoloop
