#include "app/window/engine.h"

#include <fmt/format.h>

#include <utility>

#include "app/opening/source_kinds.h"
#include "app/options/folders.h"
#include "app/stream/session.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/params.h"
#include "formats/open_recording.h"
#include "version.h"

namespace echoloop {
SavedSession session_now(const SourceInUse& in_use, const Edits& edits, const Viewer& viewer, SavedMoment moment) {
  if (in_use.source == nullptr) return {};
  const Image& shown = viewer.shown_image();
  SavedSession now{.source = in_use.named,
                   .facts = in_use.facts,
                   .description = opened_description(in_use.source->acquisition()),
                   .settings = {},
                   .stream = edits.stream,
                   .marks = edits.marks,
                   .pan_zoom = edits.view.pan_zoom,
                   .layout = layout_text(viewer.settings()),
                   .frame = shown.stamp.source_index,
                   .moment = moment,
                   .map = edits.map};
  for (const ParamSpec& spec : param_table()) {
    now.settings.push_back(
        std::string(spec.key) + "=" +
        (spec.choices.empty() ? fmt::format("{:.17g}", get_number(edits.params, spec)) : get_text(edits.params, spec)));
  }
  for (const std::string& setting : own_settings(edits.params.formation)) now.settings.push_back(setting);
  if (in_use.doubts) add_doubts(now.doubts, *in_use.doubts);
  if (shown.number != 0) {  // of all transmits, as in a stream
    now.held_reference_db = shown.params.level.reference_db - transmit_level_db(shown.params, *shown.acquisition);
  }
  return now;
}

bool refused_in_kiosk(Model& model) {
  if (model.no_effect.files.empty()) return false;
  model.say(Severity::info, model.no_effect.files);
  return true;
}

ViewerOptions viewer_options(const WindowOptions& options, RunKind kind, Interop interop, SurfaceKind surface,
                             Queries queries) {
  const bool kiosk = is_kiosk(options), scripted = kind == RunKind::unattended;
  return {.width = options.width,
          .height = options.height,
          .surface = surface,
          .interop = interop,
          .shader_dir = share_folder() / "shaders",
          .settings_file = kiosk ? "" : settings_file(),
          .remembered_place = !scripted && !options.size_given,
          .first_tour = scripted || kiosk ? FirstTour::off : FirstTour::show,
          .first_mode = scripted && !kiosk ? WindowMode::engineer : WindowMode::view,
          .ui_scale = options.ui_scale,
          .motion = scripted || surface == SurfaceKind::offscreen || !options.motion ? Motion::off : Motion::on,
          .closing = kiosk ? Closing::never : Closing::by_user,
          .vsync = true,
          .queries = std::move(queries)};
}

ProgramFacts program_facts() {
  std::error_code ignored;
  const std::filesystem::path notices = share_folder().parent_path() / "doc" / "echoloop" / "copyright";
  return {.version = kVersion,
          .sandbox = sandbox_text(),
          .licence = "MIT License",
          .notices = std::filesystem::exists(notices, ignored) ? notices.string() : std::string()};
}

}  // namespace echoloop
