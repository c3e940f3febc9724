#include "app/window/window_opening.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "app/options/folders.h"
#include "app/options/user_folders.h"
#include "core/error.h"
#include "core/number.h"
#include "formats/own_descriptions.h"
#include "history/file_sinks.h"
#include "history/part_file.h"
#include "history/uff_repair.h"
#include "source/live/live_address.h"
#include "source/phantom_list.h"

namespace echoloop {

void WindowOpening::open(const std::string& name, const Facts& facts, Purpose purpose) {
  const bool waited_for = opener_.busy() && opener_.name() == name && name.starts_with(kLivePrefix);
  purpose_ = std::move(purpose);
  if (waited_for) return;
  cancel();
  const bool reset_in_use =
      purpose_.setup && parts_.session != nullptr && name == parts_.state.source.opened_as && facts == parts_.facts;
  if (!reset_in_use && !uses_scanner(name)) return opener_.open(name, facts);
  known_ = OpenedSource{.name = parts_.named, .source = parts_.source, .facts = facts, .info = parts_.state.source};
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
    parts_.say(Severity::error, error.what(), "opening");
  }
}

bool WindowOpening::uses_scanner(const std::string& name) const {
  if (parts_.source == nullptr || parts_.source->live() == nullptr || !name.starts_with(kLivePrefix)) return false;
  return parse_live_address(name) == parse_live_address(parts_.named);
}

void WindowOpening::cancel() {
  opener_.cancel();
  known_.reset();
}

void WindowOpening::open_file(const std::filesystem::path& file) {
  if (is_partial_name(file)) {
    parts_.state.opening.unfinished.clear();
    parts_.state.notices.messages.resolve("unfinished");
    const RepairedRecording repaired = repair_recording(file);
    offer_repair();
    parts_.say(Severity::info,
               fmt::format("Repaired {}: {}", repaired.path.string(), counted(repaired.frames, "frame")));
    return open(repaired.path.string());
  }
  if (!is_session_file(file)) return open(file.string());
  auto session = std::make_shared<const SavedSession>(read_session(file));
  use_description(session->source, session->description);
  open(session->source, session->facts, {.session = session});
}

std::optional<SourceOpener::Result> WindowOpening::take() {
  std::optional<Progress>& progress = parts_.state.opening.progress;
  progress.reset();
  const bool waits = opener_.waiting().has_value();  // a calm state, without progress
  const std::string doing = waits ? "Waiting for a sender at " : "Opening ";
  const bool shown = !waits || parts_.source != nullptr;  // else the waiting is all that the window shows
  if (opener_.busy() && shown) progress = Progress{.text = doing + opener_.name(), .fraction = opener_.fraction()};
  if (known_.has_value()) return SourceOpener::Result{.opened = std::exchange(known_, std::nullopt), .error = {}};
  auto result = opener_.take();
  if (result.has_value()) progress.reset();
  return result;
}

void WindowOpening::offer_repair() {
  std::vector<std::filesystem::path> folders = {save_folder(parts_.viewer->settings().saving, UserFolder::videos)};
  const std::filesystem::path& record = parts_.options.files[kRecordOption];
  if (!record.empty()) folders.push_back(std::filesystem::absolute(record).parent_path());
  for (const std::filesystem::path& folder : folders) {
    const std::vector<std::filesystem::path> found = unfinished_recordings(folder);
    if (!found.empty()) parts_.state.opening.unfinished = found.front();
  }
}

}  // namespace echoloop
