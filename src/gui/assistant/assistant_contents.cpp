#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/plain_text.h"
#include "gui/assistant/assistant_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kTreeRow = 24, kContentsPad = 16;

// "a, b, c" as numbers; empty: a range or a text.
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

// The values of the chosen entry, what they are used for, and a drawing of points.
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
    // The array as a line, the points behind or in front of it.
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

// First bytes, numbers of the header, and how alike the values are that lie a distance apart.
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
    if (h.pressed) {
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      choice.drag = {.entry = entry.numeric ? entry.path : "", .role = {}, .x = mouse.x, .y = mouse.y};
    }
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

}  // namespace echoloop
