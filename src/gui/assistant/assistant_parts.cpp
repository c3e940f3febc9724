#include "gui/assistant/assistant_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "core/units.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/image_scales.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/layout.h"

namespace echoloop {

AssistantDrag drag_from_mouse(const std::string& entry, const std::string& role) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return {.entry = entry, .role = role, .x = mouse.x, .y = mouse.y};
}

namespace {

constexpr float kTreeRow = 24, kContentsPad = 16;

// Returns the numbers of "a, b, c"; empty for a range or a text.
std::vector<double> spelled_numbers(const std::string& value) {
  std::vector<double> numbers;
  std::istringstream in(value);
  std::string one;
  while (std::getline(in, one, ',')) {
    char* end = nullptr;
    const double number = std::strtod(one.c_str(), &end);
    if (end == one.c_str() || std::string_view(end).find_first_not_of(' ') != std::string_view::npos) return {};
    numbers.push_back(number);
  }
  return numbers;
}

// Draws the values of the selected entry, their use, and a plot of points.
void draw_selected(const AssistantScene& c, AssistantChoice& choice, const Rect& area) {
  Ui& ui = c.ui;
  const auto& entries = c.import().entries;
  const auto found = std::ranges::find(entries, choice.selected, &ImportEntry::path);
  if (found == entries.end()) return choice.selected.clear();
  ui.horizontal(area.x0, area.x1, area.y0, theme::kLine);
  const float x0 = area.x0 + ui.px(kContentsPad), x1 = area.x1 - ui.px(kContentsPad);
  float y = area.y0 + ui.px(6);
  ui.text_fitted(Type::strong, x0, x1 - ui.px(120), y, ui.px(26), theme::kText, found->path);
  ui.text_right(Type::small, x1, y, ui.px(26), theme::kMuted, found->shape + " " + found->type);
  y += ui.px(28);
  ui.text_fitted(Type::body, x0, x1, y, ui.px(20), theme::kText2,
                 found->use.empty() ? "not used; drag the name onto a field" : "used as " + found->use);
  y += ui.px(26);
  const std::vector<double> values = spelled_numbers(found->value);
  const bool pairs = values.size() >= 2 && values.size() % 2 == 0 && found->shape.ends_with("× 2");
  if (pairs) {
    for (std::size_t k = 0; k + 1 < values.size(); k += 2, y += ui.px(20)) {
      ui.text(Type::small, x0, y, ui.px(20), theme::kMuted, std::to_string(k / 2 + 1));
      ui.text_right(Type::body, x0 + ui.px(90), y, ui.px(20), theme::kText, fmt::format("{:.5g}", values[k]));
      ui.text_right(Type::body, x0 + ui.px(170), y, ui.px(20), theme::kText, fmt::format("{:.5g}", values[k + 1]));
    }
    // Plot: the array as a line, with the points around it.
    double reach = 1e-12;
    for (const double v : values) reach = std::max(reach, std::abs(v));
    const float cx = x1 - ui.px(70), cy = area.y0 + ui.px(100), unit = ui.px(50) / static_cast<float>(reach);
    ui.fill({cx - ui.px(40), cy - ui.px(1), cx + ui.px(40), cy + ui.px(1)}, theme::kText2, 1);
    for (std::size_t k = 0; k + 1 < values.size(); k += 2)
      ui.disc(cx + static_cast<float>(values[k]) * unit, cy + static_cast<float>(values[k + 1]) * unit, 3,
              theme::kAccent);
  } else {
    y += ui.paragraph(Type::body, x0, y, x1 - x0, ui.px(20), theme::kText, found->value.empty() ? "—" : found->value);
  }
  if (found->array && found->use != "samples") {
    const Rect button{x0, area.y1 - ui.px(62), x0 + ui.px(150), area.y1 - ui.px(34)};
    if (ui.button("import/use_data", button, {.label = "Use as samples"},
                  {"Samples", "Takes this array as the channel data.", {}}))
      c.order({.act = ImportAct::data, .text = found->path});
  }
  ui.text(Type::small, x0, area.y1 - ui.px(28), ui.px(20), theme::kMuted,
          "Read in the sandbox. Nothing in the file is executed.");
}

// Draws the autocorrelation of the values.
void draw_likeness(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportRaw& raw = c.import().raw;
  const float x0 = area.x0, x1 = area.x1, y = area.y0, line = ui.px(18);
  ui.text(Type::strong, x0, y + ui.px(4), ui.px(26), theme::kText, "Line length");
  ui.text_right(
      Type::small, x1, y + ui.px(4), ui.px(26), theme::kMuted,
      raw.line_values > 0 ? fmt::format("lines repeat every {} values", raw.line_values) : "no repetition found");
  const Rect plot{x0, y + ui.px(34), x1, y + ui.px(114)};
  ui.fill(plot, theme::kCanvas, theme::kRadius);
  const std::size_t n = raw.likeness.size();
  const auto columns = static_cast<std::size_t>(std::max(1.0F, plot.width()));
  ImVec2 last{plot.x0, plot.y0};
  for (std::size_t k = 0; k < columns; ++k) {
    float most = -1.0F;
    for (std::size_t lag = k * n / columns; lag < std::max(k * n / columns + 1, (k + 1) * n / columns); ++lag)
      most = std::max(most, raw.likeness[std::min(lag, n - 1)]);
    const ImVec2 at{plot.x0 + static_cast<float>(k),
                    plot.y1 - ui.px(6) - std::clamp(most, 0.0F, 1.0F) * (plot.height() - ui.px(10))};
    if (k > 0) ui.stroke(last, at, theme::kAccent, 1.0F);
    last = at;
  }
  ui.text(Type::small, x0, plot.y1, line, theme::kMuted, "0");
  ui.text_right(Type::small, x1, plot.y1, line, theme::kMuted, fmt::format("distance, up to {} values", n));
  ui.paragraph(Type::small, x0, plot.y1 + line, x1 - x0, ui.px(16), theme::kMuted,
               "Autocorrelation of the samples; the first peak is the length of one line.");
}

// Draws the first bytes, numbers of the header, and the autocorrelation of the values.
void draw_bytes(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportRaw& raw = c.import().raw;
  const float x0 = area.x0 + ui.px(kContentsPad), x1 = area.x1 - ui.px(kContentsPad), line = ui.px(18);
  float y = area.y0 + ui.px(2);
  ui.text(Type::small, x0, y, line, theme::kMuted, "First bytes");
  ui.text_right(Type::small, x1, y, line, theme::kMuted, "header shaded");
  y += line + ui.px(4);
  const std::size_t n_rows = std::min<std::size_t>(raw.first.size() / 8, 12);
  const Rect box{x0, y, x1, y + line * static_cast<float>(n_rows) + ui.px(12)};
  ui.fill(box, theme::kCanvas, theme::kRadius);
  y += ui.px(6);
  const float cell = (box.width() - ui.px(130)) / 8.0F;
  for (std::size_t row = 0; row < n_rows; ++row, y += line) {
    const bool header = 8 * row < raw.header_bytes;
    if (header) ui.fill({box.x0, y, box.x1, y + line}, theme::kSelected);
    ui.text(Type::small, x0 + ui.px(8), y, line, theme::kMuted, fmt::format("{:04x}", 8 * row));
    std::string letters;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::uint8_t byte = raw.first[8 * row + k];
      ui.text(Type::small, x0 + ui.px(50) + cell * static_cast<float>(k), y, line,
              header ? theme::kText : theme::kText2, fmt::format("{:02x}", byte));
      letters += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    ui.text(Type::small, box.x1 - ui.px(76), y, line, theme::kMuted, letters);
  }
  y = box.y1 + ui.px(10);
  if (!raw.numbers.empty()) {
    ui.text(Type::small, x0, y, line, theme::kMuted, "Numbers in the header that fit the size");
    y += line + ui.px(4);
    for (const ImportNumber& number : raw.numbers) {
      if (y > area.y1 - ui.px(220)) break;
      ui.text(Type::small, x0, y, ui.px(26), theme::kMuted, fmt::format("0x{:02x}", number.offset));
      ui.text_right(Type::body, x0 + ui.px(140), y, ui.px(26), theme::kText,
                    grouped(static_cast<std::uint64_t>(number.value)));
      ui.text(Type::body, x0 + ui.px(156), y, ui.px(26), theme::kText2, number.meaning);
      const bool sampling = number.meaning.starts_with("sampling");
      const std::string id = "import/number/" + std::to_string(number.offset);
      const Rect use{x1 - ui.px(56), y + ui.px(1), x1, y + ui.px(25)};
      if (sampling && ui.button(id.c_str(), use, {.label = "Use"},
                                {"Sampling", "Takes this number as the sampling frequency.", {}}))
        c.order({.act = ImportAct::answer, .id = "sampling", .text = fmt::format("{:.9g}", number.value * 1e-6)});
      y += ui.px(28);
    }
  }
  if (raw.likeness.empty() || area.height() < ui.px(520)) return;
  y += ui.px(6);
  ui.horizontal(area.x0, area.x1, y, theme::kLine);
  draw_likeness(c, {x0, y, x1, area.y1});
}

}  // namespace

void AssistantContents::draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  const Rect head{area.x0 + ui.px(kContentsPad), area.y0 + ui.px(6), area.x1 - ui.px(kContentsPad),
                  area.y0 + ui.px(6 + theme::kHeader)};
  ui.text(Type::strong, head, theme::kText, "Contents");
  ui.text_right(Type::small, head.x1, head.y0, head.height(), theme::kMuted, import.container);
  const Rect rest{area.x0, head.y1, area.x1, area.y1};
  if (import.raw.on) return draw_bytes(c, rest);
  const Rect line{head.x0, rest.y0 + ui.px(2), head.x1, rest.y0 + ui.px(30)};
  ui.text_line("##import/filter", line, filter_, std::exchange(choice.focus_filter, false));
  if (filter_[0] == '\0') {
    ui.text(Type::body, line.x0 + ui.px(10), line.y0, line.height(), theme::kMuted, "Filter names");
    ui.text_right(Type::small, line.x1 - ui.px(10), line.y0, line.height(), theme::kMuted, "Ctrl+F");
  }
  const float below = choice.selected.empty() ? 0.0F : ui.px(200);
  draw_tree(c, choice, {area.x0, line.y1 + ui.px(6), area.x1, area.y1 - below});
  if (!choice.selected.empty()) draw_selected(c, choice, {area.x0, area.y1 - below, area.x1, area.y1});
}

void AssistantContents::draw_tree(const AssistantScene& c, AssistantChoice& choice, const Rect& area) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  const float name_x = area.x0 + ui.px(kContentsPad), wide = area.width() - 2 * ui.px(kContentsPad);
  const float shape_x = name_x + 0.34F * wide, type_x = name_x + 0.6F * wide, value_x = name_x + 0.74F * wide;
  const Rect head{area.x0, area.y0, area.x1, area.y0 + ui.px(kTreeRow)};
  for (const auto& [x, word] :
       {std::pair{name_x, "name"}, {shape_x, "shape"}, {type_x, "type"}, {value_x, "value or range"}})
    ui.text(Type::small, x, head.y0, head.height(), theme::kMuted, word);
  const Rect list{area.x0, head.y1, area.x1, area.y1};
  float y = scroll_.begin(ui, "import/tree", list);
  const std::string wanted = lower_case(filter_.data());
  std::string group;
  for (std::size_t k = 0; k < import.entries.size(); ++k) {
    const ImportEntry& entry = import.entries[k];
    if (!wanted.empty() && lower_case(entry.path).find(wanted) == std::string::npos) continue;
    const std::size_t cut = entry.path.find_last_of("./");
    const std::string parent = cut == std::string::npos ? "" : entry.path.substr(0, cut);
    const std::string name = entry.path.empty()         ? "(the array)"
                             : cut == std::string::npos ? entry.path
                                                        : entry.path.substr(cut + 1);
    if (parent != group) {
      group = parent;
      const bool own_row = std::ranges::any_of(import.entries, [&](const ImportEntry& e) { return e.path == parent; });
      if (!parent.empty() && !own_row) {
        ui.text_fitted(Type::strong, name_x, area.x1, y, ui.px(kTreeRow), theme::kText, parent);
        y += ui.px(kTreeRow);
      }
    }
    const Rect row{area.x0 + ui.px(8), y, area.x1 - ui.px(8), y + ui.px(kTreeRow)};
    y = row.y1;
    if (row.y1 < list.y0 || row.y0 > list.y1) continue;
    const std::string id = "import/entry/" + std::to_string(k);
    const Hit h = ui.control(id.c_str(), row, FocusKind::line, entry.path);
    if (choice.selected == entry.path && !choice.selected.empty())
      ui.fill(row, theme::kSelected, 4);
    else if (h.hovered)
      ui.fill(row, theme::kHover, 4);
    if (h.pressed) choice.drag = drag_from_mouse(entry.numeric ? entry.path : "", {});
    if (h.clicked) choice.selected = entry.path;
    const float indent = parent.empty() ? 0.0F : ui.px(14);
    if (entry.doubted) {
      ui.disc(name_x + indent, row.cy(), 3, theme::kWarn);
    } else if (!entry.use.empty()) {
      ui.fill({name_x + indent - ui.px(2), row.y0 + ui.px(5), name_x + indent + ui.px(1), row.y1 - ui.px(5)},
              theme::kAccent, 1);
    }
    const ImU32 ink = entry.numeric || entry.array ? theme::kText : theme::kText2;
    ui.text_fitted(Type::body, name_x + indent + ui.px(9), shape_x - ui.px(6), row.y0, row.height(), ink, name);
    ui.text_fitted(Type::small, shape_x, type_x - ui.px(4), row.y0, row.height(), theme::kText2, entry.shape);
    ui.text_fitted(Type::small, type_x, value_x - ui.px(4), row.y0, row.height(), theme::kMuted, entry.type);
    ui.text_fitted(Type::small, value_x, area.x1 - ui.px(kContentsPad), row.y0, row.height(), theme::kText,
                   entry.value);
  }
  scroll_.end(ui, y);
}

namespace {

constexpr float kPreviewPad = 16, kFrames = 58;

struct ChangeRow {
  const char* name;
  std::string text;
  float right, height;  // of the text, with all its lines
};

constexpr float kChangeLabel = 110, kChangeLine = 20;

std::array<ChangeRow, 3> change_rows(const AssistantScene& c, const Rect& area) {
  const Ui& ui = c.ui;
  const ImportState& import = c.import();
  const std::string& effect = import.preview.effect;
  std::array<ChangeRow, 3> rows = {
      {{"Last change", import.last_change.empty() ? "—" : import.last_change, area.x1 - ui.px(132), 0},
       {"Effect", effect.empty() ? "—" : effect, area.x1 - ui.px(10), 0},
       {"Description",
        (import.target.empty() ? "will be saved in your own folder, as this one cannot be written"
                               : "will be saved as " + import.target) +
            (import.count(ImportGroup::missing) == 0 ? "; the file then opens without questions"
                                                     : "; missing answers are saved as assumptions"),
        area.x1 - ui.px(10), 0}}};
  for (ChangeRow& row : rows) {
    row.height = ui.px(4) + ui.paragraph_height(Type::body, row.right - area.x0 - ui.px(kChangeLabel),
                                                ui.px(kChangeLine), row.text);
  }
  return rows;
}

void draw_change(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const std::array<ChangeRow, 3> rows = change_rows(c, area);
  ui.outline(area, theme::kLine2, theme::kRadius);
  const Rect undo{area.x1 - ui.px(124), area.y0 + ui.px(8), area.x1 - ui.px(10), area.y0 + ui.px(34)};
  float y = area.y0 + ui.px(9);
  for (const ChangeRow& row : rows) {
    const float value = area.x0 + ui.px(kChangeLabel);
    ui.text(Type::small, area.x0 + ui.px(14), y, ui.px(kChangeLine), theme::kMuted, row.name);
    ui.paragraph(Type::body, value, y, row.right - value, ui.px(kChangeLine),
                 row.text == "—" ? theme::kMuted : theme::kText, row.text);
    y += row.height;
  }
  const std::string_view why = c.import().can_undo ? std::string_view() : std::string_view("No answer to undo.");
  if (ui.button("import/undo", undo, {.label = "Undo", .shortcut = "Ctrl+Z"}, {"Undo", "Undoes the last answer.", why}))
    c.order({.act = ImportAct::undo});
}

// Draws the slider for the frame of the preview.
void draw_frames(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportPreview& p = c.import().preview;
  ui.fill(area, theme::kPanel);
  ui.horizontal(area.x0, area.x1, area.y0, theme::kLine);
  const Rect track{area.x0 + ui.px(24), area.y0 + ui.px(8), area.x1 - ui.px(24), area.y0 + ui.px(30)};
  const Hit h = ui.control("import/frame", track, FocusKind::slider, "Frame");
  ui.tip("import/frame", h, track, {"Frame", "Frame of the preview.", {}});
  const auto last = static_cast<float>(p.n_frames - 1);
  const float at = track.x0 + track.width() * static_cast<float>(p.frame) / last;
  ui.fill({track.x0, track.cy() - ui.px(2), track.x1, track.cy() + ui.px(2)}, theme::kField, 2);
  ui.disc(at, track.cy(), 7, h.hovered || h.held ? theme::kText : theme::kText2);
  auto wanted = static_cast<std::int64_t>(p.frame);
  if (h.held)
    wanted = std::llround(std::clamp((ImGui::GetIO().MousePos.x - track.x0) / track.width(), 0.0F, 1.0F) * last);
  for (const KeyPress& press : h.keys) {
    if (press.key == Key::right || press.key == Key::up) ++wanted;
    if (press.key == Key::left || press.key == Key::down) --wanted;
  }
  wanted = std::clamp<std::int64_t>(wanted, 0, static_cast<std::int64_t>(p.n_frames) - 1);
  if (wanted != static_cast<std::int64_t>(p.frame) && !p.busy)
    c.order({.act = ImportAct::frame, .index = static_cast<std::size_t>(wanted)});
  ui.text(Type::small, track.x0, track.y1, ui.px(18), theme::kMuted,
          fmt::format("frame {} of {}", p.frame + 1, p.n_frames));
  ui.text_right(Type::small, track.x1, track.y1, ui.px(18), theme::kMuted,
                "step through the frames to see whether their length is right");
}

}  // namespace

void AssistantPreview::draw(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  const Rect head{area.x0 + ui.px(kPreviewPad), area.y0 + ui.px(6), area.x1 - ui.px(kPreviewPad),
                  area.y0 + ui.px(6 + theme::kHeader)};
  const float x = ui.text(Type::strong, head, theme::kText, "Preview") + ui.px(14);
  constexpr std::array<Choice, 3> kShown = {{{"Image"}, {"Channel data"}, {"Both"}}};
  const bool both = area.width() > ui.px(560);
  const std::size_t n = both ? 3 : 2;
  const float wide = ui.px(both ? 270 : 200);
  const Rect choice{head.x1 - wide, head.y0 + ui.px(2), head.x1, head.y1 - ui.px(2)};
  if (!both && shown_ == Shown::both) shown_ = Shown::image;
  if (const auto picked = ui.segmented("import/shown", choice, std::span(kShown).first(n), static_cast<int>(shown_),
                                       {"Preview", "Image, channel data of one transmit, or both.", {}}))
    shown_ = static_cast<Shown>(*picked);
  ui.text_fitted(Type::small, x, choice.x0 - ui.px(8), head.y0, head.height(), theme::kMuted,
                 import.raw.on ? "check the shape against the image" : "updates with every choice");
  ui.horizontal(area.x0, area.x1, head.y1 + ui.px(4), theme::kLine);
  const float frames = import.preview.n_frames > 1 ? ui.px(kFrames) : 0.0F;
  const Rect bottom{area.x0, area.y1 - frames, area.x1, area.y1};
  Rect change{area.x0 + ui.px(kPreviewPad), 0, area.x1 - ui.px(kPreviewPad), bottom.y0 - ui.px(10)};
  change.y0 = change.y1 - ui.px(14);
  for (const ChangeRow& row : change_rows(c, change)) change.y0 -= row.height;
  const Rect room{area.x0, head.y1 + ui.px(6), area.x1, change.y0 - ui.px(6)};
  if (shown_ == Shown::both) {
    const float middle = std::round(room.x0 + 0.42F * room.width());
    draw_traces(c, {room.x0, room.y0, middle, room.y1});
    draw_image(c, {middle, room.y0, room.x1, room.y1});
  } else if (shown_ == Shown::traces) {
    draw_traces(c, room);
  } else {
    draw_image(c, room);
  }
  draw_change(c, change);
  if (frames > 0) draw_frames(c, bottom);
}

namespace {

void draw_preview_rulers(const Ui& ui, const ImageLayout& l, const Grid& g) {
  const Rect& r = l.image;
  const RulerAxis across = ruler_axis(g.x0_m, g.x1_m, r.width(), ui.px(64), ui.scale());
  across.each([&](double mm, int index) {
    const float x = l.x_px(mm * 1e-3);
    ui.vertical(x, r.y0 - ui.px(index == 0 ? 7 : 4), r.y0, theme::kTick);
    if (index == 0)
      ui.text_centred(Type::small, {x - ui.px(30), r.y0 - ui.px(24), x + ui.px(30), r.y0 - ui.px(8)}, theme::kText2,
                      fixed(mm, across.step.decimals));
  });
  ui.text_right(Type::small, r.x0 - ui.px(16), r.y0 - ui.px(25), ui.px(18), theme::kMuted, "mm");
  const RulerAxis down = ruler_axis(g.z0_m, g.z1_m, r.height(), ui.px(44), ui.scale());
  down.each([&](double mm, int index) {
    const float y = l.z_px(mm * 1e-3);
    ui.horizontal(r.x0 - ui.px(index == 0 ? 7 : 4), r.x0, y, theme::kTick);
    if (index == 0)
      ui.text_right(Type::small, r.x0 - ui.px(10), y - ui.px(9), ui.px(18), theme::kText2,
                    fixed(mm, down.step.decimals));
  });
}

}  // namespace

void AssistantPreview::draw_image(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportPreview& p = c.import().preview;
  if (p.image == nullptr) {
    const Rect line{area.x0, area.cy() - ui.px(30), area.x1, area.cy() - ui.px(2)};
    ui.text_centred(Type::large, line, theme::kText2, p.busy ? "Forming the first image" : "No image yet");
    if (p.error.empty()) return;
    const float wrap = std::min(area.width() - ui.px(40), ui.px(520));
    const float wide = std::min(wrap, ui.width(Type::body, p.error));
    ui.paragraph(Type::body, area.cx() - 0.5F * wide, line.y1 + ui.px(6), wrap, ui.px(20), theme::kMuted, p.error);
    return;
  }
  const ImageLayout l = lay_out_picture(area, p.image->grid, ui.scale(), true, PanZoom{});
  const Rect& r = l.image;
  const int width = static_cast<int>(r.width()), height = static_cast<int>(r.height());
  if (width < 8 || height < 8) return;
  picture_.update(p.image, width, height);
  const bool stale = !p.current && !p.busy;
  picture_.draw(ui, r, stale ? IM_COL32(255, 255, 255, 153) : IM_COL32_WHITE);
  ui.outline({r.x0 - 1, r.y0 - 1, r.x1 + 1, r.y1 + 1}, theme::kLine);
  draw_preview_rulers(ui, l, p.image->grid);
  const float caption_y = r.y1 + ui.px(6);
  float x = r.x0;
  if (stale) {
    x = ui.text(Type::strong, x, caption_y, ui.px(20), theme::kWarn, "not current") + ui.px(12);
    ui.text_fitted(Type::body, x, area.x1 - ui.px(8), caption_y, ui.px(20), theme::kRed, p.error);
    return;
  }
  for (const std::string& item : p.caption) {
    if (x + ui.width(Type::small, item) > area.x1 - ui.px(8)) break;
    x = ui.text(Type::small, x, caption_y, ui.px(20), theme::kText2, item) + ui.px(14);
  }
}

void AssistantPreview::draw_traces(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportTraces& t = c.import().preview.traces;
  if (t.values == nullptr || t.n_elements < 1) {
    ui.text_centred(Type::body, area, theme::kMuted, "No channel data yet");
    return;
  }
  map_.update(t.values, *t.values, t.n_elements, t.n_time);
  const Rect cell{area.x0 + ui.px(kPreviewPad), area.y0 + ui.px(4), area.x1 - ui.px(kPreviewPad), area.y1 - ui.px(4)};
  const std::string title = fmt::format("Channel data, transmit {}", t.transmit + 1);
  const double last_us = 1e6 * t.step_s * t.n_time;
  const Plot plot = draw_plot(ui, cell,
                              {.title = title,
                               .x = {.first = 0.5, .last = t.n_elements + 0.5, .unit = "element"},
                               .y = {.first = 0.0, .last = last_us, .unit = "µs"}});
  map_.draw(ui, plot);
}

}  // namespace echoloop
