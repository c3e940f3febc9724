#include "gui/docks/save_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/number.h"
#include "gui/panels/cine_actions.h"

namespace echoloop {
namespace {

constexpr float kFigureLabel = 82;
constexpr std::array<Choice, 4> kFormats = {{{"PNG"}, {"SVG"}, {"PDF"}, {"Image only"}}};
constexpr std::array<Choice, 6> kSizes = {{{"1×"}, {"2×"}, {"3×"}, {"4×"}, {"Width"}, {"Scale"}}};
constexpr std::array<Choice, 2> kGrounds = {{{"White"}, {"Dark"}}};
constexpr float kNumber = 52;  // width of a field

Rect labelled_row(PanelContext& c, Column& column, std::string_view label) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, theme::kRowGap);
  ui.text(Type::body, r.x0, r.y0, r.height(), theme::kText2, label);
  return {r.x0 + ui.px(kFigureLabel), r.y0, r.x1, r.y1};
}

enum class Keyboard { leave, take };

// A line of text that is kept in `text`; `hint` while it is empty.
void text_row(PanelContext& c, const Rect& field, const char* id, std::string& text, const std::string& hint,
              Keyboard focus) {
  std::array<char, 1024> buffer{};
  std::memcpy(buffer.data(), text.data(), std::min(text.size(), buffer.size() - 1));
  c.ui.text_line(id, field, buffer, focus == Keyboard::take);
  text = buffer.data();
  if (!text.empty() || ImGui::IsItemActive()) return;
  c.ui.text_fitted(Type::body, field.x0 + c.ui.px(10), field.x1 - c.ui.px(10), field.y0, field.height(), theme::kMuted,
                   hint);
}

struct NumberField {
  const char* id;
  std::string_view unit;
  FigureRange range;
};

// A number that is typed, and its unit. Text that is no number in range changes nothing and is replaced when the field
// is left; until then the range stands in the place of the unit. Returns the right edge.
float number_field(PanelContext& c, float x, const Rect& row, const NumberField& look, double& value) {
  Ui& ui = c.ui;
  std::array<char, 32> buffer{};
  fmt::format_to_n(buffer.data(), buffer.size() - 1, "{:g}", value);
  const Rect field{x, row.y0, x + ui.px(kNumber), row.y1};
  ui.text_line(look.id, field, buffer, false);
  const std::optional<double> typed = finite_number(buffer.data());
  const bool good = typed.has_value() && look.range.holds(*typed);
  if (good) value = *typed;
  const std::string words =
      good ? std::string(look.unit) : fmt::format("{:g} to {:g} {}", look.range.least, look.range.most, look.unit);
  return ui.text(Type::body, field.x1 + ui.px(6), row.y0, row.height(), good ? theme::kMuted : theme::kRed, words);
}

void draw_place(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  SaveChoice& choice = c.view.saving;
  Saving& saving = c.state.saving;
  const SavePlace& place = saving.place;
  text_row(c, labelled_row(c, column, "Name"), "##save_name", choice.name, place.name, Keyboard::leave);
  std::replace(choice.name.begin(), choice.name.end(), '/', '_');
  const bool ask = std::exchange(saving.ask, false);
  text_row(c, labelled_row(c, column, "Folder"), "##save_folder", choice.folder, place.folder,
           ask && !place.problem.empty() ? Keyboard::take : Keyboard::leave);
  const Rect r = ui.row(column, 18, 8);
  const float x0 = r.x0 + ui.px(kFigureLabel);
  if (!place.problem.empty()) {
    const float link = ui.px(64);
    ui.text_fitted(Type::small, x0, r.x1 - link - ui.px(8), r.y0, r.height(), theme::kRed, place.problem);
    const std::string help = "Use " + place.offer + " instead.";
    if (ui.link("save_offer", {r.x1 - link, r.y0, r.x1, r.y1}, "Use own", {}, {"Own folder", help, {}})) {
      choice.folder.clear();
    }
  } else {
    const std::string note = place.exists.empty() ? "Default: the user's folder for images"
                                                  : place.exists + " exists and is not overwritten";
    ui.text_fitted(Type::small, x0, r.x1, r.y0, r.height(), theme::kMuted, note);
  }
}

void draw_size(PanelContext& c, const Rect& r) {
  SaveChoice& choice = c.view.saving;
  if (choice.format == SaveFormat::image_only) return;
  if (choice.size != SaveSize::width && choice.size != SaveSize::scale) {
    c.ui.text_fitted(Type::small, r.x0, r.x1, r.y0, r.height(), theme::kMuted,
                     fmt::format("{} pixels per grid step, 96 dpi", 1 + static_cast<int>(choice.size)));
    return;
  }
  const bool by_width = choice.size == SaveSize::width;
  const float end =
      by_width ? number_field(c, r.x0, r, {"##save_width", "mm", kFigureWidth_mm}, choice.width_mm)
               : number_field(c, r.x0, r, {"##save_scale", "mm per cm", kFigureScale_mm_per_cm}, choice.mm_per_cm);
  number_field(c, end + c.ui.px(12), r, {"##save_dpi", "dpi", kFigureDpi}, choice.dpi);
}

}  // namespace

void draw_save_figure(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  SaveChoice& choice = c.view.saving;
  c.state.saving.seen = true;
  draw_place(c, column);
  const auto pick = [&](std::string_view label, const char* id, auto words, auto& value, const Tip& tip) {
    using Value = std::remove_reference_t<decltype(value)>;
    const Rect r = labelled_row(c, column, label);
    if (const auto picked = ui.segmented(id, r, words, static_cast<int>(value), tip))
      value = static_cast<Value>(*picked);
  };
  pick("Format", "save_format", kFormats, choice.format,
       {"Format",
        "Figures with rulers, colour bar, marks and caption; SVG and PDF contain text and vectors. Image only: "
        "the pixels of the image as PNG.",
        {}});
  const bool bare = choice.format == SaveFormat::image_only;
  const std::string_view why = bare ? "The image keeps the size of the grid." : "";
  pick(
      "Size", "save_size", kSizes, choice.size,
      {"Size",
       "Pixels per grid step; the width of the figure in mm; or the scale of the image, mm of paper per cm. Text is at "
       "least 7 pt.",
       why});
  draw_size(c, labelled_row(c, column, ""));
  pick("Background", "save_ground", kGrounds, choice.ground,
       {"Background", "White for print, dark for slides. The image is the same.",
        bare ? "No background around the image." : ""});
  const Rect r = ui.row(column, theme::kRow, 0);
  if (ui.button(
          "save/picture", {r.x1 - ui.px(120), r.y0, r.x1, r.y1},
          {.label = "Save", .shortcut = "S", .emphasis = Emphasis::primary},
          {"Save", "Saves the image on screen with these settings (S).", why_no_picture(c.state, c.shown_grid)})) {
    call(c.commands.save, SaveWhat::picture);
  }
}

}  // namespace echoloop
