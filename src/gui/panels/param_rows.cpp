#include <algorithm>
#include <string>
#include <vector>

#include "gui/panels/panels.h"

namespace echoloop {
namespace {

// Few choices without notes are segments, others a list.
constexpr std::size_t kMostSegments = 3;

bool is_listed(const ParamSpec& spec) {
  return spec.choices.size() > kMostSegments ||
         std::ranges::any_of(spec.choices, [](const ParamChoice& choice) { return !choice.note.empty(); });
}

bool is_placed(const PanelContext& c, const ParamSpec& spec, MoreRows more) {
  switch (spec.control.place) {
    case ParamPlace::always:
      return true;
    case ParamPlace::wide:
      return more == MoreRows::shown || !c.compact;
    case ParamPlace::more:
      return more == MoreRows::shown;
    case ParamPlace::more_or_set:
      return more == MoreRows::shown || get_number(c.edits.params, spec) != get_number(c.model.defaults, spec);
  }
  return true;
}

std::vector<Choice> choices_of(const ParamSpec& spec) {
  std::vector<Choice> choices;
  for (const ParamChoice& choice : spec.choices) choices.push_back({choice.label, choice.note});
  return choices;
}

}  // namespace

ParamContext param_context(const Model& model, const Edits& edits) {
  return {.params = edits.params,
          .acquisition = model.source.acquisition.get(),
          .no_half_precision = model.no_effect.precision,
          .frozen = model.run == RunState::frozen};
}

bool number_row(PanelContext& c, Column& column, const ParamSpec& spec, const ParamControl& control) {
  const double k = spec.shown_per_si;
  const bool whole = control.drag_min == control.drag_max;
  const SliderLook look{.id = spec.key.data(),
                        .label = spec.label,
                        .unit = spec.unit,
                        .decimals = spec.decimals,
                        .track_min = whole ? spec.min * k : control.drag_min,
                        .track_max = whole ? spec.max * k : control.drag_max,
                        .least = spec.min * k,
                        .most = spec.max * k,
                        .track = control.scale == ParamScale::logarithmic ? Track::logarithmic : Track::linear,
                        .sign = control.sign == ParamSign::always ? Sign::always : Sign::as_is,
                        .help = spec.help,
                        .why_not = why_no_effect(spec, param_context(c)),
                        .text_at_least = control.text_at_min};
  const auto value =
      slider(c.ui, column, look, get_number(c.edits.params, spec) * k, get_number(c.model.defaults, spec) * k);
  if (!value) return false;
  set_number(c.edits.params, spec, *value / k);
  return true;
}

// Returns true if all segments fit at the width of the widest choice.
bool fits_segments(const Ui& ui, const Rect& r, const std::vector<Choice>& choices) {
  float widest = 0;
  for (const Choice& choice : choices) widest = std::max(widest, ui.width(Type::body, choice.label));
  return static_cast<float>(choices.size()) * widest <= r.width();
}

bool choice_row(PanelContext& c, Column& column, const ParamSpec& spec, std::string_view note) {
  const std::string_view label = spec.control.short_label.empty() ? spec.label : spec.control.short_label;
  const std::string_view why = why_no_effect(spec, param_context(c));
  const Tip tip{spec.label, spec.help, why};
  const std::vector<Choice> choices = choices_of(spec);
  const int chosen = static_cast<int>(get_number(c.edits.params, spec));
  const Choice shown{get_choice(c.edits.params, spec).label, note};
  const Rect r = c.ui.labelled(column, label, why.empty(), is_listed(spec) ? c.ui.combo_width(shown.label) : 0.0F);
  const bool listed = is_listed(spec) || !fits_segments(c.ui, r, choices);
  const auto picked = listed ? c.ui.combo(spec.key.data(), r, shown, choices, chosen, tip)
                             : c.ui.segmented(spec.key.data(), r, choices, chosen, tip);
  if (!picked) return false;
  set_number(c.edits.params, spec, *picked);
  return true;
}

bool mode_row(PanelContext& c, Column& column, const ParamSpec& spec) {
  const int chosen = static_cast<int>(get_number(c.edits.params, spec));
  const auto picked = c.ui.segmented(spec.key.data(), c.ui.row(column, theme::kRow, theme::kRowGap), choices_of(spec),
                                     chosen, {spec.label, spec.help, why_no_effect(spec, param_context(c))});
  if (!picked) return false;
  set_number(c.edits.params, spec, *picked);
  return true;
}

bool param_row(PanelContext& c, Column& column, const ParamSpec& spec) {
  return spec.choices.empty() ? number_row(c, column, spec, spec.control) : choice_row(c, column, spec);
}

bool param_row(PanelContext& c, Column& column, std::string_view key) { return param_row(c, column, param(key)); }

bool interval_row(PanelContext& c, Column& column, SliderLook look, std::string_view low_key, std::string_view high_key,
                  double least_width) {
  const ParamSpec& low = param(low_key);
  const ParamSpec& high = param(high_key);
  const double k = low.shown_per_si;
  const std::string help = std::string(low.help) + " " + std::string(high.help);
  look.help = help;
  look.unit = low.unit;
  look.decimals = low.decimals;
  look.least = low.min * k;
  look.most = high.max * k;
  look.why_not = why_no_effect(low, param_context(c));
  look.unknown = c.model.source.acquisition == nullptr;  // both limits depend on the acquisition
  if (look.unknown) look.why_not = kNoAcquisition;
  const auto read = [&](const ImagingParams& p) { return Interval{get_number(p, low) * k, get_number(p, high) * k}; };
  const auto wanted = range_slider(c.ui, column, look, read(c.edits.params), read(c.model.defaults), least_width);
  if (!wanted) return false;
  set_number(c.edits.params, low, wanted->low / k);
  set_number(c.edits.params, high, wanted->high / k);
  return true;
}

bool param_rows(PanelContext& c, Column& column, std::initializer_list<ParamPart> parts, MoreRows more,
                std::span<const OwnRow> own) {
  bool changed = false, after_slider = false;
  for (const ParamSpec& spec : param_table()) {
    if (std::ranges::find(parts, spec.member.part) == parts.end() || !is_placed(c, spec, more)) continue;
    if (spec.control.is_shown != nullptr && !spec.control.is_shown(param_context(c))) continue;
    const auto row = std::ranges::find(own, spec.key, &OwnRow::key);
    if (row != own.end() && row->draw == nullptr) continue;
    if (!spec.choices.empty() && after_slider) column.y += c.ui.px(3);
    changed |= row != own.end() ? row->draw(c, column) : param_row(c, column, spec);
    after_slider = spec.choices.empty();
  }
  return changed;
}

}  // namespace echoloop
