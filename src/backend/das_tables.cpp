#include "backend/das_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/error.h"
#include "dsp/das.h"
#include "dsp/fir_design.h"

namespace echoloop {
namespace {

constexpr std::size_t kLongWork = std::size_t{1} << 22;  // pixels of one transmit: a large part of a second

double fraction(double v) { return v - std::floor(v); }

double iq_turns(const Acquisition& a, const BandPlan& band, int tx) {
  return band.input == SignalKind::rf ? 0.0 : a.demod_hz * a.transmits[static_cast<std::size_t>(tx)].t0_s;
}

void set_axes(DasTables& t) {
  const Grid& g = t.grid;
  for (int ix = 0; ix < g.nx; ++ix) {
    if (g.polar()) t.down_m.push_back(static_cast<float>(std::cos(g.angle_rad(ix))));
    t.x_m.push_back(static_cast<float>(g.polar() ? std::sin(g.angle_rad(ix)) : g.x_m(ix)));
  }
  for (int iz = 0; iz < g.nz; ++iz) t.z_m.push_back(static_cast<float>(g.polar() ? g.r_m(iz) : g.z_m(iz)));
}

// Sets the transmits of each line, nearest first; columns between unevenly spaced lines use their neighbour's.
void set_columns(DasTables& t, const Acquisition& a, const BandPlan& band) {
  const ScanLines lines = *find_scan_lines(a);
  const auto nx = static_cast<std::size_t>(t.grid.nx);
  t.n_tx = lines.per_line;
  t.columns.assign(static_cast<std::size_t>(t.n_tx) * nx, {.transmit = -1, .turns = 0.0f});
  for (int ix = 0; ix < t.grid.nx; ++ix) {
    const double at = t.grid.polar() ? t.grid.angle_rad(ix) : t.grid.x_m(ix);
    const auto distance = [&](int tx) { return std::abs(lines.at[static_cast<std::size_t>(tx)] - at); };
    std::vector<int> near;
    int nearest = 0;
    for (int tx = 0; tx < a.n_transmits(); ++tx) {
      if (line_of(lines, static_cast<std::size_t>(tx)) == ix) near.push_back(tx);
      if (distance(tx) < distance(nearest)) nearest = tx;
    }
    if (near.empty()) near.push_back(nearest);
    std::stable_sort(near.begin(), near.end(), [&](int l, int r) { return distance(l) < distance(r); });
    for (std::size_t s = 0; s < std::min(near.size(), static_cast<std::size_t>(t.n_tx)); ++s) {
      t.columns[s * nx + static_cast<std::size_t>(ix)] = {
          .transmit = near[s], .turns = static_cast<float>(fraction(iq_turns(a, band, near[s])))};
    }
  }
}

// Appends sum `s` of every pixel: transmit s, or the transmit of the pixel's column.
void add_sum(DasTables& t, const TablesInput& task, int s) {
  const Acquisition& a = *task.formed;
  const BandPlan& band = *task.band;
  const Grid& g = t.grid;
  const auto nx = static_cast<std::size_t>(g.nx);
  const bool lines = !t.columns.empty();
  const double c_m_s = task.sound_speed_m_s;
  const auto transmit = [&](int ix) {
    if (!lines) return static_cast<std::size_t>(s);
    const int own = t.columns[static_cast<std::size_t>(s) * nx + static_cast<std::size_t>(ix)].transmit;
    return static_cast<std::size_t>(own >= 0 ? own : t.columns[static_cast<std::size_t>(ix)].transmit);
  };
  for (int iz = 0; iz < g.nz; ++iz) {
    if (g.pixels() > kLongWork) check_long_work();
    const auto position = [&](int ix) {
      const auto column = static_cast<std::size_t>(ix);
      const double along = g.polar() ? g.r_m(iz) : g.z_m(iz);
      const double x = g.polar() ? along * static_cast<double>(t.x_m[column]) : g.x_m(ix);
      const double z = g.polar() ? g.sector.apex_z_m + along * static_cast<double>(t.down_m[column]) : along;
      const std::size_t k = transmit(ix);
      const Transmit& tx = a.transmits[k];
      const BeamAxis* const axis = task.axes.empty() ? nullptr : &task.axes[k];
      return (transmit_delay_s(tx, a.probe, x, z, c_m_s, axis) + std::abs(along) / c_m_s - tx.t0_s) * band.line_rate_hz;
    };
    const double base = std::floor(position(g.nx / 2));
    // Limits the sample index to an int; far outside any record its value does not matter.
    t.row_base.push_back(static_cast<int>(std::clamp(base, -1e9, 1e9)));
    t.row_turns.push_back(
        static_cast<float>(fraction(band.demod_hz * base / band.line_rate_hz + (lines ? 0.0 : iq_turns(a, band, s)))));
    float* excess = t.tx_excess.data() +
                    (static_cast<std::size_t>(s) * static_cast<std::size_t>(g.nz) + static_cast<std::size_t>(iz)) * nx;
    for (int ix = 0; ix < g.nx; ++ix) excess[ix] = static_cast<float>(position(ix) - base);
  }
}

// Returns the sort key of a transmit, from left to right: steering angle, index of a delay law, or source x.
double steering_of(const Transmit& t, std::size_t index) {
  if (t.kind == TransmitKind::plane) return t.angle_rad;
  return t.kind == TransmitKind::delays ? static_cast<double>(index) : t.source_x_m;
}

// Returns the columns of the row from the first to the last nonzero weight.
PixelSpan span_of(const float* row, int nx) {
  PixelSpan span{0, nx};
  while (span.begin < nx && row[span.begin] == 0.0F) ++span.begin;
  while (span.end > span.begin && row[span.end - 1] == 0.0F) --span.end;
  return span;
}

}  // namespace

std::shared_ptr<const DasTables> make_das_tables(const TablesInput& task) {
  const Acquisition& a = *task.formed;
  auto t = std::make_shared<DasTables>();
  t->grid = task.grid;
  t->n_tx = a.n_transmits();
  set_axes(*t);
  if (task.lines) set_columns(*t, a, *task.band);
  const int n_el = a.n_elements();
  for (int e = 0; e < n_el; ++e) {
    const Element& element = a.probe.elements[static_cast<std::size_t>(e)];
    t->elements.push_back({.x_m = static_cast<float>(element.x_m),
                           .z_m = static_cast<float>(element.z_m),
                           .normal_sin = static_cast<float>(std::sin(element.normal_rad)),
                           .normal_cos = static_cast<float>(std::cos(element.normal_rad)),
                           .aperture_place = static_cast<float>((e + 0.5) / n_el - 0.5)});
    if (leaves_plane(a.probe)) t->element_y_m.push_back(static_cast<float>(element.y_m));
  }
  const std::size_t rows = static_cast<std::size_t>(t->n_tx) * static_cast<std::size_t>(task.grid.nz);
  t->row_base.reserve(rows);
  t->row_turns.reserve(rows);
  t->tx_excess.resize(rows * static_cast<std::size_t>(task.grid.nx));  // up to 4 GiB
  for (int s = 0; s < t->n_tx; ++s) add_sum(*t, task, s);
  return t;
}

std::vector<float> transmit_weights(Apodization window, const Acquisition& a) {
  const std::size_t n = a.transmits.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) {
    return steering_of(a.transmits[l], l) < steering_of(a.transmits[r], r);
  });
  std::vector<float> weights(n);
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double u = (static_cast<double>(k) + 0.5) / static_cast<double>(n) - 0.5;
    const float w = apodization_weight(window, static_cast<float>(u));
    weights[order[k]] = w;
    sum += static_cast<double>(w);
  }
  for (float& w : weights) w = static_cast<float>(static_cast<double>(w) * static_cast<double>(n) / sum);
  return weights;
}

std::shared_ptr<const ConeTable> make_cones(const ConesInput& in) {
  const std::vector<BeamAxis> beams = beam_axes(*in.formed);
  const Grid& g = in.grid;
  const std::size_t n_tx = beams.size(), pixels = g.pixels();
  const auto nx = static_cast<std::size_t>(g.nx), nz = static_cast<std::size_t>(g.nz);
  auto table = std::make_shared<ConeTable>();
  table->weights.resize(n_tx * pixels);
  table->spans.resize(n_tx * nz);
  std::vector<float> weights(n_tx);
  for (std::size_t iz = 0; iz < nz; ++iz) {
    if (n_tx * pixels > kLongWork) check_long_work();
    for (std::size_t ix = 0; ix < nx; ++ix) {
      const PlanePoint at = g.point(static_cast<int>(ix), static_cast<int>(iz));
      weigh_transmits(beams, in.cones, at.x_m, at.z_m, weights);
      for (std::size_t t = 0; t < n_tx; ++t) table->weights[t * pixels + iz * nx + ix] = weights[t];
    }
    for (std::size_t t = 0; t < n_tx; ++t)
      table->spans[t * nz + iz] = span_of(table->weights.data() + t * pixels + iz * nx, g.nx);
  }
  return table;
}

namespace {

std::vector<double> axis(int n, double first, double last) {
  std::vector<double> values(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    values[static_cast<std::size_t>(i)] = n > 1 ? first + (last - first) * i / (n - 1) : first;
  return values;
}

}  // namespace

void require_course(const Acquisition& a) {
  const auto refuse = [](const std::string& found) {
    throw Error("recipe = course", found, "RF of plane waves on a linear array, sampled above 15 MHz",
                "use the analytic recipe");
  };
  if (a.signal != SignalKind::rf) refuse("IQ data");
  if (a.sampling_hz <= 2.0 * kCourseHighHz)
    refuse("a sampling frequency of " + std::to_string(a.sampling_hz * 1e-6) + " MHz");
  for (const Transmit& t : a.transmits)
    if (t.kind != TransmitKind::plane) refuse("transmits that are not plane waves");
  for (const Element& e : a.probe.elements)
    if (e.z_m != 0.0 || e.y_m != 0.0) refuse("elements that are not all at z = 0 in the image plane");
  if (a.probe.lens.refracts()) refuse("a lens that refracts");
}

std::shared_ptr<const CoursePlan> make_course(const CourseInput& in) {
  const Acquisition& a = *in.formed;
  const Grid& grid = in.grid;
  auto plan = std::make_shared<CoursePlan>();
  plan->grid = grid;
  for (const double tap : fir_bandpass_hamming(kCourseTaps, kCourseLowHz, kCourseHighHz, a.sampling_hz))
    plan->taps.push_back(static_cast<float>(tap));
  plan->x_m = axis(grid.nx, grid.x0_m, grid.x1_m);
  plan->z_m = axis(grid.nz, grid.z0_m, grid.z1_m);
  for (const Element& e : a.probe.elements) plan->element_x_m.push_back(e.x_m);
  for (const Transmit& t : a.transmits) {
    plan->tx_sin.push_back(std::sin(t.angle_rad));
    plan->tx_cos.push_back(std::cos(t.angle_rad));
    plan->tx_t0_s.push_back(t.t0_s);
  }
  plan->geometry = {.nx = grid.nx,
                    .nz = grid.nz,
                    .n_tx = a.n_transmits(),
                    .n_el = a.n_elements(),
                    .n_samples = a.n_samples,
                    .x_m = plan->x_m.data(),
                    .z_m = plan->z_m.data(),
                    .element_x_m = plan->element_x_m.data(),
                    .tx_sin = plan->tx_sin.data(),
                    .tx_cos = plan->tx_cos.data(),
                    .tx_t0_s = plan->tx_t0_s.data(),
                    .sound_speed_m_s = in.sound_speed_m_s,
                    .sampling_hz = a.sampling_hz};
  return plan;
}

namespace {

constexpr double kSigmas = 3.0;

// Returns at least one pixel if anything is smoothed, at most the image's size.
int reach_of(double sigma, int n) {
  if (!(sigma > 0.0)) return 0;
  return std::clamp(static_cast<int>(std::ceil(kSigmas * sigma)), 1, std::min(kMaxSmoothReach, std::max(n - 1, 1)));
}

double pixels_of(double length_m, double step_m) {
  return step_m > 0.0 ? std::min(length_m / step_m, kMaxSmoothReach / kSigmas) : 0.0;
}

void set_axial(RefinePlan& plan, double sigma_m, const Grid& g) {
  const double span_m = g.polar() ? g.sector.r1_m - g.sector.r0_m : g.z1_m - g.z0_m;
  const double sigma = g.nz > 1 ? pixels_of(sigma_m, span_m / (g.nz - 1)) : 0.0;
  plan.axial_reach = reach_of(sigma, g.nz);
  if (plan.axial_reach > 0) plan.axial_taps = gaussian_taps(sigma, plan.axial_reach);
}

// Sets the lateral taps; in a sector across the lines, whose distance grows with the radius.
void set_lateral(RefinePlan& plan, double sigma_m, const Grid& g) {
  if (g.nx < 2 || !(sigma_m > 0.0)) return;
  plan.lateral_rows = g.polar() ? g.nz : 1;
  std::vector<double> sigmas;
  for (int iz = 0; iz < plan.lateral_rows; ++iz) {
    const double step_m = g.polar() ? g.r_m(iz) * (g.sector.angle1_rad - g.sector.angle0_rad) / (g.nx - 1)
                                    : (g.x1_m - g.x0_m) / (g.nx - 1);
    sigmas.push_back(step_m > 1e-9 ? pixels_of(sigma_m, step_m) : kMaxSmoothReach / kSigmas);
  }
  plan.lateral_reach = reach_of(*std::max_element(sigmas.begin(), sigmas.end()), g.nx);
  for (const double sigma : sigmas) {
    const std::vector<float> taps = gaussian_taps(sigma, plan.lateral_reach);
    plan.lateral_taps.insert(plan.lateral_taps.end(), taps.begin(), taps.end());
  }
}

}  // namespace

std::vector<float> gaussian_taps(double sigma, int reach) {
  std::vector<double> taps;
  double sum = 0.0;
  for (int k = 0; k <= reach; ++k) {
    taps.push_back(std::exp(-0.5 * (k / sigma) * (k / sigma)));
    sum += (k == 0 ? 1.0 : 2.0) * taps.back();
  }
  std::vector<float> normalised;
  for (const double tap : taps) normalised.push_back(static_cast<float>(tap / sum));
  return normalised;
}

std::shared_ptr<const RefinePlan> make_refine_plan(const RefineInput& in) {
  const RefineParams& p = in.params;
  const Grid& grid = in.grid;
  auto plan = std::make_shared<RefinePlan>();
  plan->nx = grid.nx;
  plan->nz = grid.nz;
  plan->average = p.persistence_s > 0.0;
  for (const FilterRow& row : filter_rows()) {
    const auto filter = row.of(p);
    if (filter) (row.place == FilterPlace::before_gaussians ? plan->first : plan->last).push_back(*filter);
  }
  set_axial(*plan, p.smooth_axial_m, grid);
  set_lateral(*plan, p.smooth_lateral_m, grid);
  if (!plan->average && !plan->filters()) return nullptr;
  return plan;
}

}  // namespace echoloop
