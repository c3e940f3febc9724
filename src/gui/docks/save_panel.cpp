#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/panels/cine_actions.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kFigureLabel = 82;
constexpr std::array<Choice, 5> kFormats = {{{"PNG"}, {"SVG"}, {"PDF"}, {"Image only"}, {"DICOM"}}};
constexpr std::array<Choice, 6> kSizes = {{{"1×"}, {"2×"}, {"3×"}, {"4×"}, {"Width"}, {"Scale"}}};
constexpr std::array<Choice, 2> kGrounds = {{{"White"}, {"Dark"}}};
constexpr std::array<Choice, 2> kSources = {{{"Not saved"}, {"Beside the image"}}};
constexpr float kNumber = 52;  // width of a field

Rect labelled_row(PanelContext& c, Column& column, std::string_view label) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, theme::kRowGap);
  ui.text(Type::body, r.x0, r.y0, r.height(), theme::kText2, label);
  return {r.x0 + ui.px(kFigureLabel), r.y0, r.x1, r.y1};
}

enum class Keyboard { leave, take };

// Draws a line of text, stored in `text`; `hint` if it is empty.
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
  std::string_view name, unit;
  FigureRange range;
};

// Draws a number field and its unit. Invalid text changes nothing and is replaced when the field loses focus; until
// then the range replaces the unit, and `refused` is the reason for no saving. Returns the right edge.
float number_field(PanelContext& c, float x, const Rect& row, const NumberField& look, double& value,
                   std::string& refused) {
  Ui& ui = c.ui;
  std::array<char, 32> buffer{};
  fmt::format_to_n(buffer.data(), buffer.size() - 1, "{:g}", value);
  const Rect field{x, row.y0, x + ui.px(kNumber), row.y1};
  ui.text_line(look.id, field, buffer, false);
  const std::optional<double> typed = finite_number(buffer.data());
  const bool good = typed.has_value() && look.range.holds(*typed);
  if (good) value = *typed;
  const std::string range = fmt::format("{:g} to {:g} {}", look.range.least, look.range.most, look.unit);
  if (!good) refused = fmt::format("{} = {} is out of range ({}).", look.name, buffer.data(), range);
  const std::string words = good ? std::string(look.unit) : range;
  return ui.text(Type::body, field.x1 + ui.px(6), row.y0, row.height(), good ? theme::kMuted : theme::kRed, words);
}

void draw_place(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  SaveChoice& choice = c.view.saving;
  const SavePlace& place = c.model.saving.place;
  text_row(c, labelled_row(c, column, "Name"), "##save_name", choice.name, place.name, Keyboard::leave);
  std::replace(choice.name.begin(), choice.name.end(), '/', '_');
  const bool ask = std::exchange(c.edits.save.ask, false);
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
    const std::string_view note =
        place.exists.empty() ? "Default: the user's folder for images" : "The name exists: a number is added to it";
    ui.text_fitted(Type::small, x0, r.x1, r.y0, r.height(), theme::kMuted, note);
  }
}

// Returns the reason why saving is not possible; empty: it is.
std::string draw_size(PanelContext& c, const Rect& r) {
  SaveChoice& choice = c.view.saving;
  if (!is_figure(choice.format)) return {};
  if (choice.size != SaveSize::width && choice.size != SaveSize::scale) {
    c.ui.text_fitted(Type::small, r.x0, r.x1, r.y0, r.height(), theme::kMuted,
                     fmt::format("{} pixels per grid step, 96 dpi", 1 + static_cast<int>(choice.size)));
    return {};
  }
  std::string refused;
  const bool by_width = choice.size == SaveSize::width;
  const float end =
      by_width ? number_field(c, r.x0, r, {"##save_width", "Width", "mm", kFigureWidth_mm}, choice.width_mm, refused)
               : number_field(c, r.x0, r, {"##save_scale", "Scale", "mm per cm", kFigureScale_mm_per_cm},
                              choice.mm_per_cm, refused);
  number_field(c, end + c.ui.px(12), r, {"##save_dpi", "Resolution", "dpi", kFigureDpi}, choice.dpi, refused);
  return refused;
}

void draw_save_figure(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  SaveChoice& choice = c.view.saving;
  c.edits.save.seen = true;
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
        "the pixels of the image as PNG. DICOM: the image with its scale, without text.",
        {}});
  const bool bare = !is_figure(choice.format);
  const std::string_view why = bare ? "The image keeps the size of the grid." : "";
  pick(
      "Size", "save_size", kSizes, choice.size,
      {"Size",
       "Pixels per grid step; the width of the figure in mm; or the scale of the image, mm of paper per cm. Text is at "
       "least 7 pt.",
       why});
  const std::string refused = draw_size(c, labelled_row(c, column, ""));
  pick("Background", "save_ground", kGrounds, choice.ground,
       {"Background", "White for print, dark for slides. The image is the same.",
        bare ? "No background around the image." : ""});
  if (const FormationParams& f = c.edits.params.formation; f.adaptive == Adaptive::own && f.own != nullptr)
    pick("Source", "save_source", kSources, choice.source,
         {"Source", "Source of the own method, as NAME.method.h or NAME.method.py; of data and levels too.", {}});
  const Rect r = ui.row(column, theme::kRow, 0);
  const std::string_view no_picture = refused.empty() ? why_no_picture(c.model, c.shown_grid) : refused;
  const bool pressed = ui.button("save/picture", {r.x1 - ui.px(120), r.y0, r.x1, r.y1},
                                 {.label = "Save", .shortcut = "S", .emphasis = Emphasis::primary},
                                 {"Save", "Saves the image on screen with these settings (S, Enter).", no_picture});
  if (pressed || (ui.enter() && no_picture.empty())) {
    c.commands.send(command::Save{SaveWhat::picture});
  } else if (ui.enter()) {
    c.commands.send(command::Hint{std::string(no_picture)});
  }
}

constexpr float kWidth = 810, kSavePad = 16, kButton = 76, kSaveLabel = 76;
constexpr std::array<double, 7> kFilmSpeeds = {0.01, 0.1, 0.25, 0.5, 1, 2, 5};
constexpr std::array<Choice, 7> kSpeedChoices = {{{"0.01×"}, {"0.1×"}, {"0.25×"}, {"0.5×"}, {"1×"}, {"2×"}, {"5×"}}};
constexpr std::array<Choice, 2> kRangeChoices = {{{"Between the marks"}, {"Full history"}}};
constexpr std::array<Choice, 4> kContainerChoices = {{{"MP4"}, {"WebM"}, {"MKV"}, {"DICOM"}}};

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
    c.commands.send(command::Save{row.what});
  }
}

void draw_iq_rows(PanelContext& c, Column& column, std::string_view why_no_picture) {
  const Saving& saving = c.model.saving;
  const Cine& cine = c.edits.cine;
  const KeptFrames& kept = c.model.kept;
  const std::string none = saving.why_no_iq.empty() ? "" : fmt::format("No complex pixels: {}.", saving.why_no_iq);
  const std::string_view why_not = !saving.busy.empty() ? std::string_view(saving.busy) : std::string_view(none);
  const std::string_view past = why_no_past(c.model);
  const std::size_t frames =
      past.empty() && kept.frames > 0 ? std::min(cine.mark_out, kept.frames - 1) - cine.mark_in + 1 : 0;
  constexpr std::string_view kHelp =
      "Beamformed pixels before detection, with phase: grid, parameters, phase and 0 dB are in the JSON.";
  save_row(c, column,
           {"save/iq",
            SaveWhat::iq,
            "IQ",
            "complex64 .npy and .json",
            {},
            {"IQ", kHelp, why_no_picture.empty() ? why_not : why_no_picture}});
  save_row(c, column,
           {"save/iq_range",
            SaveWhat::iq_range,
            "IQ, frames",
            frames > 0 ? counted_grouped(frames, "frame") + " between the marks" : "between the marks",
            {},
            {"IQ of the frames between the loop marks", kHelp, past.empty() ? why_not : past}});
}

void draw_rows(PanelContext& c, Column& column) {
  const std::string_view why = why_no_picture(c.model, c.shown_grid);
  const std::string levels = fmt::format("16-bit PNG, {} to 0 dB", fixed(-c.edits.params.display.dynamic_range_db, 0));
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
  draw_iq_rows(c, column, why);
  const bool timed = c.model.numbers.counts.processed > 0;
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
             c.model.source.acquisition == nullptr ? "No source yet." : ""}});
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
  std::string text = counted_grouped(plan.pictures, "image") + ", ";
  text += fixed(plan.seconds(), plan.seconds() < 9.95 ? 1 : 0) + " s at ";
  text += fixed(plan.rate_hz, plan.rate_hz < 9.95 ? 1 : 0) + " Hz";
  if (plan.step > 1) text += fmt::format(", 1 of {} frames", plan.step);
  return text;
}

void draw_film(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Saving& saving = c.model.saving;
  FilmChoice& film = c.edits.save.film;
  const Rect head = ui.row(column, 24, 4);
  ui.text(Type::strong, head, theme::kText, "Video");
  const std::string_view past = why_no_past(c.model);
  const bool dicom = film.container == FilmContainer::dicom;
  const std::string_view why_no_frames = !saving.busy.empty() ? std::string_view(saving.busy) : past;
  const std::string_view why = why_no_frames.empty() && !dicom ? std::string_view(saving.why_no_film) : why_no_frames;
  const FilmPlan plan = why.empty() ? plan_film(c.model.kept, c.edits.cine, film) : FilmPlan{};
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
           "In acquisition time: at 1× the video lasts as long as the acquisition. At most 60 images a second.",
           why.empty() && dicom ? "A DICOM file has all frames and their time." : why}))
    film.speed = kFilmSpeeds[static_cast<std::size_t>(*picked)];
  if (const auto picked =
          choice_row(c, column, "Format", "film_format", kContainerChoices, static_cast<int>(film.container),
                     {"Format",
                      "MP4 for most players, WebM for browsers, MKV with the same content as MP4. DICOM: the images "
                      "with their scale, without text, not compressed.",
                      why_no_frames}))
    film.container = static_cast<FilmContainer>(*picked);
  const Rect r = ui.row(column, theme::kRow, 0);
  const Rect button{r.x1 - ui.px(104), r.y0, r.x1, r.y1};
  if (ui.button(
          "save/film", button, {.label = "Save video", .emphasis = why.empty() ? Emphasis::primary : Emphasis::plain},
          {"Save video",
           dicom ? "Runs in the background." : "With rulers, colour bar and caption. Runs in the background.", why})) {
    c.commands.send(command::Save{SaveWhat::film});
  }
}

}  // namespace

void draw_save_panel(PanelContext& c, float right, float bottom) {
  Ui& ui = c.ui;
  if (c.edits.save.ask) ui.open_popup(kSavePanel);
  const float height = ui.px(12 + 28 + 9 * 34 + 13 + 28 + 28 + 12 + 50);
  const float width = std::min(ui.px(kWidth), ImGui::GetIO().DisplaySize.x - ui.px(16));
  const float x0 = std::max(ui.px(8), right - width);
  const float y0 = std::max(ui.px(8), bottom - height);  // covers the strip in a low window
  const Rect box{x0, y0, x0 + width, y0 + height};
  if (!ui.begin_popup(kSavePanel, box, theme::kPanel)) return;
  ui.focus().enter(WindowPart::callout);
  const Rect close{box.x1 - ui.px(36), box.y0 + ui.px(10), box.x1 - ui.px(12), box.y0 + ui.px(34)};
  if (ui.icon_button("close_save", close, {"Close   Esc", {}, {}})) ui.close_popup();
  ui.cross(close.cx(), close.cy(), theme::kText2);
  // Focus order: Tab visits one column, then the other; F6 switches between them.
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
  // Result of the last save.
  const Saving& saving = c.model.saving;
  ui.horizontal(box.x0, box.x1, foot, theme::kLine);
  ui.text_fitted(Type::small, column.x0, other.x1, foot + ui.px(14), ui.px(22),
                 saving.failed ? theme::kRed : theme::kText2, saving.last);
  ui.end_popup();
  ui.focus().enter(WindowPart::strip);
}

namespace {

// Adds half a frame's tolerance: a slightly late clock does not move a frame to another image.
std::uint64_t place_of(const KeptFrames& kept, const FilmPlan& plan, std::size_t index) {
  const double after_s = cine_time_s(kept, index) - cine_time_s(kept, plan.first);
  return static_cast<std::uint64_t>(after_s * plan.rate_hz / plan.speed + 0.5 / static_cast<double>(plan.step));
}

}  // namespace

FilmPlan plan_film(const KeptFrames& kept, const Cine& cine, const FilmChoice& choice) {
  if (kept.frames == 0) return {};
  FilmPlan plan;
  plan.last = kept.frames - 1;
  if (choice.range == FilmRange::loop) {
    plan.last = std::min(cine.mark_out, plan.last);
    plan.first = std::min(cine.mark_in, plan.last);
  }
  const std::size_t frames = plan.last - plan.first + 1;
  const double seconds = cine_time_s(kept, plan.last) - cine_time_s(kept, plan.first);
  constexpr double kUnknown_hz = 25.0;  // for a single frame
  const double came_hz = seconds > 0.0 ? static_cast<double>(frames - 1) / seconds : kUnknown_hz;
  const bool all = choice.container == FilmContainer::dicom;
  plan.speed = all ? 1.0 : choice.speed;
  const double wanted_hz = (kept.frame_rate_hz > 0.0 ? kept.frame_rate_hz : came_hz) * plan.speed;
  // Tolerance: a rate slightly above the limit does not drop every other frame.
  constexpr double kAllowed_hz = 1.05 * kFilmFastest_hz;
  plan.step = all ? 1 : static_cast<std::size_t>(std::max(1.0, std::ceil(wanted_hz / kAllowed_hz)));
  plan.rate_hz = std::max(wanted_hz / static_cast<double>(plan.step), 0.1);
  plan.pictures = place_of(kept, plan, plan.last) + 1;
  return plan;
}

double starting_speed(double frame_rate_hz) {
  for (const double speed : {1.0, 0.5, 0.25, 0.1}) {
    if (frame_rate_hz * speed <= 2.0 * kFilmFastest_hz) return speed;
  }
  return 0.01;
}

std::vector<FilmFrame> film_frames(const KeptFrames& kept, const FilmPlan& plan) {
  std::vector<FilmFrame> list;
  for (std::size_t i = plan.first; i <= plan.last && plan.pictures > 0; ++i) {
    const std::uint64_t place = place_of(kept, plan, i);
    if (list.empty() || place > list.back().place) list.push_back({.index = i, .place = place});
  }
  return list;
}

}  // namespace echoloop
