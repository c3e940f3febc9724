// WindowApp where the system offers no sandbox: the question whether a recording may be opened nevertheless.
#include "app/window_app.h"

namespace echoloop {

// The recording of the opener that has just failed. Where no user may answer, or a count of frames is awaited, the
// answer is no.
void WindowApp::ask_without_sandbox(Asker asker, const NoSandbox& why) {
  open_question_ = OpenQuestion{.asker = asker, .why = why, .answer = {}};
  if (!state_.kiosk.empty() || options_.frames > 0) {
    open_question_->answer = SandboxAnswer::cancel;
    return;
  }
  state_.unsandboxed = asker == Asker::opened ? opener_.name() : compared_.name();
}

// Once a window frame.
void WindowApp::go_on_with_question() {
  if (!open_question_ || !open_question_->answer) return;
  const OpenQuestion answered = *std::exchange(open_question_, std::nullopt);
  state_.unsandboxed.reset();
  if (answered.answer == SandboxAnswer::cancel) {
    if (answered.asker == Asker::compared) return end_other_recording(answered.why.what());
    return opening_failed(answered.why);
  }
  allow_reading_unsandboxed();
  if (answered.asker == Asker::compared) {
    compared_.open_again();
  } else {
    opener_.open_again();
  }
}

}  // namespace echoloop
