#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "backend/das_tables.h"
#include "backend/fp16/fir_layout.h"
#include "backend/fp16/packed_plan.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/grid.h"
#include "core/long_work.h"
#include "core/param_table.h"
#include "core/units.h"
#include "dsp/fir_design.h"

namespace echoloop {
namespace {

// Rates and response of the analytic recipe's lines (Plan::band).

bool is_fast_size(int n) {
  for (const int factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

int fast_fft_size(int at_least, int multiple_of) {
  int n = (at_least + multiple_of - 1) / multiple_of * multiple_of;
  while (!is_fast_size(n / multiple_of)) n += multiple_of;
  return n;
}

// Linear interpolation of baseband lines: with 6 samples per hertz of band the image of points and speckle is within
// 0.15 dB rms of the exact one (0.33 dB with 4, for one plane wave and a narrow aperture). A hair below 6: a band of
// exactly fs / 6 keeps fs.
constexpr double kSamplesPerHertz = 5.999;

// The tuned path's filter gives back what linear interpolation takes from the band's edges. The images that it leaves
// (34 dB down at the edges, with 4 samples per hertz of band) differ from element to element and average out: reference
// images come out within 0.03 dB rms (plane waves) and 0.06 dB (bandpass-sampled disk). A little below 4: a band of
// fs / 4, or a hair more, keeps fs.
constexpr double kPackedSamplesPerHertz = 3.9;

// Lines at the lowest rate that has so many samples per hertz of band; without their response.
std::shared_ptr<BandPlan> make_rates(const Acquisition& a, const ImagingParams& p, double samples_per_hertz) {
  auto plan = std::make_shared<BandPlan>();
  const double width_hz = p.formation.band_high_hz - p.formation.band_low_hz;
  plan->input = a.signal;
  plan->band_width_hz = width_hz;
  plan->n_samples = a.n_samples;
  // Rates are powers of two times fs, so that both transforms keep the same bin width.
  int halvings = 0;
  while (halvings > -3 && std::ldexp(a.sampling_hz, -halvings) < samples_per_hertz * width_hz) --halvings;
  while (halvings < 6 && std::ldexp(a.sampling_hz, -halvings - 1) >= samples_per_hertz * width_hz) ++halvings;
  // The filter rings for the inverse of its transition band (a tenth of the band): pad so that it does not wrap around.
  const int ringing = static_cast<int>(std::min(2.0 * a.sampling_hz / (0.1 * width_hz), 0.5 * a.n_samples + 64.0));
  plan->n_in = fast_fft_size(a.n_samples + std::max(ringing, 16), 1 << std::max(halvings, 1));
  plan->n_out = halvings >= 0 ? plan->n_in >> halvings : plan->n_in << -halvings;
  plan->n_valid = static_cast<int>(static_cast<long long>(a.n_samples - 1) * plan->n_out / plan->n_in) + 1;
  // The last row of a finished image has a neighbour of 0, so that it is shown too.
  if (a.data == DataKind::beamformed) ++plan->n_valid;
  plan->line_rate_hz = a.sampling_hz * plan->n_out / plan->n_in;

  const double bin_hz = a.sampling_hz / plan->n_in;
  const double input_hz = plan->input == SignalKind::rf ? 0.0 : a.demod_hz;
  plan->bin_offset =
      static_cast<int>(std::lround((0.5 * (p.formation.band_low_hz + p.formation.band_high_hz) - input_hz) / bin_hz));
  plan->demod_hz = input_hz + plan->bin_offset * bin_hz;
  plan->band_shift_hz = 0.5 * (p.formation.band_low_hz + p.formation.band_high_hz) - plan->demod_hz;
  return plan;
}

std::shared_ptr<const BandPlan> make_band(const Acquisition& a, const ImagingParams& p) {
  const auto plan = make_rates(a, p, kSamplesPerHertz);
  const double bin_hz = a.sampling_hz / plan->n_in;
  plan->response.resize(static_cast<std::size_t>(plan->n_out));
  for (int m = 0; m < plan->n_out; ++m) {
    if ((m & 0xfffff) == 0xfffff) check_long_work();
    const int signed_m = m < (plan->n_out + 1) / 2 ? m : m - plan->n_out;
    const double f_hz = plan->demod_hz + signed_m * bin_hz;
    double gain = band_response(f_hz, p.formation.band_low_hz, p.formation.band_high_hz);
    if (a.data == DataKind::beamformed) gain = std::abs(f_hz - a.demod_hz) <= 0.5 * a.sampling_hz ? 1.0 : 0.0;
    plan->response[static_cast<std::size_t>(m)] =
        static_cast<float>((plan->input == SignalKind::rf ? 2.0 : 1.0) * gain / plan->n_in);
  }
  return plan;
}

// Of the tuned path, whose own filter has the response: its lines need fewer samples.
std::shared_ptr<const BandPlan> make_packed_rates(const Acquisition& a, const ImagingParams& p) {
  return make_rates(a, p, kPackedSamplesPerHertz);
}

// What weighs the transmits; null: nothing does.
struct TransmitWeights {
  std::shared_ptr<const std::vector<float>> all;  // at every pixel alike
  std::shared_ptr<const ConeTable> cones;
};

std::shared_ptr<const DasPlan> make_das(const Acquisition& a, const ImagingParams& p, const BandPlan& band,
                                        std::shared_ptr<const DasTables> tables, TransmitWeights weights) {
  auto plan = std::make_shared<DasPlan>();
  const double wavelength_m = p.formation.sound_speed_m_s / a.center_hz;
  const bool directive = p.formation.directivity == Directivity::on && a.probe.element_width_m > 0.0;
  plan->geometry = {
      .nx = tables->grid.nx,
      .nz = tables->grid.nz,
      .n_tx = tables->n_tx,
      .n_el = a.n_elements(),
      .n_line = band.n_out,
      .n_valid = band.n_valid,
      .x_m = tables->x_m.data(),
      .z_m = tables->z_m.data(),
      .down_m = tables->down_m.empty() ? nullptr : tables->down_m.data(),
      .apex_z_m = static_cast<float>(tables->grid.sector.apex_z_m),
      .columns = tables->columns.empty() ? nullptr : tables->columns.data(),
      .elements = tables->elements.data(),
      .row_base = tables->row_base.data(),
      .row_turns = tables->row_turns.data(),
      .tx_excess = tables->tx_excess.data(),
      .weights = {.all = weights.all != nullptr ? weights.all->data() : nullptr,
                  .cone = weights.cones != nullptr ? weights.cones->weights.data() : nullptr,
                  .cone_span = weights.cones != nullptr ? weights.cones->spans.data() : nullptr},
      .samples_per_m = static_cast<float>(band.line_rate_hz / p.formation.sound_speed_m_s),
      .turns_per_sample = static_cast<float>(band.demod_hz / band.line_rate_hz),
      .f_number = static_cast<float>(p.formation.f_number),
      .apodization = p.formation.apodization,
      .width_over_wavelength = directive ? static_cast<float>(a.probe.element_width_m / wavelength_m) : 0.0f};
  plan->tables = std::move(tables);
  plan->tx_weights = std::move(weights.all);
  plan->cones = std::move(weights.cones);
  return plan;
}

// A beamformed recording is not filtered again, and each column is one element: an aperture
// narrower than the pitch as far down as anything is.
ImagingParams formation_params(const Acquisition& a, const ImagingParams& p) {
  ImagingParams own = p;
  if (a.data == DataKind::beamformed) {
    own.formation.f_number = 2.0 * std::max(p.formation.depth_max_m, a.probe.pitch_m) / a.probe.pitch_m;
    own.formation.apodization = Apodization::boxcar;
    own.formation.directivity = Directivity::off;
    // All that there is, and a hair more: wider than the taps of a backend's filter can be (fir_conditioner.cpp), so
    // that the transform with make_band()'s response is used, which leaves every sample as it is.
    own.formation.band_low_hz = a.demod_hz - 0.505 * a.sampling_hz;
    own.formation.band_high_hz = a.demod_hz + 0.505 * a.sampling_hz;
  }
  return own;
}

// Null where they are all 1.
std::shared_ptr<const std::vector<float>> make_tx_weights(const ImagingParams& p, const Acquisition& a) {
  if (p.transmits.window == Apodization::boxcar || a.n_transmits() == 1) return nullptr;
  return std::make_shared<const std::vector<float>>(transmit_weights(p.transmits.window, a));
}

struct Kept {
  bool band = false;     // the previous plan's still holds
  bool tables = false;   // delays too
  bool weights = false;  // what weighs the elements, and the method, too
};

std::shared_ptr<const PackedFormation> make_packed(const Acquisition& a, const ImagingParams& p, const DasTask& task,
                                                   const std::shared_ptr<const PackedFormation>& old, Kept kept,
                                                   const Multiprocessors& device, PackedMethod method,
                                                   const char*& why_not,
                                                   const std::shared_ptr<const std::vector<float>>& tx_weights) {
  if (old != nullptr && kept.tables && kept.weights) return old;
  auto packed = std::make_shared<PackedFormation>();
  if (old != nullptr && kept.band) {
    packed->band = old->band;
    packed->fir = old->fir;
    packed->taps = old->taps;
  } else {
    packed->band = make_packed_rates(a, p);
    packed->fir =
        std::make_shared<const PackedFir>(make_packed_fir(a, p, packed->band->line_rate_hz, packed->band->demod_hz));
    packed->taps = std::make_shared<const PackedTaps>(make_packed_taps(*packed->fir));
  }
  // The kernel's positions are floats of radians of receive phase: so many to 1e-3 of one.
  constexpr double kMostRadians = 1 << 14;
  const Grid& grid = task.grid;
  const double far_m = std::max({std::abs(grid.z0_m), std::abs(grid.z1_m), std::abs(grid.x0_m), std::abs(grid.x1_m)});
  if (2.0 * kPi * packed->band->demod_hz / p.formation.sound_speed_m_s * far_m > kMostRadians) {
    why_not = "pixels more than 2600 wavelengths away are summed in single precision";
    return nullptr;
  }
  const bool same_tables = old != nullptr && kept.tables;
  packed->das = make_das(a, p, *packed->band, same_tables ? old->das->tables : make_das_tables(a, *packed->band, task),
                         {tx_weights, nullptr});
  packed->fir_parts = fir_parts(*packed->taps, packed->band->n_valid, device);
  if (packed->fir_parts == 0) {
    why_not = "a filter of this length does not fit into the GPU's shared memory";
    return nullptr;
  }
  packed->tiles = choose_packed_plan(packed->das->geometry, device, may_be_together(a) ? kMostFramesAtOnce : 1,
                                     same_tables ? old->tiles.get() : nullptr, method);
  if (packed->tiles != nullptr) return packed;
  why_not = "the delays across a tile of pixels do not fit into the GPU's shared memory";
  return nullptr;
}

// Null: the tuned kernel may do it.
const char* never_in_half_precision(const Plan& plan, bool lines) {
  if (lines) return "scan lines are summed in single precision";
  if (plan.acquisition->data != DataKind::channels) return "beamformed data are processed in single precision";
  if (plan.das->cones != nullptr) return "transmits weighed by their cones are summed in single precision";
  if (plan.method.shows_factor) return "the weight is shown in single precision";
  if (!packed_method(plan.method).has_value()) {
    return plan.method.method == Adaptive::coherence
               ? "the compounded coherence factor is computed in single precision"
               : "adaptive methods other than the coherence factor are computed in single precision";
  }
  if (packed_method(plan.method) == PackedMethod::coherence_of_transmits &&
      plan.acquisition->n_elements() > kMostBlockElements) {
    return "the coherence factor of elements or transmits of more than 1024 elements is computed in single precision";
  }
  return nullptr;
}

MethodSettings make_method(const Acquisition& a, const FormationParams& p, const Grid& grid) {
  MethodSettings made = {.method = p.adaptive,
                         .axis = p.adaptive_axis,
                         .order = p.adaptive_order,
                         .strength = static_cast<float>(p.adaptive_strength),
                         .bins = p.adaptive_bins,
                         .root = static_cast<float>(p.adaptive_root),
                         .lags = p.adaptive_lags,
                         .neighbours = (a.n_elements() + p.mv_elements - 1) / p.mv_elements,
                         .subarray = static_cast<float>(p.mv_subarray),
                         .loading = static_cast<float>(p.mv_loading),
                         .shows_factor = shows_weight(p)};
  if (grid.nz > 1) {
    const double rows = std::round(0.5 * p.adaptive_kernel_m / grid.dz_m());
    made.rows = static_cast<int>(std::min(rows, static_cast<double>(grid.nz)));
  }
  return made;
}

// tables: of one value a pixel and sum.
void require_grid(const Grid& grid, int sums, std::size_t tables = 1) {
  const std::string found = std::to_string(grid.nx) + " x " + std::to_string(grid.nz);
  if (grid.nx < 1 || grid.nz < 1 || grid.nx > kMaxGridSide || grid.nz > kMaxGridSide) {
    throw Error("grid", found, "1 to " + std::to_string(kMaxGridSide) + " pixels per side");
  }
  constexpr std::size_t kMaxTableEntries = std::size_t{1} << 30;  // 4 GiB of transmit delays
  const std::size_t most = kMaxTableEntries / (tables * static_cast<std::size_t>(sums));
  if (grid.pixels() > most) {
    throw Error("grid", found + " for " + counted(sums, "transmit"), "at most " + std::to_string(most) + " pixels");
  }
}

}  // namespace

BandPlan band_rates(const Acquisition& acquisition, const ImagingParams& params) {
  return *make_rates(acquisition, formation_params(acquisition, params), kSamplesPerHertz);
}

void check_params(const Acquisition& acquisition, const ImagingParams& params) {
  validate_params(params, acquisition);
  const Grid grid = make_grid(params, acquisition);
  const bool lines = forms_lines(params, acquisition);
  require_grid(grid, lines ? 1 : picked_transmits(params, acquisition).count, uses_cones(params, acquisition) ? 2 : 1);
  if (lines) {
    require_grid(make_beam_grid(params, acquisition, grid), find_scan_lines(acquisition)->per_line);
  }
  if (params.formation.recipe == Recipe::course) require_course(acquisition);
}

std::shared_ptr<const Plan> make_plan(const AcquisitionPtr& acquisition, const ImagingParams& params,
                                      const std::shared_ptr<const Plan>& previous, const Multiprocessors& device) {
  check_params(*acquisition, params);
  auto plan = std::make_shared<Plan>();
  plan->acquisition = acquisition;
  plan->params = params;
  plan->grid = make_grid(params, *acquisition);
  const bool comparable = previous != nullptr && previous->acquisition == acquisition;
  const ImagingParams& old = comparable ? previous->params : params;
  plan->pick = picked_transmits(params, *acquisition);
  const bool same_transmits = comparable && previous->pick == plan->pick;
  plan->formed = same_transmits ? previous->formed : with_transmits(acquisition, plan->pick);
  plan->refine = make_refine_plan(params, plan->grid, comparable ? previous->refine : nullptr);
  if (params.formation.recipe == Recipe::course) {
    const bool same = same_transmits && previous->course != nullptr && previous->grid == plan->grid &&
                      old.formation.sound_speed_m_s == params.formation.sound_speed_m_s;
    plan->course = same ? previous->course : make_course(*plan->formed, params, plan->grid);
    return plan;
  }
  const bool same_band = comparable && previous->band != nullptr &&
                         old.formation.band_low_hz == params.formation.band_low_hz &&
                         old.formation.band_high_hz == params.formation.band_high_hz;
  const ImagingParams own = formation_params(*acquisition, params);
  plan->band = same_band ? previous->band : make_band(*acquisition, own);
  const DasTask task{.grid = make_beam_grid(params, *acquisition, plan->grid),
                     .sound_speed_m_s = params.formation.sound_speed_m_s,
                     .axes = picked_axes(*acquisition, plan->pick),
                     .lines = forms_lines(params, *acquisition)};
  if (task.grid != plan->grid) plan->scan = ScanGeometry{scan_axes(task.grid), scan_axes(plan->grid)};
  const bool same_tables = same_band && same_transmits && previous->das != nullptr &&
                           previous->das->tables->grid == task.grid &&
                           previous->das->tables->columns.empty() == !task.lines &&
                           old.formation.sound_speed_m_s == params.formation.sound_speed_m_s;
  const bool cones = uses_cones(params, *acquisition);
  const bool same_cones = cones && same_transmits && previous->das != nullptr && previous->das->cones != nullptr &&
                          previous->das->tables->grid == task.grid && old.transmits.cone == params.transmits.cone &&
                          old.transmits.cone_f_number == params.transmits.cone_f_number;
  const bool same_tx_weights = !cones && same_transmits && previous->das != nullptr && !task.lines &&
                               previous->das->tables->columns.empty() && previous->das->cones == nullptr &&
                               old.transmits.window == params.transmits.window;
  const auto tx_weights = same_tx_weights       ? previous->das->tx_weights
                          : task.lines || cones ? nullptr
                                                : make_tx_weights(params, *plan->formed);
  plan->das = make_das(*plan->formed, own, *plan->band,
                       same_tables ? previous->das->tables : make_das_tables(*plan->formed, *plan->band, task),
                       {.all = tx_weights,
                        .cones = same_cones ? previous->das->cones
                                 : cones    ? make_cones(*plan->formed, params.transmits, task.grid)
                                            : nullptr});
  plan->method = make_method(*acquisition, params.formation, task.grid);
  if (params.formation.precision != Precision::fp16 || device.count == 0) return plan;
  plan->why_fp32 = never_in_half_precision(*plan, task.lines);
  if (plan->why_fp32 == nullptr) {
    const bool same_weights = old.formation.f_number == params.formation.f_number &&
                              old.formation.apodization == params.formation.apodization &&
                              old.formation.directivity == params.formation.directivity && same_tx_weights &&
                              packed_method(previous->method) == packed_method(plan->method);
    plan->packed = make_packed(*plan->formed, params, task, comparable ? previous->packed : nullptr,
                               {.band = same_band, .tables = same_tables, .weights = same_weights}, device,
                               *packed_method(plan->method), plan->why_fp32, tx_weights);
  }
  return plan;
}

std::string formation_warning(const Acquisition& acquisition, const ImagingParams& params) {
  if (params.formation.recipe != Recipe::course) return {};
  const double finest_m = params.formation.sound_speed_m_s / (4.0 * kCourseHighHz);
  const double step_m = make_grid(params, acquisition).dz_m();
  if (step_m <= finest_m) return {};
  char text[200];
  std::snprintf(text, sizeof text,
                "Course recipe: the axial step of %.3f mm aliases the summed RF (maximum %.3f mm = c / (4 x 7.5 MHz)); "
                "point targets may lose up to 29 dB",
                step_m * 1e3, finest_m * 1e3);
  return text;
}

}  // namespace echoloop
