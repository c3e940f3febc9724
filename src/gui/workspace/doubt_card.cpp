#include "gui/workspace/doubt_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kCardWidest = 918, kCardHighest = 654, kCardPad = 24, kCardLine = 20, kCardNumbers = 284,
                kCardNarrow = 720;
constexpr double kDoubtGain =
    1.4;  // agreement with other facts that counts as a contradiction, of that with the stated ones

void send(Commands& commands, DoubtAct act) { commands.send(command::Doubts{act}); }

void draw_value(const Ui& ui, Rect& rows, std::string_view label, const std::string& value, ImU32 ink = theme::kText) {
  const Rect r{rows.x0, rows.y0, rows.x1, rows.y0 + ui.px(22)};
  ui.text_right(Type::body, r.x1, r.y0, r.height(), ink, value);
  ui.text_fitted(Type::body, r.x0, r.x1 - ui.width(Type::body, value) - ui.px(8), r.y0, r.height(), theme::kText2,
                 label);
  ui.horizontal(r.x0, r.x1, r.y1, theme::kFaintLine);
  rows.y0 = r.y1;
}

// Draws the spectrum of the echoes with the stated and the measured centre; range 40 dB.
void draw_spectrum(const Ui& ui, const ImportSpectrum& s, const Rect& area) {
  const double last_hz = s.first_hz + s.step_hz * static_cast<double>(s.power.size() - 1);
  const Plot plot = draw_plot(ui, area,
                              {.title = "Spectrum of the samples",
                               .x = {.first = s.first_hz * 1e-6, .last = last_hz * 1e-6, .unit = "MHz"},
                               .y = {.first = 0.0, .last = -40.0, .unit = "dB"}});
  ui.fill({plot.x_px(s.low_hz * 1e-6), plot.box.y0, plot.x_px(s.high_hz * 1e-6), plot.box.y1}, theme::kSelected);
  std::vector<float> levels;
  for (const float power : s.power) levels.push_back(10.0F * std::log10(std::max(power, 1e-4F)));
  draw_curve(ui, plot, levels, s.first_hz * 1e-6, s.step_hz * 1e-6, theme::kText);
  const float y = plot.box.y1 - ui.px(20);
  for (const auto& [hz, ink, name] :
       {std::tuple{s.stated_hz, theme::kWarn, "stated"}, std::tuple{s.measured_hz, theme::kAccent, "echoes"}}) {
    const float x = plot.x_px(hz * 1e-6);
    ui.vertical(x, plot.box.y0, plot.box.y1, ink);
    const std::string text = fmt::format("{} {:.3g}", name, hz * 1e-6);
    if (hz == std::max(s.stated_hz, s.measured_hz)) {
      ui.text(Type::small, x + ui.px(5), y, ui.px(16), ink, text);
    } else {
      ui.text_right(Type::small, x - ui.px(5), y, ui.px(16), ink, text);
    }
  }
}

// Draws the agreement of the channels with the stated facts and with those of the cure as bars.
void draw_agreement(const Ui& ui, const DoubtCard& card, Rect area) {
  ui.text(Type::small, area.x0, area.y0, ui.px(18), theme::kText2, "Agreement of the channels, 0 unrelated to 1 equal");
  area.y0 += ui.px(26);
  const double most = std::max({0.2, 1.25 * card.found, 1.25 * card.stated});
  const float label = ui.px(88), value = ui.px(44);
  const float x0 = area.x0 + label, x1 = area.x1 - value;
  for (const auto& [name, level, ink] : {std::tuple{"stated facts", card.stated, theme::kWarn},
                                         std::tuple{"with the cure", card.found, theme::kAccent}}) {
    const Rect bar{x0, area.y0, x1, area.y0 + ui.px(18)};
    ui.text(Type::small, area.x0, bar.y0, bar.height(), theme::kText2, name);
    ui.fill(bar, theme::kCanvas, 2);
    const float share = static_cast<float>(std::clamp(level / most, 0.0, 1.0));
    ui.fill({bar.x0, bar.y0, bar.x0 + std::max(ui.px(2), share * bar.width()), bar.y1}, ink, 2);
    ui.text_right(Type::body, area.x1, bar.y0, bar.height(), theme::kText, fixed(std::max(level, 0.0), 2));
    area.y0 = bar.y1 + ui.px(8);
  }
  ui.paragraph(Type::small, area.x0, area.y0 + ui.px(4), area.width(), ui.px(17), theme::kMuted,
               "Mean correlation of all pairs of channels over the echoes that are found under the same facts. "
               "Recordings with right facts reach 0.1 to 0.6.");
}

void draw_numbers(const Ui& ui, const DoubtCard& card, const DoubtPreview& preview, Rect rows) {
  ui.text(Type::strong, rows.x0, rows.y0, ui.px(18), theme::kText, "Why this counts as a contradiction");
  rows.y0 += ui.px(26);
  if (!preview.spectrum.power.empty()) {
    const ImportSpectrum& s = preview.spectrum;
    draw_value(ui, rows, "Centre of the echoes", fmt::format("{:.3g} MHz", s.measured_hz * 1e-6));
    draw_value(ui, rows, "Stated", fmt::format("{:.3g} MHz", s.stated_hz * 1e-6));
    draw_value(ui, rows, "Half power", fmt::format("{:.3g} to {:.3g} MHz", s.low_hz * 1e-6, s.high_hz * 1e-6));
    draw_value(ui, rows, "Distance", fmt::format("{:.0f} %", 100.0 * std::abs(s.stated_hz / s.measured_hz - 1.0)));
    ui.paragraph(Type::small, rows.x0, rows.y0 + ui.px(6), rows.width(), ui.px(17), theme::kMuted,
                 "Attenuation lowers the centre with depth.");
    return;
  }
  if (card.found > 0.0) {
    const double stated = std::max(card.stated, 1e-3);
    draw_value(ui, rows, "Agreement, stated", fixed(std::max(card.stated, 0.0), 3));
    draw_value(ui, rows, "Agreement, with the cure", fixed(card.found, 3));
    draw_value(ui, rows, "Gain", card.found / stated > 100 ? "above 100" : fixed(card.found / stated, 1) + " times");
    draw_value(ui, rows, "Limit for a doubt", fixed(kDoubtGain, 1) + " times");
  }
  std::string readings;
  for (const std::string& reading : card.readings) readings += (readings.empty() ? "" : ", ") + reading;
  if (!readings.empty())
    ui.paragraph(Type::small, rows.x0, rows.y0 + ui.px(6), rows.width(), ui.px(17), theme::kMuted,
                 "These explain the echoes alike: " + readings + ".");
}

void draw_results(const Ui& ui, const DoubtPreview& preview, Rect rows) {
  if (preview.after == nullptr) return;
  const auto signed_db = [](double db) { return signed_fixed(db, 1) + " dB"; };
  draw_value(ui, rows, "Sharpness with the cure", signed_db(preview.sharper_db));
  if (std::isfinite(preview.rms_db))
    draw_value(ui, rows, "RMS difference above −50 dB", fixed(preview.rms_db, 1) + " dB");
  draw_value(ui, rows, "Doubts left with the cure", std::to_string(preview.left),
             preview.left > 0 ? theme::kWarn : theme::kText);
}

void draw_answers(PanelContext& c, const DoubtCard& card, const Rect& r) {
  Ui& ui = c.ui;
  const float gap = ui.px(8), half = std::round(0.5F * (r.width() - gap));
  const Rect use{r.x0, r.y0, r.x1, r.y0 + ui.px(32)};
  const std::string_view why = why_no_files(c.model, card.why_not);
  if (!card.use.empty() &&
      ui.button("doubt/use", use, {.label = card.use, .shortcut = "Enter", .emphasis = Emphasis::primary},
                {card.use, "Opens the source again with " + card.cure + ".", why}))
    send(c.commands, DoubtAct::use);
  const float y = use.y1 + ui.px(6);
  if (ui.button("doubt/keep", {r.x0, y, r.x0 + half, y + ui.px(theme::kRow)},
                {.label = "Keep as stated", .shortcut = "K"},
                {"Keep as stated", "Dismisses the doubt; saved files list it as dismissed.", {}}))
    send(c.commands, DoubtAct::keep);
  if (ui.button("doubt/later", {r.x1 - half, y, r.x1, y + ui.px(theme::kRow)},
                {.label = "Decide later", .shortcut = "Esc"},
                {"Decide later", "Closes the card; the marks in Source and in the status bar stay.", {}}))
    send(c.commands, DoubtAct::later);
}

void draw_pages(PanelContext& c, const Rect& head) {
  const DoubtsView& doubts = c.model.opening.doubts;
  if (doubts.cards.size() < 2) return;
  Ui& ui = c.ui;
  const std::string text = fmt::format("{} of {}", doubts.at + 1, doubts.cards.size());
  const Rect next{head.x1 - ui.px(24), head.y0, head.x1, head.y0 + ui.px(24)};
  const float x = next.x0 - ui.width(Type::small, text) - ui.px(6);
  const Rect before{x - ui.px(28), head.y0, x - ui.px(4), head.y0 + ui.px(24)};
  ui.text(Type::small, x, head.y0, ui.px(24), theme::kMuted, text);
  if (ui.icon_button("doubt/before", before, {"Previous doubt", {}, {}})) send(c.commands, DoubtAct::previous);
  ui.chevron(before.cx(), before.cy(), Direction::left, theme::kText2);
  if (ui.icon_button("doubt/next", next, {"Next doubt", {}, {}})) send(c.commands, DoubtAct::show);
  ui.chevron(next.cx(), next.cy(), Direction::right, theme::kText2);
}

}  // namespace

DoubtCardView::Places DoubtCardView::lay_out(const Ui& ui, const Rect& box, float head) {
  const float pad = ui.px(kCardPad), foot = ui.px(28), answers = ui.px(66);
  const Rect inner{box.x0 + pad, box.y0 + ui.px(16), box.x1 - pad, box.y1 - ui.px(10)};
  Places p;
  p.head = {inner.x0, inner.y0, inner.x1, inner.y0 + head};
  p.foot = {inner.x0, inner.y1 - foot, inner.x1, inner.y1};
  const float top = p.head.y1 + ui.px(14), bottom = p.foot.y0 - ui.px(4);
  if (box.width() < ui.px(kCardNarrow)) {
    p.answers = {inner.x0, bottom - answers, inner.x1, bottom};
    p.results = {inner.x0, p.answers.y0 - ui.px(72), inner.x1, p.answers.y0};
    p.images = {inner.x0, top, inner.x1, p.results.y0 - ui.px(8)};
    if (p.images.height() > ui.px(360)) {
      p.evidence = {inner.x0, top, inner.x1, top + ui.px(140)};
      p.images.y0 = p.evidence.y1 + ui.px(12);
    }
    return p;
  }
  const float right = inner.x1 - ui.px(kCardNumbers), room = bottom - top;
  const float evidence = room > ui.px(330) ? std::min(ui.px(200), 0.42F * room) : 0.0F;
  p.answers = {right, bottom - answers, inner.x1, bottom};
  const float middle = evidence > 0.0F ? top + evidence + ui.px(16) : top;
  if (evidence > 0.0F) {
    p.evidence = {inner.x0, top, right - ui.px(36), top + evidence};
    p.numbers = {right, top, inner.x1, top + evidence};
  }
  p.images = {inner.x0, middle, right - ui.px(20), bottom};
  p.results = {right, middle + ui.px(26), inner.x1, p.answers.y0};
  return p;
}

void DoubtCardView::draw_images(const Ui& ui, const DoubtPreview& preview, const Rect& area) {
  ui.text(Type::strong, area.x0, area.y0, ui.px(18), theme::kText, "Preview");
  if (preview.after == nullptr || preview.before == nullptr) {
    const std::string text = preview.busy            ? "Forming both images."
                             : preview.error.empty() ? "No single cure, so no image with it."
                                                     : preview.error;
    ui.paragraph(Type::body, area.x0, area.y0 + ui.px(26), area.width(), ui.px(kCardLine), theme::kMuted, text);
    return;
  }
  const float gap = ui.px(12), top = area.y0 + ui.px(44), half = std::round(0.5F * (area.width() - gap));
  const std::pair<const std::shared_ptr<const Image>&, const char*> both[] = {{preview.before, "Stated facts"},
                                                                              {preview.after, "With the cure"}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [image, name] = both[i];
    const float x = area.x0 + static_cast<float>(i) * (half + gap);
    ui.disc(x + ui.px(4), top - ui.px(10), 4, i == 0 ? theme::kWarn : theme::kAccent);
    const Grid& g = image->grid;
    const float end = ui.text(Type::small, x + ui.px(14), top - ui.px(19), ui.px(18), theme::kText, name);
    ui.text_fitted(Type::small, end + ui.px(10), x + half, top - ui.px(19), ui.px(18), theme::kMuted,
                   fmt::format("{:.0f} to {:.0f} mm", g.z0_m * 1e3, g.z1_m * 1e3));
    const Rect room{x, top, x + half, area.y1};
    const double wide = g.x1_m - g.x0_m, high = g.z1_m - g.z0_m;
    const float scale = static_cast<float>(std::min(room.width() / wide, room.height() / high));
    const int w = static_cast<int>(scale * static_cast<float>(wide)),
              h = static_cast<int>(scale * static_cast<float>(high));
    if (w < 8 || h < 8) continue;
    pictures_[i].update(image, w, h);
    pictures_[i].draw(ui, {room.x0, room.y0, room.x0 + static_cast<float>(w), room.y0 + static_cast<float>(h)});
  }
}

void DoubtCardView::draw(PanelContext& c, const Rect& area) {
  Ui& ui = c.ui;
  const DoubtCard& card = *c.model.opening.doubts.card();
  const DoubtPreview& preview = c.model.opening.doubts.preview;
  const float width = std::min(area.width() - ui.px(24), ui.px(kCardWidest));
  const float height = std::min(area.height() - ui.px(16), ui.px(kCardHighest));
  const float x = std::round(area.cx() - 0.5F * width), y = std::round(area.cy() - 0.5F * height);
  const Rect box{x, y, x + width, y + height};
  ui.fill(box, theme::kPanel, 8);
  ui.outline(box, theme::kLine2, 8);
  const float wrap = width - ui.px(2 * kCardPad) - (c.model.opening.doubts.cards.size() > 1 ? ui.px(110) : 0.0F);
  const float title = ui.paragraph_height(Type::medium, wrap, ui.px(22), card.text);
  const float effect = ui.paragraph_height(Type::body, wrap, ui.px(kCardLine), card.effect);
  const Places p = lay_out(ui, box, title + effect + ui.px(6));
  ui.fill({box.x0, p.head.y0, box.x0 + ui.px(3), p.head.y1}, theme::kWarn);
  draw_pages(c, p.head);
  ui.paragraph(Type::medium, p.head.x0, p.head.y0, wrap, ui.px(22), theme::kText, card.text);
  ui.paragraph(Type::body, p.head.x0, p.head.y0 + title + ui.px(4), wrap, ui.px(kCardLine), theme::kText2, card.effect);
  ui.horizontal(p.head.x0, p.head.x1, p.head.y1 + ui.px(6), theme::kLine);
  if (p.evidence.height() > 0.0F) {
    if (preview.spectrum.power.size() > 1) {
      draw_spectrum(ui, preview.spectrum, p.evidence);
    } else if (card.found > 0.0) {
      draw_agreement(ui, card, p.evidence);
    }
    if (p.numbers.height() > 0.0F) draw_numbers(ui, card, preview, p.numbers);
    ui.horizontal(p.head.x0, p.head.x1, p.evidence.y1 + ui.px(8), theme::kLine);
  }
  draw_images(ui, preview, p.images);
  draw_results(ui, preview, p.results);
  draw_answers(c, card, p.answers);
  const std::string foot = card.cure.empty()
                               ? "The samples do not determine which of these facts is wrong."
                               : "The answer goes into the session and into every saved image. Cure: " + card.cure;
  ui.text_fitted(Type::small, p.foot.x0, p.foot.x1, p.foot.y0, p.foot.height(), theme::kMuted, foot);
  if (ui.escape() && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
    ui.use_escape();
    send(c.commands, DoubtAct::later);
  }
}

bool DoubtCardView::take_key(const Model& model, Commands& commands, const KeyPress& press) {
  const DoubtCard* const card = model.opening.doubts.card();
  if (card == nullptr || press.control) return false;
  switch (press.key) {
    case Key::enter:
      if (card->use.empty() || !why_no_files(model, card->why_not).empty()) return false;
      send(commands, DoubtAct::use);
      return true;
    case Key::k:
      send(commands, DoubtAct::keep);
      return true;
    case Key::left:
    case Key::right:
      if (model.opening.doubts.cards.size() < 2) return false;
      send(commands, press.key == Key::left ? DoubtAct::previous : DoubtAct::show);
      return true;
    default:
      return false;
  }
}

void draw_doubt_badge(PanelContext& c, const Rect& image) {
  const std::size_t n = c.model.opening.doubts.cards.size();
  if (n == 0) return;
  Ui& ui = c.ui;
  const std::string text = counted(n, "doubt") + " about the facts";
  const float wide = ui.width(Type::small, text) + ui.px(28);
  if (wide > image.width() - ui.px(12)) return;
  const Rect chip{image.x1 - wide - ui.px(6), image.y0 + ui.px(6), image.x1 - ui.px(6), image.y0 + ui.px(28)};
  const Hit hit = ui.control("doubt/badge", chip, FocusKind::button, text);
  ui.tip("doubt/badge", hit, chip, {text, c.model.opening.doubts.cards.front().text, {}});
  ui.fill(chip, theme::kChip, 4);
  ui.disc(chip.x0 + ui.px(11), chip.cy(), 4, theme::kWarn);
  ui.text(Type::small, chip.x0 + ui.px(20), chip.y0, chip.height(), hit.hovered ? theme::kText : theme::kText2, text);
  if (hit.clicked) send(c.commands, DoubtAct::show);
}

}  // namespace echoloop
