#include "gui/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/overlay/caption.h"
#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"
#include "gui/state/stream_text.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/theme.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

float separator(const Ui& ui, float x, const Rect& r) {
  ui.vertical(x + ui.px(16), r.cy() - ui.px(9), r.cy() + ui.px(9), theme::kLine2);
  return x + ui.px(33);
}

// Number in a field as wide as its widest value, so that its neighbours do not move.
struct Figure {
  std::string_view before;
  std::string value;
  std::string_view widest;
  std::string_view unit;
  bool alarm = false;
  bool faint = false;  // in muted colours
};

float figure_width(const Ui& ui, const Figure& f) {
  float w = std::max(ui.width(Type::strong, f.widest), ui.width(Type::strong, f.value));
  if (!f.before.empty()) w += ui.width(Type::body, f.before) + ui.px(5);
  if (!f.unit.empty()) w += ui.width(Type::body, f.unit) + ui.px(4);
  return w;
}

float draw_figure(const Ui& ui, float x, const Rect& r, const Figure& f) {
  const float end = x + figure_width(ui, f);
  if (!f.before.empty())
    x = ui.text(Type::body, x, r.y0, r.height(),
                f.alarm   ? theme::kRed
                : f.faint ? theme::kMuted
                          : theme::kText2,
                f.before) +
        ui.px(5);
  x = ui.text(Type::strong, x, r.y0, r.height(),
              f.alarm   ? theme::kRed
              : f.faint ? theme::kText2
                        : theme::kText,
              f.value);
  if (!f.unit.empty()) ui.text(Type::body, x + ui.px(4), r.y0, r.height(), theme::kMuted, f.unit);
  return end;
}

// Draws the number of lost frames; the tooltip splits it by cause.
float draw_lost(PanelContext& c, float x, const Rect& r, const Figure& lost) {
  const RingCounts& n = c.model.numbers.counts;
  const float end = draw_figure(c.ui, x, r, lost);
  const Rect area{x - c.ui.px(6), r.y0 + c.ui.px(6), end + c.ui.px(6), r.y1 - c.ui.px(6)};
  const Hit h = c.ui.hit("lost", area);
  const std::string split =
      fmt::format("Dropped {}, refused {}, missing from the source {}. Duplicates: {}.", grouped(n.dropped),
                  grouped(n.refused), grouped(n.sequence_gaps), grouped(n.duplicates)) +
      (c.model.source.live ? fmt::format(" Missing from the source: {} lost at the sender, {} stale, {} unaccounted.",
                                         grouped(n.lost_at_sender), grouped(n.stale), grouped(n.missing()))
                           : std::string());
  const char* const why = lost.faint ? "Older frames are dropped so that the image stays current. " : "";
  c.ui.tip("lost", h, area, {"Lost frames", why + split, {}});
  return end;
}

// Draws the pace of a stream that is slower than its source or real time; the tooltip gives the remedy.
float draw_pace_field(PanelContext& c, float x, const Rect& r, PaceWords words) {
  const StreamPace& pace = c.model.numbers.pace;
  const float end = draw_pace(c.ui, x, r, pace, Type::body, words);
  const Rect area{x - c.ui.px(6), r.y0 + c.ui.px(6), end + c.ui.px(6), r.y1 - c.ui.px(6)};
  const Hit h = c.ui.hit("pace", area);
  const std::string speed = speed_text(pace);
  std::string help = held_back_help(pace);
  if (pace.held_back != HeldBack::no && !speed.empty()) {
    help += fmt::format(" The acquisition is {}.", speed);
  }
  const char* title = pace.held_back == HeldBack::by_processing ? "Source blocked"
                      : pace.held_back == HeldBack::by_source   ? "Source below the set rate"
                                                                : "Slower than real time";
  c.ui.tip("pace", h, area, {title, help, {}});
  return end;
}

std::string clock_of(double seconds) {
  const auto s = static_cast<int>(seconds);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// Draws time, frames, disk rate and frames not recorded, after a red dot; omits middle fields without room. Returns the
// width; draws unless `r` is null.
float draw_recording(const Ui& ui, const RecordingView& v, float room, float x, const Rect* r) {
  const float gap = ui.px(12);
  const Figure time{v.finishing ? "writing" : "", clock_of(v.seconds), "00:00", ""};
  const Figure frames{"", grouped(v.frames), "00 000", v.frames == 1 ? "frame" : "frames"};
  const Figure rate{"", fixed(v.bytes_per_second * 1e-6, 0), "0000", "MB/s"};
  const Figure missing{"not recorded", grouped(v.not_recorded), "0", "", true};
  std::vector<const Figure*> figures{&time};
  if (v.not_recorded > 0) figures.push_back(&missing);
  float w = ui.px(16);
  for (const Figure* figure : figures) w += figure_width(ui, *figure) + gap;
  for (const Figure* figure : {&frames, &rate}) {
    if (w + figure_width(ui, *figure) + gap > room) break;
    w += figure_width(ui, *figure) + gap;
    figures.insert(v.not_recorded > 0 ? figures.end() - 1 : figures.end(), figure);
  }
  if (r == nullptr) return w;
  ui.disc(x + ui.px(5), r->cy(), 5, theme::kRed);
  x += ui.px(16);
  for (const Figure* figure : figures) x = draw_figure(ui, x, *r, *figure) + gap;
  return w;
}

void draw_recording_field(PanelContext& c, float x, float room, const Rect& r) {
  const RecordingView& v = c.model.saving.recording;
  const float end = x + draw_recording(c.ui, v, room, x, &r);
  const Rect area{x - c.ui.px(6), r.y0 + c.ui.px(6), end - c.ui.px(6), r.y1 - c.ui.px(6)};
  const Hit h = c.ui.hit("recording", area);
  const std::string text =
      fmt::format("{}: {}. {}", v.file, counted_grouped(v.frames, "frame"),
                  v.not_recorded > 0 ? "Some frames were not recorded because the disk is too slow."
                                     : "All processed frames are recorded.");
  c.ui.tip("recording", h, area, {v.finishing ? "Completing the recording" : "Recording", text, {}});
}

// Returns the name of the source; without one, the awaited scanner by the name in its address.
std::string source_name(const Model& model) {
  if (!model.source.name.empty()) return model.source.name;
  if (!model.scanner.has_value()) return "No source";
  return "Scanner: " + model.scanner->address.substr(model.scanner->address.find(':') + 1);
}

float source_menu(PanelContext& c, const Rect& r, BarRequests& requests) {
  Ui& ui = c.ui;
  const std::string name = source_name(c.model);
  const float room = ui.px(c.compact ? 150 : 220);
  const float w = std::min(ui.width(Type::strong, name), room) + ui.px(8);
  const float x0 = r.x0 + ui.px(c.compact ? 12 : 16);
  const Rect area{x0 - ui.px(6), r.y0 + ui.px(6), x0 + w + ui.px(14), r.y1 - ui.px(6)};
  const std::span<const PhantomRow> built_in = phantoms();
  std::vector<Choice> choices;
  for (const PhantomRow& row : built_in) choices.push_back({row.title, "phantom"});
  const bool files = why_no_files(c.model).empty();
  if (files) choices.push_back({"Open…", "Ctrl+O"});
  const std::vector<RecentName> recent = files ? recent_names(c.model.opening.recent) : std::vector<RecentName>();
  for (const RecentName& file : recent) choices.push_back({file.name, file.folder});
  const auto at = std::ranges::find(built_in, c.model.source.phantom, &PhantomRow::name);
  const int chosen = at == built_in.end() ? -1 : static_cast<int>(at - built_in.begin());
  const Hit hover = {.hovered = area.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y)};
  const auto picked = ui.menu("source_menu", area, choices, chosen, {name, "Current source; click to change.", {}});
  ui.text_fitted(Type::strong, x0, x0 + room, r.y0, r.height(), theme::kText, name);
  ui.chevron(x0 + w + ui.px(4), r.cy() + 1, Direction::down, hover.hovered ? theme::kText : theme::kMuted);
  if (picked) {
    const auto i = static_cast<std::size_t>(*picked);
    if (i < built_in.size()) {
      c.commands.send(command::OpenPhantom{std::string(built_in[i].name)});
    } else if (i == built_in.size()) {
      requests.open_dialog = true;
    } else {
      const std::filesystem::path file = c.model.opening.recent[i - built_in.size() - 1];
      c.commands.send(command::OpenFile{file});
    }
  }
  return x0 + w + ui.px(10);
}

float link_width(const Ui& ui, std::string_view label, std::string_view shortcut) {
  return ui.width(Type::body, label) + (shortcut.empty() ? 0 : ui.px(8) + ui.width(Type::small, shortcut));
}

BadgeLook state_look(RunState run) {
  switch (run) {
    case RunState::live:
      return {.text = "LIVE", .ground = theme::kAccent, .ink = theme::kInk, .dot = true};
    case RunState::replay:
      return {.text = "REPLAY", .ink = theme::kAccent};
    case RunState::frozen:
      return {.text = "FROZEN", .ground = theme::kText, .ink = theme::kInk};
    case RunState::still:
      return {.text = "STILL", .ink = theme::kText};
    case RunState::fault:
      return {.text = "FAULT", .ground = theme::kRed, .ink = theme::kInk, .dot = true};
    case RunState::opening:
      return {.text = "OPENING", .ground = theme::kHover, .ink = theme::kText2};
    case RunState::waiting:
      return {.text = "WAITING", .ink = theme::kText2};
    case RunState::no_sender:
      return {.text = "NO SENDER", .ink = theme::kText2};
    case RunState::idle:
      break;
  }
  return {.text = "IDLE", .ink = theme::kMuted};
}

}  // namespace

RunState badge_state(const Model& model) {
  if (model.image.awaited && model.run != RunState::fault) return RunState::opening;
  if (is_still(model)) return RunState::still;
  if (!model.scanner.has_value() || model.scanner->link == LiveLink::connected) return model.run;
  if (model.source.acquisition == nullptr) return RunState::waiting;
  return model.source.live && model.run == RunState::live ? RunState::no_sender : model.run;
}

float draw_state_badge(const Ui& ui, RunState run, float x, float centre_y, BadgeSize size) {
  BadgeLook look = state_look(run);
  look.large = size == BadgeSize::large;
  return ui.badge(x, centre_y, look);
}

namespace {

constexpr float kSeparator = 33;  // space of a line between two parts

// Figures of the bar.
struct StatusFigures {
  Figure rate, shown, latency, lost;
  SampleFaults faults;  // since the start
};

SampleFaults faults_since_start(const Model& model) {
  if (model.source.samples != nullptr) return model.source.samples->since_start();
  return model.scanner ? model.scanner->checked : SampleFaults{};
}

StatusFigures figures_of(const PanelContext& c) {
  const Model& model = c.model;
  const bool known = model.numbers.latency.recent.count > 0 && !image_rests(model);
  const std::uint64_t lost =
      model.numbers.counts.dropped + model.numbers.counts.refused + model.numbers.counts.sequence_gaps;
  const std::string p95 =
      known ? fixed(model.numbers.latency.recent.p95_ms, model.numbers.latency.recent.p95_ms < 99.95 ? 2 : 0) : "—";
  const bool none = model.image.awaited.has_value();  // no image of this source has arrived
  const std::string processed = none ? "—" : fixed(model.numbers.processed_fps, 1);
  const bool view = c.view.mode == WindowMode::view && !c.view.transient.lecture, quiet = loses_by_itself(c);
  const std::string images =
      none ? "—" : fixed(model.numbers.processed_fps, model.numbers.processed_fps < 9.95 ? 1 : 0);
  return {.rate = view ? Figure{"", images, "000", "images/s"}
                       : Figure{model.run == RunState::frozen ? "source" : "", processed, "000.0", "fps"},
          .shown = {"shown", none ? "—" : fixed(model.numbers.shown_fps, 0), "00", "fps"},
          .latency = {"latency p95", p95, "00.00", "ms"},
          .lost = {"lost", grouped(lost), "0", "", lost > 0 && !quiet, quiet},
          .faults = faults_since_start(model)};
}

constexpr float kDeviceName = 320;                      // at most
constexpr float kModeSwitch = 160, kModeCompact = 132;  // width of the switch "View | Engineer"

std::string_view keys_word(const PanelContext& c) { return c.view.mode == WindowMode::view ? "Help" : "Keys"; }

constexpr std::string_view kBack = "Back to the image";

struct Links {
  std::string_view reset_key;
  float keys, reset, present, mode;  // widths with the gap at their left; in the lecture, Back replaces Keys
};

Links links_of(const PanelContext& c) {
  const Ui& ui = c.ui;
  const std::string_view key = c.compact ? "" : "F9";
  if (c.view.transient.lecture)
    return {.reset_key = {}, .keys = link_width(ui, kBack, "Esc"), .reset = 0, .present = 0, .mode = 0};
  const float gap = ui.px(c.compact ? 12 : 24);
  return {.reset_key = key,
          .keys = link_width(ui, keys_word(c), "F1"),
          .reset = link_width(ui, "Reset", key) + gap,
          .present = link_width(ui, "Present", "F5") + ui.px(24),
          .mode = ui.px(c.compact ? kModeCompact : kModeSwitch) + gap};
}

bool records(const Model& model) { return model.saving.recording.on || model.saving.recording.finishing; }

// `source`: width of its menu.
StatusFit fit_of(const PanelContext& c, const Rect& r, float source, const StatusFigures& f, const Links& links) {
  const Ui& ui = c.ui;
  const float line = ui.px(kSeparator);
  const float pace = pace_width(ui, c.model.numbers.pace, Type::body, PaceWords::all);
  const float first = pace_width(ui, c.model.numbers.pace, Type::body, PaceWords::first);
  StatusWidths w;
  w.room = r.width() - ui.px(16);
  w.always = source + line + ui.badge_width(state_look(badge_state(c.model))) + line + figure_width(ui, f.lost);
  w.rate = ui.px(10) + figure_width(ui, f.rate);
  (c.view.transient.lecture ? w.always : w.keys) += ui.px(24) + links.keys;
  if (records(c.model)) w.always += line + draw_recording(ui, c.model.saving.recording, 0, 0, nullptr);
  if (pace > 0) w.always += line + first;
  const float one_fault = sample_faults_width(ui, f.faults, FaultWords::first);
  if (one_fault > 0) w.always += line + one_fault;
  if (const float late = late_width(c); late > 0) w.always += line + late;
  w.playing = pace - first + sample_faults_width(ui, f.faults, FaultWords::all) - one_fault;
  w.device = c.model.device.name.empty()
                 ? 0
                 : std::min(ui.width(Type::body, c.model.device.name), ui.px(kDeviceName)) + ui.px(8);
  w.present = links.present;
  w.latency_word = ui.width(Type::body, "latency ");
  w.shown = figure_width(ui, f.shown) + ui.px(16);
  w.backend = c.model.device.backend.empty() ? 0 : ui.badge_width({.text = c.model.device.backend}) + line;
  w.mode = links.mode;
  w.reset = links.reset;
  w.latency = line + figure_width(ui, f.latency) - w.latency_word;
  const bool view = c.view.mode == WindowMode::view && !c.view.transient.lecture;
  if (view) w.device = w.latency_word = w.shown = w.backend = w.reset = w.latency = 0;
  StatusFit fit = fit_status_bar(w, c.compact ? StatusForm::compact : StatusForm::wide);
  if (view) fit.shown = fit.backend = fit.reset = fit.latency = false;
  return fit;
}

void draw_mode_switch(PanelContext& c, float x, const Rect& r) {
  constexpr std::array<Choice, 2> kModes = {{{"View"}, {"Engineer"}}};
  Ui& ui = c.ui;
  const Rect box{x, r.cy() - ui.px(14), x + ui.px(c.compact ? kModeCompact : kModeSwitch), r.cy() + ui.px(14)};
  const auto picked =
      ui.segmented("mode", box, kModes, static_cast<int>(c.view.mode),
                   {"Mode   E", "View: the image with few controls. Engineer: all settings, stream and timings.", {}});
  if (picked) c.view.mode = static_cast<WindowMode>(*picked);
}

// Draws from the right edge to the left.
void draw_links(PanelContext& c, const Rect& r, const StatusFit& fit, const Links& links, BarRequests& requests) {
  Ui& ui = c.ui;
  float x = r.x1 - ui.px(16) - links.keys;
  if (fit.keys && ui.link("keys", {x, r.y0, x + links.keys, r.y1}, keys_word(c), "F1",
                          {"Keys", "Keyboard, mouse and interface scale.", {}})) {
    requests.keys = true;
  }
  if (fit.reset) {
    x -= links.reset;
    const Rect reset{x, r.y0, x + link_width(ui, "Reset", links.reset_key), r.y1};
    if (ui.link("reset", reset, "Reset", links.reset_key,
                {"Reset   F9",
                 "Restores source, parameters, stream, view, zoom, marks and panels to the initial state. Ctrl+Z "
                 "undoes the reset.",
                 {}})) {
      c.commands.send(command::Reset{});
    }
  }
  if (fit.present) {
    x -= links.present;
    if (ui.link("present", {x, r.y0, x + link_width(ui, "Present", "F5"), r.y1}, "Present", "F5",
                {"Presentation", "Image only, for a projector.", {}})) {
      requests.presentation = true;
    }
  }
  if (fit.mode) draw_mode_switch(c, x - links.mode, r);
}

void draw_back_link(PanelContext& c, const Rect& r, const Links& links, BarRequests& requests) {
  Ui& ui = c.ui;
  const float right = r.x1 - ui.px(16);
  requests.back = ui.link("lecture/back", {right - links.keys, r.y0, right, r.y1}, kBack, "Esc",
                          {kBack, "Closes the enlarged Timeline and Stream.", {}});
}

}  // namespace

void draw_status_bar(PanelContext& c, const Rect& r, BarRequests& requests) {
  Ui& ui = c.ui;
  ui.horizontal(r.x0, r.x1, r.y1 - ui.hairline(), theme::kEdge);
  StatusFigures f = figures_of(c);
  const Links links = links_of(c);
  float x = source_menu(c, r, requests);
  const StatusFit fit = fit_of(c, r, x - r.x0, f, links);
  if (!fit.latency_word) f.latency.before = "p95";
  x = separator(ui, x, r);
  if (!c.model.device.backend.empty() && fit.backend) {
    x = ui.badge(x, r.cy(), {.text = c.model.device.backend});
    if (fit.device && !c.model.device.name.empty()) {
      x = ui.text_fitted(Type::body, x + ui.px(8), x + ui.px(kDeviceName + 8), r.y0, r.height(), theme::kText2,
                         c.model.device.name);
    }
    x = separator(ui, x, r);
  }
  const float badge_end = draw_state_badge(ui, badge_state(c.model), x, r.cy());
  ui.hit("state_badge", {x, r.cy() - ui.px(10), badge_end, r.cy() + ui.px(10)});
  x = fit.rate ? draw_figure(ui, badge_end + ui.px(10), r, f.rate) : badge_end;
  if (fit.rate)
    ui.hit("rate", {badge_end + ui.px(4), r.y0 + ui.px(6), x, r.y1 - ui.px(6)},
           {"Processed frames", "Frames per second over the last 2 s, as all rates of this window.", {}});
  if (fit.shown) x = draw_figure(ui, x + ui.px(16), r, f.shown);
  if (fit.latency) x = draw_figure(ui, separator(ui, x, r), r, f.latency);
  x = draw_lost(c, separator(ui, x, r), r, f.lost);
  if (late_width(c) > 0) x = draw_late(c, separator(ui, x, r), r);
  if (f.faults.any()) {
    const SampleFaults shown = faults_of(c.model.source.samples, c.shown_frame);
    const FaultWords words = fit.playing ? FaultWords::all : FaultWords::first;
    x = draw_sample_faults(ui, separator(ui, x, r), r, f.faults, shown, words);
  }
  if (c.model.numbers.pace.held_back != HeldBack::no || c.model.numbers.pace.slower) {
    x = draw_pace_field(c, separator(ui, x, r), r, fit.playing ? PaceWords::all : PaceWords::first);
  }
  if (records(c.model)) {
    x = separator(ui, x, r);
    const float end = r.x1 - ui.px(16) - links.keys - (fit.reset ? links.reset : 0) - ui.px(24) -
                      (fit.present ? links.present : 0) - (fit.mode ? links.mode : 0);
    draw_recording_field(c, x, end - x, r);
  }
  if (c.view.transient.lecture) return draw_back_link(c, r, links, requests);
  draw_links(c, r, fit, links, requests);
}

namespace {

void message_list(PanelContext& c, const Rect& line) {
  Ui& ui = c.ui;
  const auto& messages = c.model.notices.messages.list();
  const float row = ui.px(26);
  const auto room = static_cast<std::size_t>(std::max(1.0F, (line.y0 - ui.px(60)) / row - 1));
  const std::size_t count = std::min(messages.size(), room);
  const float tall = row * static_cast<float>(count + 1) + ui.px(8);
  const Rect box{line.x0 + ui.px(8), line.y0 - tall - ui.px(4), line.x1 - ui.px(8), line.y0 - ui.px(4)};
  if (!ui.begin_popup("message_list", box)) return;
  std::size_t dismissed = messages.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Message& m = messages[i];
    const float y = box.y0 + ui.px(4) + row * static_cast<float>(i);
    const std::string row_id = fmt::format("message/{}", i);
    const bool resolved = m.stay == Stay::resolved;
    const bool error = m.severity == Severity::error && !resolved;
    const Rect words{box.x0, y, box.x1 - ui.px(error ? 90 : 0), y + row};
    const Hit h = ui.control(row_id.c_str(), words, FocusKind::line, m.text);
    if (h.hovered) ui.fill(words.inset(ui.px(1)), theme::kHover, 4);
    if (h.clicked) ImGui::SetClipboardText(m.text.c_str());
    ui.tip(row_id.c_str(), h, words, {"Click to copy", m.text, {}});
    const Severity looks = resolved ? Severity::info : m.severity;
    ui.disc(box.x0 + ui.px(14), y + 0.5F * row, 4, severity_dot(looks));
    const float x = ui.text(Type::small, box.x0 + ui.px(28), y, row, theme::kMuted, m.clock) + ui.px(12);
    ui.text_fitted(Type::body, x, box.x1 - ui.px(error ? 90 : 12), y, row, severity_ink(looks),
                   resolved ? m.text + " (resolved)" : m.text);
    const float w = ui.width(Type::body, "Dismiss");
    const std::string id = fmt::format("dismiss/{}", i);
    if (error && ui.link(id.c_str(), {box.x1 - ui.px(12) - w, y, box.x1 - ui.px(12), y + row}, "Dismiss", {}, {}))
      dismissed = i;
  }
  const float foot = box.y1 - ui.px(4) - row;
  if (ui.link("copy_messages", {box.x0 + ui.px(28), foot, box.x0 + ui.px(160), foot + row}, "Copy all", {},
              {"Copy all", "Copies all listed messages with time and severity.", {}})) {
    ImGui::SetClipboardText(c.model.notices.messages.text().c_str());
  }
  ui.end_popup();
  if (dismissed < messages.size()) c.commands.send(command::DismissMessage{dismissed});
}

}  // namespace

std::optional<std::size_t> MessageLine::front(const std::vector<Message>& messages) {
  constexpr double kNews_s = 4.0;
  const std::string newest = messages.front().clock + messages.front().text;
  const bool came = count_ > 0 && messages.size() >= count_ && (messages.size() > count_ || newest != newest_);
  count_ = messages.size();
  newest_ = newest;
  const std::optional<std::size_t> stands = standing(messages);
  const bool passes = stands != std::size_t{0} && messages.front().stay != Stay::resolved;
  if (!passes) {
    news_until_s_ = 0.0;
  } else if (came) {
    news_until_s_ = ImGui::GetTime() + kNews_s;
  }
  return moving() ? std::size_t{0} : stands;
}

bool MessageLine::moving() const { return ImGui::GetTime() < news_until_s_; }

void MessageLine::draw(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  ui.horizontal(r.x0, r.x1, r.y0 - ui.hairline(), theme::kEdge);
  const auto& messages = c.model.notices.messages.list();
  if (messages.empty()) return;
  const std::optional<std::size_t> index = front(messages);
  const bool error = index && messages[*index].severity == Severity::error;
  float right = r.x1 - ui.px(16);
  float end = r.x1;  // right end of the area that opens the list
  if (error) {
    const float w = ui.width(Type::small, "Dismiss");
    const Rect area{right - w - ui.px(8), r.y0, r.x1, r.y1};
    const Hit h = ui.control("dismiss", area, FocusKind::button, "Dismiss");
    ui.text(Type::small, {right - w, r.y0, right, r.y1}, h.hovered ? theme::kText : theme::kText2, "Dismiss");
    right -= w + ui.px(20);
    end = area.x0;
    if (h.clicked) c.commands.send(command::DismissMessage{*index});
  }
  const std::size_t n = messages.size() - (index ? 1 : 0);
  if (n > 0) {
    const std::string older = c.compact || error ? fmt::format("{} older", n) : counted(n, "older message");
    const float w = ui.width(Type::small, older);
    ui.text(Type::small, right - w, r.y0, r.height(), theme::kMuted, older);
    right -= w + ui.px(20);
  }
  const Rect opens = Rect{r.x0, r.y0, end, r.y1}.inset(ui.px(3));
  const Hit h = ui.control("message_line", opens, FocusKind::button, "Messages");
  if (h.clicked) ui.open_popup("message_list");
  message_list(c, r);
  if (!index) return;
  const Message& m = messages[*index];
  ui.disc(r.x0 + ui.px(20), r.cy(), 4, severity_dot(m.severity));
  const float x = ui.text(Type::small, r.x0 + ui.px(34), r.y0, r.height(), theme::kMuted, m.clock) + ui.px(12);
  ui.text_fitted(Type::small, x, right, r.y0, r.height(), severity_ink(m.severity), m.text);
}

}  // namespace echoloop
