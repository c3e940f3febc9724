#include "app/window/window_parts.h"

#include <fmt/chrono.h>

#include <ctime>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/options/folders.h"
#include "app/outputs/output_files.h"
#include "app/stream/stream_memory.h"
#include "core/param_table.h"
#include "core/transmits.h"
#include "formats/open_recording.h"
#include "version.h"

namespace echoloop {
namespace {

std::string clock_text() { return fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr))); }

}  // namespace

WindowParts::WindowParts(const Options& with)
    : options(with), history(options.history_bytes.value_or(default_history_bytes())) {
  state.stream = options.stream;
  if (kiosk()) state.no_effect.files = "Kiosk: opening, saving, recording, deleting and quitting are disabled.";
}

void WindowParts::say(Severity severity, const std::string& text, const std::string& cause) {
  state.notices.messages.post({.severity = severity, .clock = clock_text(), .text = text, .cause = cause});
}

void WindowParts::hint(const std::string& text) {
  state.notices.messages.post({.clock = clock_text(), .text = text, .stay = Stay::passing});
}

SavedSession WindowParts::session_now(SavedMoment moment) const {
  if (source == nullptr) return {};
  const Image& shown = viewer->shown_image();
  SavedSession now{.source = named,
                   .facts = facts,
                   .description = opened_description(source->acquisition()),
                   .settings = {},
                   .stream = state.stream,
                   .marks = state.marks,
                   .pan_zoom = state.view.pan_zoom,
                   .layout = layout_text(viewer->settings()),
                   .frame = shown.stamp.source_index,
                   .moment = moment};
  for (const ParamSpec& spec : param_table()) {
    now.settings.push_back(
        std::string(spec.key) + "=" +
        (spec.choices.empty() ? fmt::format("{:.17g}", get_number(state.params, spec)) : get_text(state.params, spec)));
  }
  if (shown.number != 0) {  // of all transmits, as a stream holds it
    now.held_reference_db = shown.params.level.reference_db - transmit_level_db(shown.params, *shown.acquisition);
  }
  return now;
}

bool WindowParts::refused_in_kiosk() {
  if (state.no_effect.files.empty()) return false;
  say(Severity::info, state.no_effect.files);
  return true;
}

bool WindowParts::scripted() const {
  return options.frames > 0 || options.duration_s > 0.0 || kiosk() || names_output(options.files);
}

ViewerOptions viewer_options(const WindowParts& parts, SurfaceKind surface, Queries queries) {
  const auto& options = parts.options;
  const bool scripted = options.frames > 0 || options.duration_s > 0.0 || !options.files["--screenshot"].empty();
  const bool kiosk = parts.kiosk();
  return {.width = options.width,
          .height = options.height,
          .surface = surface,
          .interop = options.interop && parts.on_gpu() ? Interop::try_it : Interop::off,
          .shader_dir = share_folder() / "shaders",
          .settings_file = kiosk ? "" : settings_file(),
          .remembered_place = !scripted && !options.size_given,
          .first_tour = scripted || kiosk ? FirstTour::off : FirstTour::show,
          .ui_scale = options.ui_scale,
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
