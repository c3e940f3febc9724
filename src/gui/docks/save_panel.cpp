#include "gui/docks/save_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/docks/film_plan.h"
#include "gui/docks/save_figure.h"
#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kWidth = 810, kSavePad = 16, kButton = 76, kSaveLabel = 76;
constexpr std::array<double, 7> kFilmSpeeds = {0.01, 0.1, 0.25, 0.5, 1, 2, 5};
constexpr std::array<Choice, 7> kSpeedChoices = {{{"0.01×"}, {"0.1×"}, {"0.25×"}, {"0.5×"}, {"1×"}, {"2×"}, {"5×"}}};
constexpr std::array<Choice, 2> kRangeChoices = {{{"Between the marks"}, {"Full history"}}};
constexpr std::array<Choice, 3> kContainerChoices = {{{"MP4"}, {"WebM"}, {"MKV"}}};

struct SaveRow {
  const char* id;
  SaveWhat what;
  std::string_view label;
  std::string note;
  std::string_view shortcut;
  Tip tip;
};

void save_row(PanelContext& c, Column& column, const SaveRow& row) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, theme::kRowGap);
  const Rect button{r.x1 - ui.px(kButton), r.y0, r.x1, r.y1};
  const bool enabled = row.tip.why_not.empty();
  ui.text(Type::body, r.x0, r.y0, r.height(), enabled ? theme::kText : theme::kDisabled, row.label);
  ui.text_fitted(Type::body, r.x0 + ui.px(kSaveLabel), button.x0 - ui.px(8), r.y0, r.height(),
                 enabled ? theme::kText2 : theme::kDisabled, row.note);
  if (ui.button(row.id, button, {.label = "Save", .shortcut = row.shortcut}, row.tip)) {
    call(c.commands.save, row.what);
  }
}

void draw_rows(PanelContext& c, Column& column) {
  const std::string_view why = why_no_picture(c.state, c.shown_grid);
  const std::string levels = fmt::format("16-bit PNG, {} to 0 dB", fixed(-c.state.params.display.dynamic_range_db, 0));
  save_row(
      c, column,
      {"save/levels",
       SaveWhat::levels,
       "Levels",
       levels,
       {},
       {"Levels", "Gray levels on the beamforming grid, convertible to dB. Size and range are in the file.", why}});
  save_row(
      c, column,
      {"save/data",
       SaveWhat::data,
       "Data",
       "float32 .npy and .json",
       {},
       {"Data", "All levels in dB for NumPy, with grid, parameters and the command to reproduce the image.", why}});
  const bool timed = c.state.numbers.counts.processed > 0;
  save_row(
      c, column,
      {"save/timings",
       SaveWhat::timings,
       "Timings",
       "CSV, one row per span",
       {},
       {"Timings", "All recorded spans: frame, stage, lane, start and end in ns.", timed ? "" : "No timings yet."}});
  save_row(c, column,
           {"save/session",
            SaveWhat::session,
            "Session",
            "source, settings, marks, layout",
            {},
            {"Session   Ctrl+Shift+S",
             "One file that opens with the same source, parameters, stream settings, marks, zoom and frame.",
             c.state.source.acquisition == nullptr ? "No source yet." : ""}});
}

template <std::size_t N>
std::optional<int> choice_row(PanelContext& c, Column& column, std::string_view label, const char* id,
                              const std::array<Choice, N>& choices, int chosen, const Tip& tip) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, theme::kRowGap);
  ui.text(Type::body, r.x0, r.y0, r.height(), tip.why_not.empty() ? theme::kText2 : theme::kDisabled, label);
  return ui.segmented(id, {r.x0 + ui.px(kSaveLabel), r.y0, r.x1, r.y1}, choices, chosen, tip);
}

std::string plan_text(const FilmPlan& plan) {
  if (plan.pictures == 0) return {};
  std::string text = grouped(plan.pictures) + (plan.pictures == 1 ? " image, " : " images, ");
  text += fixed(plan.seconds(), plan.seconds() < 9.95 ? 1 : 0) + " s at ";
  text += fixed(plan.rate_hz, plan.rate_hz < 9.95 ? 1 : 0) + " Hz";
  if (plan.step > 1) text += fmt::format(", 1 of {} frames", plan.step);
  return text;
}

void draw_film(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  Saving& saving = c.state.saving;
  FilmChoice& film = saving.film;
  const Rect head = ui.row(column, 24, 4);
  ui.text(Type::strong, head, theme::kText, "Video");
  const std::string_view past = why_no_past(c.state);
  const std::string_view why = saving.making_film            ? "A video is being saved."
                               : !saving.why_no_film.empty() ? std::string_view(saving.why_no_film)
                                                             : past;
  const FilmPlan plan = why.empty() ? plan_film(c.state.cine, film) : FilmPlan{};
  const std::string about = why.empty() ? plan_text(plan) : std::string(why);
  ui.text_fitted(Type::body, head.x0 + ui.px(kSaveLabel), head.x1, head.y0, head.height(), theme::kText2, about);
  if (const auto picked = choice_row(
          c, column, "Frames", "film_range", kRangeChoices, static_cast<int>(film.range),
          {"Frames", "Frames between the loop marks, or the full history. Each frame is re-beamformed.", why}))
    film.range = static_cast<FilmRange>(*picked);
  const auto* const speed = std::find(kFilmSpeeds.begin(), kFilmSpeeds.end(), film.speed);
  if (const auto picked = choice_row(
          c, column, "Speed", "film_speed", kSpeedChoices, static_cast<int>(speed - kFilmSpeeds.begin()),
          {"Speed",
           "In acquisition time: at 1× the video lasts as long as the acquisition. At most 60 images a second.", why}))
    film.speed = kFilmSpeeds[static_cast<std::size_t>(*picked)];
  if (const auto picked =
          choice_row(c, column, "Format", "film_format", kContainerChoices, static_cast<int>(film.container),
                     {"Format", "MP4 for most players, WebM for browsers, MKV with the same content as MP4.", why}))
    film.container = static_cast<FilmContainer>(*picked);
  const Rect r = ui.row(column, theme::kRow, 0);
  const Rect button{r.x1 - ui.px(104), r.y0, r.x1, r.y1};
  if (ui.button("save/film", button,
                {.label = "Save video", .emphasis = why.empty() ? Emphasis::primary : Emphasis::plain},
                {"Save video", "With rulers, colour bar and caption. Runs in the background.", why})) {
    call(c.commands.save, SaveWhat::film);
  }
}

}  // namespace

void draw_save_panel(PanelContext& c, float right, float bottom) {
  Ui& ui = c.ui;
  if (c.state.saving.ask) ui.open_popup(kSavePanel);
  const float height = ui.px(12 + 28 + 7 * 34 + 13 + 28 + 28 + 12 + 50);
  const float width = std::min(ui.px(kWidth), ImGui::GetIO().DisplaySize.x - ui.px(16));
  const float x0 = std::max(ui.px(8), right - width);
  const float y0 = std::max(ui.px(8), bottom - height);  // over the strip in a low window
  const Rect box{x0, y0, x0 + width, y0 + height};
  if (!ui.begin_popup(kSavePanel, box, theme::kPanel)) return;
  ui.focus().enter(WindowPart::callout);
  const Rect close{box.x1 - ui.px(36), box.y0 + ui.px(10), box.x1 - ui.px(12), box.y0 + ui.px(34)};
  if (ui.icon_button("close_save", close, {"Close   Esc", {}, {}})) ui.close_popup();
  ui.cross(close.cx(), close.cy(), theme::kText2);
  // Tab goes through one column, then the other; F6 from one to the other.
  ui.focus().enter(WindowPart::left);
  const float middle = std::round(box.cx()), top = box.y0 + ui.px(10), foot = box.y1 - ui.px(52);
  Column column{box.x0 + ui.px(kSavePad), middle - ui.px(kSavePad), top, c.compact};
  ui.text(Type::strong, ui.row(column, 24, 4), theme::kText, "Save as");
  draw_save_figure(c, column);
  ui.focus().enter(WindowPart::right);
  ui.fill({middle, top, middle + ui.hairline(), foot}, theme::kLine);
  Column other{middle + ui.px(kSavePad), box.x1 - ui.px(kSavePad), top, c.compact};
  ui.text(Type::strong, ui.row(other, 24, 4), theme::kText, "Data");
  draw_rows(c, other);
  ui.horizontal(middle, box.x1, other.y + ui.px(2), theme::kLine);
  other.y += ui.px(9);
  draw_film(c, other);
  // What the last one became.
  const Saving& saving = c.state.saving;
  ui.horizontal(box.x0, box.x1, foot, theme::kLine);
  ui.text_fitted(Type::small, column.x0, other.x1, foot + ui.px(14), ui.px(22),
                 saving.failed ? theme::kRed : theme::kText2, saving.last);
  ui.end_popup();
  ui.focus().enter(WindowPart::strip);
}

}  // namespace echoloop
