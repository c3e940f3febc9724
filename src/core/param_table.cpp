#include "core/param_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/number.h"
#include "core/value_error.h"

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
  for (const std::string_view choice : spec.choices) names += (names.empty() ? "" : ", ") + std::string(choice);
  return names;
}

void validate_transmits(const P& p, const Acquisition& acquisition) {
  if (forms_lines(p, acquisition)) return;
  const std::string n = std::to_string(acquisition.n_transmits());
  const std::string there = "at most " + n + ", the number of transmits";
  if (p.transmit_last > acquisition.n_transmits()) refuse("transmit_last", number_text(p.transmit_last), there);
  if (p.transmit_first > acquisition.n_transmits()) refuse("transmit_first", number_text(p.transmit_first), there);
  if (p.transmit_last != 0 && p.transmit_first > p.transmit_last) {
    refuse("transmit_first", number_text(p.transmit_first), "at most transmit_last = " + number_text(p.transmit_last));
  }
}

}  // namespace

const ParamSpec* find_param(std::string_view key) {
  for (const ParamSpec& spec : param_table()) {
    if (spec.key == key) return &spec;
  }
  return nullptr;
}

bool is_refinement(const ParamSpec& spec) {
  return spec.key == "persistence_s" || spec.key == "median" || spec.key == "smooth_axial_m" ||
         spec.key == "smooth_lateral_m" || spec.key == "speckle_reduction";
}

bool forms_pixels(const ParamSpec& spec) {
  return spec.group == ParamGroup::formation && spec.key != "reference_db" && !is_refinement(spec);
}

bool finds_structure(const ParamSpec& spec) { return spec.group == ParamGroup::structure; }

bool alike(const ImagingParams& a, const ImagingParams& b, bool (*acts)(const ParamSpec&)) {
  return std::ranges::all_of(
      param_table(), [&](const ParamSpec& spec) { return !acts(spec) || get_number(a, spec) == get_number(b, spec); });
}

double get_number(const ImagingParams& params, const ParamSpec& spec) {
  return std::visit([&](auto member) { return static_cast<double>(params.*member); }, spec.member);
}

void set_number(ImagingParams& params, const ParamSpec& spec, double value) {
  if (std::isnan(value)) return;
  const double clamped = std::clamp(value, spec.min, spec.max);
  std::visit(
      [&](auto member) {
        using Value = std::remove_reference_t<decltype(params.*member)>;
        if constexpr (std::is_same_v<Value, double>) {
          params.*member = clamped;
        } else {
          params.*member = static_cast<Value>(std::lround(clamped));
        }
      },
      spec.member);
}

void take_display(ImagingParams& params, const ImagingParams& from) {
  for (const ParamSpec& spec : param_table()) {
    if (spec.group == ParamGroup::display) set_number(params, spec, get_number(from, spec));
  }
}

ImagingParams without_display(ImagingParams params) {
  take_display(params, ImagingParams{});
  return params;
}

std::string get_text(const ImagingParams& params, const ParamSpec& spec) {
  const double value = get_number(params, spec);
  if (!spec.choices.empty()) return std::string(spec.choices[static_cast<std::size_t>(value)]);
  return number_text(value);
}

void set_from_text(ImagingParams& params, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) throw Error("--set", "'" + std::string(assignment) + "'", "KEY=VALUE");
  const std::string_view key = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) {
    std::string keys;
    for (const ParamSpec& known : param_table()) keys += (keys.empty() ? "" : ", ") + std::string(known.key);
    throw Error("--set", "unknown parameter '" + std::string(key) + "'", keys);
  }
  if (!spec->choices.empty()) {
    const auto choice = std::find(spec->choices.begin(), spec->choices.end(), text);
    if (choice == spec->choices.end()) refuse_text(key, text, range_text(*spec));
    set_number(params, *spec, static_cast<double>(choice - spec->choices.begin()));
    return;
  }
  const auto value = finite_number(text);
  if (!value) refuse_text(key, text, "a number from " + range_text(*spec));
  if (*value < spec->min || *value > spec->max) refuse(key, text, range_text(*spec));
  if (std::holds_alternative<int P::*>(spec->member) && *value != std::floor(*value)) {
    refuse_text(key, text, "a whole number from " + range_text(*spec));
  }
  set_number(params, *spec, *value);
}

void validate_params(const ImagingParams& p, const Acquisition& acquisition) {
  for (const ParamSpec& spec : param_table()) {
    const double value = get_number(p, spec);
    if (!(value >= spec.min && value <= spec.max)) refuse(spec.key, number_text(value), range_text(spec));
  }
  if (p.band_low_hz >= p.band_high_hz) {
    refuse("band_low_hz", number_text(p.band_low_hz), "below band_high_hz = " + number_text(p.band_high_hz));
  }
  if (p.depth_min_m >= p.depth_max_m) {
    refuse("depth_min_m", number_text(p.depth_min_m), "below depth_max_m = " + number_text(p.depth_max_m));
  }
  if (p.lateral_min_m >= p.lateral_max_m) {
    refuse("lateral_min_m", number_text(p.lateral_min_m), "below lateral_max_m = " + number_text(p.lateral_max_m));
  }
  validate_transmits(p, acquisition);
  if (p.sector_min_rad >= p.sector_max_rad && grid_kind(p, acquisition) == GridKind::polar) {
    refuse("sector_min_rad", number_text(p.sector_min_rad), "below sector_max_rad = " + number_text(p.sector_max_rad));
  }
  if (p.svd_low > 0 && p.svd_high > 0 && p.svd_low > p.svd_high) {
    refuse("svd_low", number_text(p.svd_low), "at most svd_high = " + number_text(p.svd_high));
  }
  if (p.flow != FlowMode::off && p.recipe != Recipe::analytic) {
    throw Error("flow", "not available with recipe=course, which yields pixels without phase", "recipe=analytic");
  }
  if (p.gate != Gate::off && p.recipe != Recipe::analytic) {
    throw Error("gate", "not available with recipe=course, which yields pixels without phase", "recipe=analytic");
  }
  if (p.gate != Gate::off && p.flow_prf_hz <= 0.0 && acquisition.frame_rate_hz <= 0.0) {
    throw Error("gate", "velocities need a frame rate, and the recording has none", "flow_prf_hz in Hz");
  }
  if (p.flow == FlowMode::velocity && p.flow_prf_hz <= 0.0 && acquisition.frame_rate_hz <= 0.0) {
    throw Error("flow", "velocities need a frame rate, and the recording has none", "flow_prf_hz in Hz");
  }
  const double widest = acquisition.signal == SignalKind::iq ? acquisition.sampling_hz : 0.5 * acquisition.sampling_hz;
  if (p.recipe == Recipe::analytic && p.band_high_hz - p.band_low_hz > widest * 1.000001) {
    refuse("band_high_hz", number_text(p.band_high_hz),
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
