#include "gui/save_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gui/save_panel.h"

namespace echoloop {
namespace {

constexpr float kLabel = 62;
constexpr std::array<Choice, 4> kFormats = {{{"PNG"}, {"SVG"}, {"PDF"}, {"Image only"}}};
constexpr std::array<Choice, 5> kSizes = {{{"1×"}, {"2×"}, {"3×"}, {"4×"}, {"Print"}}};
constexpr std::array<Choice, 2> kGrounds = {{{"White"}, {"Dark"}}};
constexpr std::array<Choice, 3> kWidths = {{{"85 mm"}, {"120 mm"}, {"170 mm"}}};
constexpr std::array<int, 3> kWidths_mm = {85, 120, 170};
constexpr std::array<Choice, 3> kDpis = {{{"150 dpi"}, {"300 dpi"}, {"600 dpi"}}};
constexpr std::array<int, 3> kDpiValues = {150, 300, 600};

Rect labelled_row(PanelContext& c, Column& column, std::string_view label) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, theme::kRowGap);
  ui.text(Type::body, r.x0, r.y0, r.height(), theme::kText2, label);
  return {r.x0 + ui.px(kLabel), r.y0, r.x1, r.y1};
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

template <class Value, std::size_t N>
void choose(PanelContext& c, const Rect& r, const char* id, const std::array<Choice, N>& words,
            const std::array<Value, N>& values, Value& value, const Tip& tip) {
  const auto* const now = std::find(values.begin(), values.end(), value);
  if (const auto picked = c.ui.segmented(id, r, words, static_cast<int>(now - values.begin()), tip)) {
    value = values[static_cast<std::size_t>(*picked)];
  }
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
  const float x0 = r.x0 + ui.px(kLabel);
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

void draw_print_size(PanelContext& c, const Rect& r) {
  SaveChoice& choice = c.view.saving;
  if (choice.format == SaveFormat::image_only) return;
  if (choice.size != SaveSize::print) {
    c.ui.text_fitted(Type::small, r.x0, r.x1, r.y0, r.height(), theme::kMuted,
                     fmt::format("{} pixels per grid step, 96 dpi", 1 + static_cast<int>(choice.size)));
    return;
  }
  const float middle = 0.5F * (r.x0 + r.x1);
  choose(c, {r.x0, r.y0, middle - c.ui.px(3), r.y1}, "save_width", kWidths, kWidths_mm, choice.width_mm,
         {"Width", "Width of the printed figure. Text is at least 7 pt.", {}});
  choose(c, {middle + c.ui.px(3), r.y0, r.x1, r.y1}, "save_dpi", kDpis, kDpiValues, choice.dpi,
         {"Resolution", "Resolution of PNG files and of the image in SVG and PDF.", {}});
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
  pick("Size", "save_size", kSizes, choice.size,
       {"Size", "Pixels per grid step, or millimetres and dpi for print.", why});
  draw_print_size(c, labelled_row(c, column, ""));
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
