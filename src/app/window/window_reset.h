// Reset: everything that can be set, as it was when the window opened; by key, by control, and by itself in a kiosk
// without input; and the undo of the user's reset. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/options/setup.h"
#include "app/window/window_opening.h"
#include "app/window/window_parts.h"
#include "app/window/window_presets.h"
#include "app/window/window_reference.h"
#include "app/window/window_review.h"

namespace echoloop {

class WindowReset {
 public:
  struct Controllers {
    WindowOpening& opening;
    WindowPresets& presets;
    WindowReview& review;
    WindowReference& reference;
    std::function<void()> apply_params, apply_stream, restart;  // with UiState's
  };
  WindowReset(WindowParts& parts, Controllers controllers) : parts_(parts), with_(std::move(controllers)) {}

  void begin();  // the first source has been opened: a reset leads here
  void reset();  // by the user: can be undone
  void undo();
  void reset_when_idle();  // once a window frame
  // The part of `wanted` that belongs to the running source.
  void apply_to_source(const Setup& wanted);

 private:
  [[nodiscard]] Setup setup() const;
  void apply(const Setup& wanted);
  void reset_to_start(std::optional<Setup> undo);

  WindowParts& parts_;
  const Controllers with_;
  std::optional<Setup> start_;   // when the first source began
  std::optional<Setup> before_;  // the last reset, as long as it can be undone
  std::int64_t reset_ns_ = 0;    // of the last one
};

}  // namespace echoloop
