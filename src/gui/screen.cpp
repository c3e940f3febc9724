#include "gui/screen.h"

#include "gui/panels/cine_actions.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {
namespace {

constexpr ImGuiWindowFlags kWindowFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                                          ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                                          ImGuiWindowFlags_NoScrollWithMouse;

}  // namespace

void Screen::draw(const Model& model, Edits& edits, const SceneInput& input) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::Begin("echoloop", nullptr, kWindowFlags);
  ImGui::PopStyleVar(3);
  begin_frame(model, edits, input);
  PanelContext c{.ui = ui_,
                 .model = model,
                 .edits = edits,
                 .commands = commands_,
                 .queries = queries_,
                 .view = view_,
                 .shown_grid = input.image.grid,
                 .shown_frame = input.image.stamp.source_index,
                 .levels = input.levels,
                 .measuring = measuring_.b,
                 .levels_a = edits.cine.compare ? &input.compared_levels : nullptr,
                 .measuring_a = measuring_.a,
                 .compact = ImGui::GetIO().DisplaySize.x / input.scale < theme::kCompactBelow,
                 .more_formation = opened_.more_formation,
                 .more_display = opened_.more_display,
                 .open_dialog = requests_.open_dialog};
  draw_parts(c, input);
  draw_dialogs(model, edits, input.wanted_scale);
  panels_.tour().hide();
  ui_.focus().enter(WindowPart::callout);
  const bool controls = !presentation_.on() && !view_.transient.lecture && !model.import.open;
  if (controls && !dialog_.is_open() && !panels_.keys_open() && input.image.number != 0) {
    const std::string_view lesson = panels_.tour().draw(ui_, image_.layout().image);
    if (!lesson.empty()) commands_.send(command::OpenLesson{std::string(lesson)});
  }
  undo_.observe(ui_, model, edits);
  if (ui_.escape() && model.import.open) {
    commands_.send(command::Import{{.act = ImportAct::cancel}});
  } else if (ui_.escape()) {
    presentation_.end();
    view_.transient.lecture = false;
  }
  ui_.end_frame();
  ImGui::SetCursorScreenPos({0, 0});
  ImGui::Dummy({1, 1});
  ImGui::End();
}

void Screen::begin_frame(const Model& model, Edits& edits, const SceneInput& input) {
  bool escape = false;
  for (const KeyPress& press : input.keys) escape = escape || press.key == Key::escape;
  if (std::exchange(last_.close_popups, false)) ImGui::SetWindowFocus();  // closes the popups above this window
  ui_.begin_frame(ImGui::GetWindowDrawList(), &input.fonts, input.scale, escape);
  ui_.set_motion(input.motion == Motion::on ? view_.motion : Motion::off);
  drawn_.grounds.clear();
  drawn_.live = {};
  drawn_.strips = {};
  image_.begin_frame();
  edits.marks.hovered = 0;
  keep_cine_valid(model, edits, commands_);
  last_.display.follow(model, edits);
  last_.grid = input.image.number != 0 ? input.image.grid : Grid{.nx = 0, .nz = 0};
  handle_keys(model, edits, input.keys);
  drawn_.playing = model.run == RunState::frozen && edits.cine.playing;
  last_.lecture = last_.lecture && view_.transient.lecture;
  edits.timeline_wanted = false;  // set again when its panel is drawn
  edits.view.inspector.wanted = false;
  follow_gate(edits);
  if (presentation_.on() || view_.transient.lecture || view_.dock == Dock::none) dock_.close();
}

KeyTargets Screen::key_targets(const Model& model, Edits& edits) {
  return {.ui = ui_,
          .model = model,
          .edits = edits,
          .commands = commands_,
          .view = view_,
          .image = image_,
          .presentation = presentation_,
          .undo = undo_,
          .requests = requests_,
          .shown_grid = last_.grid};
}

// Passes keys to the focus, to a text or a dialog, to the whole window, in this order.
void Screen::handle_keys(const Model& model, Edits& edits, std::span<const KeyPress> keys) {
  drawn_.keys.clear();
  // Delays keys after a click that may open a text field, which then receives them.
  std::vector<KeyPress> all = std::exchange(last_.late_keys, {});
  all.insert(all.end(), keys.begin(), keys.end());
  if (ImGui::IsMouseReleased(0)) {
    last_.late_keys = std::move(all);
    return;
  }
  for (const KeyPress& press : all) {
    const bool typing = ui_.typing() || dialog_.is_open() || requests_.open_dialog;
    if (ui_.take_key(press)) {
      drawn_.used_last_key = true;
      continue;
    }
    drawn_.keys.push_back(press);
    if (typing && !(model.import.open && press.control)) continue;
    if (model.import.open && !dialog_.is_open()) {
      drawn_.used_last_key = take_assistant_key(model, edits, press);
      continue;
    }
    const bool card = !presentation_.on() && !view_.transient.lecture;
    drawn_.used_last_key = panels_.tour().take_key(press) ||
                           (card && DoubtCardView::take_key(model, commands_, press)) ||
                           handle_key(key_targets(model, edits), press);
    if (press.key == Key::escape) drawn_.used_last_key = true;  // closes any open item
  }
}

// Handles the assistant's keys; those of stream and image have no effect.
bool Screen::take_assistant_key(const Model& model, Edits& edits, const KeyPress& press) {
  if (!model.import.next.empty()) return true;  // a question is open
  if (assistant_.take_key({ui_, model, commands_}, press) || press.key == Key::escape) return true;
  return handle_key(key_targets(model, edits), press, KeyScope::assistant);
}

// Shows spectral Doppler when the gate is turned on; closes the empty strip when it is turned off.
void Screen::follow_gate(Edits& edits) {
  if (ImGui::IsMouseDown(0)) return;  // not during a drag, as the image becomes smaller
  const Gate before = std::exchange(last_.gate, edits.params.doppler.gate);
  if (last_.gate == before) return;
  if (last_.gate == Gate::on) {
    view_.transient.m_mode_beside = view_.has_m_mode();
    view_.dock = Dock::spectrogram;
  } else if (view_.dock == Dock::spectrogram) {
    view_.dock = view_.transient.m_mode_beside ? Dock::m_mode : Dock::none;
  }
  take_inspect_tool(edits.marks, view_.dock);
}

void Screen::draw_parts(PanelContext& c, const SceneInput& input) {
  if (c.model.import.open) {
    draw_assistant(c);
  } else if (presentation_.on()) {
    ui_.focus().enter(WindowPart::picture);
    drawn_.strips = presentation_.draw(c, input, {.image = image_, .dock = dock_, .grounds = drawn_.grounds});
  } else if (view_.transient.lecture) {
    draw_lecture(c);
  } else {
    draw_controls(c, input);
  }
}

// Draws the file dialog, and panels about the program.
void Screen::draw_dialogs(const Model& model, Edits& edits, float wanted_scale) {
  if (std::exchange(requests_.open_dialog, false) && !dialog_.is_open()) dialog_.open(ui_, view_.last_folder);
  const bool looking = dialog_.is_open();
  if (const auto file = dialog_.draw(ui_, drawn_.keys)) {
    if (std::exchange(requests_.describe, false)) {
      commands_.send(command::Import{{.act = ImportAct::begin, .text = file->string()}});
    } else if (requests_.open_as) {
      commands_.send(command::CompareWith{*requests_.open_as, *file});
    } else if (file->extension() == ".h") {
      commands_.send(command::OpenMethod{*file});
    } else {
      commands_.send(command::OpenFile{*file});
    }
  }
  if (!dialog_.is_open()) {
    requests_.open_as.reset();
    requests_.describe = false;
  }
  if (looking) view_.last_folder = dialog_.folder();
  if (std::exchange(requests_.open_keys, false)) panels_.open_keys(ui_);
  if (const auto scale = panels_.draw(ui_, model, commands_, queries_, wanted_scale, view_.motion))
    choose_scale(key_targets(model, edits), *scale);
}

// Draws Timeline and Stream in place of the columns and the image; the bars stay.
void Screen::draw_lecture(PanelContext& c) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const WindowLayout l = lay_out_window(size.x, size.y, ui_.scale(), view_.widths);
  const Rect area{0, l.status.y1, size.x, l.message.y0};
  drawn_.grounds = {{l.status, theme::kBarHex}, {l.message, theme::kBarHex}, {area, theme::kPanelHex}};
  if (!std::exchange(last_.lecture, true)) {
    commands_.send(command::Hint{"Enlarged: Timeline and Stream. The stream keeps running; Esc returns to the image."});
  }
  lecture_.draw(c, area);
  BarRequests requests;
  draw_status_bar(c, l.status, requests);
  messages_.draw(c, l.message);
  if (requests.back) view_.transient.lecture = false;
}

// Draws the import assistant in place of the columns and the image.
void Screen::draw_assistant(PanelContext& c) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const WindowLayout l = lay_out_window(size.x, size.y, ui_.scale(), view_.widths);
  const Rect area{0, l.status.y1, size.x, l.message.y0};
  drawn_.grounds = {{l.status, theme::kBarHex}, {l.message, theme::kBarHex}, {area, theme::kPanelHex}};
  assistant_.draw({ui_, c.model, commands_}, l.status, area);
  ui_.focus().enter(WindowPart::message);
  messages_.draw(c, l.message);
}

void Screen::draw_controls(PanelContext& c, const SceneInput& input) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const WindowLayout l = lay_out_window(size.x, size.y, input.scale, view_.widths, view_.mode);
  drawn_.grounds = {{l.status, theme::kBarHex}, {l.message, theme::kBarHex}, {l.left, theme::kPanelHex}};
  if (l.right_shown) drawn_.grounds.push_back({l.right, theme::kPanelHex});
  undo_.apply(ui_, c.model, c.edits, commands_, columns_.draw(c, l, undo_.history()));
  draw_centre(c, input, l);
  BarRequests requests;
  ui_.focus().enter(WindowPart::status);
  draw_status_bar(c, l.status, requests);
  ui_.focus().enter(WindowPart::message);
  messages_.draw(c, l.message);
  if (requests.presentation) presentation_.begin();
  requests_.open_keys = requests_.open_keys || requests.keys;
  requests_.open_dialog = requests_.open_dialog || requests.open_dialog;
}

void Screen::draw_centre(PanelContext& c, const SceneInput& input, const WindowLayout& l) {
  const float strip_height = ui_.px(c.compact ? theme::kCineCompact : theme::kCine);
  const Rect strip{l.centre.x0, l.centre.y1 - strip_height, l.centre.x1, l.centre.y1};
  drawn_.grounds.push_back({strip, theme::kPanelHex});
  const Rect tools{l.centre.x0, l.centre.y0, l.centre.x1, l.centre.y0 + ui_.px(kToolBar)};
  drawn_.grounds.push_back({tools, theme::kPanelHex});
  ui_.focus().enter(WindowPart::tools);
  draw_tool_bar(c, tools, image_.last_layout());
  Rect area{l.centre.x0, tools.y1, l.centre.x1, strip.y0};
  if (c.edits.cine.compare) {
    const Rect bar{area.x0, area.y0, area.x1, area.y0 + ui_.px(kCompareBar)};
    drawn_.grounds.push_back({bar, theme::kPanelHex});
    if (const auto side = draw_compare_bar(c, bar)) {
      requests_.open_as = side;
      requests_.open_dialog = true;
    }
    area.y0 = bar.y1;
  }
  area.y0 += draw_banner(c, area, input.image, opened_.closed_fault);
  ui_.focus().enter(WindowPart::strip);
  cine_.draw(c, strip);
  const Dock docked = view_.dock;
  const Rect dock = draw_dock(c, input, area);
  ui_.focus().enter(WindowPart::picture);
  drawn_.live = area;
  if (c.view.mode == WindowMode::view && input.image.number != 0 && input.image.grid.polar())
    drawn_.grounds.push_back({area, 0x000000});  // a sector has no visible rectangle
  const bool strips = dock.height() > 0 && dock_row(docked).strip == DockStrip::moves;
  if (strips) drawn_.live = {area.x0, area.y0, dock.x1, dock.y1};  // the strips move with the image
  if (drawn_.playing) drawn_.live.y1 = strip.y1;                   // the playhead moves with the image
  if (area.height() <= 0) return;                                  // the dock has all of it
  if (c.model.opening.doubts.card() != nullptr) return image_.draw_doubt(c, area);
  if (c.model.image.awaited) {
    image_.draw_awaited(c, input, area);
  } else if (c.model.image.coarse) {
    image_.draw_coarse(c, input, area);
  } else if (input.image.number == 0 || input.image.grid.nx < 1) {
    draw_empty(c, area);
  } else if (area.height() >= ui_.px(kImageAreaLeast - DockArea::kFolded)) {  // no room in a low window with a banner
    image_.draw(c, input, area);
  }
}

// Draws the dock below the image or right of it; returns its rectangle, empty if there is none.
Rect Screen::draw_dock(PanelContext& c, const SceneInput& input, Rect& area) {
  ui_.focus().enter(WindowPart::dock);
  const Grid& grid = input.image.grid;
  const bool two = c.edits.cine.compare && c.edits.cine.compare_look == CompareLook::side_by_side;
  const bool one = input.image.number != 0 && !two && grid.z1_m > grid.z0_m;
  const Rect dock =
      dock_.place(ui_, view_, area, c.compact, one ? (grid.x1_m - grid.x0_m) / (grid.z1_m - grid.z0_m) : 0.0,
                  count({.flow = is_overlay(c.edits.params.color_flow.mode), .tgc = view_.mode == WindowMode::view}));
  if (dock.height() <= 0 || view_.dock == Dock::none) {
    dock_.close();
    return {};
  }
  if (dock_row(view_.dock).place == DockPlace::of_the_image) image_.inspect_somewhere(c.edits, input);
  drawn_.grounds.push_back({dock, theme::kPanelHex});
  dock_.draw({c, input.image, input.strip, drawn_.strips}, dock);
  for (const Rect& box : {drawn_.strips.m_mode, drawn_.strips.spectrogram}) drawn_.grounds.push_back({box, 0x000000});
  return dock;
}

void Screen::restore_view(const ViewSettings& settings, KeptSettings keeping) {
  ViewSettings kept = settings;
  kept.place = view_.place;
  if (keeping == KeptSettings::of_the_user) {
    kept.last_folder = view_.last_folder;
    kept.recent = view_.recent;
    kept.toured = view_.toured;
    kept.try_closed = view_.try_closed;
    kept.saving = view_.saving;
    kept.motion = view_.motion;
  }
  view_ = std::move(kept);
  requests_.scale_chosen = view_.scale > 0;
}

void Screen::reset_view() {
  restore_view(initial_view(view_.mode));
  requests_.open_dialog = requests_.open_keys = false;
  last_.close_popups = true;
  opened_ = {};
  presentation_.end();
  cine_ = {};
  image_.forget();
  dock_ = {};
  panels_.tour().end();
  columns_ = {};
  lecture_ = {};
  measuring_ = {};
  ui_.forget_keys();
}

bool Screen::remember(const Model& model, const WindowPlace& place) {
  // Starts the next file dialog in the folder of the last opened file, also if dropped or named.
  const bool opened = !model.opening.recent.empty() && view_.recent.recordings != model.opening.recent;
  if (opened) view_.last_folder = model.opening.recent.front().parent_path();
  view_.recent = {model.opening.recent, model.opening.methods};
  const auto active = static_cast<std::size_t>(model.presets.active);
  view_.last_preset = active < model.presets.list.size() ? model.presets.list[active].name : "";
  return place.width > 0 && std::exchange(view_.place, place) != place;
}

}  // namespace echoloop
