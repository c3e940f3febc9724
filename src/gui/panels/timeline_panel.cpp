// The timeline panel: which spans it shows, its head and its buttons. Lanes and numbers have files of their own.
#include <fmt/format.h>

#include <algorithm>

#include "core/number.h"
#include "gui/panels/lecture.h"
#include "gui/panels/timeline_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 5> kFrameChoices = {{{"2"}, {"5"}, {"10"}, {"20"}, {"50"}}};
static_assert(kFrameChoices.size() == kTimelineFrames.size());

constexpr float kControls = 26;  // height of a row of buttons

std::string round_ms(std::int64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  return fixed(ms, decimals_of_125(ms));
}

void pause_button(PanelContext& c, const Rect& r) {
  TimelineState& t = c.view.transient.timeline;
  const bool nothing = !t.paused && c.state.numbers.timeline.spans.empty();
  if (!c.ui.button("timeline_pause", r, {.label = t.paused ? "Resume" : "Pause"},
                   {t.paused ? "Resume" : "Pause",
                    t.paused ? "Returns to the newest frames." : "Freezes the timeline; the stream continues.",
                    nothing ? "No timings yet." : ""})) {
    return;
  }
  t.paused = !t.paused;
  t.kept = t.paused ? c.state.numbers.timeline.spans : std::vector<Span>();
}

void frames_choice(PanelContext& c, const Rect& r) {
  const auto at = std::find(kTimelineFrames.begin(), kTimelineFrames.end(), c.view.timeline_frames);
  const auto picked = c.ui.segmented(
      "timeline_frames", r, kFrameChoices, static_cast<int>(at - kTimelineFrames.begin()),
      {"Frames", "Number of frames in the timeline. Ctrl+scroll to zoom, drag to pan, double click to reset.", {}});
  if (!picked) return;
  c.view.timeline_frames = kTimelineFrames[static_cast<std::size_t>(*picked)];
  c.view.transient.timeline.zoom = {};
}

void save_buttons(PanelContext& c, const Rect& csv, const Rect& trace) {
  const std::string_view why =
      why_no_files(c.state, c.state.numbers.timing.frames == 0 && c.state.numbers.timeline.spans.empty() &&
                                    c.view.transient.timeline.kept.empty()
                                ? std::string_view("No timings yet.")
                                : std::string_view());
  if (c.ui.button("save_csv", csv, {.label = "CSV"},
                  {"Save as CSV", "All recorded spans, one per line: frame, stage, lane, start and end in ns.", why})) {
    call(c.commands.save_timings, TimingFile::csv);
  }
  if (c.ui.button("save_trace", trace, {.label = "Trace"},
                  {"Save as a trace", "All recorded spans, for Perfetto or Chrome tracing.", why})) {
    call(c.commands.save_timings, TimingFile::chrome_trace);
  }
}

// One row, or two in a narrow column.
void control_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const float gap = ui.px(6);
  const Rect first = ui.row(column, kControls, 3);
  const float pause = ui.px(58);
  if (c.compact) {
    frames_choice(c, {first.x0, first.y0, first.x1 - pause - gap, first.y1});
    pause_button(c, {first.x1 - pause, first.y0, first.x1, first.y1});
    const Rect second = ui.row(column, kControls, 3);
    const float half = std::round(0.5F * (second.width() - gap));
    save_buttons(c, {second.x0, second.y0, second.x0 + half, second.y1},
                 {second.x1 - half, second.y0, second.x1, second.y1});
    return;
  }
  const float save = ui.px(50);
  const Rect trace{first.x1 - save, first.y0, first.x1, first.y1};
  const Rect csv{trace.x0 - gap - save, first.y0, trace.x0 - gap, first.y1};
  const float end = csv.x0 - gap;
  frames_choice(c, {first.x0, first.y0, end - pause - gap, first.y1});
  pause_button(c, {end - pause, first.y0, end, first.y1});
  save_buttons(c, csv, trace);
}

}  // namespace

int timeline_lanes_shown(const UiState& state, const std::vector<Span>& spans) {
  int lanes = state.stream.lanes;
  for (const Span& span : spans) {
    if (span.stage > Stage::upload && span.stage <= kLastOfFrame) lanes = std::max(lanes, span.lane + 1);
  }
  return std::clamp(lanes, 1, kMaxLanes);
}

std::string timeline_summary(const TimelineState& t, const std::vector<FrameMark>& frames, int wanted, bool open) {
  std::string text = counted(open && !frames.empty() ? static_cast<int>(frames.size()) : wanted, "frame");
  if (!open || frames.empty()) return text;
  const std::int64_t period = mean_period_ns(frames);
  const double period_ms = static_cast<double>(period) * 1e-6;
  if (t.cut_ns > 0 && t.zoom.fit) {
    text += fmt::format(", {} ms of each {} ms", round_ms(t.cut_ns), fixed(period_ms, period_ms < 9.95 ? 1 : 0));
  } else if (!t.zoom.fit) {
    text = exact_ms(t.zoom.width_ns * 1e-6) + " ms on screen";
  } else {
    text += fmt::format(", {} ms", exact_ms(static_cast<double>(fit_width_ns(frames)) * 1e-6));
  }
  return t.paused ? "paused: " + text : text;
}

void take_timeline_wheel(PanelContext& c, const Rect& column) {
  TimelineState& timeline = c.view.transient.timeline;
  ImGuiIO& io = ImGui::GetIO();
  const Rect area = std::exchange(timeline.area, {});
  timeline.wheel = 0.0F;
  if (io.MouseWheel == 0.0F || !io.KeyCtrl || !ImGui::IsWindowHovered()) return;
  const bool over = area.contains(io.MousePos.x, io.MousePos.y) && column.contains(io.MousePos.x, io.MousePos.y);
  if (over) timeline.wheel = std::exchange(io.MouseWheel, 0.0F);
}

void timeline_panel(PanelContext& c, Column& column, bool& open) {
  TimelineState& t = c.view.transient.timeline;
  const std::vector<Span>& spans = t.paused ? t.kept : c.state.numbers.timeline.spans;
  TimelineScene scene{.spans = spans, .frames = {}, .rows = {}, .look = {.labels = c.compact ? 58.0F : 60.0F}};
  if (open) {
    scene.frames = last_frames(spans, c.view.timeline_frames);
    scene.rows = timeline_rows(timeline_lanes_shown(c.state, spans));
  }
  lecture_header(c, column,
                 {"panel_timeline", "Timeline", timeline_summary(t, scene.frames, c.view.timeline_frames, open)}, open);
  c.state.numbers.timeline.wanted = open && !t.paused;
  if (!open || scene.rows.empty()) return;
  timeline_lanes(c, column, scene);
  control_rows(c, column);
  timeline_numbers(c, column);
}

}  // namespace echoloop
