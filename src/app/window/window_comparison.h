// Side A of a comparison where it is a recording of its own. UI thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/window/engine.h"
#include "app/window/playback.h"
#include "app/window/window_review.h"

namespace echoloop {

class WindowComparison {
 public:
  explicit WindowComparison(WindowState& state) : state_(state) {}

  // An empty path: A is B's recording with held settings again.
  void open_a(const std::filesystem::path& path);
  void use_as_a(OpenedSource opened, const ImagingParams& params);
  // Once a window frame. Throws NoSandbox when A needs the user's consent; says any other failure.
  void advance();
  void end(const std::string& why);  // A is B's recording again

  [[nodiscard]] ComparedSource& source() { return compared_; }

 private:
  void forget();
  void begin(const OpenedSource& opened, const ImagingParams& params);

  WindowState& state_;
  ComparedSource compared_;
};

// The 0 dB level set to the brightest pixel, by the user: of the frame on screen while frozen, otherwise of the next
// one; and the message about it, once the image has the new level. UI thread only.

class WindowReference {
 public:
  WindowReference(WindowState& state, Engine& engine, Viewer& viewer, WindowReview& review)
      : state_(state), engine_(engine), viewer_(viewer), review_(review) {}

  void set();
  void report();  // once a window frame
  void reset();   // measured again where the user has set it

 private:
  WindowState& state_;
  Engine& engine_;
  Viewer& viewer_;
  WindowReview& review_;
  bool set_ = false;                     // by the user, since the last reset
  std::optional<ImagingParams> before_;  // of the image on screen at set(), until report() has said the result
  std::int64_t until_ns_ = 0;            // then an unchanged level is the result
};

}  // namespace echoloop
