#include "gui/program_panels.h"

#include "gui/docks/keys_overlay.h"
#include "gui/key_commands.h"
#include "gui/panels/panels.h"

namespace echoloop {

void ProgramPanels::open_keys(Ui& ui) const { ui.open_popup(kKeysOverlay); }

std::optional<float> ProgramPanels::draw(Ui& ui, const UiState& state, const UiCommands& commands, float wanted_scale) {
  const ManualButton manual = state.no_effect.files.empty() ? ManualButton::shown : ManualButton::hidden;
  const OverlayRequests asked = draw_keys_overlay(ui, key_help(), wanted_scale, manual);
  if (asked.manual) call(commands.open_manual);
  if (asked.tour) tour_.begin();
  if (asked.about) {
    if (commands.program_facts) facts_ = commands.program_facts();
    ui.open_popup(kAboutPanel);
  }
  draw_about(ui, facts_);
  scanner_.draw(ui, state, commands);
  if (const auto answer = sandbox_.draw(ui, state.opening.unsandboxed)) call(commands.answer_sandbox, *answer);
  return asked.scale;
}

}  // namespace echoloop
