// Lanes of the timeline: rows, frame lines, blocks, pointer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/state/stream_text.h"
#include "gui/state/timeline_layout.h"

namespace echoloop {
namespace {

constexpr double kMsPerNs = 1e-6;

struct RowWords {
  std::string label;
  std::string help;
};

RowWords words_of(const TimelineRow& row, std::size_t lanes, const Model& model, const Edits& edits) {
  switch (row.kind) {
    case RowKind::producer:
      return {"Producer", "The source writes a frame into a slot."};
    case RowKind::copy:
      return {"Copy",
              "Copy of channel data from host memory to the device. On the CPU there is one only on a simulated bus."};
    case RowKind::kernels:
      break;
    case RowKind::texture:
      return {"Texture", "Transfer of the finished image to the displayed texture."};
    case RowKind::window:
      return {"Window", "Drawing of panels, rulers and image."};
    case RowKind::vsync:
      return {"Vsync", "Times at which the display shows a drawn frame."};
  }
  const bool serial = edits.stream.streams == StreamMode::serial && model.no_effect.streams.empty();
  std::string help = serial ? "Serial: copies and kernels of all lanes share one stream, one after the other."
                            : "Condition, beamform, envelope and compress, in the colours of Timings.";
  if (lanes > 1 && !serial) help += " Lanes work on different frames at the same time.";
  return {lanes > 1 ? fmt::format("Kernels {}", row.lane + 1) : "Kernels", help};
}

std::size_t kernel_rows(const TimelineScene& scene) {
  return static_cast<std::size_t>(
      std::count_if(scene.rows.begin(), scene.rows.end(), [](const auto& r) { return r.kind == RowKind::kernels; }));
}

// Draws the frame lines: the first number in full, three digits of the others, where they fit.
void frame_lines(const PanelContext& c, const TimelineScene& scene, const TimeMap& map, const Rect& area,
                 const Rect& labels) {
  const Ui& ui = c.ui;
  const Type type = scene.look.type;
  float free_from = area.x0 - 1;
  bool first = true;
  for (std::size_t i = 0; i < map.frame_x.size(); ++i) {
    const float x = std::round(map.frame_x[i]);
    if (x < area.x0 - 0.5F || x > area.x1) continue;
    const std::uint64_t number = numbers_of(c.model.source).in_stream(scene.frames[i].frame);
    const std::string text = first || number < 1000 ? grouped(number) : fmt::format("{:03}", number % 1000);
    const float end = x + ui.px(4) + ui.width(type, text);
    const bool room = x >= free_from && end <= area.x1 + ui.px(2);
    ui.vertical(x, room ? labels.y0 + ui.px(2) : area.y0, area.y1, theme::kLine);  // not through another number
    if (!room) continue;
    ui.text(type, x + ui.px(4), labels.y0, labels.height(), theme::kText2, text);
    free_from = end + ui.px(2);
    first = false;
  }
}

Rect row_rect(const Ui& ui, const TimelineScene& scene, const Rect& area, std::size_t row) {
  const float y = area.y0 + static_cast<float>(row) * (ui.px(scene.look.lane) + ui.px(scene.look.gap));
  return {area.x0, y, area.x1, y + ui.px(scene.look.lane)};
}

void row_labels(PanelContext& c, const TimelineScene& scene, const Rect& area, float x0) {
  Ui& ui = c.ui;
  for (std::size_t i = 0; i < scene.rows.size(); ++i) {
    const Rect r = row_rect(ui, scene, area, i);
    const RowWords words = words_of(scene.rows[i], kernel_rows(scene), c.model, c.edits);
    const Rect label{x0, r.y0, area.x0 - ui.px(2), r.y1};
    const std::string id = fmt::format("timeline_row/{}", i);
    ui.hit(id.c_str(), label, {words.label, words.help, {}});
    ui.text(scene.look.type, label, theme::kText2, words.label);
  }
}

const TimeBlock* block_under(const Ui& ui, const TimelineScene& scene, const std::vector<TimeBlock>& blocks,
                             const Rect& area) {
  const ImVec2 at = ImGui::GetIO().MousePos;
  const TimeBlock* best = nullptr;
  float best_away = ui.px(3);
  for (const TimeBlock& b : blocks) {
    const Rect r = row_rect(ui, scene, area, b.row);
    if (at.y < r.y0 || at.y >= r.y1) continue;
    const float away = std::max({b.x0 - at.x, at.x - b.x1, 0.0F});
    if (away > best_away) continue;
    if (best != nullptr && away == best_away && b.x1 - b.x0 >= best->x1 - best->x0) continue;  // shorter ones first
    best = &b;
    best_away = away;
  }
  return best;
}

// Writes the frame and the duration in ms into a block, as far as there is room.
void block_text(const PanelContext& c, const TimeBlock& b, const Rect& lane) {
  const Ui& ui = c.ui;
  constexpr float kPad = 8;
  const std::string ms = exact_ms(static_cast<double>(b.span.end_ns - b.span.start_ns) * kMsPerNs);
  const std::string whole = fmt::format("{}: {}", numbers_of(c.model.source).in_stream(b.span.frame), ms);
  const std::string& text = ui.width(Type::medium, whole) + ui.px(kPad) < b.x1 - b.x0 ? whole : ms;
  if (ui.width(Type::medium, text) + ui.px(kPad) > b.x1 - b.x0 || lane.height() < ui.px(20)) return;
  ui.text_centred(Type::medium, {b.x0, lane.y0, b.x1, lane.y1}, theme::kInk, text);
}

void draw_blocks(const PanelContext& c, const TimelineScene& scene, const std::vector<TimeBlock>& blocks,
                 const Rect& area, const TimeBlock* hovered) {
  const Ui& ui = c.ui;
  for (const TimeBlock& b : blocks) {
    const Rect r = row_rect(ui, scene, area, b.row);
    const ImU32 color = theme::kStageColors[static_cast<std::size_t>(b.span.stage)];
    if (b.span.stage == Stage::vsync) {
      ui.vertical(std::round(b.x0), r.y0 + ui.px(1), r.y1 - ui.px(1), theme::kText2);
    } else {
      ui.fill({b.x0, r.y0 + ui.px(2), b.x1, r.y1 - ui.px(2)}, color);
    }
    if (scene.look.type != Type::small) block_text(c, b, r);
    if (&b == hovered) {
      ui.outline({b.x0 - ui.px(1), r.y0 + ui.px(1), b.x1 + ui.px(1), r.y1 - ui.px(1)}, theme::kText, 1);
    }
  }
}

void block_tip(PanelContext& c, const Hit& h, const Rect& area, const TimelineScene& scene, const TimeMap& map,
               const TimeBlock& b) {
  Ui& ui = c.ui;
  const std::int64_t left = map.time_at(area.x0);
  const std::string title = fmt::format("{}, frame {}", row_of(b.span.stage).title,
                                        grouped(numbers_of(c.model.source).in_stream(b.span.frame)));
  const double start_ms = static_cast<double>(b.span.start_ns - left) * kMsPerNs;
  std::string text = fmt::format("{} ms from the left edge", fixed(start_ms, 3));
  if (b.span.stage != Stage::vsync) {
    const double lasted_ms = static_cast<double>(b.span.end_ns - b.span.start_ns) * kMsPerNs;
    text = fmt::format("Starts {}, lasts {} ms", text, fixed(lasted_ms, 3));
  }
  if (scene.rows[b.row].kind == RowKind::kernels || scene.rows[b.row].kind == RowKind::copy) {
    text += fmt::format(", lane {}", b.span.lane + 1);
  }
  Rect r = row_rect(ui, scene, area, b.row);
  r.x0 = std::max(b.x0, area.x0);
  ui.tip("timeline_block", h, r, {title, text + ".", {}});
}

// Draws the axis: 0 and the shown time at its ends, or a note on omitted idle time.
void axis_row(PanelContext& c, Column& column, const TimeMap& map, const Rect& area) {
  Ui& ui = c.ui;
  TimelineState& t = c.view.transient.timeline;
  const Rect r = ui.row(column, 16, 0);
  if (map.pieces.empty()) return;
  const double width_ms = static_cast<double>(map.pieces.back().to_ns - map.pieces.front().from_ns) * kMsPerNs;
  const std::string right = exact_ms(width_ms) + " ms";
  if (map.shown_ns == 0) {
    ui.text(Type::small, area.x0, r.y0, r.height(), theme::kMuted, "0");
    ui.text_right(Type::small, area.x1, r.y0, r.height(), theme::kMuted, right);
  } else {
    ui.text(Type::small, area.x0, r.y0, r.height(), theme::kMuted, "idle time omitted");
  }
  if (t.zoom.fit) return;
  const float half = 0.5F * (ui.width(Type::small, "Show all") + ui.px(12));
  const Rect link{std::round(area.cx() - half), r.y0, std::round(area.cx() + half), r.y1};
  const Hit h = ui.control("timeline_fit", link);
  ui.tip("timeline_fit", h, link, {"Show all", "Shows all selected frames (double click).", {}});
  ui.text_centred(Type::small, link, h.hovered ? theme::kText : theme::kAccent, "Show all");
  if (h.clicked) t.zoom = {};
}

// Zooms about the centre with Up and Down, pans with Left and Right, resets with Home and Delete.
void take_keys(TimelineState& t, const Hit& h, const TimelineScene& scene, const TimeMap& map, const MapSizes& sizes) {
  constexpr double kZoom = 0.8;
  const float middle = 0.5F * (sizes.x0 + sizes.x1), step = 0.1F * (sizes.x1 - sizes.x0);
  if (map.pieces.empty() || h.keys.empty()) return;
  switch (h.keys.back().key) {
    case Key::up:
      t.zoom = zoom_about(map, scene.frames, sizes, middle, kZoom);
      break;
    case Key::down:
      t.zoom = zoom_about(map, scene.frames, sizes, middle, 1.0 / kZoom);
      break;
    case Key::left:
      t.zoom = pan_by(map, scene.frames, sizes, middle, step);
      break;
    case Key::right:
      t.zoom = pan_by(map, scene.frames, sizes, middle, -step);
      break;
    case Key::home:
    case Key::remove:
      t.zoom = {};
      break;
    default:
      break;
  }
}

// Handles wheel, drag and double click. This frame's map is unchanged; the next frame uses the new zoom.
void take_gestures(TimelineState& t, const Hit& h, const TimelineScene& scene, const TimeMap& map,
                   const MapSizes& sizes) {
  const ImGuiIO& io = ImGui::GetIO();
  const float wheel = std::exchange(t.wheel, 0.0F);
  if (map.pieces.empty()) return;
  if (h.hovered && ImGui::IsMouseDoubleClicked(0)) {
    t.zoom = {};
  } else if (wheel != 0.0F) {
    t.zoom = zoom_about(map, scene.frames, sizes, io.MousePos.x, std::pow(0.8, static_cast<double>(wheel)));
  } else if (h.held && !h.pressed && io.MouseDelta.x != 0.0F) {
    t.zoom = pan_by(map, scene.frames, sizes, io.MousePos.x - io.MouseDelta.x, io.MouseDelta.x);
  }
}

}  // namespace

std::string exact_ms(double ms) {
  return fixed(ms, std::abs(ms) < 9.9995 ? 3 : std::abs(ms) < 99.995 ? 2 : std::abs(ms) < 999.95 ? 1 : 0);
}

std::int64_t timeline_lanes(PanelContext& c, Column& column, const TimelineScene& scene) {
  Ui& ui = c.ui;
  TimelineState& t = c.view.transient.timeline;
  const LaneLook& look = scene.look;
  const Rect labels = ui.row(column, look.numbers, 1);
  const float n = static_cast<float>(scene.rows.size());
  const Rect row = ui.row(column, 0, 0);
  const float x0 = row.x0 + ui.px(look.labels);
  const Rect area{x0, row.y0, row.x1, row.y0 + n * (ui.px(look.lane) + ui.px(look.gap)) - ui.px(look.gap)};
  column.y = area.y1 + ui.px(2);
  t.area = area;
  const MapSizes sizes{
      .x0 = area.x0, .x1 = area.x1, .cell_gap = ui.px(6), .break_gap = ui.px(3), .least_cell = ui.px(10)};
  const TimeMap map = timeline_map(scene.spans, scene.frames, t, sizes);
  t.cut_ns = map.shown_ns;
  const Hit h = ui.control("timeline", area, FocusKind::slider, "Timeline");
  ImGui::PushClipRect({area.x0, labels.y0}, {area.x1 + 1, area.y1}, true);
  for (std::size_t i = 0; i < scene.rows.size(); ++i) {
    const Rect lane = row_rect(ui, scene, area, i);
    if (map.pieces.empty()) ui.fill(lane, theme::kCanvas);
    for (const TimePiece& p : map.pieces) ui.fill({p.x0, lane.y0, p.x1, lane.y1}, theme::kCanvas);
  }
  frame_lines(c, scene, map, area, labels);
  const std::vector<TimeBlock> blocks = timeline_blocks(scene.spans, map, scene.rows, ui.px(2));
  const TimeBlock* under = h.hovered || h.held ? block_under(ui, scene, blocks, area) : nullptr;
  draw_blocks(c, scene, blocks, area, under);
  if (map.pieces.empty()) ui.text_centred(look.type, area, theme::kMuted, "No timings yet");
  ImGui::PopClipRect();
  row_labels(c, scene, area, row.x0);
  if (under != nullptr) block_tip(c, h, area, scene, map, *under);
  constexpr float kDragged = 9;  // px, squared
  if (h.clicked && under != nullptr && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < kDragged) t.chosen = under->span;
  if (look.axis == LaneAxis::shown) axis_row(c, column, map, area);
  take_gestures(t, h, scene, map, sizes);
  take_keys(t, h, scene, map, sizes);
  return map.shown_ns;
}

// Maps from time to pixels: linear, or only the busy times of each frame.

namespace {

struct Busy {
  std::int64_t from_ns = 0, to_ns = 0;
};

// Returns the end of a frame's share of time: the next frame's begin, or a period after its own.
std::int64_t share_end_ns(const std::vector<FrameMark>& frames, std::size_t i, std::int64_t period_ns) {
  return i + 1 < frames.size() ? frames[i + 1].begin_ns : frames[i].begin_ns + period_ns;
}

// Returns spans to be shown in a cell: work on frames, and the first vsync of each image.
std::vector<Busy> anchors(const std::vector<Span>& spans, std::int64_t from_ns, std::int64_t to_ns) {
  std::vector<Busy> found;
  std::set<std::uint64_t> shown;
  for (const Span& span : spans) {
    if (span.end_ns < from_ns || span.start_ns > to_ns) continue;
    if (span.stage == Stage::draw || (span.stage == Stage::vsync && !shown.insert(span.frame).second)) continue;
    found.push_back({span.start_ns, span.end_ns});
  }
  std::sort(found.begin(), found.end(), [](const Busy& a, const Busy& b) { return a.from_ns < b.from_ns; });
  return found;
}

// Returns the busy times within [from, to); gaps up to `gap_ns` are closed.
std::vector<Busy> busy_times(const std::vector<Busy>& sorted, std::int64_t from_ns, std::int64_t to_ns,
                             std::int64_t gap_ns) {
  std::vector<Busy> busy;
  for (Busy b : sorted) {
    if (b.to_ns < from_ns || b.from_ns >= to_ns) continue;
    b.from_ns = std::max(b.from_ns, from_ns);
    b.to_ns = std::min(std::max(b.to_ns, b.from_ns + gap_ns / 8), to_ns);  // minimum length of an instant
    if (!busy.empty() && b.from_ns - busy.back().to_ns <= gap_ns) {
      busy.back().to_ns = std::max(busy.back().to_ns, b.to_ns);
    } else {
      busy.push_back(b);
    }
  }
  return busy;
}

std::int64_t sum_ns(const std::vector<Busy>& busy) {
  std::int64_t sum = 0;
  for (const Busy& b : busy) sum += b.to_ns - b.from_ns;
  return sum;
}

struct Cells {
  std::vector<std::vector<Busy>> busy;  // per frame
  std::int64_t shown_ns = 0;            // 0: no cut
  std::size_t most_pieces = 1;
};

Cells find_cells(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, std::int64_t kept_ns) {
  const std::int64_t period = mean_period_ns(frames);
  for (const FrameMark& f : frames) {
    if ((f.end_ns - f.begin_ns) * 10 >= period) return {};
  }
  Cells cells;
  const std::vector<Busy> sorted = anchors(spans, frames.front().begin_ns, frames.back().begin_ns + period);
  std::int64_t longest = 1;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    cells.busy.push_back(busy_times(sorted, frames[i].begin_ns, share_end_ns(frames, i, period),
                                    std::max<std::int64_t>(period / 40, 1)));
    longest = std::max(longest, sum_ns(cells.busy.back()));
    cells.most_pieces = std::max(cells.most_pieces, cells.busy.back().size());
  }
  const bool keep = kept_ns >= longest && 10 * longest > 3 * kept_ns;
  cells.shown_ns = keep ? kept_ns : std::llround(round_up_125(static_cast<double>(longest)));
  return 2 * cells.shown_ns > period ? Cells{} : cells;
}

void append_cell(TimeMap& map, const std::vector<Busy>& busy, float x, float x1, std::int64_t end_ns, float break_gap) {
  for (std::size_t k = 0; k < busy.size(); ++k) {
    if (k > 0) x += break_gap;
    TimePiece piece{busy[k].from_ns, busy[k].to_ns, x, 0};
    if (k + 1 == busy.size()) {  // the rest of the cell, up to the end of this frame's share
      piece.to_ns =
          std::min(end_ns, piece.from_ns + static_cast<std::int64_t>(static_cast<double>(x1 - x) * map.ns_per_px));
    }
    x = std::min(x1, x + static_cast<float>(static_cast<double>(piece.to_ns - piece.from_ns) / map.ns_per_px));
    piece.x1 = x;
    map.pieces.push_back(piece);
  }
}

TimelineZoom zoom_to(const std::vector<FrameMark>& frames, double t_ns, double share, double width_ns) {
  constexpr double kLeast_ns = 1e3;
  constexpr double kMost_ns = 60e9;
  const double width = std::clamp(width_ns, kLeast_ns, kMost_ns);
  const double origin = frames.empty() ? 0.0 : static_cast<double>(frames.front().begin_ns);
  const double last = frames.empty() ? 0.0 : static_cast<double>(frames.back().end_ns) - origin;
  // Keeps part of the frames on screen.
  const double from = std::clamp(t_ns - origin - share * width, -0.9 * width, std::max(last - 0.1 * width, 0.0));
  return {.fit = false, .from_ns = from, .width_ns = width};
}

}  // namespace

std::int64_t TimeMap::time_at(float x) const {
  double best = std::numeric_limits<double>::max();
  std::int64_t time = 0;
  for (const TimePiece& piece : pieces) {
    const float inside = std::clamp(x, piece.x0, piece.x1);
    const double away = std::abs(static_cast<double>(x - inside));
    if (away >= best) continue;
    best = away;
    time = piece.from_ns + std::llround(static_cast<double>(inside - piece.x0) * ns_per_px);
  }
  return time;
}

TimeMap linear_map(const std::vector<FrameMark>& frames, double from_ns, double width_ns, const MapSizes& sizes) {
  TimeMap map;
  if (frames.empty() || !(width_ns > 0.0) || sizes.x1 <= sizes.x0) return map;
  const std::int64_t from = frames.front().begin_ns + std::llround(from_ns);
  map.ns_per_px = width_ns / static_cast<double>(sizes.x1 - sizes.x0);
  map.pieces = {{from, from + std::llround(width_ns), sizes.x0, sizes.x1}};
  for (const FrameMark& f : frames) {
    map.frame_x.push_back(sizes.x0 + static_cast<float>(static_cast<double>(f.begin_ns - from) / map.ns_per_px));
  }
  return map;
}

TimeMap fit_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, std::int64_t kept_ns,
                const MapSizes& sizes) {
  if (frames.empty()) return {};
  const std::int64_t period = mean_period_ns(frames);
  const TimeMap whole = linear_map(frames, 0.0, static_cast<double>(fit_width_ns(frames)), sizes);
  const Cells cells = find_cells(spans, frames, kept_ns);
  if (cells.shown_ns == 0) return whole;
  const float n = static_cast<float>(frames.size());
  const float width = (sizes.x1 - sizes.x0 - sizes.cell_gap * (n - 1)) / n;
  const float used = width - sizes.break_gap * static_cast<float>(cells.most_pieces - 1);
  if (used < sizes.least_cell) return whole;
  TimeMap map;
  map.shown_ns = cells.shown_ns;
  map.ns_per_px = static_cast<double>(cells.shown_ns) / static_cast<double>(used);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const float x = sizes.x0 + static_cast<float>(i) * (width + sizes.cell_gap);
    map.frame_x.push_back(x);
    append_cell(map, cells.busy[i], x, x + width, share_end_ns(frames, i, period), sizes.break_gap);
  }
  return map;
}

TimeMap timeline_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, const TimelineState& state,
                     const MapSizes& sizes) {
  if (!state.zoom.fit) return linear_map(frames, state.zoom.from_ns, state.zoom.width_ns, sizes);
  return fit_map(spans, frames, state.cut_ns, sizes);
}

TimelineZoom zoom_about(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x,
                        double factor) {
  const double width = static_cast<double>(sizes.x1 - sizes.x0);
  const double share = static_cast<double>(x - sizes.x0) / width;
  return zoom_to(frames, static_cast<double>(map.time_at(x)), share, map.ns_per_px * width * factor);
}

TimelineZoom pan_by(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x,
                    float by) {
  const double width = static_cast<double>(sizes.x1 - sizes.x0);
  const double share = static_cast<double>(x + by - sizes.x0) / width;
  return zoom_to(frames, static_cast<double>(map.time_at(x)), share, map.ns_per_px * width);
}

}  // namespace echoloop
