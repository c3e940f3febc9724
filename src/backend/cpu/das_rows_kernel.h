// Loops of das_row() and das_column(), written for the vectoriser. CMakeLists.txt compiles them once per instruction
// set, which sets the namespace ECHO_ISA. No standard library here: an inline function compiled with AVX2 must not
// become the copy that every machine runs.
#include <cstddef>

#include "backend/cpu/receive_weights.h"
#include "dsp/das.h"

namespace echoloop::ECHO_ISA {

// Pixels of a row or column that are computed together. All arrays are work space.
struct Run {
  int n;
  float *x_m, *z_m, *r_m;          // positions; r_m: polar grids
  float *excess, *re, *im;         // receive part: samples; weighted phasor
  float *weight, *offset, *turns;  // offset, turns: columns only
  float* sums;                     // [n_tx][re | im][n]

  static Run in(float* scratch, int n) {
    const auto size = static_cast<std::size_t>(n);
    float* at[10];
    for (std::size_t i = 0; i < 10; ++i) at[i] = scratch + i * size;
    return {n, at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], at[9]};
  }
};

static void rotor_run(const DasGeometry& g, const ElementGeometry element, const Run& run, int begin, int end) {
  const float* __restrict x_m = run.x_m;
  const float* __restrict z_m = run.z_m;
  const float* __restrict r_m = run.r_m;
  const float* __restrict weight = run.weight;
  float* __restrict excess = run.excess;
  float* __restrict re = run.re;
  float* __restrict im = run.im;
  const float samples_per_m = g.samples_per_m;
  const float turns_per_sample = g.turns_per_sample;
  if (g.down_m == nullptr) {
    for (int i = begin; i < end; ++i)
      excess[i] = receive_excess_m(x_m[i] - element.x_m, z_m[i], element.z_m) * samples_per_m;
  } else {
    const float apex = g.apex_z_m;
    for (int i = begin; i < end; ++i) {
      excess[i] =
          receive_excess_polar_m(x_m[i], z_m[i] - apex, r_m[i], element.x_m, element.z_m - apex) * samples_per_m;
    }
  }
  for (int i = begin; i < end; ++i) {
    const Complex phasor = unit_phasor(excess[i] * turns_per_sample);
    re[i] = weight[i] * phasor.re;
    im[i] = weight[i] * phasor.im;
  }
}

// First and one past the last pixel that an element sees; most see only a part of a shallow row.
struct Extent {
  int begin;
  int end;
};

static Extent seen_by(const float* weight, int nx) {
  int begin = 0;
  while (begin < nx && weight[begin] == 0.0f) ++begin;
  int end = nx;
  while (end > begin && weight[end - 1] == 0.0f) --end;
  return {begin, end};
}

static void add_line(const float* __restrict line, int n_valid, int base, int nx, const float* __restrict tx_excess,
                     const float* __restrict rx_excess, const float* __restrict rotor_re,
                     const float* __restrict rotor_im, float* __restrict sum_re, float* __restrict sum_im) {
  const int last = n_valid - 2;  // last sample with a neighbour
  for (int ix = 0; ix < nx; ++ix) {
    const float offset = tx_excess[ix] + rx_excess[ix];
    const int whole = floor_to_int(offset);
    const int wanted = base + whole;
    int i = wanted < 0 ? 0 : wanted;
    i = i > last ? last : i;
    const float keep = i == wanted ? 1.0f : 0.0f;
    const float w = offset - static_cast<float>(whole);
    const float re = keep * (line[2 * i] + w * (line[2 * i + 2] - line[2 * i]));
    const float im = keep * (line[2 * i + 1] + w * (line[2 * i + 3] - line[2 * i + 1]));
    sum_re[ix] += rotor_re[ix] * re - rotor_im[ix] * im;
    sum_im[ix] += rotor_re[ix] * im + rotor_im[ix] * re;
  }
}

// weight(ix): weight of the transmit at a pixel.
template <class Weight>
[[gnu::always_inline]] static inline void add_transmit(const DasGeometry& g, const Weight& weight, PixelSpan columns,
                                                       float row_turns, const float* __restrict tx_excess,
                                                       const float* __restrict sum_re, const float* __restrict sum_im,
                                                       Complex* __restrict pixels) {
  for (int ix = columns.begin; ix < columns.end; ++ix) {
    const Complex phasor = weight(ix) * unit_phasor(row_turns + tx_excess[ix] * g.turns_per_sample);
    pixels[ix].re += phasor.re * sum_re[ix] - phasor.im * sum_im[ix];
    pixels[ix].im += phasor.re * sum_im[ix] + phasor.im * sum_re[ix];
  }
}

static std::size_t line_of(const DasGeometry& g, int transmit, int element) {
  return (static_cast<std::size_t>(transmit) * static_cast<std::size_t>(g.n_el) + static_cast<std::size_t>(element)) *
         static_cast<std::size_t>(g.n_line);
}

static std::size_t row_of(const DasGeometry& g, int t, int iz) {
  return static_cast<std::size_t>(t) * static_cast<std::size_t>(g.nz) + static_cast<std::size_t>(iz);
}

static void set_place(const DasGeometry& g, int ix, int iz, const Run& run, int i) {
  const PixelPlace at = place_of(g, ix, iz);
  run.x_m[i] = at.x_m;
  run.z_m[i] = at.z_m;
  run.r_m[i] = at.r_m;
}

// Returns the columns where the sum of row_of(g, t, iz) has a weight.
static PixelSpan columns_of(const DasGeometry& g, std::size_t row) {
  return g.weights.cone_span == nullptr ? PixelSpan{0, g.nx} : g.weights.cone_span[row];
}

static PixelSpan common(PixelSpan a, PixelSpan b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

void das_row(const DasGeometry& g, const Complex* iq, int iz, float* scratch, Complex* pixels) {
  const auto nx = static_cast<std::size_t>(g.nx);
  const Run run = Run::in(scratch, g.nx);
  for (std::size_t i = 0; i < 2 * nx * static_cast<std::size_t>(g.n_tx); ++i) run.sums[i] = 0.0f;
  for (std::size_t i = 0; i < nx; ++i) pixels[i] = {0.0f, 0.0f};
  if (g.n_valid < 2) return;  // no sample has a neighbour
  for (int ix = 0; ix < g.nx; ++ix) set_place(g, ix, iz, run, ix);
  for (int e = 0; e < g.n_el; ++e) {
    weigh_row(g, g.elements[e], run.x_m, g.nx, run.z_m, run.weight);
    const auto [begin, end] = seen_by(run.weight, g.nx);
    if (begin == end) continue;
    rotor_run(g, g.elements[e], run, begin, end);
    for (int t = 0; t < g.n_tx; ++t) {
      const std::size_t row = row_of(g, t, iz);
      const PixelSpan own = common({begin, end}, columns_of(g, row));
      if (own.begin >= own.end) continue;
      float* sum = run.sums + 2 * nx * static_cast<std::size_t>(t) + own.begin;
      add_line(&iq[line_of(g, t, e)].re, g.n_valid, g.row_base[row], own.end - own.begin,
               g.tx_excess + row * nx + own.begin, run.excess + own.begin, run.re + own.begin, run.im + own.begin, sum,
               sum + nx);
    }
  }
  for (int t = 0; t < g.n_tx; ++t) {
    const std::size_t row = row_of(g, t, iz);
    const float* sum = run.sums + 2 * nx * static_cast<std::size_t>(t);
    const auto add = [&](const auto& weight) __attribute__((always_inline)) {
      add_transmit(g, weight, columns_of(g, row), g.row_turns[row], g.tx_excess + row * nx, sum, sum + nx, pixels);
    };
    if (g.weights.cone == nullptr)
      add([weight = transmit_weight(g, t)](int /*ix*/) { return weight; });
    else
      add([weights = g.weights.cone + row * nx](int ix) { return weights[ix]; });
  }
}

// Adds sum t of column ix. Delays count from the first row's base: whole samples as float, exact to 1e-4.
static void column_sum(const DasGeometry& g, const Complex* iq, int ix, int t, const Run& run, Complex* pixels) {
  const ColumnTransmit own =
      g.columns[static_cast<std::size_t>(t) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix)];
  if (own.transmit < 0) return;
  const int base = g.row_base[row_of(g, t, 0)];
  for (int iz = 0; iz < g.nz; ++iz) {
    const std::size_t row = row_of(g, t, iz);
    const float excess = g.tx_excess[row * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix)];
    run.offset[iz] = excess + static_cast<float>(g.row_base[row] - base);
    run.turns[iz] = g.row_turns[row] + own.turns + excess * g.turns_per_sample;
    run.sums[iz] = run.sums[g.nz + iz] = 0.0f;
  }
  for (int e = 0; e < g.n_el; ++e) {
    weigh_row(g, g.elements[e], run.x_m, g.nz, run.z_m, run.weight);
    const auto [begin, end] = seen_by(run.weight, g.nz);
    if (begin == end) continue;
    rotor_run(g, g.elements[e], run, begin, end);
    add_line(&iq[line_of(g, own.transmit, e)].re, g.n_valid, base, end - begin, run.offset + begin, run.excess + begin,
             run.re + begin, run.im + begin, run.sums + begin, run.sums + g.nz + begin);
  }
  for (int iz = 0; iz < g.nz; ++iz) {
    const Complex phasor = unit_phasor(run.turns[iz]);
    Complex& pixel =
        pixels[static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix)];
    pixel = pixel + phasor * Complex{run.sums[iz], run.sums[g.nz + iz]};
  }
}

void das_column(const DasGeometry& g, const Complex* iq, int ix, float* scratch, Complex* pixels) {
  const Run run = Run::in(scratch, g.nz);
  for (int iz = 0; iz < g.nz; ++iz) {
    set_place(g, ix, iz, run, iz);
    pixels[static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix)] = {0.0f, 0.0f};
  }
  if (g.n_valid < 2) return;
  for (int t = 0; t < g.n_tx; ++t) column_sum(g, iq, ix, t, run, pixels);
}

}  // namespace echoloop::ECHO_ISA
