// Rows of the parameter table, in the order of the panels.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <type_traits>

#include "core/grid.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/params.h"
#include "core/units.h"

namespace echoloop {
namespace {

using P = ImagingParams;
constexpr std::array<ParamChoice, 2> kRecipes = {{{"analytic", "Analytic"}, {"course", "Course"}}};
constexpr std::array<ParamChoice, 5> kApodizations = {
    {{"boxcar", "Boxcar"}, {"hann", "Hann"}, {"hamming", "Hamming"}, {"tukey", "Tukey"}, {"gauss", "Gauss"}}};
constexpr std::array<ParamChoice, 2> kOffOn = {{{"off", "Off"}, {"on", "On"}}};
constexpr std::array<ParamChoice, 2> kPrecisions = {{{"fp32", "fp32"}, {"fp16", "fp16"}}};
constexpr std::array<ParamChoice, 3> kGridKinds = {{{"auto", "Auto", "polar for convex and phased"},
                                                    {"cartesian", "Cartesian", "rows and columns"},
                                                    {"polar", "Polar", "lines of a sector"}}};
constexpr std::array<ParamChoice, 3> kCompoundings = {{{"auto", "Auto", "lines for focused fans"},
                                                       {"coherent", "Coherent", "all transmits per pixel"},
                                                       {"lines", "Lines", "one transmit per line"}}};
constexpr std::array<ParamChoice, 4> kTransmitCones = {
    {{"off", "Off", "every transmit everywhere"}, {"boxcar", "Boxcar"}, {"hann", "Hann"}, {"tukey", "Tukey"}}};
constexpr std::array<ParamChoice, 3> kMedians = {{{"off", "Off"}, {"3x3", "3 \u00D7 3"}, {"5x5", "5 \u00D7 5"}}};
constexpr std::array<ParamChoice, 4> kFlowModes = {
    {{"off", "Off"}, {"power", "Power"}, {"velocity", "Velocity"}, {"low_rank", "Low rank"}}};
constexpr std::array<ParamChoice, 4> kWallFilters = {
    {{"none", "None"}, {"fir", "FIR high-pass"}, {"polynomial", "Polynomial"}, {"svd", "SVD"}}};
constexpr std::array<ParamChoice, 3> kObjectKinds = {{{"off", "Off"}, {"bright", "Bright"}, {"dark", "Dark"}}};
constexpr std::array<ParamChoice, 2> kLevelTrends = {{{"keep", "Keep"}, {"remove", "Remove"}}};
constexpr std::array<ParamChoice, 4> kColorMaps = {
    {{"gray", "Gray"}, {"hot", "Hot"}, {"viridis", "Viridis"}, {"inverted", "Inverted gray"}}};

constexpr ParamPlace kMore = ParamPlace::more;
constexpr ParamPlace kWide = ParamPlace::wide;
constexpr ParamScale kLog = ParamScale::logarithmic;
constexpr ParamSign kSigned = ParamSign::always;

template <auto part, auto field>
constexpr ParamMember at() {
  using Value = std::remove_cvref_t<decltype(P().*part.*field)>;
  constexpr ParamKind kKind = std::is_same_v<Value, double> ? ParamKind::number
                              : std::is_same_v<Value, int>  ? ParamKind::whole_number
                                                            : ParamKind::choice;
  return {.get = [](const P& p) { return static_cast<double>(p.*part.*field); },
          .set = [](P& p, double value) { p.*part.*field = static_cast<Value>(value); },
          .kind = kKind,
          .part = kPart<part>};
}

template <std::size_t step>
constexpr ParamMember tgc() {
  return {.get = [](const P& p) { return p.display.tgc_db[step]; },
          .set = [](P& p, double value) { p.display.tgc_db[step] = value; },
          .kind = ParamKind::number,
          .part = kPart<&P::display>};
}

// Conditions of visible rows.
bool has_flow(const ParamContext& c) { return c.params.color_flow.mode != FlowMode::off; }
bool filters_flow(const ParamContext& c) { return has_flow(c) && c.params.color_flow.mode != FlowMode::low_rank; }
bool selects_components(const ParamContext& c) {
  const ColorFlowParams& flow = c.params.color_flow;
  return flow.mode == FlowMode::low_rank || (has_flow(c) && flow.wall_filter == WallFilter::svd);
}
bool filters_by_polynomial(const ParamContext& c) {
  return filters_flow(c) && c.params.color_flow.wall_filter == WallFilter::polynomial;
}
bool has_cutoff(const ParamContext& c) {
  return selects_components(c) || (filters_flow(c) && c.params.color_flow.wall_filter == WallFilter::fir);
}
bool shows_velocity(const ParamContext& c) { return c.params.color_flow.mode == FlowMode::velocity; }
bool needs_prf(const ParamContext& c) {
  const bool rate_known = c.acquisition != nullptr && c.acquisition->frame_rate_hz > 0.0;
  return shows_velocity(c) || (has_flow(c) && !rate_known);
}
bool shows_overlay(const ParamContext& c) { return filters_flow(c); }
bool uses(const ParamContext& c, std::initializer_list<Adaptive> methods) {
  return std::ranges::find(methods, c.params.formation.adaptive) != methods.end();
}
bool is_of_another_process(const ParamContext& c) {
  const auto& own = c.params.formation.own;
  return uses(c, {Adaptive::own}) && own != nullptr && own->process != nullptr;
}
bool has_axis(const ParamContext& c) { return has_axes(c.params.formation) && !is_of_another_process(c); }
bool has_order(const ParamContext& c) {
  const bool elements = !has_axis(c) || c.params.formation.adaptive_axis == AdaptiveAxis::elements;
  if (is_of_another_process(c)) return false;
  return c.params.formation.adaptive != Adaptive::off && !reads_rows(c.params.formation) && elements;
}
bool has_strength(const ParamContext& c) { return is_weight(c.params.formation.adaptive) && !uses(c, {Adaptive::own}); }
bool has_shown_factor(const ParamContext& c) { return has_factor(c.params.formation); }
bool has_bins(const ParamContext& c) { return uses(c, {Adaptive::generalized}); }
bool has_root(const ParamContext& c) { return uses(c, {Adaptive::p_das}); }
bool has_lags(const ParamContext& c) { return is_coherence(c.params.formation); }
bool has_kernel(const ParamContext& c) { return reads_rows(c.params.formation); }
bool has_variance(const ParamContext& c) { return reads_row_channels(c.params.formation); }
bool has_cone(const ParamContext& c) { return c.params.transmits.cone != TransmitCone::off; }
bool has_gate(const ParamContext& c) { return c.params.doppler.gate != Gate::off; }
bool has_mask(const ParamContext& c) { return makes_mask(c.params.formation); }
bool has_objects(const ParamContext& c) { return c.params.objects.kind != ObjectKind::off; }

// Reasons why a parameter has no effect.
std::string_view with_course(const ParamContext& c, std::string_view reason) {
  return c.params.formation.recipe == Recipe::course ? reason : std::string_view();
}

std::string_view no_source(const ParamContext& c) { return c.acquisition == nullptr ? "No source." : ""; }

std::string_view beamformed_or_course(const ParamContext& c, std::string_view course_reason) {
  if (c.acquisition != nullptr && c.acquisition->data == DataKind::beamformed)
    return "Not available: the recording is already beamformed.";
  return with_course(c, course_reason);
}

std::string_view no_aperture(const ParamContext& c) {
  return beamformed_or_course(c, "The course recipe uses the full aperture.");
}

std::string_view no_filter(const ParamContext& c) {
  return beamformed_or_course(c, "The course recipe uses a fixed filter, 2.5 to 7.5 MHz.");
}

std::string_view no_weights(const ParamContext& c) {
  return beamformed_or_course(c, "The course recipe uses equal weights.");
}

std::string_view no_sector_grid(const ParamContext& c) {
  return with_course(c, "The course recipe uses a Cartesian grid.");
}

bool is_polar(const ParamContext& c) {
  return c.acquisition != nullptr && grid_kind(c.params, *c.acquisition) == GridKind::polar;
}

std::string_view no_lateral(const ParamContext& c) {
  return is_polar(c) ? "Not used with a polar grid: set the sector limits." : "";
}

std::string_view no_sector(const ParamContext& c) { return is_polar(c) ? "" : "Only for polar grids."; }

std::string_view no_scan_lines(const ParamContext& c) {
  const std::string_view why = with_course(c, "The course recipe compounds all transmits coherently.");
  if (!why.empty() || (c.acquisition != nullptr && find_scan_lines(*c.acquisition))) return why;
  return "Only for transmits focused along scan lines.";
}

std::string_view no_selection(const ParamContext& c) {
  if (c.acquisition == nullptr) return no_source(c);
  if (c.acquisition->n_transmits() == 1) return "The recording has a single transmit per frame.";
  if (forms_lines(c.params, *c.acquisition)) return "Each scan line needs the transmit focused along the line.";
  return {};
}

std::string_view no_transmit_weights(const ParamContext& c) {
  std::string_view why = no_selection(c);
  if (why.empty()) why = with_course(c, "The course recipe uses equal weights.");
  if (why.empty() && picked_transmits(c.params, *c.acquisition).count == 1) why = "Only one transmit is used.";
  if (why.empty() && uses_cones(c.params, *c.acquisition)) why = "The transmit cone weighs the transmits.";
  return why;
}

std::string_view no_cone(const ParamContext& c) {
  if (c.acquisition == nullptr) return no_source(c);
  const std::string_view why = beamformed_or_course(c, "The course recipe compounds all transmits coherently.");
  if (!why.empty()) return why;
  if (c.acquisition->n_transmits() == 1) return "The recording has a single transmit per frame.";
  if (!all_focused(*c.acquisition)) return "Only for focused transmits.";
  P on = c.params;
  on.transmits.cone = TransmitCone::boxcar;
  if (forms_lines(on, *c.acquisition)) return "Scan lines take one transmit each: set Transmits to Auto or Coherent.";
  return picked_transmits(on, *c.acquisition).count == 1 ? "Only one transmit is used." : "";
}

std::string_view no_method(const ParamContext& c) {
  if (c.acquisition != nullptr && c.acquisition->n_elements() < 2) return "Needs at least two elements.";
  return beamformed_or_course(c, "The course recipe has no complex channels.");
}

std::string_view no_axis(const ParamContext& c) {
  const std::string_view why = no_method(c);
  if (!why.empty() || c.acquisition == nullptr) return why;
  if (forms_lines(c.params, *c.acquisition)) return "Scan lines have one transmit each: elements only.";
  return picked_transmits(c.params, *c.acquisition).count < 2 ? "Only one transmit is used." : "";
}

std::string_view no_order(const ParamContext& c) {
  const std::string_view why = no_method(c);
  if (!why.empty() || c.acquisition == nullptr) return why;
  const bool one = !forms_lines(c.params, *c.acquisition) && picked_transmits(c.params, *c.acquisition).count < 2;
  return one ? "The same with one transmit." : "";
}

std::string_view no_half_precision(const ParamContext& c) {
  if (!c.no_half_precision.empty()) return c.no_half_precision;
  const std::string_view why = with_course(c, "The course recipe uses single precision.");
  if (!why.empty() || c.acquisition == nullptr) return why;
  const FormationParams& f = c.params.formation;
  if (!has_half_precision(f.adaptive, f.adaptive_axis, f.adaptive_order, f.adaptive_show)) {
    return f.adaptive == Adaptive::coherence ? "The weight and the compounded coherence factor use single precision."
                                             : "This adaptive method uses single precision.";
  }
  if (uses_cones(c.params, *c.acquisition)) return "Transmit cones use single precision.";
  const bool single = forms_lines(c.params, *c.acquisition) || c.acquisition->data == DataKind::beamformed;
  return single ? "Scan lines and beamformed recordings use single precision." : "";
}

std::string_view no_average(const ParamContext& c) { return c.frozen ? "Replayed frames are not averaged." : ""; }

std::string_view no_phase(const ParamContext& c) {
  if (c.acquisition == nullptr) return no_source(c);
  return with_course(c, "Not available with the course recipe: pixels without phase.");
}

std::string_view no_live_flow(const ParamContext& c) {
  const std::string_view why = no_phase(c);
  if (!why.empty() || !c.frozen) return why;
  return "History frames show the flow of the ensemble that ends with this frame, without persistence.";
}

std::string_view no_cutoff(const ParamContext& c) {
  const std::string_view why = no_phase(c);
  const ColorFlowParams& flow = c.params.color_flow;
  const int manual = flow.mode == FlowMode::low_rank ? flow.svd_high : flow.svd_low;
  return why.empty() && selects_components(c) && manual > 0 ? "The components are selected manually." : why;
}

std::string_view no_spectra(const ParamContext& c) {
  const std::string_view why = no_phase(c);
  if (!why.empty() || c.acquisition->frame_rate_hz > 0.0 || c.params.color_flow.prf_hz > 0.0) return why;
  return "The recording has no frame rate: set the PRF first.";
}

// One row a parameter:
// clang-format off
// key, label, unit, shown per SI, decimals, min, max, from acquisition, member, choices, help, control
const auto kTable = std::to_array<ParamSpec>({
    {"recipe", "Recipe", "", 1, 0, 0, 1, false, at<&P::formation, &FormationParams::recipe>(), kRecipes,
     "Image formation: analytic is correct on any grid; course is the pipeline of the GPU short course, for teaching."},
    {"sound_speed_m_s", "Speed of sound", "m/s", 1, 0, 100, 12000, true, at<&P::formation, &FormationParams::sound_speed_m_s>(), {},
     "Assumed speed of sound. A wrong value blurs points and shifts depths.",
     {.drag_min = 1300, .drag_max = 1800}},
    {"f_number", "F-number", "", 1, 2, 0, 10, true, at<&P::formation, &FormationParams::f_number>(), {},
     "Depth divided by the width of the receive aperture. Small values improve lateral resolution, large values suppress near-field clutter; 0 uses the full aperture.",
     {.drag_max = 5, .why_not = no_aperture}},
    {"band_low_hz", "Band from", "MHz", 1e-6, 1, 0, 10e9, true, at<&P::formation, &FormationParams::band_low_hz>(), {},
     "Lower edge of the band-pass filter: flat over the inner 80 % of the half width, zero at the edges.",
     {.why_not = no_filter}},
    {"band_high_hz", "Band to", "MHz", 1e-6, 1, 0, 10e9, true, at<&P::formation, &FormationParams::band_high_hz>(), {},
     "Upper edge of the band-pass filter. A wide band improves axial resolution, a narrow band lowers noise.",
     {.why_not = no_filter}},
    {"depth_min_m", "Depth from", "mm", 1e3, 1, -1, kMaxDepth_m, true, at<&P::formation, &FormationParams::depth_min_m>(), {},
     "Depth of the first image row."},
    {"depth_max_m", "Depth to", "mm", 1e3, 1, -1, kMaxDepth_m, true, at<&P::formation, &FormationParams::depth_max_m>(), {},
     "Depth of the last image row. Less depth gives finer pixels or a higher frame rate."},
    {"apodization", "Apodization", "", 1, 0, 0, 4, false, at<&P::formation, &FormationParams::apodization>(), kApodizations,
     "Weights across the receive aperture. A taper lowers the side lobes and widens the main lobe.",
     {.why_not = no_weights}},
    {"grid_nx", "Columns", "px", 1, 0, 0, kMaxGridSide, false, at<&P::formation, &FormationParams::grid_nx>(), {},
     "Number of image columns (sector: lines); 0 selects a spacing of one third of a wavelength or beam, wider where the image would exceed 240000 pixels."},
    {"grid_nz", "Rows", "px", 1, 0, 0, kMaxGridSide, false, at<&P::formation, &FormationParams::grid_nz>(), {},
     "Number of image rows (sector: radii); 0 selects a spacing of one third of a wavelength, wider where the image would exceed 240000 pixels."},
    {"grid_kind", "Grid type", "", 1, 0, 0, 2, false, at<&P::formation, &FormationParams::grid_kind>(), kGridKinds,
     "Pixel grid: cartesian in rows and columns, polar along sector lines; auto is polar for convex and phased arrays.",
     {.place = kMore, .why_not = no_sector_grid}},
    {"lateral_min_m", "Left edge", "mm", 1e3, 1, -10, 10, true, at<&P::formation, &FormationParams::lateral_min_m>(), {},
     "Left edge of the image.",
     {.place = kMore, .why_not = no_lateral}},
    {"lateral_max_m", "Right edge", "mm", 1e3, 1, -10, 10, true, at<&P::formation, &FormationParams::lateral_max_m>(), {},
     "Right edge of the image. A narrow image has finer columns.",
     {.place = kMore, .why_not = no_lateral}},
    {"sector_min_rad", "Sector from", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, true, at<&P::formation, &FormationParams::sector_min_rad>(), {},
     "Direction of the first sector line, from the vertical towards the right.",
     {.drag_min = -90, .drag_max = 90, .place = kMore, .why_not = no_sector}},
    {"sector_max_rad", "Sector to", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, true, at<&P::formation, &FormationParams::sector_max_rad>(), {},
     "Direction of the last sector line. A narrow sector has finer lines, unless each line is one transmit.",
     {.drag_min = -90, .drag_max = 90, .place = kMore, .why_not = no_sector}},
    {"compounding", "Transmits", "", 1, 0, 0, 2, false, at<&P::formation, &FormationParams::compounding>(), kCompoundings,
     "Compounding: coherent sums all transmits at each pixel, lines uses one focused transmit per scan line; auto selects lines for fans of focused beams.",
     {.place = kMore, .why_not = no_scan_lines}},
    {"transmit_first", "First transmit", "", 1, 0, 1, kMaxTransmits, false, at<&P::transmits, &TransmitParams::first>(), {},
     "First transmit of the image, counted from 1. No effect where each scan line has one transmit.",
     {.place = kMore, .why_not = no_selection}},
    {"transmit_last", "Last transmit", "", 1, 0, 0, kMaxTransmits, false, at<&P::transmits, &TransmitParams::last>(), {},
     "Last transmit of the image; 0 is the last of the recording. Equal first and last: a single transmit.",
     {.place = kMore, .why_not = no_selection}},
    {"transmit_every", "Transmit step", "", 1, 0, 1, kMaxTransmits, false, at<&P::transmits, &TransmitParams::every>(), {},
     "Step between used transmits (1 = all, 2 = every second). Fewer transmits compute faster and show more clutter.",
     {.place = kMore, .why_not = no_selection}},
    {"transmit_window", "Transmit window", "", 1, 0, 0, 4, false, at<&P::transmits, &TransmitParams::window>(), kApodizations,
     "Weights across the transmits. A taper lowers the compounding side lobes; echoes coherent across transmits keep their level.",
     {.place = kMore, .short_label = "Tx weights", .why_not = no_transmit_weights}},
    {"transmit_cone", "Transmit cone", "", 1, 0, 0, kTransmitCones.size() - 1, false, at<&P::transmits, &TransmitParams::cone>(), kTransmitCones,
     "Focused transmits: each pixel takes the beams in whose cone it lies, weighted by this window across the cone; the weights add up to 1. A pixel outside all cones takes the nearest beam. Compounds the beams instead of forming scan lines.",
     {.place = ParamPlace::more_or_set, .short_label = "Tx cone", .why_not = no_cone}},
    {"transmit_f_number", "Cone F-number", "", 1, 2, 0, 1000, true, at<&P::transmits, &TransmitParams::cone_f_number>(), {},
     "Focal distance divided by the width of the transmit aperture: the opening of the transmit cone, at least 1.5 beam spacings on either side (Tukey: 1.33). 0: every beam counts alike.",
     {.drag_max = 5, .place = ParamPlace::more_or_set, .short_label = "Cone F", .is_shown = has_cone, .why_not = no_cone}},
    {"directivity", "Directivity", "", 1, 0, 0, 1, false, at<&P::formation, &FormationParams::directivity>(), kOffOn,
     "Weights each echo by the directivity of the receiving element. Needs the element width.",
     {.place = kMore, .why_not = no_weights}},
    {"adaptive", "Method", "", 1, 0, 0, kAdaptiveMethods.size() - 1, false, at<&P::formation, &FormationParams::adaptive>(), kAdaptiveMethods,
     "Forms the image from the agreement of the channels of each pixel. Contrasts in dB are no longer those of the tissue: compare gCNR. Computed in single precision, without the tuned kernels: slower; the coherence factor, not compounded, also in half precision.",
     {.why_not = no_method}},
    {"adaptive_axis", "Channels", "", 1, 0, 0, kAdaptiveAxes.size() - 1, false, at<&P::formation, &FormationParams::adaptive_axis>(), kAdaptiveAxes,
     "Channels that are compared: elements, transmits (each summed over elements), or both at once. p_das, slsc and minimum_variance always compare elements.",
     {.is_shown = has_axis, .why_not = no_axis}},
    {"adaptive_order", "Order", "", 1, 0, 0, kAdaptiveOrders.size() - 1, false, at<&P::formation, &FormationParams::adaptive_order>(), kAdaptiveOrders,
     "Elements: weight the image of each transmit and sum, which is steadier, or sum the transmits of each element first. slsc and minimum_variance always sum first.",
     {.is_shown = has_order, .why_not = no_order}},
    {"adaptive_strength", "Strength", "", 1, 2, 0, 1, false, at<&P::formation, &FormationParams::adaptive_strength>(), {},
     "Coherence: 1 is the coherence factor, 0 the Wiener post-filter (Nilsen and Holm, 2010), which lowers incoherent echoes less. Generalized, phase: power of the weight; 0 is no weight.",
     {.is_shown = has_strength, .why_not = no_method}},
    {"adaptive_bins", "Frequencies", "", 1, 0, 0, kMostAdaptiveBins, false, at<&P::formation, &FormationParams::adaptive_bins>(), {},
     "Generalized coherence: spatial frequencies of the aperture on either side of straight ahead that count as signal; 0 is the coherence factor.",
     {.is_shown = has_bins, .why_not = no_method}},
    {"adaptive_root", "Root", "", 1, 2, 1, 8, false, at<&P::formation, &FormationParams::adaptive_root>(), {},
     "p-DAS: the p-th roots of the amplitudes are summed, and the sum is raised to the power p; 1 is delay-and-sum.",
     {.is_shown = has_root, .why_not = no_method}},
    {"adaptive_lags", "Lags", "elements", 1, 0, 1, 32, false, at<&P::formation, &FormationParams::adaptive_lags>(), {},
     "Short-lag coherence: the correlation of elements is averaged over these distances, from 1. Few lags show coarse structure, many sharpen the image.",
     {.is_shown = has_lags, .why_not = no_method}},
    {"adaptive_kernel_m", "Kernel", "mm", 1e3, 2, 0, kMostKernel_m, true, at<&P::formation, &FormationParams::adaptive_kernel_m>(), {},
     "Short-lag coherence and minimum variance: length along depth over which channels are compared; 0 is one row.",
     {.drag_max = 2, .place = kMore, .text_at_min = "one row", .is_shown = has_kernel, .why_not = no_method}},
    {"mv_elements", "Channels", "", 1, 0, 8, 128, false, at<&P::formation, &FormationParams::mv_elements>(), {},
     "Minimum variance: neighbouring elements are summed to at most this many channels. More channels suppress more and take longer, with the third power.",
     {.place = kMore, .is_shown = has_variance, .why_not = no_method}},
    {"mv_subarray", "Subarray", "of aperture", 1, 2, 0.1, 0.5, false, at<&P::formation, &FormationParams::mv_subarray>(), {},
     "Minimum variance: length of the subarrays that are averaged, as a fraction of the active aperture. Long ones resolve more, short ones are more robust.",
     {.place = kMore, .is_shown = has_variance, .why_not = no_method}},
    {"mv_loading", "Loading", "", 1, 4, 1e-4, 1000, false, at<&P::formation, &FormationParams::mv_loading>(), {},
     "Minimum variance: power added to the diagonal of the covariance matrix, relative to its mean. Large values approach delay-and-sum.",
     {.scale = kLog, .place = kMore, .is_shown = has_variance, .why_not = no_method}},
    {"adaptive_show", "Show", "", 1, 0, 0, kAdaptiveShows.size() - 1, false, at<&P::formation, &FormationParams::adaptive_show>(), kAdaptiveShows,
     "The image, or the factor of the method itself on a linear scale from 0 to 1, without image filters.",
     {.is_shown = has_shown_factor, .why_not = no_method}},
    {"precision", "Precision", "", 1, 0, 0, 1, false, at<&P::formation, &FormationParams::precision>(), kPrecisions,
     "Precision of channel data on the GPU (fp16: analytic recipe). fp16 is several times faster; levels agree within about 0.1 dB.",
     {.place = kMore, .why_not = no_half_precision}},
    {"reference_db", "Reference", "dB", 1, 1, -1000, 400, true, at<&P::level, &LevelParams::reference_db>(), {},
     "Level shown as 0 dB. Below -998: the brightest pixel of the first frame, then fixed."},
    {"persistence_s", "Persistence", "s", 1, 2, 0, 5, false, at<&P::refine, &RefineParams::persistence_s>(), {},
     "Time constant, in acquisition time, of an exponential average of the amplitude. Lowers noise, blurs motion; 0 is off. Replayed frames are not averaged.",
     {.drag_max = 2, .place = kWide, .text_at_min = "off", .why_not = no_average}},
    {"median", "Median", "", 1, 0, 0, 2, false, at<&P::refine, &RefineParams::median>(), kMedians,
     "Median of the levels around each pixel: removes isolated bright or dark pixels and preserves edges.",
     {.place = kMore}},
    {"smooth_axial_m", "Axial smoothing", "mm", 1e3, 2, 0, 5e-3, false, at<&P::refine, &RefineParams::smooth_axial_m>(), {},
     "Sigma of a Gaussian average of the levels along depth; 0 is off. Lowers speckle and resolution.",
     {.drag_max = 2, .place = kWide, .text_at_min = "off"}},
    {"smooth_lateral_m", "Lateral smoothing", "mm", 1e3, 2, 0, 5e-3, false, at<&P::refine, &RefineParams::smooth_lateral_m>(), {},
     "Sigma of a Gaussian average of the levels across the image (sector: across lines); 0 is off.",
     {.drag_max = 2, .place = kWide, .text_at_min = "off"}},
    {"speckle_reduction", "Speckle reduction", "", 1, 2, 0, 1, false, at<&P::refine, &RefineParams::speckle_reduction>(), {},
     "Strength of a bilateral filter of the levels (Tomasi and Manduchi, 1998), 7 x 7 pixels: averages differences below about 12 dB times this value and preserves stronger edges; 0 is off.",
     {.drag_max = 1, .place = kMore, .text_at_min = "off"}},
    {"edge_enhancement", "Edge enhancement", "", 1, 2, 0, 3, false, at<&P::refine, &RefineParams::edge_enhancement>(), {},
     "Strength of an unsharp mask of the levels: adds the difference from a 5 x 5 average, within the range of the 3 x 3 pixels around, so that edges become steeper without overshoot; 0 is off. Acts after the other filters.",
     {.drag_max = 2, .place = kMore, .text_at_min = "off"}},
    {"flow", "Flow", "", 1, 0, 0, 3, false, at<&P::color_flow, &ColorFlowParams::mode>(), kFlowModes,
     "Motion between successive frames: Doppler power in any direction, velocity along the beam from the phase change between frames (colour Doppler), or the image reconstructed from a few singular components of the last frames. Needs the analytic recipe.",
     {.why_not = no_phase, .turns_on = TurnsOn::pixel_analysis}},
    {"wall_filter", "Wall filter", "", 1, 0, 0, 3, false, at<&P::color_flow, &ColorFlowParams::wall_filter>(), kWallFilters,
     "Suppresses tissue echoes, which are slow and 20 to 60 dB stronger than blood: an FIR high-pass (129 taps) passes velocities above the cut-off, a polynomial fit removes slow drifts in each pixel, SVD removes motion common to the whole image.",
     {.is_shown = filters_flow, .why_not = no_phase}},
    {"wall_order", "Order", "", 1, 0, 0, 12, false, at<&P::color_flow, &ColorFlowParams::wall_order>(), {},
     "Degree of the polynomial that is fitted to each pixel over the frames and subtracted; 0 subtracts the mean.",
     {.is_shown = filters_by_polynomial, .why_not = no_phase}},
    {"wall_cutoff", "Cut-off", "of Nyquist", 1, 2, 0.01, 0.9, false, at<&P::color_flow, &ColorFlowParams::wall_cutoff>(), {},
     "Doppler frequency below which signals count as tissue, as a fraction of half the PRF. Also used by the automatic choice of components.",
     {.is_shown = has_cutoff, .why_not = no_cutoff}},
    {"svd_low", "From component", "", 1, 0, 0, 512, false, at<&P::color_flow, &ColorFlowParams::svd_low>(), {},
     "First retained singular component. 0 = automatic: after the slow, strong components for flow, 1 for the low-rank image.",
     {.is_shown = selects_components, .why_not = no_phase}},
    {"svd_high", "To component", "", 1, 0, 0, 512, false, at<&P::color_flow, &ColorFlowParams::svd_high>(), {},
     "Last retained singular component. 0 = automatic: before the noise for flow (all if no component exceeds the noise), the last tissue component for the low-rank image.",
     {.is_shown = selects_components, .why_not = no_phase}},
    {"flow_frames", "Ensemble", "frames", 1, 0, 16, 512, false, at<&P::color_flow, &ColorFlowParams::frames>(), {},
     "Number of frames per flow image. More frames separate tissue and blood better and take longer.",
     {.drag_min = 16, .drag_max = 512, .scale = kLog, .is_shown = has_flow, .why_not = no_phase}},
    {"flow_step", "Update interval", "frames", 1, 0, 1, 512, false, at<&P::color_flow, &ColorFlowParams::step>(), {},
     "Frames between flow images; ensembles overlap if shorter than the ensemble.",
     {.drag_min = 1, .drag_max = 128, .scale = kLog, .is_shown = has_flow, .why_not = no_live_flow}},
    {"flow_angle_rad", "Doppler angle", "°", 1.0 / kRadiansPerDegree, 0, -80.0 * kRadiansPerDegree, 80.0 * kRadiansPerDegree, false, at<&P::color_flow, &ColorFlowParams::angle_rad>(), {},
     "Angle between beam and flow; velocities are divided by the cosine of this angle.",
     {.is_shown = shows_velocity, .why_not = no_phase}},
    {"flow_prf_hz", "PRF", "Hz", 1, 0, 0, 1e6, false, at<&P::color_flow, &ColorFlowParams::prf_hz>(), {},
     "Pulse repetition frequency: the acquisition frame rate; 0 uses the frame rate of the recording. Scales velocities and the aliasing limit.",
     {.drag_max = 10000, .text_at_min = "as recorded", .is_shown = needs_prf, .why_not = no_phase}},
    {"flow_threshold_db", "Threshold", "dB", 1, 1, -200, 100, false, at<&P::color_flow, &ColorFlowParams::threshold_db>(), {},
     "Flow is shown above this power, on the scale of the B-mode image.",
     {.drag_min = -100, .is_shown = shows_overlay, .why_not = no_phase}},
    {"flow_priority_db", "Priority", "dB", 1, 1, -200, 100, false, at<&P::color_flow, &ColorFlowParams::priority_db>(), {},
     "Flow is shown where the B-mode level is below this value; brighter pixels show tissue.",
     {.drag_min = -80, .drag_max = 20, .is_shown = shows_overlay, .why_not = no_phase}},
    {"flow_persistence_s", "Persistence", "s", 1, 2, 0, 10, false, at<&P::color_flow, &ColorFlowParams::persistence_s>(), {},
     "Time constant of the decay of flow images, in acquisition time; 0 is off.",
     {.drag_max = 2, .text_at_min = "off", .is_shown = shows_overlay, .why_not = no_live_flow}},
    {"gate", "Sample volume", "", 1, 0, 0, 1, false, at<&P::doppler, &DopplerParams::gate>(), kOffOn,
     "Spectral Doppler: velocity spectrum over time in a sample volume on the beam. Needs the analytic recipe and a PRF.",
     {.why_not = no_spectra, .turns_on = TurnsOn::pixel_analysis}},
    {"gate_x_m", "Sample volume position", "mm", 1e3, 1, -10, 10, true, at<&P::doppler, &DopplerParams::x_m>(), {},
     "Lateral position of the sample volume centre.",
     {.is_shown = has_gate, .why_not = no_spectra}},
    {"gate_z_m", "Sample volume depth", "mm", 1e3, 1, -1, 10, true, at<&P::doppler, &DopplerParams::z_m>(), {},
     "Depth of the sample volume centre.",
     {.is_shown = has_gate, .why_not = no_spectra}},
    {"gate_length_m", "Sample volume length", "mm", 1e3, 1, 0.2e-3, 20e-3, false, at<&P::doppler, &DopplerParams::length_m>(), {},
     "Length of the sample volume along the beam. A long sample volume lowers speckle in the spectrum and includes more slow flow at the vessel wall.",
     {.drag_min = 0.2, .drag_max = 10, .scale = kLog, .is_shown = has_gate, .why_not = no_spectra}},
    {"sonogram_frames", "Window", "frames", 1, 0, 16, 512, false, at<&P::doppler, &DopplerParams::frames>(), {},
     "Number of frames per spectrum. More frames improve velocity resolution and lower time resolution.",
     {.drag_min = 16, .drag_max = 512, .scale = kLog, .is_shown = has_gate, .why_not = no_spectra}},
    {"sonogram_cutoff_hz", "Wall filter", "Hz", 1, 0, 0, 1e5, true, at<&P::doppler, &DopplerParams::cutoff_hz>(), {},
     "Doppler shifts below this value are removed as tissue, by a polynomial fit to each window; 0 is off.",
     {.drag_max = 500, .text_at_min = "off", .is_shown = has_gate, .why_not = no_spectra}},
    {"sonogram_range_db", "Range", "dB", 1, 0, 5, 100, false, at<&P::doppler, &DopplerParams::range_db>(), {},
     "Dynamic range of the Doppler spectrum: power this far below white is black.",
     {.drag_min = 10, .drag_max = 80, .is_shown = has_gate, .why_not = no_spectra}},
    {"sonogram_gain_db", "Gain", "dB", 1, 1, -60, 60, false, at<&P::doppler, &DopplerParams::gain_db>(), {},
     "Brightness of the Doppler spectrum. At 0 the strongest spectral line so far is white.",
     {.drag_min = -30, .drag_max = 30, .sign = kSigned, .is_shown = has_gate, .why_not = no_spectra}},
    {"sonogram_baseline", "Baseline", "of the limit", 1, 2, -0.9, 0.9, false, at<&P::doppler, &DopplerParams::baseline>(), {},
     "Shift of zero velocity as a fraction of the aliasing limit; extends the range of the other direction.",
     {.sign = kSigned, .is_shown = has_gate, .why_not = no_spectra}},
    {"structure", "Objects", "", 1, 0, 0, 2, false, at<&P::objects, &ObjectParams::kind>(), kObjectKinds,
     "Segments objects against the background, each with area, position and mean level. Bright: above the background, such as wires, calcifications and needles; dark: below, such as cysts and vessels.",
     {.why_not = no_source, .turns_on = TurnsOn::image_analysis}},
    {"structure_trend", "Level trend", "", 1, 0, 0, 1, false, at<&P::objects, &ObjectParams::trend>(), kLevelTrends,
     "Removal of the level trend along depth (near field, attenuation), then across the image (rim of the aperture), before the threshold: running median over half of the rows of each row's median level, and the same of the columns.",
     {.is_shown = has_objects, .why_not = no_source}},
    {"structure_smooth_m", "Pre-smoothing", "mm", 1e3, 2, 0, 5e-3, false, at<&P::objects, &ObjectParams::smooth_m>(), {},
     "Sigma of a Gaussian average of the levels before the threshold; 0 is off. Without smoothing, single speckles become objects.",
     {.drag_max = 2, .text_at_min = "none", .is_shown = has_objects, .why_not = no_source}},
    {"structure_kappa", "Kappa", "sigma", 1, 1, 2, 10, false, at<&P::objects, &ObjectParams::kappa>(), {},
     "Clipping limit: pixels more than this many sigma from the median are excluded from the background, iterated until convergence.",
     {.drag_min = 2, .drag_max = 6, .is_shown = has_objects, .why_not = no_source}},
    {"structure_sigmas", "Threshold", "sigma", 1, 1, 0, 20, false, at<&P::objects, &ObjectParams::sigmas>(), {},
     "Distance of the object threshold from the background mean, in sigma of the background.",
     {.drag_max = 10, .is_shown = has_objects, .why_not = no_source}},
    {"structure_area_m2", "Minimum area", "mm\u00B2", 1e6, 2, 0, 1e-2, false, at<&P::objects, &ObjectParams::min_area_m2>(), {},
     "Smaller objects are ignored; 0 keeps every pixel.",
     {.drag_max = 10, .text_at_min = "any", .is_shown = has_objects, .why_not = no_source}},
    {"dynamic_range_db", "Dynamic range", "dB", 1, 0, 10, 120, false, at<&P::display, &DisplayParams::dynamic_range_db>(), {},
     "Echoes this far below white are black. A large range shows weak echoes and noise."},
    {"gain_db", "Gain", "dB", 1, 1, -60, 60, false, at<&P::display, &DisplayParams::gain_db>(), {},
     "Brightness of the image; the data are unchanged.",
     {.drag_min = -40, .drag_max = 40, .sign = kSigned}},
    {"gamma", "Gamma", "", 1, 2, 0.2, 4, false, at<&P::display, &DisplayParams::gamma>(), {},
     "Values above 1 darken mid-greys, values below 1 brighten mid-greys.",
     {.drag_min = 0.25, .drag_max = 4, .scale = kLog, .place = kWide}},
    {"reject_db", "Reject", "dB", 1, 0, kNoReject_db, 0, false, at<&P::display, &DisplayParams::reject_db>(), {},
     "Echoes below this level (after TGC) are black; -120 is off. Hides noise and weak echoes.",
     {.place = ParamPlace::more_or_set, .text_at_min = "off"}},
    {"tgc_1_db", "TGC 1", "dB", 1, 1, -40, 40, false, tgc<0>(), {},
     "Gain at the first image row (sector: first radius), display only: saved levels are unchanged.",
     {.sign = kSigned, .place = kWide}},
    {"tgc_2_db", "TGC 2", "dB", 1, 1, -40, 40, false, tgc<1>(), {},
     "Gain at step 2 of 8 from the first to the last row; linear between steps.",
     {.sign = kSigned, .place = kWide}},
    {"tgc_3_db", "TGC 3", "dB", 1, 1, -40, 40, false, tgc<2>(), {},
     "Gain at step 3 of 8 from the first to the last row; linear between steps.",
     {.sign = kSigned, .place = kWide}},
    {"tgc_4_db", "TGC 4", "dB", 1, 1, -40, 40, false, tgc<3>(), {},
     "Gain at step 4 of 8 from the first to the last row; linear between steps.",
     {.sign = kSigned, .place = kWide}},
    {"tgc_5_db", "TGC 5", "dB", 1, 1, -40, 40, false, tgc<4>(), {},
     "Gain at step 5 of 8 from the first to the last row; linear between steps.",
     {.sign = kSigned, .place = kWide}},
    {"tgc_6_db", "TGC 6", "dB", 1, 1, -40, 40, false, tgc<5>(), {},
     "Gain at step 6 of 8 from the first to the last row; linear between steps.",
     {.sign = kSigned, .place = kWide}},
    {"tgc_7_db", "TGC 7", "dB", 1, 1, -40, 40, false, tgc<6>(), {},
     "Gain at step 7 of 8 from the first to the last row; linear between steps.",
     {.sign = kSigned, .place = kWide}},
    {"tgc_8_db", "TGC 8", "dB", 1, 1, -40, 40, false, tgc<7>(), {},
     "Gain at the last image row.",
     {.sign = kSigned, .place = kWide}},
    {"color_map", "Colour map", "", 1, 0, 0, 3, false, at<&P::display, &DisplayParams::color_map>(), kColorMaps,
     "Colour map of the image: gray, hot, viridis or inverted gray."},
    {"mirrored", "Mirrored", "", 1, 0, 0, 1, false, at<&P::display, &DisplayParams::mirrored>(), kOffOn,
     "Left and right of the displayed image exchanged; positions, numbers and saved data stay as they are.",
     {.place = kMore}},
    {"mask_opacity", "Mask opacity", "", 1, 2, 0, 1, false, at<&P::display, &DisplayParams::mask_opacity>(), {},
     "Opacity of the mask that a function of another program makes, over the image; 0: it is not drawn. Its areas are in the Measure panel.",
     {.text_at_min = "off", .is_shown = has_mask}},
});
// clang-format on

}  // namespace

std::span<const ParamSpec> param_table() { return kTable; }

}  // namespace echoloop
