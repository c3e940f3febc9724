// Acquisitions of a recording with several, and the choices of its reader, in the Source panel. UI thread only.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_properties.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

// Returns "240 frames · 0.0 to 960.0 ms".
std::string frames_words(const RecordedTrack& track) {
  std::string text = counted_grouped(track.frames, "frame");
  if (!(track.end_s > track.begin_s)) return text;
  const bool seconds = track.end_s >= 10.0;
  const double scale = seconds ? 1.0 : 1e3;
  return text + fmt::format(" · {:.1f} to {:.1f} {}", scale * track.begin_s, scale * track.end_s, seconds ? "s" : "ms");
}

void give(PanelContext& c, std::string_view name, const std::string& text) {
  c.edits.facts.given[std::string(name)] = text;
  c.commands.send(command::FactsChanged{});
}

// Draws a combo of the words of a property.
void word_row(PanelContext& c, Column& column, const SourceProperty& property, const std::string& now) {
  std::vector<Choice> choices;
  int chosen = -1;
  for (std::size_t at = 0; at < property.words.size();) {
    const std::size_t end = std::min(property.words.find(' ', at), property.words.size());
    const std::string_view word = property.words.substr(at, end - at);
    if (word == now) chosen = static_cast<int>(choices.size());
    choices.push_back({word});
    at = end + 1;
  }
  const std::string id = "property_" + std::string(property.name), label(property.label);
  const Rect r = c.ui.labelled(column, label, now != property.normal);
  const auto picked = c.ui.combo(id.c_str(), r, {now}, choices, chosen, {label, property.help, {}});
  if (picked && *picked != chosen)
    give(c, property.name, std::string(choices[static_cast<std::size_t>(*picked)].label));
}

// Draws a slider of a property's number, in the unit of the screen; applied on release.
void number_row(PanelContext& c, Column& column, const SourceProperty& property, const std::string& text) {
  double normal = 0.0;
  std::from_chars(property.normal.data(), property.normal.data() + property.normal.size(), normal);
  double now = normal;
  std::from_chars(text.data(), text.data() + text.size(), now);
  const std::string id = "property_" + std::string(property.name), label(property.label);
  const SliderLook look{.id = id.c_str(),
                        .label = label.c_str(),
                        .unit = property.unit,
                        .decimals = 2,
                        .track_min = property.track_least,
                        .track_max = property.track_most,
                        .least = property.least / property.si,
                        .most = property.most / property.si,
                        .help = property.help};
  auto& held = c.view.transient.property;
  const double shown = held.has_value() && held->name == property.name ? held->shown : now / property.si;
  if (const auto wanted = slider(c.ui, column, look, shown, normal / property.si))
    held = {.name = std::string(property.name), .shown = *wanted};
  if (!held.has_value() || held->name != property.name || c.ui.holding()) return;
  give(c, property.name, fmt::format("{:.9g}", held->shown * property.si));
  held.reset();
}

}  // namespace

void track_rows(PanelContext& c, Column& column) {
  constexpr float kTwoLines = 40;
  Ui& ui = c.ui;
  const std::vector<RecordedTrack>& tracks = c.model.source.tracks;
  if (tracks.size() < 2) return;
  ui.text(Type::small, ui.row(column, 20, 2), theme::kMuted, "Tracks");
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    const RecordedTrack& track = tracks[k];
    const Rect r = ui.row(column, kTwoLines, 2);
    const std::string help = counted_grouped(track.transmits, "transmit") + ", " + frames_words(track) + ".";
    const std::string id = "track_" + std::to_string(k);
    const Hit hit = ui.hit(id.c_str(), r, {track.label, help, track.why_not});
    if (track.chosen || hit.hovered) ui.fill(r, theme::kField, 4);
    const float dot = r.x0 + ui.px(12), line = 0.5F * r.height(), x = r.x0 + ui.px(26);
    const bool can = track.why_not.empty();
    ui.ring(dot, r.y0 + 0.5F * line, 5, can ? theme::kText2 : theme::kMuted, 1);
    if (track.chosen) ui.disc(dot, r.y0 + 0.5F * line, 3, theme::kAccent);
    const std::string transmits = counted_grouped(track.transmits, "transmit");
    const float right = r.x1 - ui.px(6), room = ui.width(Type::small, transmits);
    ui.text_fitted(Type::body, x, right - room - ui.px(8), r.y0, line, can ? theme::kText : theme::kMuted, track.label);
    ui.text(Type::small, {right - room, r.y0, right, r.y0 + line}, theme::kText2, transmits);
    ui.text_fitted(Type::small, x, right, r.y0 + line, line, theme::kMuted, can ? frames_words(track) : track.why_not);
    if (hit.clicked && can && !track.chosen) give(c, "track", track.label);
  }
}

void property_rows(PanelContext& c, Column& column) {
  if (c.model.source.acquisition == nullptr) return;
  const std::vector<Assumption>& assumptions = c.model.source.acquisition->assumptions;
  for (const SourceProperty& property : kSourceProperties) {
    if (property.words == "*") continue;
    bool noted = false;
    std::string text(property.normal);
    for (const Assumption& assumption : assumptions) {
      if (assumption.fact != property.name) continue;
      noted = true;
      if (!assumption.value.empty()) text = assumption.value;
    }
    if (!noted) continue;
    if (const auto given = c.edits.facts.given.find(std::string(property.name)); given != c.edits.facts.given.end())
      text = given->second.text;
    if (!property.words.empty())
      word_row(c, column, property, text);
    else if (property.track_most > property.track_least)
      number_row(c, column, property, text);
  }
}

}  // namespace echoloop
