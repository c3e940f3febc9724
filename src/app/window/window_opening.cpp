#include "app/window/window_opening.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "app/options/user_folders.h"
#include "history/file_sinks.h"
#include "history/free_name.h"
#include "history/uff_repair.h"

namespace echoloop {

void WindowOpening::open(const std::string& name, const Facts& facts, Purpose purpose) {
  purpose_ = std::move(purpose);
  opener_.open(name, facts);
}

void WindowOpening::open_file(const std::filesystem::path& file) {
  if (is_partial_name(file)) {
    parts_.state.unfinished.clear();
    parts_.state.messages.resolve("unfinished");
    const RepairedRecording repaired = repair_recording(file);
    offer_repair();
    parts_.say(Severity::info, fmt::format("Repaired {}: {} frames", repaired.path.string(), repaired.frames));
    return open(repaired.path.string());
  }
  if (!is_session_file(file)) return open(file.string());
  auto session = std::make_shared<const SavedSession>(read_session(file));
  open(session->source, session->facts, {.session = session});
}

std::optional<SourceOpener::Result> WindowOpening::take() {
  std::optional<Progress>& progress = parts_.state.progress;
  progress.reset();
  const bool waits = opener_.waiting().has_value();  // a calm state, without progress
  const std::string doing = waits ? "Waiting for a sender at " : "Opening ";
  const bool shown = !waits || parts_.source != nullptr;  // else the waiting is all that the window shows
  if (opener_.busy() && shown) progress = Progress{.text = doing + opener_.name(), .fraction = opener_.fraction()};
  auto result = opener_.take();
  if (result.has_value()) progress.reset();
  return result;
}

void WindowOpening::offer_repair() {
  std::vector<std::filesystem::path> folders = {save_folder(parts_.viewer->settings().saving, UserFolder::videos)};
  const std::filesystem::path record = frame_file(parts_.options, kRecordOption);
  if (!record.empty()) folders.push_back(std::filesystem::absolute(record).parent_path());
  for (const std::filesystem::path& folder : folders) {
    const std::vector<std::filesystem::path> found = unfinished_recordings(folder);
    if (!found.empty()) parts_.state.unfinished = found.front();
  }
}

}  // namespace echoloop
