#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/bars.h"
#include "gui/number_text.h"
#include "gui/pace_badge.h"
#include "gui/pace_text.h"
#include "gui/sample_fault_field.h"
#include "gui/sample_fault_text.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 4> kPhantomChoices = {
    {{"Points", "phantom"}, {"Cyst", "phantom"}, {"Flow", "phantom"}, {"Heart", "phantom"}}};
constexpr std::array<const char*, 4> kPhantomKeys = {"points", "cyst", "flow", "heart"};

float separator(const Ui& ui, float x, const Rect& r) {
  ui.vertical(x + ui.px(16), r.cy() - ui.px(9), r.cy() + ui.px(9), theme::kLine2);
  return x + ui.px(33);
}

// A number in a field as wide as its widest value, so that nothing beside it moves.
struct Figure {
  std::string_view before;
  std::string value;
  std::string_view widest;
  std::string_view unit;
  bool alarm = false;
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
    x = ui.text(Type::body, x, r.y0, r.height(), f.alarm ? theme::kRed : theme::kText2, f.before) + ui.px(5);
  x = ui.text(Type::strong, x, r.y0, r.height(), f.alarm ? theme::kRed : theme::kText, f.value);
  if (!f.unit.empty()) ui.text(Type::body, x + ui.px(4), r.y0, r.height(), theme::kMuted, f.unit);
  return end;
}

// Where the lost frames went, in the tooltip.
float draw_lost(PanelContext& c, float x, const Rect& r, const Figure& lost) {
  const RingCounts& n = c.state.counts;
  const float end = draw_figure(c.ui, x, r, lost);
  const Rect area{x - c.ui.px(6), r.y0 + c.ui.px(6), end + c.ui.px(6), r.y1 - c.ui.px(6)};
  const Hit h = c.ui.hit("lost", area);
  const std::string split =
      fmt::format("Dropped {}, refused {}, missing from the source {}. Duplicates: {}.", grouped(n.dropped),
                  grouped(n.refused), grouped(n.sequence_gaps), grouped(n.duplicates));
  c.ui.tip("lost", h, area, {"Lost frames", split, {}});
  return end;
}

// Where the stream is slower than its source: by how much, and the cure in the tooltip.
float draw_pace_field(PanelContext& c, float x, const Rect& r, PaceWords words) {
  const StreamPace& pace = c.state.pace;
  const float end = draw_pace(c.ui, x, r, pace, Type::body, words);
  const Rect area{x - c.ui.px(6), r.y0 + c.ui.px(6), end + c.ui.px(6), r.y1 - c.ui.px(6)};
  const Hit h = c.ui.hit("pace", area);
  const std::string speed = speed_text(pace);
  std::string help = held_back_help(pace);
  if (pace.held_back != HeldBack::no && !speed.empty()) {
    help += fmt::format(" The acquisition is {}.", speed);
  }
  const char* title = pace.held_back == HeldBack::by_processing ? "Source held back"
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

// Time, frames, rate of the disk and what was not recorded, behind a red dot; what has no room is left out from the
// middle. Returns the width; draws unless `r` is null.
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
  const RecordingView& v = c.state.recording;
  const float end = x + draw_recording(c.ui, v, room, x, &r);
  const Rect area{x - c.ui.px(6), r.y0 + c.ui.px(6), end - c.ui.px(6), r.y1 - c.ui.px(6)};
  const Hit h = c.ui.hit("recording", area);
  const std::string text =
      fmt::format("{}: {} frames. {}", v.file, grouped(v.frames),
                  v.not_recorded > 0 ? "Some frames were not recorded because the disk is too slow."
                                     : "All processed frames are recorded.");
  c.ui.tip("recording", h, area, {v.finishing ? "Completing the recording" : "Recording", text, {}});
}

float source_menu(PanelContext& c, const Rect& r, BarRequests& requests) {
  Ui& ui = c.ui;
  const std::string name = c.state.source.name.empty() ? "No source" : c.state.source.name;
  const float room = ui.px(c.compact ? 150 : 220);
  const float w = std::min(ui.width(Type::strong, name), room) + ui.px(8);
  const float x0 = r.x0 + ui.px(c.compact ? 12 : 16);
  const Rect area{x0 - ui.px(6), r.y0 + ui.px(6), x0 + w + ui.px(14), r.y1 - ui.px(6)};
  std::vector<Choice> choices(kPhantomChoices.begin(), kPhantomChoices.end());
  const bool files = why_no_files(c.state).empty();
  if (files) choices.push_back({"Open…", "Ctrl+O"});
  const std::vector<RecentName> recent = files ? recent_names(c.state.recent) : std::vector<RecentName>();
  for (const RecentName& file : recent) choices.push_back({file.name, file.folder});
  const auto at = std::find(kPhantomKeys.begin(), kPhantomKeys.end(), c.state.source.phantom);
  const int chosen = at == kPhantomKeys.end() ? -1 : static_cast<int>(at - kPhantomKeys.begin());
  const Hit hover = {.hovered = area.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y)};
  const auto picked = ui.menu("source_menu", area, choices, chosen, {name, "Current source; click to change.", {}});
  ui.text_fitted(Type::strong, x0, x0 + room, r.y0, r.height(), theme::kText, name);
  ui.chevron(x0 + w + ui.px(4), r.cy() + 1, Direction::down, hover.hovered ? theme::kText : theme::kMuted);
  if (picked) {
    const auto i = static_cast<std::size_t>(*picked);
    if (i < kPhantomKeys.size()) {
      call(c.commands.open_phantom, kPhantomKeys[i]);
    } else if (i == kPhantomKeys.size()) {
      requests.open_dialog = true;
    } else {
      const std::filesystem::path file = c.state.recent[i - kPhantomKeys.size() - 1];
      call(c.commands.open_file, file);
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
    case RunState::fault:
      return {.text = "FAULT", .ground = theme::kRed, .ink = theme::kInk, .dot = true};
    case RunState::idle:
      break;
  }
  return {.text = "IDLE", .ink = theme::kMuted};
}

}  // namespace

float draw_state_badge(const Ui& ui, RunState run, float x, float centre_y, BadgeSize size) {
  BadgeLook look = state_look(run);
  look.large = size == BadgeSize::large;
  return ui.badge(x, centre_y, look);
}

float state_badge_width(const Ui& ui, RunState run, BadgeSize size) {
  BadgeLook look = state_look(run);
  look.large = size == BadgeSize::large;
  return ui.badge_width(look);
}

void draw_status_bar(PanelContext& c, const Rect& r, BarRequests& requests) {
  Ui& ui = c.ui;
  const UiState& s = c.state;
  ui.horizontal(r.x0, r.x1, r.y1 - ui.hairline(), theme::kEdge);
  const bool known = s.latency.count > 0 && s.run != RunState::fault;
  const std::uint64_t lost_frames = s.counts.dropped + s.counts.refused + s.counts.sequence_gaps;
  const Figure rate{s.run == RunState::frozen ? "source" : "", fixed(s.processed_fps, 1), "000.0", "fps"};
  const Figure shown{"shown", fixed(s.shown_fps, 0), "00", "fps"};
  const Figure lost{"lost", grouped(lost_frames), "0", "", lost_frames > 0};
  Figure latency{"latency p95", known ? fixed(s.latency.p95_ms, s.latency.p95_ms < 99.95 ? 2 : 0) : "—", "00.00", "ms"};

  // What a narrow bar leaves out, in this order: device name, "Present F5", the word "latency", "shown",
  // and "Reset" while a recording runs.
  float x = separator(ui, source_menu(c, r, requests), r);
  const float keys_width =
      link_width(ui, "Reset", c.compact ? "" : "F9") + ui.px(c.compact ? 12 : 24) + link_width(ui, "Keys", "F1");
  const float present_width = ui.width(Type::body, "Present") + ui.px(8) + ui.width(Type::small, "F5") + ui.px(24);
  const float device_width = s.device.empty() ? 0 : std::min(ui.width(Type::body, s.device), ui.px(240)) + ui.px(8);
  const BadgeLook backend{.text = s.backend};
  const float badge = ui.badge_width(state_look(s.run));
  float free = r.x1 - ui.px(16) - x - ui.badge_width(backend) - 3 * ui.px(33) - badge - ui.px(10) -
               figure_width(ui, rate) - figure_width(ui, latency) - figure_width(ui, lost) - keys_width - ui.px(24) -
               figure_width(ui, shown) - ui.px(16) - present_width - device_width;
  const bool recording = s.recording.on || s.recording.finishing;
  if (recording) free -= ui.px(33) + draw_recording(ui, s.recording, 0, 0, nullptr);
  const float pace = pace_width(ui, s.pace, Type::body, PaceWords::all);
  if (pace > 0) free -= ui.px(33) + pace;
  const SampleFaults faults = s.source.samples != nullptr ? s.source.samples->since_start() : SampleFaults{};
  const float faulty = sample_faults_width(ui, faults, FaultWords::all);
  if (faulty > 0) free -= ui.px(33) + faulty;
  const bool device = free >= 0 && !c.compact;
  if (!device) free += device_width;
  const bool present = free >= 0 && !c.compact;
  if (!present) free += present_width;
  if (free < 0 || c.compact) {
    free += ui.width(Type::body, "latency ");
    latency.before = "p95";
  }
  const bool with_shown = free >= 0;
  if (!with_shown) free += figure_width(ui, shown) + ui.px(16);
  const bool with_reset = !recording || free >= 0;  // F9 still resets

  if (!s.backend.empty()) {
    x = ui.badge(x, r.cy(), backend);
    if (device && !s.device.empty()) {
      x = ui.text_fitted(Type::body, x + ui.px(8), x + ui.px(248), r.y0, r.height(), theme::kText2, s.device);
    }
    x = separator(ui, x, r);
  }
  const float badge_end = draw_state_badge(ui, s.run, x, r.cy());
  ui.hit("state_badge", {x, r.cy() - ui.px(10), badge_end, r.cy() + ui.px(10)});
  x = draw_figure(ui, badge_end + ui.px(10), r, rate);
  if (with_shown) x = draw_figure(ui, x + ui.px(16), r, shown);
  x = draw_figure(ui, separator(ui, x, r), r, latency);
  x = draw_lost(c, separator(ui, x, r), r, lost);
  const float right = r.x1 - ui.px(16);
  if (faulty > 0) {
    const SampleFaults shown = faults_of(s.source.samples, c.shown_frame);
    const FaultWords words = free >= 0 ? FaultWords::all : FaultWords::first;
    x = draw_sample_faults(ui, separator(ui, x, r), r, faults, shown, words);
  }
  const PaceWords pace_words = free >= 0 ? PaceWords::all : PaceWords::first;
  const float pace_end = x + ui.px(33) + pace_width(ui, s.pace, Type::body, pace_words);
  const bool fits = faulty <= 0 || pace_end <= right - keys_width - ui.px(24);  // faults of the data come first
  if (pace > 0 && fits) x = draw_pace_field(c, separator(ui, x, r), r, pace_words);

  if (recording) {
    x = separator(ui, x, r);
    const float end = right - keys_width - ui.px(24) - (present ? present_width : 0);
    draw_recording_field(c, x, end - x, r);
  }
  if (c.view.lecture) {
    const float back = ui.width(Type::body, "Back to the image") + ui.px(8) + ui.width(Type::small, "Esc");
    requests.back = ui.link("lecture/back", {right - back, r.y0, right, r.y1}, "Back to the image", "Esc",
                            {"Back to the image", "Closes the enlarged Timeline and Stream.", {}});
    return;
  }
  const Rect keys{right - link_width(ui, "Keys", "F1"), r.y0, right, r.y1};
  if (ui.link("keys", keys, "Keys", "F1", {"Keys", "Keyboard, mouse and interface scale.", {}})) {
    requests.keys = true;
  }
  const float reset = right - keys_width;
  if (with_reset &&
      ui.link("reset", {reset, r.y0, reset + link_width(ui, "Reset", c.compact ? "" : "F9"), r.y1}, "Reset",
              c.compact ? "" : "F9",
              {"Reset   F9",
               "Restores source, parameters, stream, view, zoom, marks and panels to the initial state. Ctrl+Z undoes "
               "the reset.",
               {}})) {
    call(c.commands.reset);
  }
  const float at = right - keys_width - present_width;
  if (present && ui.link("present", {at, r.y0, right - keys_width - ui.px(24), r.y1}, "Present", "F5",
                         {"Presentation", "Image only, for a projector.", {}})) {
    requests.presentation = true;
  }
}

}  // namespace echoloop
