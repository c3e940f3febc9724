// Side A of a comparison with another recording. UI thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/review/playback.h"
#include "app/window/engine.h"
#include "app/window/window_review.h"

namespace echoloop {

class WindowComparison {
 public:
  explicit WindowComparison(WindowState& state) : state_(state) {}

  // Opens A; an empty path sets A to B's recording with held settings.
  void open_a(const std::filesystem::path& path);
  void use_as_a(OpenedSource opened, const ImagingParams& params);
  // Once a window frame. Throws NoSandbox if A needs the user's consent; reports any other failure.
  void advance();
  void end(const std::string& why);  // sets A to B's recording

  [[nodiscard]] ComparedSource& source() { return compared_; }

 private:
  void forget();
  void begin(const OpenedSource& opened, const ImagingParams& params);

  WindowState& state_;
  ComparedSource compared_;
};

// The 0 dB level set by the user to the brightest pixel: of the frame on screen while frozen, otherwise of the next
// one; and its message, when the image has the new level. UI thread only.

class WindowReference {
 public:
  WindowReference(WindowState& state, Engine& engine, Viewer& viewer, WindowReview& review)
      : state_(state), engine_(engine), viewer_(viewer), review_(review) {}

  void set();
  void report();  // once a window frame
  void reset();   // back to measured, if set by the user

 private:
  WindowState& state_;
  Engine& engine_;
  Viewer& viewer_;
  WindowReview& review_;
  bool set_ = false;                     // by the user, since the last reset
  std::optional<ImagingParams> before_;  // of the image on screen at set(), until report() has the result
  std::int64_t until_ns_ = 0;            // an unchanged level is the result after it
};

}  // namespace echoloop
