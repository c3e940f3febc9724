#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/assistant/assistant_parts.h"

namespace echoloop {
namespace {

// Those between 1 and n, the smallest first; not all of a long list.
std::vector<std::size_t> divisors(std::size_t n) {
  constexpr std::size_t kMostTried = 100'000, kMostListed = 28;
  std::vector<std::size_t> small, large;
  for (std::size_t d = 2; d <= kMostTried && d <= n / d; ++d) {
    if (n % d != 0) continue;
    small.push_back(d);
    if (d != n / d) large.push_back(n / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  if (small.size() > kMostListed) small.resize(kMostListed);
  return small;
}

}  // namespace

// Of the marked axis of raw bytes: into two whole axes, or with the next faster one. Takes its room from the right.
void draw_shape_buttons(const AssistantScene& c, const AssistantChoice& choice, Rect& row) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  if (choice.axis >= import.axes.size()) return;
  const ImportAxis& axis = import.axes[choice.axis];
  const Rect join{row.x1 - ui.px(60), row.y0, row.x1, row.y1};
  const Rect divide{join.x0 - ui.px(84), row.y0, join.x0 - ui.px(6), row.y1};
  row.x1 = divide.x0 - ui.px(6);
  constexpr std::size_t kMostAxes = 5;
  const std::vector<std::size_t> faster = divisors(axis.length);
  std::vector<std::string> products;
  for (const std::size_t n : faster) products.push_back(fmt::format("{} × {}", n, axis.length / n));
  std::vector<Choice> choices;
  for (const std::string& product : products) choices.push_back({product});
  const std::string_view why = import.axes.size() == kMostAxes ? "A file has five axes at most."
                               : choices.empty()               ? "The length of the marked axis has no divisors."
                                                               : std::string_view();
  ui.fill(divide, theme::kField, theme::kRadius);
  const ImU32 ink = why.empty() ? theme::kText2 : theme::kMuted;
  ui.text(Type::body, divide.x0 + ui.px(10), divide.y0, divide.height(), ink, "Divide");
  ui.chevron(divide.x1 - ui.px(12), divide.cy(), Direction::down, theme::kMuted);
  if (const auto picked =
          ui.menu("import/divide", divide, choices, -1,
                  {"Divide the marked axis", "Faster × slower: elements × transmits, transmits × frames.", why}))
    c.order({.act = ImportAct::divide, .index = axis.index, .length = faster[static_cast<std::size_t>(*picked)]});
  if (ui.button("import/join", join, {.label = "Join"},
                {"Join the marked axis with the one at its left", "One axis as long as both.",
                 choice.axis == 0 ? "The first axis has no left neighbour." : std::string_view()}))
    c.order({.act = ImportAct::join, .index = axis.index});
}

void draw_raw_fields(const AssistantScene& c, AssistantChoice& choice, Column& column) {
  Ui& ui = c.ui;
  const ImportRaw& raw = c.import().raw;
  const auto labelled = [&](const char* label) {
    Rect r = ui.row(column, 30, 2);
    ui.ring(r.x0 + ui.px(5), r.cy(), 4.5F, theme::kAccent, 1.5F);
    ui.text(Type::body, r.x0 + ui.px(kFieldIndent), r.y0, r.height(), theme::kText2, label);
    r.x0 += ui.px(kFieldLabel + 18);
    return r;
  };
  const auto reason = [&](const char* title, const std::string& text, const std::string& error) {
    const bool wrong = !error.empty();
    draw_reason(ui, column,
                {.id = title,
                 .title = title,
                 .indent = kFieldIndent,
                 .color = wrong ? theme::kRed : theme::kMuted,
                 .text = wrong ? error : text});
  };
  // The common ones side by side, all of them in a menu.
  const auto pick_type = [&](const std::vector<std::string>& types, const auto& draw) {
    std::vector<Choice> choices;
    for (const std::string& type : types) choices.push_back({type});
    const auto at = std::ranges::find(types, raw.dtype);
    const int chosen = at == types.end() ? -1 : static_cast<int>(at - types.begin());
    if (const std::optional<int> picked = draw(choices, chosen))
      c.order({.act = ImportAct::raw, .id = "dtype", .text = types[static_cast<std::size_t>(*picked)]});
  };
  std::vector<std::string> common{"int16", "uint16", "int8", "float32"};
  if (std::ranges::find(common, raw.dtype) == common.end()) common.push_back(raw.dtype);
  Rect type = labelled("Type");
  const Rect more{type.x1 - ui.px(26), type.y0, type.x1, type.y1};
  type.x1 = more.x0 - ui.px(4);
  pick_type(common, [&](std::span<const Choice> choices, int chosen) {
    return ui.segmented("import/dtype", type, choices, chosen, {"Type", "Of one value.", {}});
  });
  pick_type(raw.types, [&](std::span<const Choice> choices, int chosen) {
    return ui.menu("import/dtype_menu", more, choices, chosen, {"Type", "All types.", {}});
  });
  ui.chevron(more.cx(), more.cy(), Direction::down, theme::kMuted);
  reason("Type", raw.why_type, raw.type_error);
  constexpr std::array<Choice, 2> kOrders = {{{"little"}, {"big"}}};
  if (const auto picked = ui.segmented("import/order", labelled("Byte order"), kOrders, raw.byte_order == "big" ? 1 : 0,
                                       {"Byte order", "Of the bytes of one value.", {}}))
    c.order({.act = ImportAct::raw, .id = "byte_order", .text = *picked == 1 ? "big" : "little"});
  reason("Byte order", raw.why_order, {});
  Rect header = labelled("Header");
  const Rect minus{header.x1 - ui.px(68), header.y0, header.x1 - ui.px(36), header.y1},
      plus{header.x1 - ui.px(32), header.y0, header.x1, header.y1};
  header.x1 = minus.x0 - ui.px(6);
  const Rect usual{header.x1 - ui.px(26), header.y0, header.x1, header.y1};
  header.x1 = usual.x0 - ui.px(4);
  const std::string bytes = std::to_string(raw.header_bytes);
  constexpr std::array<Choice, 10> kHeaders = {
      {{"0"}, {"64"}, {"128"}, {"256"}, {"512"}, {"1024"}, {"2048"}, {"4096"}, {"8192"}, {"65536"}}};
  const auto usual_at = std::ranges::find(kHeaders, bytes, &Choice::label);
  if (const auto picked = ui.menu("import/header_menu", usual, kHeaders,
                                  usual_at == kHeaders.end() ? -1 : static_cast<int>(usual_at - kHeaders.begin()),
                                  {"Header", "Usual lengths.", {}}))
    c.order({.act = ImportAct::raw,
             .id = "header_bytes",
             .text = std::string(kHeaders[static_cast<std::size_t>(*picked)].label)});
  ui.chevron(usual.cx(), usual.cy(), Direction::down, theme::kMuted);
  if (ui.is_editing("import/header")) {
    if (const auto text = ui.edit_field(header); text && *text != bytes)
      c.order({.act = ImportAct::raw, .id = "header_bytes", .text = *text});
  } else {
    const Hit h = ui.control("import/header", header, FocusKind::button, "Header");
    ui.tip("import/header", h, header, {"Header", "Bytes before the first sample.", {}});
    ui.fill(header, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
    const float x = ui.text(Type::body, header.x0 + ui.px(10), header.y0, header.height(), theme::kText, bytes);
    ui.text(Type::body, x + ui.px(5), header.y0, header.height(), theme::kMuted, "bytes");
    if (h.clicked) ui.start_editing("import/header", bytes);
  }
  if (!raw.header_error.empty()) ui.outline(header, theme::kRed, theme::kRadius);
  const std::size_t step = raw.dtype.ends_with("8") ? 1 : raw.dtype.ends_with("16") ? 2 : 4;
  if (ui.button("import/header_minus", minus, {.label = "−"}, {"Shorter header", "By one value.", {}}) &&
      raw.header_bytes >= step)
    c.order({.act = ImportAct::raw, .id = "header_bytes", .text = std::to_string(raw.header_bytes - step)});
  if (ui.button("import/header_plus", plus, {.label = "+"}, {"Longer header", "By one value.", {}}))
    c.order({.act = ImportAct::raw, .id = "header_bytes", .text = std::to_string(raw.header_bytes + step)});
  reason("Header", raw.why_header, raw.header_error);
  const Rect shape = ui.row(column, 22, 2);
  ui.text(Type::body, shape, theme::kText2, "Shape");
  ui.text_right(Type::small, shape.x1, shape.y0, shape.height(), theme::kMuted, "fastest axis first");
  draw_axes(c, choice, column);
  // The whole file as a bar: header, samples, what is left over.
  const Rect bar = ui.row(column, 8, 4);
  const double size = static_cast<double>(std::max<std::size_t>(1, raw.file_bytes));
  const auto at = [&](std::size_t n) {
    return bar.x0 + bar.width() * static_cast<float>(std::min(1.0, static_cast<double>(n) / size));
  };
  ui.fill(bar, theme::kField, 3);
  const bool fits = raw.described_bytes <= raw.file_bytes;
  ui.fill({bar.x0, bar.y0, at(raw.described_bytes), bar.y1}, fits ? theme::kAccent : theme::kRed, 3);
  ui.fill({bar.x0, bar.y0, at(raw.header_bytes), bar.y1}, theme::kText2, 3);
  const bool whole = raw.described_bytes == raw.file_bytes;
  draw_reason(ui, column,
              {.id = "account",
               .title = "Bytes of the file",
               .color = whole  ? theme::kText2
                        : fits ? theme::kWarn
                               : theme::kRed,
               .text = raw.account});
}

}  // namespace echoloop
