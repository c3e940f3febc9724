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
     "Image formation: analytic is correct on any grid; course is the pipeline of the GPU short course, for teaching."},
    {"sound_speed_m_s", "Speed of sound", "m/s", 1, 0, 1000, 2000, kFormation, true, &P::sound_speed_m_s, {},
     "Assumed speed of sound. A wrong value blurs points and shifts depths."},
    {"f_number", "F-number", "", 1, 2, 0, 10, kFormation, true, &P::f_number, {},
     "Depth divided by the width of the receive aperture. Small values improve lateral resolution, large values suppress near-field clutter; 0 uses the full aperture."},
    {"apodization", "Apodization", "", 1, 0, 0, 4, kFormation, false, &P::apodization, kApodizations,
     "Weights across the receive aperture. A taper lowers the side lobes and widens the main lobe."},
    {"directivity", "Directivity", "", 1, 0, 0, 1, kFormation, false, &P::directivity, kOffOn,
     "Weights each echo by the directivity of the receiving element. Needs the element width."},
    {"precision", "Precision", "", 1, 0, 0, 1, kFormation, false, &P::precision, kPrecisions,
     "Precision of channel data on the GPU (fp16: Hopper or newer, analytic recipe). fp16 is several times faster; levels agree within about 0.1 dB."},
    {"band_low_hz", "Band from", "MHz", 1e-6, 1, 0, 100e6, kFormation, true, &P::band_low_hz, {},
     "Lower edge of the band-pass filter: flat over the inner 80 % of the half width, zero at the edges."},
    {"band_high_hz", "Band to", "MHz", 1e-6, 1, 0, 100e6, kFormation, true, &P::band_high_hz, {},
     "Upper edge of the band-pass filter. A wide band improves axial resolution, a narrow band lowers noise."},
    {"depth_min_m", "Depth from", "mm", 1e3, 1, -0.1, 0.5, kFormation, true, &P::depth_min_m, {},
     "Depth of the first image row."},
    {"depth_max_m", "Depth to", "mm", 1e3, 1, 0.0005, 0.5, kFormation, true, &P::depth_max_m, {},
     "Depth of the last image row. Less depth gives finer pixels or a higher frame rate."},
    {"lateral_min_m", "Lateral from", "mm", 1e3, 1, -0.3, 0.3, kFormation, true, &P::lateral_min_m, {},
     "Lateral position of the first image column."},
    {"lateral_max_m", "Lateral to", "mm", 1e3, 1, -0.3, 0.3, kFormation, true, &P::lateral_max_m, {},
     "Lateral position of the last image column. A narrow image has finer columns."},
    {"grid_nx", "Columns", "px", 1, 0, 0, kMaxGridSide, kFormation, false, &P::grid_nx, {},
     "Number of image columns (sector: lines); 0 selects a spacing of one third of a wavelength or beam."},
    {"grid_nz", "Rows", "px", 1, 0, 0, kMaxGridSide, kFormation, false, &P::grid_nz, {},
     "Number of image rows (sector: radii); 0 selects a spacing of one third of a wavelength."},
    {"grid_kind", "Grid type", "", 1, 0, 0, 2, kFormation, false, &P::grid_kind, kGridKinds,
     "Pixel grid: cartesian in rows and columns, polar along sector lines; auto is polar for convex and phased arrays."},
    {"sector_min_rad", "Sector from", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, kFormation, true, &P::sector_min_rad, {},
     "Direction of the first sector line, from the vertical towards the right."},
    {"sector_max_rad", "Sector to", "°", 1.0 / kRadiansPerDegree, 1, -0.5 * kPi, 0.5 * kPi, kFormation, true, &P::sector_max_rad, {},
     "Direction of the last sector line. A narrow sector has finer lines, unless each line is one transmit."},
    {"compounding", "Transmits", "", 1, 0, 0, 2, kFormation, false, &P::compounding, kCompoundings,
     "Compounding: coherent sums all transmits at each pixel, lines uses one focused transmit per scan line; auto selects lines for fans of focused beams."},
    {"transmit_first", "First transmit", "", 1, 0, 1, kMaxTransmits, kFormation, false, &P::transmit_first, {},
     "First transmit of the image, counted from 1. No effect where each scan line has one transmit."},
    {"transmit_last", "Last transmit", "", 1, 0, 0, kMaxTransmits, kFormation, false, &P::transmit_last, {},
     "Last transmit of the image; 0 is the last of the recording. Equal first and last: a single transmit."},
    {"transmit_every", "Transmit step", "", 1, 0, 1, kMaxTransmits, kFormation, false, &P::transmit_every, {},
     "Step between used transmits (1 = all, 2 = every second). Fewer transmits compute faster and show more clutter."},
    {"transmit_window", "Transmit window", "", 1, 0, 0, 4, kFormation, false, &P::transmit_window, kApodizations,
     "Weights across the transmits. A taper lowers the compounding side lobes; echoes coherent across transmits keep their level."},
    {"reference_db", "Reference", "dB", 1, 1, -1000, 400, kFormation, true, &P::reference_db, {},
     "Level shown as 0 dB. Below -998: the brightest pixel of the first frame, then fixed."},
    {"persistence_s", "Persistence", "s", 1, 2, 0, 5, kFormation, false, &P::persistence_s, {},
     "Time constant, in acquisition time, of an exponential average of the amplitude. Lowers noise, blurs motion; 0 is off. Replayed frames are not averaged."},
    {"median", "Median", "", 1, 0, 0, 2, kFormation, false, &P::median, kMedians,
     "Median of the levels around each pixel: removes isolated bright or dark pixels and preserves edges."},
    {"smooth_axial_m", "Axial smoothing", "mm", 1e3, 2, 0, 5e-3, kFormation, false, &P::smooth_axial_m, {},
     "Sigma of a Gaussian average of the levels along depth; 0 is off. Lowers speckle and resolution."},
    {"smooth_lateral_m", "Lateral smoothing", "mm", 1e3, 2, 0, 5e-3, kFormation, false, &P::smooth_lateral_m, {},
     "Sigma of a Gaussian average of the levels across the image (sector: across lines); 0 is off."},
    {"speckle_reduction", "Speckle reduction", "", 1, 2, 0, 1, kFormation, false, &P::speckle_reduction, {},
     "Strength of a bilateral filter of the levels (Tomasi and Manduchi, 1998), 7 x 7 pixels: averages differences below about 12 dB times this value and preserves stronger edges; 0 is off."},
    {"flow", "Flow", "", 1, 0, 0, 3, kFlow, false, &P::flow, kFlowModes,
     "Motion between successive frames: power Doppler, velocity (colour Doppler), or a low-rank reconstruction of the loop. Needs the analytic recipe."},
    {"flow_frames", "Ensemble", "frames", 1, 0, 16, 512, kFlow, false, &P::flow_frames, {},
     "Number of frames per flow image. More frames separate tissue and blood better and take longer."},
    {"flow_step", "Update interval", "frames", 1, 0, 1, 512, kFlow, false, &P::flow_step, {},
     "Frames between flow images; ensembles overlap if shorter than the ensemble."},
    {"wall_filter", "Wall filter", "", 1, 0, 0, 3, kFlow, false, &P::wall_filter, kWallFilters,
     "Tissue suppression: high-pass filter (129 taps), polynomial fit, or removal of the strongest singular components of the ensemble."},
    {"wall_order", "Order", "", 1, 0, 0, 12, kFlow, false, &P::wall_order, {},
     "Degree of the polynomial that is fitted to each pixel over the frames and subtracted; 0 subtracts the mean."},
    {"wall_cutoff", "Cut-off", "of Nyquist", 1, 2, 0.01, 0.9, kFlow, false, &P::wall_cutoff, {},
     "Doppler frequency below which signals count as tissue, as a fraction of half the PRF. Also used by the automatic choice of components."},
    {"svd_low", "From component", "", 1, 0, 0, 512, kFlow, false, &P::svd_low, {},
     "First retained singular component. 0 = automatic: after the slow, strong components for flow, 1 for the low-rank image."},
    {"svd_high", "To component", "", 1, 0, 0, 512, kFlow, false, &P::svd_high, {},
     "Last retained singular component. 0 = automatic: before the noise for flow, the last tissue component for the low-rank image."},
    {"flow_angle_rad", "Doppler angle", "°", 1.0 / kRadiansPerDegree, 0, -80.0 * kRadiansPerDegree, 80.0 * kRadiansPerDegree, kFlow, false, &P::flow_angle_rad, {},
     "Angle between beam and flow; velocities are divided by the cosine of this angle."},
    {"flow_prf_hz", "PRF", "Hz", 1, 0, 0, 1e6, kFlow, false, &P::flow_prf_hz, {},
     "Pulse repetition frequency: the acquisition frame rate; 0 uses the frame rate of the recording. Scales velocities and the aliasing limit."},
    {"flow_threshold_db", "Threshold", "dB", 1, 1, -200, 100, kFlow, false, &P::flow_threshold_db, {},
     "Flow is shown above this power, on the scale of the B-mode image."},
    {"flow_priority_db", "Priority", "dB", 1, 1, -200, 100, kFlow, false, &P::flow_priority_db, {},
     "Flow is shown where the B-mode level is below this value; brighter pixels show tissue."},
    {"flow_persistence_s", "Persistence", "s", 1, 2, 0, 10, kFlow, false, &P::flow_persistence_s, {},
     "Time constant of the decay of flow images, in acquisition time; 0 is off."},
    {"gate", "Sample volume", "", 1, 0, 0, 1, kFlow, false, &P::gate, kOffOn,
     "Spectral Doppler: velocity spectrum over time in a sample volume on the beam. Needs the analytic recipe and a PRF."},
    {"gate_x_m", "Sample volume position", "mm", 1e3, 1, -0.3, 0.3, kFlow, true, &P::gate_x_m, {},
     "Lateral position of the sample volume centre."},
    {"gate_z_m", "Sample volume depth", "mm", 1e3, 1, -0.1, 0.5, kFlow, true, &P::gate_z_m, {},
     "Depth of the sample volume centre."},
    {"gate_length_m", "Sample volume length", "mm", 1e3, 1, 0.2e-3, 20e-3, kFlow, false, &P::gate_length_m, {},
     "Length of the sample volume along the beam. A long sample volume lowers speckle in the spectrum and includes more slow flow at the vessel wall."},
    {"sonogram_frames", "Window", "frames", 1, 0, 16, 512, kFlow, false, &P::sonogram_frames, {},
     "Number of frames per spectrum. More frames improve velocity resolution and lower time resolution."},
    {"sonogram_cutoff_hz", "Wall filter", "Hz", 1, 0, 0, 1e5, kFlow, true, &P::sonogram_cutoff_hz, {},
     "Doppler shifts below this value are removed as tissue, by a polynomial fit to each window; 0 is off."},
    {"sonogram_range_db", "Range", "dB", 1, 0, 5, 100, kFlow, false, &P::sonogram_range_db, {},
     "Dynamic range of the Doppler spectrum: power this far below white is black."},
    {"sonogram_gain_db", "Gain", "dB", 1, 1, -60, 60, kFlow, false, &P::sonogram_gain_db, {},
     "Brightness of the Doppler spectrum. At 0 the strongest spectral line so far is white."},
    {"sonogram_baseline", "Baseline", "of the limit", 1, 2, -0.9, 0.9, kFlow, false, &P::sonogram_baseline, {},
     "Shift of zero velocity as a fraction of the aliasing limit; extends the range of the other direction."},
    {"structure", "Objects", "", 1, 0, 0, 2, kStructure, false, &P::structure, kStructures,
     "Segments objects against the background: bright targets or dark cysts, each with area, position and mean level."},
    {"structure_smooth_m", "Pre-smoothing", "mm", 1e3, 2, 0, 5e-3, kStructure, false, &P::structure_smooth_m, {},
     "Sigma of a Gaussian average of the levels before the threshold; 0 is off. Without smoothing, single speckles become objects."},
    {"structure_kappa", "Kappa", "sigma", 1, 1, 2, 10, kStructure, false, &P::structure_kappa, {},
     "Clipping limit: pixels more than this many sigma from the median are excluded from the background, iterated until convergence."},
    {"structure_sigmas", "Threshold", "sigma", 1, 1, 0, 20, kStructure, false, &P::structure_sigmas, {},
     "Distance of the object threshold from the background mean, in sigma of the background."},
    {"structure_area_m2", "Minimum area", "mm\u00B2", 1e6, 2, 0, 1e-2, kStructure, false, &P::structure_area_m2, {},
     "Smaller objects are ignored; 0 keeps every pixel."},
    {"tgc_1_db", "TGC 1", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_1_db, {},
     "Gain at the first image row (sector: first radius), display only: saved levels are unchanged."},
    {"tgc_2_db", "TGC 2", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_2_db, {},
     "Gain at step 2 of 8 from the first to the last row; linear between steps."},
    {"tgc_3_db", "TGC 3", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_3_db, {},
     "Gain at step 3 of 8 from the first to the last row; linear between steps."},
    {"tgc_4_db", "TGC 4", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_4_db, {},
     "Gain at step 4 of 8 from the first to the last row; linear between steps."},
    {"tgc_5_db", "TGC 5", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_5_db, {},
     "Gain at step 5 of 8 from the first to the last row; linear between steps."},
    {"tgc_6_db", "TGC 6", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_6_db, {},
     "Gain at step 6 of 8 from the first to the last row; linear between steps."},
    {"tgc_7_db", "TGC 7", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_7_db, {},
     "Gain at step 7 of 8 from the first to the last row; linear between steps."},
    {"tgc_8_db", "TGC 8", "dB", 1, 1, -40, 40, kDisplay, false, &P::tgc_8_db, {},
     "Gain at the last image row."},
    {"reject_db", "Reject", "dB", 1, 0, kNoReject_db, 0, kDisplay, false, &P::reject_db, {},
     "Echoes below this level (after TGC) are black; -120 is off. Hides noise and weak echoes."},
    {"dynamic_range_db", "Dynamic range", "dB", 1, 0, 10, 120, kDisplay, false, &P::dynamic_range_db, {},
     "Echoes this far below white are black. A large range shows weak echoes and noise."},
    {"gain_db", "Gain", "dB", 1, 1, -60, 60, kDisplay, false, &P::gain_db, {},
     "Brightness of the image; the data are unchanged."},
    {"gamma", "Gamma", "", 1, 2, 0.2, 4, kDisplay, false, &P::gamma, {},
     "Values above 1 darken mid-greys, values below 1 brighten mid-greys."},
    {"color_map", "Colour map", "", 1, 0, 0, 3, kDisplay, false, &P::color_map, kColorMaps,
     "Colour map of the image: gray, hot, viridis or inverted gray."},
}};
// clang-format on

}  // namespace

std::span<const ParamSpec> param_table() { return kTable; }

}  // namespace echoloop
