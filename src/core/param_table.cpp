#include "core/param_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

using P = ImagingParams;
constexpr std::array<std::string_view, 2> kRecipes = {"analytic", "course"};
constexpr std::array<std::string_view, 5> kApodizations = {"boxcar", "hann", "hamming", "tukey", "gauss"};
constexpr std::array<std::string_view, 2> kOffOn = {"off", "on"};
constexpr std::array<std::string_view, 2> kPrecisions = {"fp32", "fp16"};
constexpr std::array<std::string_view, 3> kGridKinds = {"auto", "cartesian", "polar"};
constexpr std::array<std::string_view, 3> kCompoundings = {"auto", "coherent", "lines"};
constexpr std::array<std::string_view, 4> kFlowModes = {"off", "power", "velocity", "low_rank"};
constexpr std::array<std::string_view, 4> kWallFilters = {"none", "fir", "polynomial", "svd"};
constexpr std::array<std::string_view, 4> kColorMaps = {"gray", "hot", "viridis", "inverted"};

constexpr ParamGroup kFormation = ParamGroup::formation;
constexpr ParamGroup kFlow = ParamGroup::flow;
constexpr ParamGroup kDisplay = ParamGroup::display;

// One row a parameter:
// clang-format off
// key, label, unit, shown per SI, decimals, min, max, group, from acquisition, member, choices, help
const std::array<ParamSpec, 36> kTable = {{
    {"recipe", "Recipe", "", 1, 0, 0, 1, kFormation, false, &P::recipe, kRecipes,
     "How channel data becomes a picture: analytic is right on any grid; course is the GPU short course's pipeline, for teaching."},
    {"sound_speed_m_s", "Speed of sound", "m/s", 1, 0, 1000, 2000, kFormation, true, &P::sound_speed_m_s, {},
     "Assumed speed of sound. A wrong value blurs points and shifts depths."},
    {"f_number", "F-number", "", 1, 2, 0, 10, kFormation, true, &P::f_number, {},
     "Depth over the width of the receive aperture. Small values sharpen, large ones suppress clutter near the array; 0 uses every element."},
    {"apodization", "Apodization", "", 1, 0, 0, 4, kFormation, false, &P::apodization, kApodizations,
     "Weights across the receive aperture. Tapering lowers the side lobes and widens the main lobe."},
    {"directivity", "Directivity", "", 1, 0, 0, 1, kFormation, false, &P::directivity, kOffOn,
     "Weights each echo by how well its element hears from that direction. Needs the element width."},
    {"precision", "Precision", "", 1, 0, 0, 1, kFormation, false, &P::precision, kPrecisions,
     "Of the channel data inside the GPU, where it has both (Hopper or newer, analytic recipe): fp16 is several times faster; the picture stays the same within a tenth of a decibel or so."},
    {"band_low_hz", "Band from", "MHz", 1e-6, 1, 0, 100e6, kFormation, true, &P::band_low_hz, {},
     "Lower edge of the band-pass filter: flat over the inner 80 % of the half width, zero at the edges."},
    {"band_high_hz", "Band to", "MHz", 1e-6, 1, 0, 100e6, kFormation, true, &P::band_high_hz, {},
     "Upper edge of the band-pass filter. A wide band resolves depth better, a narrow one lowers noise."},
    {"depth_min_m", "Depth from", "mm", 1e3, 1, -0.1, 0.5, kFormation, true, &P::depth_min_m, {},
     "Depth of the picture's first row."},
    {"depth_max_m", "Depth to", "mm", 1e3, 1, 0.0005, 0.5, kFormation, true, &P::depth_max_m, {},
     "Depth of the picture's last row. Less depth gives finer pixels or more frames a second."},
    {"lateral_min_m", "Lateral from", "mm", 1e3, 1, -0.3, 0.3, kFormation, true, &P::lateral_min_m, {},
     "Lateral position of the picture's first column."},
    {"lateral_max_m", "Lateral to", "mm", 1e3, 1, -0.3, 0.3, kFormation, true, &P::lateral_max_m, {},
     "Lateral position of the picture's last column."},
    {"grid_nx", "Columns", "px", 1, 0, 0, kMaxGridSide, kFormation, false, &P::grid_nx, {},
     "Columns of the picture, in a sector its lines; 0 chooses a third of a wavelength or of a beam."},
    {"grid_nz", "Rows", "px", 1, 0, 0, kMaxGridSide, kFormation, false, &P::grid_nz, {},
     "Rows of the picture, in a sector its radii; 0 chooses a third of a wavelength."},
    {"grid_kind", "Pixels", "", 1, 0, 0, 2, kFormation, false, &P::grid_kind, kGridKinds,
     "Where pixels are computed: cartesian in straight rows and columns, polar along the lines of a sector; auto is polar for convex and phased arrays."},
    {"sector_min_rad", "Sector from", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, kFormation, true, &P::sector_min_rad, {},
     "Direction of a sector's first line, from straight down towards the right."},
    {"sector_max_rad", "Sector to", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, kFormation, true, &P::sector_max_rad, {},
     "Direction of a sector's last line."},
    {"compounding", "Transmits", "", 1, 0, 0, 2, kFormation, false, &P::compounding, kCompoundings,
     "How transmits make a picture: coherent sums all at each pixel, lines gives each line the wave focused along it; auto takes lines where focused waves fan out."},
    {"reference_db", "Reference", "dB", 1, 1, -1000, 400, kFormation, true, &P::reference_db, {},
     "Level that is shown as 0 dB. Below -998: the brightest pixel of the first frame, then held."},
    {"flow", "Flow", "", 1, 0, 0, 3, kFlow, false, &P::flow, kFlowModes,
     "What moves, from successive frames: power Doppler, velocity (colour Doppler), or the low-rank picture of the loop. Needs the analytic recipe."},
    {"flow_frames", "Ensemble", "frames", 1, 0, 16, 512, kFlow, false, &P::flow_frames, {},
     "Frames that one flow picture is made of. More separate tissue and blood better and take longer."},
    {"flow_step", "Every", "frames", 1, 0, 1, 512, kFlow, false, &P::flow_step, {},
     "Frames from one flow picture to the next; ensembles overlap where this is less than their length."},
    {"wall_filter", "Wall filter", "", 1, 0, 0, 3, kFlow, false, &P::wall_filter, kWallFilters,
     "What takes tissue away: a high-pass filter of 129 taps, the fit of a polynomial, or the strongest singular components of the ensemble."},
    {"wall_order", "Order", "", 1, 0, 0, 12, kFlow, false, &P::wall_order, {},
     "Degree of the polynomial that is fitted to each pixel's frames and taken away; 0 takes the mean."},
    {"wall_cutoff", "Cut-off", "of Nyquist", 1, 2, 0.01, 0.9, kFlow, false, &P::wall_cutoff, {},
     "Doppler frequency below which the filter sees tissue, as a share of half the PRF. Also for the automatic choice of components."},
    {"svd_low", "From component", "", 1, 0, 0, 512, kFlow, false, &P::svd_low, {},
     "First singular component that is kept. 0 chooses: flow begins after the slow, strong components; the low-rank picture begins with 1."},
    {"svd_high", "To component", "", 1, 0, 0, 512, kFlow, false, &P::svd_high, {},
     "Last singular component that is kept. 0 chooses: flow ends where noise begins; the low-rank picture ends with the tissue."},
    {"flow_angle_rad", "Doppler angle", "°", 1.0 / kRadiansPerDegree, 0, -80.0 * kRadiansPerDegree, 80.0 * kRadiansPerDegree, kFlow, false, &P::flow_angle_rad, {},
     "Between the beam and the flow: velocities are divided by its cosine."},
    {"flow_prf_hz", "PRF", "Hz", 1, 0, 0, 1e6, kFlow, false, &P::flow_prf_hz, {},
     "Frames a second as they were acquired; 0 takes the recording's frame rate. Scales velocities and their aliasing limit."},
    {"flow_threshold_db", "Threshold", "dB", 1, 1, -200, 100, kFlow, false, &P::flow_threshold_db, {},
     "Flow is shown where its power is above this, on the picture's own scale."},
    {"flow_priority_db", "Priority", "dB", 1, 1, -200, 100, kFlow, false, &P::flow_priority_db, {},
     "Flow is shown where the picture is not brighter than this: above, tissue wins."},
    {"flow_persistence_s", "Persistence", "s", 1, 2, 0, 10, kFlow, false, &P::flow_persistence_s, {},
     "Flow pictures fade over this time, in the recording's time; 0 shows each as it is."},
    {"dynamic_range_db", "Dynamic range", "dB", 1, 0, 10, 120, kDisplay, false, &P::dynamic_range_db, {},
     "Echoes this far below white become black. A large range shows weak echoes and noise."},
    {"gain_db", "Gain", "dB", 1, 1, -60, 60, kDisplay, false, &P::gain_db, {},
     "Brightens or darkens the whole picture; the data stay as they are."},
    {"gamma", "Gamma", "", 1, 2, 0.2, 4, kDisplay, false, &P::gamma, {},
     "Above 1 darkens the middle greys, below 1 lifts them."},
    {"color_map", "Map", "", 1, 0, 0, 3, kDisplay, false, &P::color_map, kColorMaps,
     "Colours of the picture: gray, hot, viridis, or gray inverted."},
}};
// clang-format on

[[noreturn]] void refuse(std::string_view key, std::string_view found, const std::string& accepted) {
  throw Error("parameter " + std::string(key), "found '" + std::string(found) + "'", accepted);
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

}  // namespace

std::span<const ParamSpec> param_table() { return kTable; }

const ParamSpec* find_param(std::string_view key) {
  for (const ParamSpec& spec : param_table()) {
    if (spec.key == key) return &spec;
  }
  return nullptr;
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

std::string get_text(const ImagingParams& params, const ParamSpec& spec) {
  const double value = get_number(params, spec);
  if (!spec.choices.empty()) return std::string(spec.choices[static_cast<std::size_t>(value)]);
  return number_text(value);
}

void set_from_text(ImagingParams& params, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) throw Error("--set", "found '" + std::string(assignment) + "'", "KEY=VALUE");
  const std::string_view key = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) {
    std::string keys;
    for (const ParamSpec& known : param_table()) keys += (keys.empty() ? "" : ", ") + std::string(known.key);
    throw Error("--set", "found unknown parameter '" + std::string(key) + "'", keys);
  }
  if (!spec->choices.empty()) {
    const auto choice = std::find(spec->choices.begin(), spec->choices.end(), text);
    if (choice == spec->choices.end()) refuse(key, text, range_text(*spec));
    set_number(params, *spec, static_cast<double>(choice - spec->choices.begin()));
    return;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    refuse(key, text, "a number, " + range_text(*spec));
  }
  if (value < spec->min || value > spec->max) refuse(key, text, range_text(*spec));
  if (std::holds_alternative<int P::*>(spec->member) && value != std::floor(value)) {
    refuse(key, text, "a whole number, " + range_text(*spec));
  }
  set_number(params, *spec, value);
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
  if (p.sector_min_rad >= p.sector_max_rad && grid_kind(p, acquisition) == GridKind::polar) {
    refuse("sector_min_rad", number_text(p.sector_min_rad), "below sector_max_rad = " + number_text(p.sector_max_rad));
  }
  if (p.svd_low > 0 && p.svd_high > 0 && p.svd_low > p.svd_high) {
    refuse("svd_low", number_text(p.svd_low), "at most svd_high = " + number_text(p.svd_high));
  }
  if (p.flow != FlowMode::off && p.recipe != Recipe::analytic) {
    throw Error("parameter flow", "found the course recipe, whose pixels have no phase", "recipe=analytic");
  }
  if (p.flow == FlowMode::velocity && p.flow_prf_hz <= 0.0 && acquisition.frame_rate_hz <= 0.0) {
    throw Error("parameter flow", "found no frame rate in the recording to scale velocities with", "flow_prf_hz in Hz");
  }
  const double widest = acquisition.signal == SignalKind::iq ? acquisition.sampling_hz : 0.5 * acquisition.sampling_hz;
  if (p.recipe == Recipe::analytic && p.band_high_hz - p.band_low_hz > widest * 1.000001) {
    refuse("band_high_hz", number_text(p.band_high_hz),
           "a band at most " + number_text(widest) + " Hz wide: the data are sampled at " +
               number_text(acquisition.sampling_hz) + " Hz");
  }
}

std::string params_markdown_table() {
  std::string table = "| key | unit | range | default | what it does |\n|---|---|---|---|---|\n";
  const ImagingParams defaults;
  for (const ParamSpec& spec : param_table()) {
    const std::string_view si = spec.key.ends_with("_hz")    ? "Hz"
                                : spec.key.ends_with("_m")   ? "m"
                                : spec.key.ends_with("_rad") ? "rad"
                                                             : spec.unit;
    table += "| `" + std::string(spec.key) + "` | " + std::string(si) + " | " + range_text(spec) + " | " +
             (spec.from_acquisition ? "from the source" : get_text(defaults, spec)) + " | " + std::string(spec.help) +
             " |\n";
  }
  return table;
}

}  // namespace echoloop
