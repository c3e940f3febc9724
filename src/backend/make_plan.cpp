#include <algorithm>
#include <cmath>
#include <cstdio>

#include "backend/das_tables.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/units.h"
#include "dsp/fir_design.h"
#include "dsp/methods/methods.h"

namespace echoloop {
namespace {

// Rates and response of the analytic recipe's lines (Plan::band).

bool is_fast_size(int n) {
  for (const int factor : {2, 3, 5})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

int fast_fft_size(int at_least, int multiple_of) {
  int n = (at_least + multiple_of - 1) / multiple_of * multiple_of;
  while (!is_fast_size(n / multiple_of)) n += multiple_of;
  return n;
}

// Samples per hertz of band for linear interpolation of baseband lines: with 6, the image of points and speckle is
// within 0.15 dB rms of the exact one (0.33 dB with 4, for one plane wave and a narrow aperture). Just below 6: a band
// of exactly fs / 6 keeps fs.
constexpr double kSamplesPerHertz = 5.999;

// The same for the tuned path, whose filter compensates the loss of linear interpolation at the band's edges. The
// remaining images (34 dB down at the edges, with 4 samples per hertz of band) differ between elements and average out:
// reference images are within 0.03 dB rms (plane waves) and 0.06 dB (bandpass-sampled disk). Just below 4: a band of fs
// / 4, or slightly more, keeps fs.
constexpr double kPackedSamplesPerHertz = 3.9;

// Returns the lowest rates with that many samples per hertz of band; without the lines' response.
std::shared_ptr<BandPlan> make_rates(const BandInput& in, double samples_per_hertz) {
  const Acquisition& a = *in.acquisition;
  auto plan = std::make_shared<BandPlan>();
  const double width_hz = in.high_hz - in.low_hz, middle_hz = 0.5 * (in.low_hz + in.high_hz);
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
  // Adds a neighbour of 0 after the last row of a beamformed image, so that the row is shown.
  if (a.data == DataKind::beamformed) ++plan->n_valid;
  plan->line_rate_hz = a.sampling_hz * plan->n_out / plan->n_in;

  const double bin_hz = a.sampling_hz / plan->n_in;
  const double input_hz = plan->input == SignalKind::rf ? 0.0 : a.demod_hz;
  plan->bin_offset = static_cast<int>(std::lround((middle_hz - input_hz) / bin_hz));
  plan->demod_hz = input_hz + plan->bin_offset * bin_hz;
  plan->band_shift_hz = middle_hz - plan->demod_hz;
  return plan;
}

std::shared_ptr<const BandPlan> make_band(const BandInput& in) {
  const Acquisition& a = *in.acquisition;
  const auto plan = make_rates(in, kSamplesPerHertz);
  const double bin_hz = a.sampling_hz / plan->n_in;
  plan->response.resize(static_cast<std::size_t>(plan->n_out));
  for (int m = 0; m < plan->n_out; ++m) {
    if ((m & 0xfffff) == 0xfffff) check_long_work();
    const int signed_m = m < (plan->n_out + 1) / 2 ? m : m - plan->n_out;
    const double f_hz = plan->demod_hz + signed_m * bin_hz;
    double gain = band_response(f_hz, in.low_hz, in.high_hz);
    if (a.data == DataKind::beamformed) gain = std::abs(f_hz - a.demod_hz) <= 0.5 * a.sampling_hz ? 1.0 : 0.0;
    plan->response[static_cast<std::size_t>(m)] =
        static_cast<float>((plan->input == SignalKind::rf ? 2.0 : 1.0) * gain / plan->n_in);
  }
  return plan;
}

// Rates of the tuned path, whose own filter has the response: its lines need fewer samples.
std::shared_ptr<const PackedLines> make_packed_lines(const BandInput& in) {
  auto lines = std::make_shared<PackedLines>();
  lines->band = make_rates(in, kPackedSamplesPerHertz);
  lines->fir =
      make_packed_fir(*in.acquisition, in.low_hz, in.high_hz, lines->band->line_rate_hz, lines->band->demod_hz);
  lines->taps = make_packed_taps(lines->fir);
  return lines;
}

// Weights of the transmits; null: none.
struct TransmitWeights {
  std::shared_ptr<const std::vector<float>> all;  // equal at every pixel
  std::shared_ptr<const ConeTable> cones;
};

std::shared_ptr<const DasPlan> make_das(const Acquisition& a, const SumInput& sum, const BandPlan& band,
                                        std::shared_ptr<const DasTables> tables, TransmitWeights weights) {
  auto plan = std::make_shared<DasPlan>();
  const double wavelength_m = sum.sound_speed_m_s / a.center_hz;
  const bool directive = sum.directivity == Directivity::on && a.probe.element_width_m > 0.0;
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
      .bent = {.element_y_m = tables->element_y_m.empty() ? nullptr : tables->element_y_m.data(),
               .lens_m = static_cast<float>(a.probe.lens.thickness_m),
               .lens_index = a.probe.lens.refracts()
                                 ? static_cast<float>(sum.sound_speed_m_s / a.probe.lens.sound_speed_m_s)
                                 : 1.0F},
      .samples_per_m = static_cast<float>(band.line_rate_hz / sum.sound_speed_m_s),
      .turns_per_sample = static_cast<float>(band.demod_hz / band.line_rate_hz),
      .f_number = static_cast<float>(sum.f_number),
      .apodization = sum.apodization,
      .width_over_wavelength = directive ? static_cast<float>(a.probe.element_width_m / wavelength_m) : 0.0f};
  plan->tables = std::move(tables);
  plan->tx_weights = std::move(weights.all);
  plan->cones = std::move(weights.cones);
  return plan;
}

// Returns parameters for beamformed recordings: not filtered again, and each column is one element, with an aperture
// narrower than the pitch at every depth.
ImagingParams formation_params(const Acquisition& a, const ImagingParams& p) {
  ImagingParams own = p;
  if (a.data == DataKind::beamformed) {
    own.formation.f_number = 2.0 * std::max(p.formation.depth_max_m, a.probe.pitch_m) / a.probe.pitch_m;
    own.formation.apodization = Apodization::boxcar;
    own.formation.directivity = Directivity::off;
    // The whole band and slightly more: wider than the taps of a backend's filter (fir_conditioner.cpp), so that the
    // transform with make_band()'s response is used, which leaves every sample unchanged.
    own.formation.band_low_hz = a.demod_hz - 0.505 * a.sampling_hz;
    own.formation.band_high_hz = a.demod_hz + 0.505 * a.sampling_hz;
  }
  return own;
}

// Returns null if all are 1.
std::shared_ptr<const std::vector<float>> make_tx_weights(const WeightsInput& in) {
  if (in.window == Apodization::boxcar || in.formed->n_transmits() == 1) return nullptr;
  return std::make_shared<const std::vector<float>>(transmit_weights(in.window, *in.formed));
}

// `former`: tiles of the same tables, or null.
std::shared_ptr<const PackedFormation> make_formation(const PackedInput& in, const PackedPlan* former) {
  auto packed = std::make_shared<PackedFormation>();
  packed->band = in.lines->band;
  packed->fir = {in.lines, &in.lines->fir};
  packed->taps = {in.lines, &in.lines->taps};
  packed->das = make_das(*in.formed, in.sum, *packed->band, in.tables, {in.tx_weights, nullptr});
  packed->fir_parts = fir_parts(*packed->taps, packed->band->n_valid, in.device);
  if (packed->fir_parts == 0) {
    packed->why_not = "a filter of this length does not fit into the GPU's shared memory";
    return packed;
  }
  packed->tiles = choose_packed_plan(packed->das->geometry, in.device,
                                     may_be_together(*in.formed) ? kMostFramesAtOnce : 1, former, in.method);
  if (packed->tiles == nullptr)
    packed->why_not = "the delays across a tile of pixels do not fit into the GPU's shared memory";
  return packed;
}

// Returns `old` if its input equals `in`, otherwise the result of `make`. A hint only saves time.
template <class In, class Out, class... Hint>
PlanPart<In, Out> cached(const PlanPart<In, Out>& old, In in, std::shared_ptr<const Out> (*make)(const In&, Hint...),
                         std::type_identity_t<Hint>... hint) {
  if (old.in == in) return old;
  PlanPart<In, Out> made{make(in, hint...)};
  made.in = std::move(in);
  return made;
}

// Returns null if the tuned kernel can be used.
const char* never_in_half_precision(const Plan& plan, bool lines) {
  if (lines) return "scan lines are summed in single precision";
  if (plan.acquisition->data != DataKind::channels) return "beamformed data are processed in single precision";
  if (plan.das->geometry.bent.any()) return "refracted paths and matrix arrays are summed in single precision";
  if (plan.das->cones != nullptr) return "transmits weighed by their cones are summed in single precision";
  if (plan.method.shows_factor) return "the weight is shown in single precision";
  if (!packed_method(plan.method).has_value()) {
    return plan.method.method == Adaptive::coherence
               ? "the compounded coherence factor is computed in single precision"
               : "adaptive methods other than the coherence factor are computed in single precision";
  }
  if (packed_method(plan.method) == PackedMethod::coherence_of_transmits &&
      plan.acquisition->n_elements() > kMostBlockElements)
    return "the coherence factor of elements or transmits of more than 1024 elements is computed in single precision";
  return nullptr;
}

// Sets plan.packed if the device supports it, otherwise plan.why_fp32.
void add_packed(Plan& plan, const PlanParts& old, const BandInput& band, TablesInput tables, const SumInput& sum,
                const Multiprocessors& device) {
  PlanParts& parts = plan.parts;
  parts.packed_lines = cached(old.packed_lines, band, make_packed_lines);
  tables.band = parts.packed_lines->band;
  // The kernel's positions are floats of radians of receive phase, precise to 1e-3 up to this many.
  constexpr double kMostRadians = 1 << 14;
  const Grid& grid = tables.grid;
  const double far_m = std::max({std::abs(grid.z0_m), std::abs(grid.z1_m), std::abs(grid.x0_m), std::abs(grid.x1_m)});
  if (2.0 * kPi * tables.band->demod_hz / sum.sound_speed_m_s * far_m > kMostRadians) {
    plan.why_fp32 = "pixels more than 2600 wavelengths away are summed in single precision";
    return;
  }
  parts.packed_tables = cached(old.packed_tables, tables, make_das_tables);
  const bool same_tables = old.packed != nullptr && old.packed_tables == parts.packed_tables;
  parts.packed = cached(old.packed,
                        PackedInput{plan.formed, parts.packed_lines, parts.packed_tables, parts.tx_weights, sum, device,
                                    *packed_method(plan.method)},
                        make_formation, same_tables ? old.packed->tiles.get() : nullptr);
  plan.why_fp32 = parts.packed->why_not;
  if (plan.why_fp32 == nullptr) plan.packed = parts.packed;
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
  for (std::size_t k = 0; k < p.own_values.size(); ++k) made.own[k] = static_cast<float>(p.own_values[k]);
  if (p.adaptive != Adaptive::own || !reads_rows(p)) return made;
  made.own_rows = p.own->rows;  // elements, whose transmits are summed
  made.axis = AdaptiveAxis::elements;
  made.order = AdaptiveOrder::compounded;
  return made;
}

// tables: of one value per pixel and sum.
void require_grid(const Grid& grid, int sums, std::size_t tables = 1) {
  const std::string found = std::to_string(grid.nx) + " x " + std::to_string(grid.nz);
  if (grid.nx < 1 || grid.nz < 1 || grid.nx > kMaxGridSide || grid.nz > kMaxGridSide)
    throw Error("grid", found, "1 to " + std::to_string(kMaxGridSide) + " pixels per side");
  constexpr std::size_t kMaxTableEntries = std::size_t{1} << 30;  // 4 GiB of transmit delays
  const std::size_t most = kMaxTableEntries / (tables * static_cast<std::size_t>(sums));
  if (grid.pixels() > most)
    throw Error("grid", found + " for " + counted(sums, "transmit"), "at most " + std::to_string(most) + " pixels");
}

}  // namespace

BandPlan band_rates(const Acquisition& acquisition, const ImagingParams& params) {
  const ImagingParams own = formation_params(acquisition, params);
  return *make_rates(
      {AcquisitionPtr(AcquisitionPtr(), &acquisition), own.formation.band_low_hz, own.formation.band_high_hz},
      kSamplesPerHertz);
}

void check_params(const Acquisition& acquisition, const ImagingParams& params) {
  validate_params(params, acquisition);
  const Grid grid = make_grid(params, acquisition);
  const bool lines = forms_lines(params, acquisition);
  require_grid(grid, lines ? 1 : picked_transmits(params, acquisition).count, uses_cones(params, acquisition) ? 2 : 1);
  if (lines) require_grid(make_beam_grid(params, acquisition, grid), find_scan_lines(acquisition)->per_line);
  if (params.formation.recipe == Recipe::course) require_course(acquisition);
}

std::shared_ptr<const Plan> make_plan(const AcquisitionPtr& acquisition, const ImagingParams& params,
                                      const std::shared_ptr<const Plan>& previous, const Multiprocessors& device) {
  check_params(*acquisition, params);
  static const PlanParts kNone;
  const PlanParts& old = previous != nullptr ? previous->parts : kNone;
  auto plan = std::make_shared<Plan>();
  PlanParts& parts = plan->parts;
  plan->acquisition = acquisition;
  plan->params = params;
  plan->grid = make_grid(params, *acquisition);
  plan->pick = picked_transmits(params, *acquisition);
  parts.formed = cached(
      old.formed, FormedInput{acquisition, plan->pick},
      +[](const FormedInput& in) { return with_transmits(in.acquisition, in.pick); });
  plan->formed = parts.formed;
  const bool course = params.formation.recipe == Recipe::course;
  if (course || !shows_weight(params.formation)) {  // weights are not in dB
    parts.refine = cached(old.refine, RefineInput{params.refine, plan->grid}, make_refine_plan);
    plan->refine = parts.refine;
  }
  const double c_m_s = params.formation.sound_speed_m_s;
  if (course) {
    plan->course = parts.course = cached(old.course, CourseInput{plan->formed, c_m_s, plan->grid}, make_course);
    return plan;
  }
  const FormationParams own = formation_params(*acquisition, params).formation;
  const BandInput band{acquisition, own.band_low_hz, own.band_high_hz};
  plan->band = parts.band = cached(old.band, band, make_band);
  const TablesInput task{.formed = plan->formed,
                         .band = plan->band,
                         .grid = make_beam_grid(params, *acquisition, plan->grid),
                         .sound_speed_m_s = c_m_s,
                         .axes = picked_axes(*acquisition, plan->pick),
                         .lines = forms_lines(params, *acquisition)};
  if (task.grid != plan->grid) plan->scan = ScanGeometry{scan_axes(task.grid), scan_axes(plan->grid)};
  parts.tables = cached(old.tables, task, make_das_tables);
  if (uses_cones(params, *acquisition)) {
    const TransmitCones cones{params.transmits.cone, params.transmits.cone_f_number};
    parts.cones = cached(old.cones, ConesInput{plan->formed, cones, task.grid}, make_cones);
  } else if (!task.lines) {
    parts.tx_weights = cached(old.tx_weights, WeightsInput{plan->formed, params.transmits.window}, make_tx_weights);
  }
  const SumInput sum{c_m_s, own.f_number, own.apodization, own.directivity};
  plan->das = make_das(*plan->formed, sum, *plan->band, parts.tables, {parts.tx_weights, parts.cones});
  plan->method = make_method(*acquisition, params.formation, task.grid);
  const auto& method = params.formation.own;
  if (plan->method.method == Adaptive::own && method != nullptr && method->process != nullptr) {
    plan->process = method->process;  // on the pixels of delay-and-sum, or in their place
    plan->method.method = Adaptive::off;
  } else if (plan->method.method == Adaptive::own && method != nullptr) {
    const bool on_gpu = device.count > 0;
    if (method->kernels == nullptr && (on_gpu || method->code == nullptr))
      throw Error("adaptive", std::string("an own method compiled for ") + (on_gpu ? "the CPU" : "a GPU"),
                  "off or a built-in method", on_gpu ? "--backend cpu" : "--backend cuda");
  }
  if (plan->das->geometry.bent.any() && plan->method.method != Adaptive::off && device.count > 0) {
    throw Error("adaptive", "a method for refracted paths or a matrix array on a GPU", "off",
                "--backend cpu, or --set lens=straight");
  }
  if (params.formation.precision != Precision::fp16 || device.count == 0) return plan;
  const bool lines_for_process = plan->process != nullptr && (plan->process->input() == OwnInput::channels ||
                                                              plan->process->input() == OwnInput::lines);
  if (lines_for_process) {
    plan->why_fp32 = "lines for a method in another process";
    return plan;
  }
  plan->why_fp32 = never_in_half_precision(*plan, task.lines);
  if (plan->why_fp32 == nullptr) add_packed(*plan, old, band, task, sum, device);
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

namespace {

std::size_t size(int n) { return static_cast<std::size_t>(std::max(n, 0)); }

// Returns the bytes of one line: its filters' mixer and turns, and each thread's signals between them, or transforms.
std::size_t line_bytes(const BandPlan& band, std::size_t threads) {
  const std::size_t in = size(band.n_samples), out = size(band.n_out),
                    values = in * size(values_per_sample(band.input));
  const std::size_t filters = 4 * values + 16 * (in + out) + 8 * std::max(in, out);
  const std::size_t transforms = 24 * size(band.n_in) + 16 * out;
  return 8 * in + 8 * out + threads * std::max(filters, transforms);
}

}  // namespace

StreamBytes estimate_stream(const Acquisition& acquisition, const ImagingParams& params, int threads) {
  check_params(acquisition, params);
  const TransmitPick pick = picked_transmits(params, acquisition);
  const std::size_t lines = size(pick.count) * size(acquisition.n_elements());
  const Grid grid = make_grid(params, acquisition), beams = make_beam_grid(params, acquisition, grid);
  const bool forms = forms_lines(params, acquisition);
  const std::size_t sums = forms ? size(find_scan_lines(acquisition)->per_line) : size(pick.count);
  StreamBytes bytes{.plan = sums * (4 * beams.pixels() + 8 * size(beams.nz)),
                    .lane = 24 * grid.pixels() + 16 * beams.pixels()};
  if (uses_cones(params, acquisition)) bytes.plan += sums * (4 * beams.pixels() + sizeof(PixelSpan) * size(beams.nz));
  if (pick.every > 1) bytes.lane += acquisition.frame_bytes() / acquisition.transmits.size() * size(pick.count);
  bytes.device_lane = acquisition.frame_bytes() / acquisition.transmits.size() * size(pick.count) +
                      2 * sizeof(float) * grid.pixels() + sizeof(Complex) * beams.pixels();  // envelope, dB, pixels
  if (params.formation.adaptive != Adaptive::off) bytes.device_lane += sizeof(float) * beams.pixels();  // weights
  if (reads_rows(params.formation))
    bytes.device_lane +=
        std::min(kMostMethodScratch, sizeof(Complex) * beams.pixels() * size(acquisition.n_elements()));
  if (params.formation.recipe == Recipe::course) {
    bytes.lane += lines * size(acquisition.n_samples) * sizeof(float);
    return bytes;
  }
  const BandPlan band = band_rates(acquisition, params);
  bytes.plan += size(band.n_out) * sizeof(float);
  bytes.lane += line_bytes(band, size(threads)) +
                lines * (size(band.n_out) * sizeof(Complex) + size(band.n_valid) * sizeof(std::uint32_t));
  bytes.device_lane += params.formation.precision == Precision::fp16
                           ? lines * size(band.n_valid) * sizeof(std::uint32_t)
                           : lines * (4 * size(band.n_in) + 8 * size(band.n_out));
  return bytes;
}

}  // namespace echoloop
