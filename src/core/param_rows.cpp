// The rows of the parameter table.
#include <array>

#include "core/param_table.h"
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
constexpr std::array<std::string_view, 3> kMedians = {"off", "3x3", "5x5"};
constexpr std::array<std::string_view, 4> kFlowModes = {"off", "power", "velocity", "low_rank"};
constexpr std::array<std::string_view, 4> kWallFilters = {"none", "fir", "polynomial", "svd"};
constexpr std::array<std::string_view, 3> kStructures = {"off", "bright", "dark"};
constexpr std::array<std::string_view, 4> kColorMaps = {"gray", "hot", "viridis", "inverted"};

constexpr ParamGroup kFormation = ParamGroup::formation;
constexpr ParamGroup kFlow = ParamGroup::flow;
constexpr ParamGroup kStructure = ParamGroup::structure;
constexpr ParamGroup kDisplay = ParamGroup::display;

// One row a parameter:
// clang-format off
// key, label, unit, shown per SI, decimals, min, max, group, from acquisition, member, choices, help
const std::array<ParamSpec, 68> kTable = {{
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
     "Lateral position of the picture's last column. A narrow picture has finer columns."},
    {"grid_nx", "Columns", "px", 1, 0, 0, kMaxGridSide, kFormation, false, &P::grid_nx, {},
     "Columns of the picture, in a sector its lines; 0 chooses a third of a wavelength or of a beam."},
    {"grid_nz", "Rows", "px", 1, 0, 0, kMaxGridSide, kFormation, false, &P::grid_nz, {},
     "Rows of the picture, in a sector its radii; 0 chooses a third of a wavelength."},
    {"grid_kind", "Pixels", "", 1, 0, 0, 2, kFormation, false, &P::grid_kind, kGridKinds,
     "Where pixels are computed: cartesian in straight rows and columns, polar along the lines of a sector; auto is polar for convex and phased arrays."},
    {"sector_min_rad", "Sector from", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, kFormation, true, &P::sector_min_rad, {},
     "Direction of a sector's first line, from straight down towards the right."},
    {"sector_max_rad", "Sector to", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, kFormation, true, &P::sector_max_rad, {},
     "Direction of a sector's last line. A narrow sector has finer lines, unless each is a transmit."},
    {"compounding", "Transmits", "", 1, 0, 0, 2, kFormation, false, &P::compounding, kCompoundings,
     "How transmits make a picture: coherent sums all at each pixel, lines gives each line the wave focused along it; auto takes lines where focused waves fan out."},
    {"transmit_first", "First transmit", "", 1, 0, 1, kMaxTransmits, kFormation, false, &P::transmit_first, {},
     "First of the transmits that make the picture, counted from 1. Not where each line has a transmit of its own."},
    {"transmit_last", "Last transmit", "", 1, 0, 0, kMaxTransmits, kFormation, false, &P::transmit_last, {},
     "Last of the transmits that make the picture; 0 is the last of the recording. First and last alike: one transmit alone."},
    {"transmit_every", "Every", "", 1, 0, 1, kMaxTransmits, kFormation, false, &P::transmit_every, {},
     "Takes each, every second, every third ... of these transmits: fewer compute faster and show more clutter."},
    {"transmit_window", "Transmit window", "", 1, 0, 0, 4, kFormation, false, &P::transmit_window, kApodizations,
     "Weights across these transmits, from left to right. Tapering lowers the side lobes of compounding; what all agree on keeps its level."},
    {"reference_db", "Reference", "dB", 1, 1, -1000, 400, kFormation, true, &P::reference_db, {},
     "Level that is shown as 0 dB. Below -998: the brightest pixel of the first frame, then held."},
    {"persistence_s", "Persistence", "s", 1, 2, 0, 5, kFormation, false, &P::persistence_s, {},
     "Averages the amplitude over the frames before, which fade with this time constant of the acquisition's own time. Calms noise, smears what moves; 0 is off. A frame that is looked at again stands alone."},
    {"median", "Median", "", 1, 0, 0, 2, kFormation, false, &P::median, kMedians,
     "Median of the decibels around each pixel: takes away single bright or dark ones and keeps edges."},
    {"smooth_axial_m", "Smooth in depth", "mm", 1e3, 2, 0, 5e-3, kFormation, false, &P::smooth_axial_m, {},
     "Gaussian average of the decibels along the depth, one sigma long; 0 is off. Calms speckle, costs resolution."},
    {"smooth_lateral_m", "Smooth across", "mm", 1e3, 2, 0, 5e-3, kFormation, false, &P::smooth_lateral_m, {},
     "Gaussian average of the decibels across the picture, in a sector across its lines, one sigma long; 0 is off."},
    {"speckle_reduction", "Speckle reduction", "", 1, 2, 0, 1, kFormation, false, &P::speckle_reduction, {},
     "Bilateral filter of the decibels (Tomasi and Manduchi, 1998), 7 x 7 pixels: averages what differs by less than about 12 dB times this and keeps stronger edges; 0 is off."},
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
    {"gate", "Gate", "", 1, 0, 0, 1, kFlow, false, &P::gate, kOffOn,
     "Spectral Doppler: velocities over time of the echoes in a gate on the beam. Needs the analytic recipe and a PRF."},
    {"gate_x_m", "Gate at", "mm", 1e3, 1, -0.3, 0.3, kFlow, true, &P::gate_x_m, {},
     "Lateral position of the gate's middle."},
    {"gate_z_m", "Gate depth", "mm", 1e3, 1, -0.1, 0.5, kFlow, true, &P::gate_z_m, {},
     "Depth of the gate's middle."},
    {"gate_length_m", "Gate length", "mm", 1e3, 1, 0.2e-3, 20e-3, kFlow, false, &P::gate_length_m, {},
     "Length of the gate along the beam. A long gate has sharper velocities and less speckle, and hears more of the vessel's slow borders."},
    {"sonogram_frames", "Window", "frames", 1, 0, 16, 512, kFlow, false, &P::sonogram_frames, {},
     "Frames that one spectrum is made of. More separate velocities better and blur what changes quickly."},
    {"sonogram_cutoff_hz", "Wall filter", "Hz", 1, 0, 0, 1e5, kFlow, true, &P::sonogram_cutoff_hz, {},
     "Doppler shifts below this are taken away as tissue, by a polynomial fitted to each window; 0 keeps everything."},
    {"sonogram_range_db", "Range", "dB", 1, 0, 5, 100, kFlow, false, &P::sonogram_range_db, {},
     "Powers this far below white become black in the sonogram."},
    {"sonogram_gain_db", "Gain", "dB", 1, 1, -60, 60, kFlow, false, &P::sonogram_gain_db, {},
     "Brightens or darkens the sonogram. At 0 its brightest velocity so far is white."},
    {"sonogram_baseline", "Baseline", "of the limit", 1, 2, -0.9, 0.9, kFlow, false, &P::sonogram_baseline, {},
     "Moves zero velocity up or down by a share of the aliasing limit: the other direction gets the room."},
    {"structure", "Objects", "", 1, 0, 0, 2, kStructure, false, &P::structure, kStructures,
     "Finds what stands out of the picture's background: bright targets or dark cysts, each with area, place and mean level."},
    {"structure_smooth_m", "Smooth first", "mm", 1e3, 2, 0, 5e-3, kStructure, false, &P::structure_smooth_m, {},
     "Gaussian average of the decibels before the threshold, one sigma long; 0 is none. Without it every speckle is an object."},
    {"structure_kappa", "Kappa", "sigma", 1, 1, 2, 10, kStructure, false, &P::structure_kappa, {},
     "The background is what lies within so many sigma of its own median: what does not is clipped, again and again, until nothing changes."},
    {"structure_sigmas", "Threshold", "sigma", 1, 1, 0, 20, kStructure, false, &P::structure_sigmas, {},
     "An object is what lies so many sigma of the background above its mean, or below it."},
    {"structure_area_m2", "Smallest object", "mm\u00B2", 1e6, 2, 0, 1e-2, kStructure, false, &P::structure_area_m2, {},
     "Objects of a smaller area are left out; 0 keeps every pixel."},
    {"tgc_1_db", "TGC 1", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_1_db, {},
     "Gain at the picture's first row (of a sector: at its first radius), on the screen only: saved levels stay as they are."},
    {"tgc_2_db", "TGC 2", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_2_db, {},
     "Gain at step 2 of 8 from the first row to the last; linear between the steps."},
    {"tgc_3_db", "TGC 3", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_3_db, {},
     "Gain at step 3 of 8 from the first row to the last; linear between the steps."},
    {"tgc_4_db", "TGC 4", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_4_db, {},
     "Gain at step 4 of 8 from the first row to the last; linear between the steps."},
    {"tgc_5_db", "TGC 5", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_5_db, {},
     "Gain at step 5 of 8 from the first row to the last; linear between the steps."},
    {"tgc_6_db", "TGC 6", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_6_db, {},
     "Gain at step 6 of 8 from the first row to the last; linear between the steps."},
    {"tgc_7_db", "TGC 7", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_7_db, {},
     "Gain at step 7 of 8 from the first row to the last; linear between the steps."},
    {"tgc_8_db", "TGC 8", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_8_db, {},
     "Gain at the picture's last row."},
    {"reject_db", "Reject", "dB", 1, 0, kNoReject_db, 0, kDisplay, false, &P::reject_db, {},
     "Echoes below this level, with the TGC's gain, are black; -120 is off. Hides noise, and weak echoes with it."},
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

}  // namespace

std::span<const ParamSpec> param_table() { return kTable; }

}  // namespace echoloop
