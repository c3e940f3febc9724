// The loops of das_row(), written for the vectoriser and compiled once an instruction set: each das_rows_*.cpp names a
// namespace in ECHO_ISA and includes this file. No standard library here: an inline function compiled with AVX2 must
// not become the copy that every machine runs.
#include <cstddef>

#include "backend/cpu/das_rows.h"
#include "backend/cpu/receive_weights.h"

namespace echoloop::ECHO_ISA {

static void rotor_row(const float* __restrict x_m, int nx, const ElementGeometry element, float z, float samples_per_m,
                      float turns_per_sample, const float* __restrict weight, float* __restrict excess,
                      float* __restrict rotor_re, float* __restrict rotor_im) {
  for (int ix = 0; ix < nx; ++ix) {
    const float samples = receive_excess_m(x_m[ix] - element.x_m, z, element.z_m) * samples_per_m;
    const Complex phasor = unit_phasor(samples * turns_per_sample);
    excess[ix] = samples;
    rotor_re[ix] = weight[ix] * phasor.re;
    rotor_im[ix] = weight[ix] * phasor.im;
  }
}

// First and one past the last pixel that see the element; most elements see only a part of a shallow row.
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
  const int last = n_valid - 2;  // the last sample that has a neighbour
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

static void add_transmit(const DasGeometry& g, float row_turns, const float* __restrict tx_excess,
                         const float* __restrict sum_re, const float* __restrict sum_im, Complex* __restrict pixels) {
  for (int ix = 0; ix < g.nx; ++ix) {
    const Complex phasor = unit_phasor(row_turns + tx_excess[ix] * g.turns_per_sample);
    pixels[ix].re += phasor.re * sum_re[ix] - phasor.im * sum_im[ix];
    pixels[ix].im += phasor.re * sum_im[ix] + phasor.im * sum_re[ix];
  }
}

void das_row(const DasGeometry& g, const Complex* iq, int iz, float* scratch, Complex* pixels) {
  const auto nx = static_cast<std::size_t>(g.nx);
  float* excess = scratch;
  float* rotor_re = excess + nx;
  float* rotor_im = rotor_re + nx;
  float* weight = rotor_im + nx;
  float* sums = weight + nx;  // [n_tx][re | im][nx]
  const float z = g.z_m[iz];
  for (std::size_t i = 0; i < 2 * nx * static_cast<std::size_t>(g.n_tx); ++i) sums[i] = 0.0f;
  for (std::size_t i = 0; i < nx; ++i) pixels[i] = {0.0f, 0.0f};
  if (g.n_valid < 2) return;  // no sample has a neighbour to interpolate with
  for (int e = 0; e < g.n_el; ++e) {
    const ElementGeometry& element = g.elements[e];
    weigh_row(g, element, g.x_m, g.nx, z, weight);
    const auto [begin, end] = seen_by(weight, g.nx);
    const int n = end - begin;
    if (n == 0) continue;
    rotor_row(g.x_m + begin, n, element, z, g.samples_per_m, g.turns_per_sample, weight + begin, excess + begin,
              rotor_re + begin, rotor_im + begin);
    for (int t = 0; t < g.n_tx; ++t) {
      const std::size_t row =
          static_cast<std::size_t>(t) * static_cast<std::size_t>(g.nz) + static_cast<std::size_t>(iz);
      const std::size_t line =
          static_cast<std::size_t>(t) * static_cast<std::size_t>(g.n_el) + static_cast<std::size_t>(e);
      float* sum = sums + 2 * nx * static_cast<std::size_t>(t) + begin;
      add_line(&iq[line * static_cast<std::size_t>(g.n_line)].re, g.n_valid, g.row_base[row], n,
               g.tx_excess + row * nx + begin, excess + begin, rotor_re + begin, rotor_im + begin, sum, sum + nx);
    }
  }
  for (int t = 0; t < g.n_tx; ++t) {
    const std::size_t row = static_cast<std::size_t>(t) * static_cast<std::size_t>(g.nz) + static_cast<std::size_t>(iz);
    const float* sum = sums + 2 * nx * static_cast<std::size_t>(t);
    add_transmit(g, g.row_turns[row], g.tx_excess + row * nx, sum, sum + nx, pixels);
  }
}

}  // namespace echoloop::ECHO_ISA
