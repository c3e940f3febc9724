#include "app/window/window_sandbox.h"

#include <utility>

namespace echoloop {

void SandboxQuestion::ask(Asker asker, const NoSandbox& why, const std::string& name) {
  question_ = Question{.asker = asker, .why = why, .answer = {}};
  if (parts_.kiosk() || parts_.options.frames > 0) {
    question_->answer = SandboxAnswer::cancel;
  } else {
    parts_.state.opening.unsandboxed = name;
  }
}

void SandboxQuestion::answer(SandboxAnswer answer) {
  if (question_) question_->answer = answer;
}

void SandboxQuestion::withdraw() {
  question_.reset();
  parts_.state.opening.unsandboxed.reset();
}

std::optional<SandboxQuestion::Answered> SandboxQuestion::take() {
  if (!question_ || !question_->answer) return std::nullopt;
  const Question q = *std::exchange(question_, std::nullopt);
  parts_.state.opening.unsandboxed.reset();
  if (*q.answer != SandboxAnswer::cancel) allow_reading_unsandboxed();
  return Answered{.asker = q.asker, .why = q.why, .answer = *q.answer};
}

}  // namespace echoloop
