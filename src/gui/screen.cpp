#include "gui/screen.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/cine_actions.h"
#include "gui/compare_bar.h"
#include "gui/flow_bar.h"
#include "gui/flow_colors.h"
#include "gui/keys_overlay.h"
#include "gui/mark_editor.h"
#include "gui/splitter.h"
#include "gui/tool_bar.h"
#include "gui/wipe.h"

namespace echoloop {
namespace {

constexpr ImGuiWindowFlags kWindowFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                                          ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                                          ImGuiWindowFlags_NoScrollWithMouse;

}  // namespace

bool Screen::moving() const {
  constexpr double kHint_s = 3.2;
  const bool presents = presentation_ && (ImGui::GetTime() - presentation_since_ < kHint_s || touch_.ending(now_ns()));
  return ui_.moving() || messages_.moving() || presents;
}

void Screen::draw(UiState& state, const SceneInput& input) {
  bool escape = false;
  for (const KeyPress& press : input.keys) escape = escape || press.key == Key::escape;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::Begin("echoloop", nullptr, kWindowFlags);
  ImGui::PopStyleVar(3);
  if (std::exchange(close_popups_, false)) ImGui::SetWindowFocus();  // what is above this window closes
  ui_.begin_frame(ImGui::GetWindowDrawList(), &input.fonts, input.scale, escape);
  grounds_.clear();
  last_layout_ = std::exchange(layout_, {});
  side_a_ = {};
  state.marks.hovered = 0;
  live_area_ = {};
  strips_ = {};
  keep_cine_valid(state, commands_);
  shown_grid_ = input.image.number != 0 ? input.image.grid : Grid{.nx = 0, .nz = 0};
  handle_keys(state, input.keys);
  playing_ = state.run == RunState::frozen && state.cine.playing;
  lectured_ = lectured_ && view_.lecture;
  state.timeline.wanted = false;  // unless its panel is drawn
  state.inspector.wanted = false;
  watch_gate(state);
  if (presentation_ || view_.lecture || view_.dock == Dock::none) dock_.close();
  const float logical = size.x / input.scale;
  PanelContext c{.ui = ui_,
                 .state = state,
                 .commands = commands_,
                 .view = view_,
                 .shown_grid = input.image.grid,
                 .shown_frame = input.image.stamp.source_index,
                 .levels = input.levels,
                 .measuring = measuring_,
                 .levels_a = state.cine.compare ? &input.compared_levels : nullptr,
                 .measuring_a = measuring_a_,
                 .compact = logical < theme::kCompactBelow,
                 .more_formation = more_formation_,
                 .more_display = more_display_,
                 .open_dialog = open_dialog_};
  if (presentation_) {
    ui_.focus().enter(WindowPart::picture);
    draw_presentation(c, input);
  } else if (view_.lecture) {
    draw_lecture(c);
  } else {
    draw_controls(c, input);
  }
  if (std::exchange(open_dialog_, false) && !dialog_.is_open()) dialog_.open(ui_, view_.last_folder);
  const bool looking = dialog_.is_open();
  if (const auto file = dialog_.draw(ui_, keys_left_)) {
    if (open_as_) {
      call(commands_.compare_with, *open_as_, *file);
    } else {
      call(commands_.open_file, *file);
    }
  }
  if (!dialog_.is_open()) open_as_.reset();
  if (looking) view_.last_folder = dialog_.folder();
  draw_program_panels(state, input.wanted_scale);
  tour_.hide();
  ui_.focus().enter(WindowPart::callout);
  const bool controls = !presentation_ && !view_.lecture;
  if (controls && !dialog_.is_open() && input.image.number != 0) tour_.draw(ui_, layout_.image);
  watch_edits(state);
  if (ui_.escape()) presentation_ = view_.lecture = false;
  ui_.end_frame();
  ImGui::SetCursorScreenPos({0, 0});
  ImGui::Dummy({1, 1});
  ImGui::End();
}

// Keys, About, and the question about the sandbox.
void Screen::draw_program_panels(const UiState& state, float wanted_scale) {
  if (std::exchange(open_keys_, false)) ui_.open_popup(kKeysOverlay);
  const ManualButton manual = state.kiosk.empty() ? ManualButton::shown : ManualButton::hidden;
  const OverlayRequests asked = draw_keys_overlay(ui_, wanted_scale, manual);
  if (asked.manual) call(commands_.open_manual);
  if (asked.tour) tour_.begin();
  if (asked.scale) choose_scale(*asked.scale);
  if (asked.about) {
    if (commands_.program_facts) program_facts_ = commands_.program_facts();
    ui_.open_popup(kAboutPanel);
  }
  draw_about(ui_, program_facts_);
  if (const auto answer = sandbox_dialog_.draw(ui_, state.unsandboxed)) call(commands_.answer_sandbox, *answer);
}

// Timeline and Stream in place of the columns and the image; the bars stay.
void Screen::draw_lecture(PanelContext& c) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const WindowLayout l = lay_out_window(size.x, size.y, ui_.scale(), view_.widths);
  const Rect area{0, l.status.y1, size.x, l.message.y0};
  grounds_ = {{l.status, theme::kBarHex}, {l.message, theme::kBarHex}, {area, theme::kPanelHex}};
  if (!std::exchange(lectured_, true)) {
    call(commands_.say, "Enlarged: Timeline and Stream. The stream keeps running; Esc returns to the image.");
  }
  lecture_.draw(c, area);
  BarRequests requests;
  draw_status_bar(c, l.status, requests);
  messages_.draw(c, l.message);
  if (requests.back) view_.lecture = false;
}

void Screen::present() {
  presentation_ = true;
  presentation_since_ = ImGui::GetTime();
  touch_.touch(now_ns());
}

void Screen::draw_controls(PanelContext& c, const SceneInput& input) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const WindowLayout l = lay_out_window(size.x, size.y, input.scale, view_.widths);
  grounds_ = {{l.status, theme::kBarHex}, {l.message, theme::kBarHex}, {l.left, theme::kPanelHex}};
  if (l.right_shown) grounds_.push_back({l.right, theme::kPanelHex});
  draw_splitters(c, l);
  draw_columns(c, l);
  draw_centre(c, input, l);
  BarRequests requests;
  ui_.focus().enter(WindowPart::status);
  draw_status_bar(c, l.status, requests);
  ui_.focus().enter(WindowPart::message);
  messages_.draw(c, l.message);
  if (requests.presentation) {
    present();
  }
  open_keys_ = open_keys_ || requests.keys;
  open_dialog_ = open_dialog_ || requests.open_dialog;
}

void Screen::draw_splitters(PanelContext& c, const WindowLayout& l) {
  const float scale = ui_.scale();
  const float logical = ImGui::GetIO().DisplaySize.x / scale;
  const float grab = ui_.px(6);  // beside the column, so that its scroll bar stays free
  ui_.focus().enter(WindowPart::left);
  ui_.vertical(l.splitter_left, l.left.y0, l.left.y1, theme::kEdge);
  const Hit left = ui_.control("splitter_left", {l.splitter_left, l.left.y0, l.splitter_left + grab, l.left.y1},
                               FocusKind::slider, "Width of the left column");
  if (left.hovered || left.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  const float right_now = l.right.width() / scale;
  const float mouse = ImGui::GetIO().MousePos.x;
  if (left.pressed) splitter_grip_ = mouse - l.splitter_left;
  const float left_by_key = splitter_by_key(left);
  if (left.held) c.view.widths.left = clamp_left_width((mouse - splitter_grip_) / scale, logical, right_now);
  if (left_by_key != 0) {
    c.view.widths.left = clamp_left_width(l.left.width() / scale + left_by_key, logical, right_now);
  }
  if (splitter_reset(left)) c.view.widths.left = 0;
  if (!l.right_shown) return;
  ui_.focus().enter(WindowPart::right);
  ui_.vertical(l.splitter_right - ui_.hairline(), l.right.y0, l.right.y1, theme::kEdge);
  const Hit right = ui_.control("splitter_right", {l.splitter_right - grab, l.right.y0, l.splitter_right, l.right.y1},
                                FocusKind::slider, "Width of the right column");
  if (right.hovered || right.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (right.pressed) splitter_grip_ = mouse - l.splitter_right;
  if (right.held)
    c.view.widths.right =
        clamp_right_width(logical - (mouse - splitter_grip_) / scale, logical, l.left.width() / scale);
  if (const float by = splitter_by_key(right); by != 0) {
    c.view.widths.right = clamp_right_width(l.right.width() / scale - by, logical, l.left.width() / scale);
  }
  if (splitter_reset(right)) c.view.widths.right = 0;
}

void Screen::draw_columns(PanelContext& c, const WindowLayout& l) {
  ui_.focus().enter(WindowPart::left);
  take_objects_wheel(c.view.objects, l.left);
  take_timeline_wheel(c.view.timeline, l.right_shown ? l.right : l.left);
  left_column_.begin(c, "left_bar", l.left);
  left_column_.draw(Panel::source, source_panel);
  travel(c.state, presets_.draw(c, left_column_.next(), history_));
  left_column_.draw(Panel::formation, formation_panel);
  left_column_.draw(Panel::display, display_panel);
  left_column_.draw(Panel::flow, flow_panel);
  left_column_.draw(Panel::objects, objects_panel);
  left_column_.draw(Panel::faults, faults_panel);
  if (!l.right_shown) draw_stream_panels(c, left_column_, l.left);
  left_column_.end();
  if (!l.right_shown) return;
  ui_.focus().enter(WindowPart::right);
  right_column_.begin(c, "right_bar", l.right);
  draw_stream_panels(c, right_column_, l.right);
  right_column_.end();
}

// Of the right column; a narrow window has one column for all panels.
void Screen::draw_stream_panels(PanelContext& c, PanelColumn& column, const Rect& area) {
  constexpr float kWholeStream = 940;  // height of a column that has room for every row
  // What a reset or its undo brings back is open or folded as it was.
  if (resets_ != c.state.resets) measure_shown_ = !c.state.marks.list.empty();
  if (!measure_shown_ && !c.state.marks.list.empty()) {
    measure_shown_ = true;
    view_.is_open(Panel::measure, c.compact) = true;
  }
  if (view_.is_open(Panel::measure, c.compact)) {
    column.draw(Panel::measure, measure_panel);
  } else {
    column.leave_out(Panel::measure);
    if (c.state.measured.image.number != 0) c.state.measured = c.state.measured_a = {};  // the panel is closed
  }
  const bool high = area.height() >= ui_.px(kWholeStream);
  c.more_stream = high != other_stream_;
  column.draw(Panel::stream, stream_panel);
  other_stream_ = high != c.more_stream;
  column.draw(Panel::timings, timings_panel);
  column.draw(Panel::timeline, timeline_panel);
}

void Screen::draw_centre(PanelContext& c, const SceneInput& input, const WindowLayout& l) {
  const float strip_height = ui_.px(c.compact ? theme::kCineCompact : theme::kCine);
  const Rect strip{l.centre.x0, l.centre.y1 - strip_height, l.centre.x1, l.centre.y1};
  grounds_.push_back({strip, theme::kPanelHex});
  const Rect tools{l.centre.x0, l.centre.y0, l.centre.x1, l.centre.y0 + ui_.px(kToolBar)};
  grounds_.push_back({tools, theme::kPanelHex});
  ui_.focus().enter(WindowPart::tools);
  draw_tool_bar(c, tools, last_layout_);
  Rect area{l.centre.x0, tools.y1, l.centre.x1, strip.y0};
  if (c.state.cine.compare) {
    const Rect bar{area.x0, area.y0, area.x1, area.y0 + ui_.px(kCompareBar)};
    grounds_.push_back({bar, theme::kPanelHex});
    if (const auto side = draw_compare_bar(c, bar)) {
      open_as_ = side;
      open_dialog_ = true;
    }
    area.y0 = bar.y1;
  }
  area.y0 += draw_banner(c, area, input.image, closed_fault_);
  ui_.focus().enter(WindowPart::strip);
  cine_.draw(c, strip);
  ui_.focus().enter(WindowPart::dock);
  const Rect dock = dock_.place(ui_, view_, area, c.compact);
  const Dock docked = dock.height() > 0 ? view_.dock : Dock::none;
  if (docked == Dock::none) dock_.close();
  if (docked == Dock::inspector || docked == Dock::m_mode) inspect_somewhere(c.state, input);
  if (docked != Dock::none) {
    grounds_.push_back({dock, theme::kPanelHex});
    dock_.draw(c, dock, input.image, input.strip);
    strips_ = dock_.boxes();
    for (const Rect& box : {strips_.m_mode, strips_.sonogram}) grounds_.push_back({box, 0x000000});
  }
  ui_.focus().enter(WindowPart::picture);
  live_area_ = area;
  if (docked == Dock::m_mode || docked == Dock::sonogram) live_area_.y1 = dock.y1;  // the strip moves with the picture
  if (playing_) live_area_.y1 = strip.y1;  // the playhead moves with the picture
  if (input.image.number == 0 || input.image.grid.nx < 1) {
    draw_empty(c, area);
  } else if (area.height() >= ui_.px(kImageAreaLeast - DockArea::kFolded)) {  // a banner leaves a low window no room
    draw_image(c, input, area);
  }
}

// With what frames it: rulers, colour bars, caption.
void Screen::draw_image(PanelContext& c, const SceneInput& input, const Rect& area) {
  lay_out(c.state, input, area, c.compact);
  if (beside()) draw_side_a(c.state, input, area);
  const ImageViewContext view = view_of(c.state, input);
  draw_rulers(view);
  if (c.state.run == RunState::fault) {
    const Rect& r = layout_.image;
    ui_.outline({r.x0 - 1, r.y0 - 1, r.x1 + 1, r.y1 + 1}, theme::kRed, 0, 2);
  }
  if (draw_color_bar(view)) call(commands_.params_changed);
  if (view.flow != nullptr && is_overlay(c.state.params.color_flow.mode)) {
    draw_flow_bar(ui_, layout_, *view.flow, c.state.params);
  }
  draw_caption(view, area.x1 - ui_.px(8));
  draw_over_picture(c.state, input);
}

// What looks at one place starts in the middle of what is seen.
void Screen::inspect_somewhere(UiState& state, const SceneInput& input) const {
  const Rect& seen = last_layout_.image;
  if (state.inspected || input.image.number == 0 || seen.width() <= 0) return;
  state.inspected = last_layout_.point(seen.cx(), seen.cy());
}

}  // namespace echoloop
