// Side A of a comparison where it is a recording of its own: opened in the background as any recording is, its frames
// read on a thread of its own, so that a slow file holds up neither the window nor the stream. UI thread only.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "app/window/source_opener.h"
#include "backend/reprocessor.h"

namespace echoloop {

class ComparedSource {
 public:
  ComparedSource() = default;
  ~ComparedSource() { forget(); }
  ComparedSource(const ComparedSource&) = delete;
  ComparedSource& operator=(const ComparedSource&) = delete;

  void open(const std::string& name);
  void open_again() { opener_.open_again(); }
  void use(OpenedSource opened);  // one that has been opened before
  // The result of open(), once it is there; without an error it is in use from now on.
  [[nodiscard]] std::optional<std::exception_ptr> take_result();
  void forget();

  [[nodiscard]] bool wanted() const { return opener_.busy() || opened_.has_value(); }
  [[nodiscard]] bool opening() const { return opener_.busy(); }
  [[nodiscard]] const std::string& name() const { return opener_.name(); }  // that is being opened
  [[nodiscard]] double fraction() const { return opener_.fraction(); }
  [[nodiscard]] const OpenedSource* opened() const { return opened_ ? &*opened_ : nullptr; }

  // A's frame for B's, or the one before it while it is being read; empty while none has been. Throws what reading
  // threw.
  std::optional<ComparedFrame> frame_for(const FrameStamp& b);

 private:
  struct Reader;

  SourceOpener opener_;
  std::optional<OpenedSource> opened_;
  std::shared_ptr<Reader> reader_;  // null: none yet, or the source lends its frames
};

}  // namespace echoloop
