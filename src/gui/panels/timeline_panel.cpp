// Timeline panel: choice of spans, header, buttons and numbers. Lanes: timeline_lanes.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/panels/panels.h"
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
  const bool nothing = !t.paused && c.model.numbers.spans.empty();
  if (!c.ui.button("timeline_pause", r, {.label = t.paused ? "Resume" : "Pause"},
                   {t.paused ? "Resume" : "Pause",
                    t.paused ? "Returns to the newest frames." : "Freezes the timeline; the stream continues.",
                    nothing ? "No timings yet." : ""})) {
    return;
  }
  t.paused = !t.paused;
  t.kept = t.paused ? c.model.numbers.spans : std::vector<Span>();
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
      why_no_files(c.model, c.model.numbers.timing.frames == 0 && c.model.numbers.spans.empty() &&
                                    c.view.transient.timeline.kept.empty()
                                ? std::string_view("No timings yet.")
                                : std::string_view());
  if (c.ui.button("save_csv", csv, {.label = "CSV"},
                  {"Save as CSV", "All recorded spans, one per line: frame, stage, lane, start and end in ns.", why})) {
    c.commands.send(command::SaveTimings{TimingFile::csv});
  }
  if (c.ui.button("save_trace", trace, {.label = "Trace"},
                  {"Save as a trace", "All recorded spans, for Perfetto or Chrome tracing.", why})) {
    c.commands.send(command::SaveTimings{TimingFile::chrome_trace});
  }
}

// Draws one row, or two in a narrow column.
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

int timeline_lanes_shown(const Edits& edits, const std::vector<Span>& spans) {
  int lanes = edits.stream.lanes;
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
  const std::vector<Span>& spans = t.paused ? t.kept : c.model.numbers.spans;
  TimelineScene scene{.spans = spans, .frames = {}, .rows = {}, .look = {.labels = c.compact ? 58.0F : 60.0F}};
  if (open) {
    scene.frames = last_frames(spans, c.view.timeline_frames);
    scene.rows = timeline_rows(timeline_lanes_shown(c.edits, spans));
  }
  lecture_header(c, column,
                 {"panel_timeline", "Timeline", timeline_summary(t, scene.frames, c.view.timeline_frames, open)}, open);
  c.edits.timeline_wanted = open && !t.paused;
  if (!open || scene.rows.empty()) return;
  timeline_lanes(c, column, scene);
  control_rows(c, column);
  timeline_numbers(c, column);
}

// Rate-limiting times of the stream, as bars on one scale, to show which prediction the measured period meets.

namespace {

constexpr double kClose = 0.05;  // a prediction is met within 5 %

struct Geometry {
  float bar0 = 0, bar1 = 0;
  double top_ms = 1.0;
  [[nodiscard]] float x(double ms) const {
    return std::round(bar0 + (bar1 - bar0) * static_cast<float>(std::clamp(ms / top_ms, 0.0, 1.0)));
  }
};

constexpr ImU32 copy_color() { return theme::kStageColors[static_cast<std::size_t>(Stage::upload)]; }
constexpr ImU32 work_color() { return theme::kStageColors[static_cast<std::size_t>(Stage::present)]; }

struct NumberRow {
  const char* id;
  std::string_view label;
  std::string_view formula;
  double ms;
  std::string_view help;
  bool strong = false;  // the stream mode in use, and the measurement
};

// Draws label, formula and the time in ms, within r.
void number(PanelContext& c, const Rect& r, const NumberRow& row) {
  Ui& ui = c.ui;
  ui.hit(row.id, r, {row.label, row.help, {}});
  const float end =
      ui.text(c.compact ? Type::small : Type::body, r, row.strong ? theme::kText : theme::kText2, row.label);
  if (!row.formula.empty() && (!c.compact || row.formula.size() <= 3)) {
    draw_formula(ui, Type::small, end + ui.px(5), r, theme::kMuted, row.formula);
  }
  ui.text_right(row.strong ? Type::strong : Type::body, r.x1, r.y0, r.height(),
                row.strong ? theme::kText : theme::kText2, c.model.numbers.timing.frames == 0 ? "—" : exact_ms(row.ms));
}

Rect number_row(PanelContext& c, Column& column, const NumberRow& row) {
  const Rect r = c.ui.row(column, kNumberRow, 0);
  number(c, r, row);
  return r;
}

// Draws the terms of the predictions, in the colours of their bars; in one row where they fit.
void parts_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const StreamTiming& t = c.model.numbers.timing;
  Rect left = ui.row(column, kNumberRow, 0);
  Rect right = left;
  if (c.compact) {
    right = ui.row(column, kNumberRow, 0);
  } else {
    left.x1 = std::round(left.x0 + 0.44F * left.width()) - ui.px(8);
    right.x0 = left.x1 + ui.px(16);
  }
  const float chip = ui.px(8);
  const auto part = [&](Rect r, ImU32 color, const NumberRow& row) {
    ui.fill({r.x0, r.cy() - 0.5F * chip, r.x0 + chip, r.cy() + 0.5F * chip}, color, 2);
    r.x0 += ui.px(13);
    number(c, r, row);
  };
  part(left, copy_color(),
       {"time_copy", "Copy", "t_t", t.t_t_ms, "From host memory to the device, ms, median of the last 2 s."});
  part(right, work_color(),
       {"time_work", "Processing", "t_p", t.t_p_ms,
        "From the start of the first kernel to the end of the last kernel, ms, median of the last 2 s."});
}

void bar(const Ui& ui, const Geometry& g, float y, float half, double from_ms, double to_ms, ImU32 color) {
  ui.fill({g.x(from_ms), y - half, std::max(g.x(to_ms), g.x(from_ms) + 1), y + half}, color, 1);
}

void ground(const Ui& ui, const Geometry& g, float y) {
  ui.fill({g.bar0, y - ui.px(3), g.bar1, y + ui.px(3)}, theme::kField, 1);
}

// Draws the measured period; a bar beyond the scale is broken near its end.
void period_bar(const Ui& ui, const Geometry& g, float y, double period_ms) {
  ground(ui, g, y);
  bar(ui, g, y, ui.px(3), 0.0, period_ms, theme::kAccent);
  if (period_ms <= g.top_ms) return;
  const float at = g.bar1 - ui.px(14);
  for (const float by : {0.0F, 5.0F}) {
    const float x = at + ui.px(by);
    ui.stroke({x - ui.px(2), y + ui.px(5)}, {x + ui.px(2), y - ui.px(5)}, theme::kPanel, 2);
  }
}

bool close(double a, double b) { return b > 0.0 && std::abs(a / b - 1.0) <= kClose; }

StreamWaits waits_of(const Model& model, const Edits& edits) {
  return {.budget_ms = model.numbers.frame_budget_ms,
          .source_share = model.numbers.producer_wait_share,
          .dropped_share = model.numbers.dropped_share,
          .at_rest = model.numbers.idle,
          .on_cpu = model.device.backend == "CPU" && edits.stream.copy.bus_gbps <= 0.0};
}

std::string percent_off(double value, double prediction) {
  return signed_fixed(100.0 * (value / prediction - 1.0), 1) + " %";
}

std::string rate_text(double period_ms) { return fixed(1000.0 / period_ms, period_ms > 10.0 ? 1 : 0) + " frames/s"; }

constexpr double kWaitsShare = 0.05;  // of the time, or of the frames: smaller waits are accidental

// Returns the verdict without copies, frame by frame: limited by processing or by the source.
std::string cpu_verdict(const StreamTiming& t, const StreamWaits& waits) {
  const std::string rate = rate_text(t.period_ms);
  const std::string work = exact_ms(t.serial_ms());
  if (waits.source_share > kWaitsShare) {
    return fmt::format("{}: limited by processing ({} ms per frame); the source waits {} % of the time.", rate, work,
                       fixed(100.0 * waits.source_share, 0));
  }
  if (waits.dropped_share > kWaitsShare) {
    return fmt::format("{}: limited by processing (median {} ms per frame); {} % of the frames are dropped.", rate,
                       work, fixed(100.0 * waits.dropped_share, 0));
  }
  if (close(t.period_ms, t.serial_ms())) return fmt::format("{}: limited by processing ({} ms per frame).", rate, work);
  if (waits.at_rest) {
    return fmt::format("{} before the pause; processing takes {} ms per frame and allows {}.", rate, work,
                       rate_text(t.serial_ms()));
  }
  return fmt::format("{}: limited by the source; processing takes {} ms per frame and allows {}.", rate, work,
                     rate_text(t.serial_ms()));
}

}  // namespace

std::string timing_verdict(const StreamTiming& t, const StreamWaits& waits) {
  if (t.frames == 0 || !(t.period_ms > 0.0) || !(t.serial_ms() > 0.0)) return "No timings yet.";
  if (waits.on_cpu) return cpu_verdict(t, waits);
  const double serial = t.serial_ms();
  const double overlap = t.overlap_ms();
  const std::string rate = rate_text(t.period_ms);
  if (close(t.period_ms, serial) && close(t.period_ms, overlap)) {
    return rate + ": serial and overlap agree: copy (or compute) time is negligible.";
  }
  if (close(t.period_ms, overlap)) {
    return fmt::format("{}: matches overlap ({}); copies are hidden.", rate, percent_off(t.period_ms, overlap));
  }
  if (close(t.period_ms, serial)) {
    return fmt::format("{}: matches serial ({}); copies and kernels alternate.", rate,
                       percent_off(t.period_ms, serial));
  }
  if (close(t.period_ms, waits.budget_ms)) {
    return fmt::format("{}: limited by the source; overlap allows {} frames/s.", rate,
                       fixed(1000.0 / overlap, overlap > 10.0 ? 1 : 0));
  }
  if (t.period_ms > serial) {
    return fmt::format("{}: slower than predicted: the device waits for the {}.", rate,
                       std::max(waits.source_share, waits.dropped_share) > kWaitsShare ? "host" : "source");
  }
  if (t.period_ms > overlap) {
    const double hidden = (serial - t.period_ms) / (serial - overlap);
    return fmt::format("{}: partial overlap; {} % of the shorter time is hidden.", rate, fixed(100.0 * hidden, 0));
  }
  return rate + ": faster than predicted: several lanes run in parallel.";
}

std::string limit_words(const StreamTiming& t, const StreamWaits& waits) {
  const double overlap = t.overlap_ms();
  if (close(t.period_ms, overlap)) return t.t_p_ms >= t.t_t_ms ? "limited by processing" : "limited by the copy";
  if (close(t.period_ms, t.serial_ms())) return "copy and processing alternate";
  if (t.period_ms > t.serial_ms())
    return close(t.period_ms, waits.budget_ms) ? "limited by the source" : "waits in part";
  if (t.period_ms < overlap) return "several frames at once";
  const double hidden = (t.serial_ms() - t.period_ms) / (t.serial_ms() - overlap);
  return fmt::format("{} % of the shorter time hidden", fixed(100.0 * hidden, 0));
}

std::string limit_words(const Model& model, const Edits& edits) {
  return limit_words(model.numbers.timing, waits_of(model, edits));
}

float draw_formula(const Ui& ui, Type type, float x, const Rect& r, ImU32 color, std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t mark = std::min(text.find('_', begin), text.size());
    x = ui.text(type, x, r.y0, r.height(), color, text.substr(begin, mark - begin));
    if (mark + 1 < text.size()) {
      constexpr float kSmaller = 0.78F;
      const std::string_view letter = text.substr(mark + 1, 1);
      const float whole = ui.fonts().size(type), size = std::round(kSmaller * whole);
      const float y = std::round(r.cy() + 0.5F * whole - size + ui.px(3));
      ui.list().AddText(ui.fonts().font(type), size, {std::round(x), y}, color, letter.data(),
                        letter.data() + letter.size());
      x = std::round(x) + std::ceil(kSmaller * ui.width(type, letter));
    }
    begin = std::min(mark + 2, text.size());
  }
  return x;
}

void timeline_numbers(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const StreamTiming& t = c.model.numbers.timing;
  const bool serial = c.edits.stream.streams == StreamMode::serial && c.model.no_effect.streams.empty();
  const bool overlap = c.edits.stream.streams == StreamMode::overlap && c.model.no_effect.streams.empty();
  const double larger = std::max(t.serial_ms(), t.period_ms < 4.0 * t.serial_ms() ? t.period_ms : 0.0);
  const Geometry g{column.x0 + ui.px(c.compact ? 84 : 152), column.x1 - ui.px(52), std::max(larger, 1e-6)};
  parts_row(c, column);
  ui.horizontal(column.x0, column.x1, column.y, theme::kFaintLine);
  const Rect one = number_row(c, column,
                              {"time_serial", "Serial", "t_t + t_p", t.serial_ms(),
                               "Time per frame if copy and kernels alternate, ms.", serial});
  ground(ui, g, one.cy());
  const Rect two = number_row(c, column,
                              {"time_overlap", "Overlap", "max(t_t, t_p)", t.overlap_ms(),
                               "Time per frame if the next frame is copied during processing, ms.", overlap});
  ground(ui, g, two.cy());
  const Rect period =
      number_row(c, column,
                 {"time_period", c.compact ? "Measured" : "Measured period", "", t.period_ms,
                  "Mean time from the end of one frame to the end of the next in the last 2 s, ms: the rate in the "
                  "status bar.",
                  true});
  if (t.frames > 0) {
    const float half = ui.px(3);
    bar(ui, g, one.cy(), half, 0.0, t.t_t_ms, copy_color());
    bar(ui, g, one.cy(), half, t.t_t_ms, t.serial_ms(), work_color());
    bar(ui, g, two.cy() - ui.px(2), ui.px(1), 0.0, t.t_t_ms, copy_color());
    bar(ui, g, two.cy() + ui.px(2), ui.px(1), 0.0, t.t_p_ms, work_color());
    period_bar(ui, g, period.cy(), t.period_ms);
    if (t.period_ms <= g.top_ms)
      ui.vertical(g.x(t.period_ms) - ui.hairline(), one.y0 + ui.px(3), period.y1 - ui.px(3), theme::kAccent);
  } else {
    ground(ui, g, period.cy());
  }
  column.y += ui.px(4);
  const std::string verdict = timing_verdict(t, waits_of(c.model, c.edits));
  const float line = ui.px(14);
  ui.paragraph(Type::small, column.x0, column.y, column.x1 - column.x0, line, theme::kText2, verdict);
  column.y += (c.compact ? 3 : 2) * line;  // fixed height, so that rows below do not move
}

}  // namespace echoloop
