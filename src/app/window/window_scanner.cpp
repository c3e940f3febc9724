#include "app/window/window_scanner.h"

#include <utility>
#include <vector>

#include "app/options/folders.h"
#include "core/plain_text.h"
#include "source/live/live_source.h"

namespace echoloop {
namespace {

constexpr const char* kPhantomCause = "phantom sender";
constexpr const char* kDescriptionCause = "description";

// As a sender on this machine names the source: "0.0.0.0" listens, but is no place.
std::string local_address(std::string source) {
  constexpr std::string_view kAny = "tcp:0.0.0.0:", kHere = "tcp:127.0.0.1:";
  if (const std::size_t at = source.find(kAny); at != std::string::npos) source.replace(at, kAny.size(), kHere);
  return source;
}

}  // namespace

void WindowScanner::look() {
  LiveSource* const live = parts_.source != nullptr ? parts_.source->live() : nullptr;
  if (const std::optional<LiveWaiting> waiting = opening_.scanner()) {
    waiting->set_policy(parts_.state.stream.policy);
    say(waiting->take_notes());  // before the status: a refusal is resolved by a later one
    parts_.state.scanner = waiting->status();
  } else if (live != nullptr) {
    say(live->take_notes());
    parts_.state.scanner = live->status();
    parts_.state.source.name = parts_.source->name();  // another description, or another sender, has another name
  } else {
    parts_.state.scanner.reset();
  }
  if (!parts_.state.scanner.has_value() || parts_.state.scanner->last_refusal.empty())
    parts_.state.notices.messages.resolve(kDescriptionCause);
  constexpr std::string_view kToken = ",token=";
  const std::size_t at = named().find(kToken);
  parts_.state.opening.scanner_token =
      at == std::string::npos ? token_file().string() : named().substr(at + kToken.size());
  look_at_phantom();
}

// The scanner as it was named: with its token file.
const std::string& WindowScanner::named() const {
  return opening_.scanner().has_value() ? opening_.name() : parts_.named;
}

void WindowScanner::command(SenderCommand what) {
  if (what == SenderCommand::phantom) return toggle_phantom();
  LiveSource* const live = parts_.source != nullptr ? parts_.source->live() : nullptr;
  if (live != nullptr) live->set_admission(what == SenderCommand::accept ? Admission::open : Admission::closed);
}

void WindowScanner::toggle_phantom() {
  if (phantom_.has_value()) return end_phantom();
  if (!parts_.state.scanner.has_value() || parts_.refused_in_kiosk()) return;
  std::vector<std::string> words;
  if (is_on_path("setpriv")) words = {"setpriv", "--pdeathsig", "TERM"};  // this program may be killed
  words.insert(words.end(), {program_file().string(), "send", "sim:heart", "--to", local_address(named())});
  phantom_.emplace(words);
  sends_to_ = parts_.state.scanner->address;
  ending_ = false;
  said_ = 0;
  parts_.state.opening.sends_phantom = true;
}

void WindowScanner::end_phantom() {
  if (!std::exchange(ending_, true)) phantom_->interrupt();
}

// It ends with the scanner that it sends to. Its lines, as it ends them, go to the message log.
void WindowScanner::look_at_phantom() {
  if (!phantom_.has_value()) return;
  if (!parts_.state.scanner.has_value() || parts_.state.scanner->address != sends_to_) end_phantom();
  const std::optional<int> status = phantom_->ended();
  const std::string printed = phantom_->printed();
  for (std::size_t end = printed.find('\n', said_); end != std::string::npos; end = printed.find('\n', said_)) {
    parts_.say(Severity::info, "echoloop send: " + plain_text(printed.substr(said_, end - said_)), kPhantomCause);
    said_ = end + 1;
  }
  if (!status.has_value()) return;
  constexpr int kFramesLost = 1;
  if (*status > kFramesLost && !ending_) {
    parts_.say(Severity::warning, "echoloop send ended with status " + std::to_string(*status), kPhantomCause);
  }
  phantom_.reset();
  parts_.state.opening.sends_phantom = false;
}

void WindowScanner::say(const std::vector<LiveNote>& notes) {
  for (const LiveNote& note : notes) {
    const bool refusal = note.kind == LiveNote::Kind::refusal;
    const Severity severity = refusal                                ? Severity::error
                              : note.kind == LiveNote::Kind::warning ? Severity::warning
                                                                     : Severity::info;
    parts_.say(severity, note.text, refusal ? kDescriptionCause : "scanner");
  }
}

}  // namespace echoloop
