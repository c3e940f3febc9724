#include "app/window/window_opening.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "app/opening/source_kinds.h"
#include "app/options/folders.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/open_recording.h"
#include "history/file_sinks.h"
#include "history/hdf5_recording.h"
#include "history/part_file.h"
#include "source/live/live_listener.h"
#include "source/live/live_source.h"
#include "source/phantom_text.h"

namespace echoloop {

void WindowOpening::open(const std::string& name, const Facts& facts, Purpose purpose) {
  const bool waited_for = opener_.busy() && opener_.name() == name && name.starts_with(kLivePrefix);
  purpose_ = std::move(purpose);
  if (waited_for) return;
  cancel();
  const bool reset_in_use = purpose_.setup && engine_.session != nullptr && name == state_.source.opened_as &&
                            facts == in_use_.facts &&
                            purpose_.setup->description == opened_description(in_use_.source->acquisition());
  if (!reset_in_use && !uses_scanner(name)) return opener_.open(name, facts);
  known_ = OpenedSource{.name = in_use_.named, .source = in_use_.source, .facts = facts, .info = state_.source};
}

void WindowOpening::open_again(OpenedSource source, Purpose purpose) {
  cancel();
  purpose_ = std::move(purpose);
  known_ = std::move(source);
}

void WindowOpening::open_phantom(const std::string& text) { open(std::string(kPhantomPrefix) + text); }

void WindowOpening::open_lesson(const std::string& name) { open_file(share_folder() / "assets" / "lessons" / name); }

void WindowOpening::open_network_scanner(std::uint16_t port) {
  try {
    make_token_file(token_file());
    open(fmt::format("live:tcp:0.0.0.0:{},token={}", port, token_file().string()));
  } catch (const Error& error) {
    state_.say(Severity::error, error.what(), "opening");
  }
}

bool WindowOpening::uses_scanner(const std::string& name) const {
  if (in_use_.source == nullptr || in_use_.source->live() == nullptr || !name.starts_with(kLivePrefix)) return false;
  return parse_live_address(name) == parse_live_address(in_use_.named);
}

void WindowOpening::cancel() {
  opener_.cancel();
  known_.reset();
}

void WindowOpening::open_file(const std::filesystem::path& file) {
  if (is_partial_name(file)) {
    state_.opening.unfinished.clear();
    state_.notices.messages.resolve("unfinished");
    const RepairedRecording repaired = repair_recording(file);
    offer_repair();
    state_.say(Severity::info,
               fmt::format("Repaired {}: {}", repaired.path.string(), counted(repaired.frames, "frame")));
    return open(repaired.path.string());
  }
  if (!is_session_file(file)) return open(file.string());
  auto session = std::make_shared<const SavedSession>(read_session(file));
  use_description(session->source, session->description);
  open(session->source, session->facts, {.session = session});
}

std::optional<SourceOpener::Result> WindowOpening::take() {
  std::optional<Progress>& progress = state_.opening.progress;
  progress.reset();
  const bool waits = opener_.waiting().has_value();  // a steady state, without progress
  const std::string doing = waits ? "Waiting for a sender at " : "Opening ";
  const bool shown = !waits || in_use_.source != nullptr;  // otherwise the window shows only the waiting
  if (opener_.busy() && shown) progress = Progress{.text = doing + opener_.name(), .fraction = opener_.fraction()};
  if (known_.has_value()) return SourceOpener::Result{.opened = std::exchange(known_, std::nullopt), .error = {}};
  auto result = opener_.take();
  if (result.has_value()) progress.reset();
  return result;
}

void WindowOpening::offer_repair() {
  std::vector<std::filesystem::path> folders = {save_folder(viewer_.settings().saving, UserFolder::videos)};
  if (!record_.empty()) folders.push_back(std::filesystem::absolute(record_).parent_path());
  for (const std::filesystem::path& folder : folders) {
    const std::vector<std::filesystem::path> found = unfinished_recordings(folder);
    if (!found.empty()) state_.opening.unfinished = found.front();
  }
}

namespace {

constexpr const char* kPhantomCause = "phantom sender";
constexpr const char* kDescriptionCause = "description";

// Returns the source's address for a sender on this machine: "0.0.0.0" is for listening only.
std::string local_address(std::string source) {
  constexpr std::string_view kAny = "tcp:0.0.0.0:", kHere = "tcp:127.0.0.1:";
  if (const std::size_t at = source.find(kAny); at != std::string::npos) source.replace(at, kAny.size(), kHere);
  return source;
}

}  // namespace

void WindowScanner::look() {
  LiveSource* const live = in_use_.source != nullptr ? in_use_.source->live() : nullptr;
  if (const std::optional<LiveWaiting> waiting = opening_.scanner()) {
    waiting->set_policy(state_.stream.policy);
    say(waiting->take_notes());  // before the status: a later one resolves a rejection
    state_.scanner = waiting->status();
  } else if (live != nullptr) {
    say(live->take_notes());
    state_.scanner = live->status();
    state_.source.name = in_use_.source->name();  // a new description or sender has a new name
  } else {
    state_.scanner.reset();
  }
  if (!state_.scanner.has_value() || state_.scanner->last_refusal.empty())
    state_.notices.messages.resolve(kDescriptionCause);
  constexpr std::string_view kToken = ",token=";
  const std::size_t at = named().find(kToken);
  state_.opening.scanner_token = at == std::string::npos ? token_file().string() : named().substr(at + kToken.size());
  look_at_phantom();
}

// Returns the scanner's name as given: with its token file.
const std::string& WindowScanner::named() const {
  return opening_.scanner().has_value() ? opening_.name() : in_use_.named;
}

void WindowScanner::command(SenderCommand what) {
  if (what == SenderCommand::phantom) return toggle_phantom();
  LiveSource* const live = in_use_.source != nullptr ? in_use_.source->live() : nullptr;
  if (live != nullptr) live->set_admission(what == SenderCommand::accept ? Admission::open : Admission::closed);
}

void WindowScanner::toggle_phantom() {
  if (phantom_.has_value()) return end_phantom();
  if (!state_.scanner.has_value() || refused_in_kiosk(state_)) return;
  std::vector<std::string> words;
  if (is_on_path("setpriv")) words = {"setpriv", "--pdeathsig", "TERM"};  // in case this program is killed
  words.insert(words.end(), {program_file().string(), "send", "sim:heart", "--to", local_address(named())});
  phantom_.emplace(words);
  sends_to_ = state_.scanner->address;
  ending_ = false;
  said_ = 0;
  state_.opening.sends_phantom = true;
}

void WindowScanner::end_phantom() {
  if (!std::exchange(ending_, true)) phantom_->interrupt();
}

// Ends the phantom with its scanner. Copies its lines, when complete, to the message log.
void WindowScanner::look_at_phantom() {
  if (!phantom_.has_value()) return;
  if (!state_.scanner.has_value() || state_.scanner->address != sends_to_) end_phantom();
  const std::optional<int> status = phantom_->ended();
  const std::string printed = phantom_->printed();
  for (std::size_t end = printed.find('\n', said_); end != std::string::npos; end = printed.find('\n', said_)) {
    state_.say(Severity::info, "echoloop send: " + plain_text(printed.substr(said_, end - said_)), kPhantomCause);
    said_ = end + 1;
  }
  if (!status.has_value()) return;
  constexpr int kFramesLost = 1;
  if (*status > kFramesLost && !ending_) {
    state_.say(Severity::warning, "echoloop send ended with status " + std::to_string(*status), kPhantomCause);
  }
  phantom_.reset();
  state_.opening.sends_phantom = false;
}

void WindowScanner::say(const std::vector<LiveNote>& notes) {
  for (const LiveNote& note : notes) {
    const bool refusal = note.kind == LiveNote::Kind::refusal;
    const Severity severity = refusal                                ? Severity::error
                              : note.kind == LiveNote::Kind::warning ? Severity::warning
                                                                     : Severity::info;
    state_.say(severity, note.text, refusal ? kDescriptionCause : "scanner");
  }
}

void SandboxQuestion::ask(Asker asker, const NoSandbox& why, const std::string& name) {
  question_ = Question{.asker = asker, .why = why, .answer = {}};
  if (kind_ == RunKind::unattended) {
    question_->answer = SandboxAnswer::cancel;
  } else {
    state_.opening.unsandboxed = name;
  }
}

void SandboxQuestion::answer(SandboxAnswer answer) {
  if (question_) question_->answer = answer;
}

void SandboxQuestion::withdraw() {
  question_.reset();
  state_.opening.unsandboxed.reset();
}

std::optional<SandboxQuestion::Answered> SandboxQuestion::take() {
  if (!question_ || !question_->answer) return std::nullopt;
  const Question q = *std::exchange(question_, std::nullopt);
  state_.opening.unsandboxed.reset();
  if (*q.answer != SandboxAnswer::cancel) allow_reading_unsandboxed();
  return Answered{.asker = q.asker, .why = q.why, .answer = *q.answer};
}

}  // namespace echoloop
