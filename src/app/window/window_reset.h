// States to go back to. Reset: that of a fresh start, with a stream of its own; by key, by control, and by itself in a
// kiosk without input; and the undo of the user's reset, which restores what was set. The source before, as it was,
// until the first image of the one that has replaced it; and the marks of all sources before. UI thread only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/options/setup.h"
#include "app/window/window_opening.h"
#include "app/window/window_parts.h"
#include "app/window/window_presets.h"
#include "app/window/window_reference.h"
#include "app/window/window_review.h"
#include "app/window/window_stream.h"

namespace echoloop {

class WindowReset {
 public:
  struct Controllers {
    WindowOpening& opening;
    WindowPresets& presets;
    WindowReview& review;
    WindowReference& reference;
    WindowStream& stream;
  };
  WindowReset(WindowParts& parts, Controllers controllers) : parts_(parts), with_(std::move(controllers)) {}

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

  WindowParts& parts_;
  const Controllers with_;
  std::optional<Setup> start_;   // when the first source began
  std::optional<Setup> before_;  // the last reset, as long as it can be undone
  std::optional<Former> former_;
  std::map<std::string, std::vector<Mark>> marks_;  // by the source's name, as it is opened
  std::string done_;                                // the message when the source has been opened
  std::int64_t reset_ns_ = 0;                       // of the last one
};

// That of a fresh start. Of `used` remain what is known of device, files and presets, and of the source that runs.
UiState fresh_state(UiState used);

}  // namespace echoloop
