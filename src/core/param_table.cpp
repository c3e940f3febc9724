#include "core/param_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/own_method.h"
#include "core/units.h"

namespace echoloop {
namespace {

using P = ImagingParams;

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& range) {
  throw out_of_range(std::string(key), std::string(value), range);
}

[[noreturn]] void refuse_text(std::string_view key, std::string_view text, const std::string& expected) {
  throw invalid_value(std::string(key), std::string(text), expected);
}

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string range_text(const ParamSpec& spec) {
  if (spec.choices.empty()) return number_text(spec.min) + " to " + number_text(spec.max);
  std::string names;
  for (const ParamChoice& choice : spec.choices) names += (names.empty() ? "" : ", ") + std::string(choice.name);
  return names;
}

void validate_transmits(const P& p, const Acquisition& acquisition) {
  if (forms_lines(p, acquisition)) return;
  const std::string n = std::to_string(acquisition.n_transmits());
  const std::string there = "at most " + n + ", the number of transmits";
  if (p.transmits.last > acquisition.n_transmits()) refuse("transmit_last", number_text(p.transmits.last), there);
  if (p.transmits.first > acquisition.n_transmits()) refuse("transmit_first", number_text(p.transmits.first), there);
  if (p.transmits.last != 0 && p.transmits.first > p.transmits.last) {
    refuse("transmit_first", number_text(p.transmits.first),
           "at most transmit_last = " + number_text(p.transmits.last));
  }
}

void validate_method(const P& p, const Acquisition& acquisition) {
  const FormationParams& f = p.formation;
  if (f.adaptive == Adaptive::off) return;
  if (f.recipe != Recipe::analytic)
    throw Error("adaptive", "not available with recipe=course, which has no complex channels", "recipe=analytic");
  if (acquisition.data != DataKind::channels)
    throw Error("adaptive", "not available: the recording is already beamformed", "adaptive=off");
  if (f.adaptive == Adaptive::own && f.own == nullptr)
    throw Error("adaptive", "own: no method is loaded", "--method FILE, or a built-in method");
  for (const ParamSpec& spec : param_table()) {
    const bool on = spec.control.turns_on == TurnsOn::image_analysis && get_number(p, spec) != 0.0;
    if (!on || !shows_weight(f)) continue;
    throw Error("adaptive_show", "weight: the image has no levels, which " + std::string(spec.key) + " needs",
                "adaptive_show=image or " + std::string(spec.key) + "=off");
  }
  const std::string name(row_of(f.adaptive).words.name);
  if (is_coherence(f) && (p.color_flow.mode != FlowMode::off || p.doppler.gate != Gate::off)) {
    throw Error("adaptive", name + ": pixels without phase, which flow and spectral Doppler need",
                "flow=off and gate=off, or another method");
  }
  const bool transmits = has_axes(f) && f.adaptive_axis != AdaptiveAxis::elements;
  if (transmits && forms_lines(p, acquisition)) {
    throw Error("adaptive_axis", "not available with scan lines, which have one transmit each",
                "adaptive_axis=elements, or compounding=coherent");
  }
  if (transmits && f.adaptive_axis == AdaptiveAxis::transmits && picked_transmits(p, acquisition).count < 2)
    throw Error("adaptive_axis", "transmits: only one transmit is summed", "at least two transmits, or elements");
  if (!(transmits && f.adaptive_axis == AdaptiveAxis::transmits) && acquisition.n_elements() < 2)
    throw Error("adaptive", "the probe has one element", "at least two elements, or adaptive=off");
  if (is_coherence(f) && !has_even_elements(acquisition.probe)) {
    throw Error("adaptive", name + ": the elements are not evenly spaced, so that lags have no length",
                "evenly spaced elements, or another method");
  }
}

}  // namespace

const ParamSpec* find_param(std::string_view key) {
  for (const ParamSpec& spec : param_table())
    if (spec.key == key) return &spec;
  return nullptr;
}

const ParamSpec& param(std::string_view key) {
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) throw Error("parameters", "no row of key '" + std::string(key) + "'", "a key of param_rows.cpp");
  return *spec;
}

double get_number(const ImagingParams& params, const ParamSpec& spec) { return spec.member.get(params); }

void set_number(ImagingParams& params, const ParamSpec& spec, double value) {
  if (std::isnan(value)) return;
  const double clamped = std::clamp(value, spec.min, spec.max);
  spec.member.set(params, spec.member.kind == ParamKind::number ? clamped : std::round(clamped));
}

std::string get_text(const ImagingParams& params, const ParamSpec& spec) {
  if (!spec.choices.empty()) return std::string(get_choice(params, spec).name);
  return number_text(get_number(params, spec));
}

const ParamChoice& get_choice(const ImagingParams& params, const ParamSpec& spec) {
  return spec.choices[static_cast<std::size_t>(get_number(params, spec))];
}

ImagingParams without_analyses(ImagingParams params) {
  for (const ParamSpec& spec : param_table())
    if (spec.control.turns_on != TurnsOn::nothing) set_number(params, spec, 0.0);
  return params;
}

std::string_view why_no_effect(const ParamSpec& spec, const ParamContext& context) {
  return spec.control.why_not != nullptr ? spec.control.why_not(context) : std::string_view();
}

void set_from_text(ImagingParams& params, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) throw Error("--set", "'" + std::string(assignment) + "'", "KEY=VALUE");
  const std::string_view key = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  if (key.starts_with("own.")) return set_own_value(params.formation, std::string(key), std::string(text));
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) {
    std::string keys;
    for (const ParamSpec& known : param_table()) keys += (keys.empty() ? "" : ", ") + std::string(known.key);
    throw Error("--set", "unknown parameter '" + std::string(key) + "'", keys);
  }
  if (!spec->choices.empty()) {
    const auto choice = std::ranges::find(spec->choices, text, &ParamChoice::name);
    if (choice == spec->choices.end()) refuse_text(key, text, range_text(*spec));
    set_number(params, *spec, static_cast<double>(choice - spec->choices.begin()));
    return;
  }
  const auto value = finite_number(text);
  if (!value) refuse_text(key, text, "a number from " + range_text(*spec));
  if (*value < spec->min || *value > spec->max) refuse(key, text, range_text(*spec));
  if (spec->member.kind == ParamKind::whole_number && *value != std::floor(*value))
    refuse_text(key, text, "a whole number from " + range_text(*spec));
  set_number(params, *spec, *value);
}

void validate_params(const ImagingParams& p, const Acquisition& acquisition) {
  for (const ParamSpec& spec : param_table()) {
    const double value = get_number(p, spec);
    if (!(value >= spec.min && value <= spec.max)) refuse(spec.key, number_text(value), range_text(spec));
  }
  if (p.formation.band_low_hz >= p.formation.band_high_hz) {
    refuse("band_low_hz", number_text(p.formation.band_low_hz),
           "below band_high_hz = " + number_text(p.formation.band_high_hz));
  }
  if (p.formation.depth_min_m >= p.formation.depth_max_m) {
    refuse("depth_min_m", number_text(p.formation.depth_min_m),
           "below depth_max_m = " + number_text(p.formation.depth_max_m));
  }
  if (p.formation.lateral_min_m >= p.formation.lateral_max_m) {
    refuse("lateral_min_m", number_text(p.formation.lateral_min_m),
           "below lateral_max_m = " + number_text(p.formation.lateral_max_m));
  }
  validate_transmits(p, acquisition);
  validate_method(p, acquisition);
  if (p.formation.sector_min_rad >= p.formation.sector_max_rad && grid_kind(p, acquisition) == GridKind::polar) {
    refuse("sector_min_rad", number_text(p.formation.sector_min_rad),
           "below sector_max_rad = " + number_text(p.formation.sector_max_rad));
  }
  if (p.color_flow.svd_low > 0 && p.color_flow.svd_high > 0 && p.color_flow.svd_low > p.color_flow.svd_high)
    refuse("svd_low", number_text(p.color_flow.svd_low), "at most svd_high = " + number_text(p.color_flow.svd_high));
  if (p.color_flow.mode != FlowMode::off && p.formation.recipe != Recipe::analytic)
    throw Error("flow", "not available with recipe=course, which yields pixels without phase", "recipe=analytic");
  if (p.doppler.gate != Gate::off && p.formation.recipe != Recipe::analytic)
    throw Error("gate", "not available with recipe=course, which yields pixels without phase", "recipe=analytic");
  if (p.doppler.gate != Gate::off && p.color_flow.prf_hz <= 0.0 && acquisition.frame_rate_hz <= 0.0)
    throw Error("gate", "velocities need a frame rate, and the recording has none", "flow_prf_hz in Hz");
  if (p.color_flow.mode == FlowMode::velocity && p.color_flow.prf_hz <= 0.0 && acquisition.frame_rate_hz <= 0.0)
    throw Error("flow", "velocities need a frame rate, and the recording has none", "flow_prf_hz in Hz");
  const double widest = acquisition.signal == SignalKind::iq ? acquisition.sampling_hz : 0.5 * acquisition.sampling_hz;
  if (p.formation.recipe == Recipe::analytic &&
      p.formation.band_high_hz - p.formation.band_low_hz > widest * 1.000001) {
    refuse("band_high_hz", number_text(p.formation.band_high_hz),
           "a bandwidth up to " + number_text(widest) + " Hz at a sampling frequency of " +
               number_text(acquisition.sampling_hz) + " Hz");
  }
}

std::string params_markdown_table() {
  std::string table = "| key | unit | range | default | description |\n|---|---|---|---|---|\n";
  const ImagingParams defaults;
  for (const ParamSpec& spec : param_table()) {
    const std::string_view si = spec.key.ends_with("_hz")    ? "Hz"
                                : spec.key.ends_with("_m")   ? "m"
                                : spec.key.ends_with("_m2")  ? "m\u00B2"
                                : spec.key.ends_with("_rad") ? "rad"
                                                             : spec.unit;
    table += "| `" + std::string(spec.key) + "` | " + std::string(si) + " | " + range_text(spec) + " | " +
             (spec.from_acquisition ? "from the source" : get_text(defaults, spec)) + " | " + std::string(spec.help) +
             " |\n";
  }
  return table;
}

}  // namespace echoloop
