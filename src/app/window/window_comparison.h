// Side A of a comparison where it is a recording of its own. UI thread only.
#pragma once

#include <filesystem>
#include <string>

#include "app/window/compared_source.h"
#include "app/window/window_parts.h"

namespace echoloop {

class WindowComparison {
 public:
  explicit WindowComparison(WindowParts& parts) : parts_(parts) {}

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

  WindowParts& parts_;
  ComparedSource compared_;
};

}  // namespace echoloop
