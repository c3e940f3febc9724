// WindowApp's sessions: saved as one file, opened again, and brought back to the frame that was on screen.
#include <fmt/format.h>

#include <utility>

#include "app/window_app.h"
#include "core/error.h"
#include "core/param_table.h"
#include "core/plain_text.h"
#include "core/transmits.h"
#include "history/export.h"
#include "history/free_name.h"
#include "history/json_text.h"
#include "history/uff_repair.h"

namespace echoloop {

// The newest recording that a killed program has left where this one records.
void WindowApp::offer_repair() {
  std::vector<std::filesystem::path> folders = {save_folder(viewer_->settings().saving, UserFolder::videos)};
  if (!options_.record.empty()) folders.push_back(std::filesystem::absolute(options_.record).parent_path());
  for (const std::filesystem::path& folder : folders) {
    const std::vector<std::filesystem::path> found = unfinished_recordings(folder);
    if (!found.empty()) state_.unfinished = found.front();
  }
}

void WindowApp::open_file(const std::filesystem::path& file) {
  if (is_partial_name(file)) {
    state_.unfinished.clear();
    resolve(state_.messages, "unfinished");
    const RepairedRecording repaired = repair_recording(file);
    offer_repair();
    say(Severity::info, fmt::format("Repaired {}: {} frames", repaired.path.string(), repaired.frames));
    return open(repaired.path.string(), {});
  }
  if (!is_session_file(file)) return open(file.string(), {});
  auto session = std::make_shared<const SavedSession>(read_session(file));
  open(session->source, session->facts);
  pending_session_ = std::move(session);
}

void WindowApp::save_session() {
  if (source_ == nullptr) return;
  if (!is_utf8(named_))
    throw Error(named_, "a name that is not UTF-8", "a UTF-8 name for a session", "rename the file");
  const Image& shown = viewer_->shown_image();
  SavedSession session{.source = named_,
                       .facts = facts_,
                       .settings = {},
                       .stream = state_.stream,
                       .marks = state_.marks,
                       .pan_zoom = state_.pan_zoom,
                       .layout = layout_text(viewer_->settings()),
                       .frame = shown.stamp.source_index,
                       .moment = review_.frozen() ? SavedMoment::frozen : SavedMoment::live};
  for (const ParamSpec& spec : param_table()) {
    session.settings.push_back(std::string(spec.key) + "=" +
                               (spec.choices.empty() ? fmt::format("{:.17g}", get_number(state_.params, spec))
                                                     : get_text(state_.params, spec)));
  }
  if (shown.number != 0) {  // of all transmits, as a stream holds it
    session.held_reference_db = shown.params.level.reference_db - transmit_level_db(shown.params, *shown.acquisition);
  }
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(state_.source, shown.stamp), kSessionEnding.data());
  write_text(path, json_text(session_json(session, path), 2) + "\n");
  report_saved("Saved " + path.string(), Severity::info);
}

// Marks, zoom and layout; the frame follows when it is on screen.
void WindowApp::restore_view(const SavedSession* saved) {
  frame_to_freeze_.reset();
  if (saved == nullptr) return;
  if (options_.marks.empty() || source_ != nullptr) state_.marks = saved->marks;
  state_.pan_zoom = saved->pan_zoom;
  viewer_->apply_layout(saved->layout);
  if (saved->moment == SavedMoment::frozen) frame_to_freeze_ = saved->frame;
}

void WindowApp::freeze_restored_frame() {
  if (!frame_to_freeze_ || state_.fault.has_value()) return;
  const Image& shown = viewer_->shown_image();
  const bool come = shown.number != 0 && shown.stamp.sequence >= *frame_to_freeze_;
  if (!come && !review_.frozen()) return;
  const std::uint64_t frame = *std::exchange(frame_to_freeze_, std::nullopt);
  if (!review_.frozen()) review_.freeze(state_.cine, frame);
  apply_stream();
}

}  // namespace echoloop
