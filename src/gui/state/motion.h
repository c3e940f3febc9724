// Motion of the window: zoom, fit, panels and the touch strip reach a new place within 120 ms of the frames' time. Only
// rectangles move; the pixels of an image are never blended. Nothing is drawn again once they rest. No ImGui. UI thread
// only.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

namespace echoloop {

enum class Motion { off, on };

// Time from frame to frame without motion: every way is at its end at once.
inline constexpr double kAtOnce_s = std::numeric_limits<double>::infinity();

// Way from one place to another, fast at first.
class Transition {
 public:
  static constexpr double kLength_s = 0.12;

  // Begins a way; its first frame is still at the start, as it was drawn after a pause of any length.
  void begin() {
    fresh_ = !moving();
    passed_s_ = 0.0;
  }
  void end() { passed_s_ = kLength_s; }
  [[nodiscard]] bool moving() const { return passed_s_ < kLength_s; }
  // Returns the share of the way, 0 to 1, `step_s` after the last frame.
  double advance(double step_s) {
    if (!fresh_ || step_s == kAtOnce_s) passed_s_ = std::min(passed_s_ + step_s, kLength_s);
    fresh_ = false;
    const double rest = 1.0 - passed_s_ / kLength_s;
    return moving() ? 1.0 - rest * rest * rest : 1.0;
  }

 private:
  double passed_s_ = kLength_s;
  bool fresh_ = false;
};

class EasedValue {
 public:
  // Returns the value of a frame `step_s` after the last one. Another target begins a way; the first one does not.
  float towards(float target, double step_s) {
    if (target_ && *target_ != target) {
      from_ = now_;
      way_.begin();
    }
    target_ = target;
    const double share = way_.advance(step_s);
    now_ = share < 1.0 ? from_ + static_cast<float>(share) * (target - from_) : target;
    return now_;
  }
  void jump(float target) {
    way_.end();
    target_ = now_ = target;
  }
  [[nodiscard]] float now() const { return now_; }
  [[nodiscard]] bool moving() const { return way_.moving(); }

 private:
  std::optional<float> target_;
  float from_ = 0, now_ = 0;
  Transition way_;
};

}  // namespace echoloop
