#include "backend/das_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/long_work.h"
#include "core/scan_lines.h"
#include "dsp/transmit_cone.h"
#include "dsp/window.h"

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

// The transmits on each line, the nearest first; where lines are unevenly spaced one between them has its neighbour's.
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

// Sum `s` of every pixel: transmit s, or that of its column.
void add_sum(DasTables& t, const Acquisition& a, const BandPlan& band, const DasTask& task, int s) {
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
    // Far outside any record the sample index only has to stay outside (and within an int).
    t.row_base.push_back(static_cast<int>(std::clamp(base, -1e9, 1e9)));
    t.row_turns.push_back(
        static_cast<float>(fraction(band.demod_hz * base / band.line_rate_hz + (lines ? 0.0 : iq_turns(a, band, s)))));
    float* excess = t.tx_excess.data() +
                    (static_cast<std::size_t>(s) * static_cast<std::size_t>(g.nz) + static_cast<std::size_t>(iz)) * nx;
    for (int ix = 0; ix < g.nx; ++ix) excess[ix] = static_cast<float>(position(ix) - base);
  }
}

// Where a wave comes from or goes to, growing from left to right.
double steering_of(const Transmit& t, std::size_t index) {
  if (t.kind == TransmitKind::plane) return t.angle_rad;
  return t.kind == TransmitKind::delays ? static_cast<double>(index) : t.source_x_m;
}

// Columns of the row from the first to the last that weighs something.
PixelSpan span_of(const float* row, int nx) {
  PixelSpan span{0, nx};
  while (span.begin < nx && row[span.begin] == 0.0F) ++span.begin;
  while (span.end > span.begin && row[span.end - 1] == 0.0F) --span.end;
  return span;
}

}  // namespace

std::shared_ptr<const DasTables> make_das_tables(const Acquisition& a, const BandPlan& band, const DasTask& task) {
  auto t = std::make_shared<DasTables>();
  t->grid = task.grid;
  t->n_tx = a.n_transmits();
  set_axes(*t);
  if (task.lines) set_columns(*t, a, band);
  const int n_el = a.n_elements();
  for (int e = 0; e < n_el; ++e) {
    const Element& element = a.probe.elements[static_cast<std::size_t>(e)];
    t->elements.push_back({.x_m = static_cast<float>(element.x_m),
                           .z_m = static_cast<float>(element.z_m),
                           .normal_sin = static_cast<float>(std::sin(element.normal_rad)),
                           .normal_cos = static_cast<float>(std::cos(element.normal_rad)),
                           .aperture_place = static_cast<float>((e + 0.5) / n_el - 0.5)});
  }
  const std::size_t rows = static_cast<std::size_t>(t->n_tx) * static_cast<std::size_t>(task.grid.nz);
  t->row_base.reserve(rows);
  t->row_turns.reserve(rows);
  t->tx_excess.resize(rows * static_cast<std::size_t>(task.grid.nx));  // up to 4 GiB
  for (int s = 0; s < t->n_tx; ++s) add_sum(*t, a, band, task, s);
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

std::shared_ptr<const ConeTable> make_cones(const Acquisition& a, const TransmitParams& params, const Grid& g) {
  const std::vector<BeamAxis> beams = beam_axes(a);
  const TransmitCones cones{params.cone, params.cone_f_number};
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
      weigh_transmits(beams, cones, at.x_m, at.z_m, weights);
      for (std::size_t t = 0; t < n_tx; ++t) table->weights[t * pixels + iz * nx + ix] = weights[t];
    }
    for (std::size_t t = 0; t < n_tx; ++t) {
      table->spans[t * nz + iz] = span_of(table->weights.data() + t * pixels + iz * nx, g.nx);
    }
  }
  return table;
}

}  // namespace echoloop
