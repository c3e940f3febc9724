// The question whether a recording may be opened although the system offers no sandbox. UI thread only.
#pragma once

#include <optional>
#include <string>

#include "app/window/window_parts.h"
#include "formats/open_recording.h"

namespace echoloop {

class SandboxQuestion {
 public:
  enum class Asker { opened, compared };  // which opener found no sandbox
  struct Answered {
    Asker asker;
    NoSandbox why;
    SandboxAnswer answer;
  };

  explicit SandboxQuestion(WindowParts& parts) : parts_(parts) {}

  // About the recording `name`. In a kiosk, and in a run with a number of frames, the answer is no.
  void ask(Asker asker, const NoSandbox& why, const std::string& name);
  void answer(SandboxAnswer answer);
  void withdraw();  // the recording is no longer wanted
  // Once, after the answer; the sandbox is no longer required where it is yes.
  [[nodiscard]] std::optional<Answered> take();

 private:
  struct Question {
    Asker asker;
    NoSandbox why;
    std::optional<SandboxAnswer> answer;
  };

  WindowParts& parts_;
  std::optional<Question> question_;  // OpeningView::unsandboxed
};

}  // namespace echoloop
