// Delay-and-sum, one pixel at a time: the specification that every faster kernel is checked against. Gather, never
// scatter: a thread or loop iteration owns a pixel and reads its samples, so the sum has one order and the result does
// not depend on the number of threads. Without the standard library, as methods of the user include it.
#pragma once

#include "core/apodization.h"
#include "core/hd.h"
#include "dsp/complex.h"

namespace echoloop {

// Returns the weight at u in [-1/2, 1/2] across the aperture (0 = centre); 0 outside, with a tolerance for rounding.
//   boxcar 1 | hann cos^2(pi u) | hamming 0.54 + 0.46 cos(2 pi u)
//   tukey: flat over the inner half, Hann flanks (taper ratio 0.5) | gauss: exp(-u^2 / (2 * 0.2^2)), 0.044 at the rim
ECHO_HD float apodization_weight(Apodization window, float u) {
  const float a = u < 0.0f ? -u : u;
  const float inside = a <= 0.5000005f ? 1.0f : 0.0f;
  float w = 1.0f;
  if (window == Apodization::hann) w = 0.5f + 0.5f * unit_phasor(u).re;
  if (window == Apodization::hamming) w = 0.54f + 0.46f * unit_phasor(u).re;
  if (window == Apodization::tukey) w = a <= 0.25f ? 1.0f : 0.5f - 0.5f * unit_phasor(2.0f * u).re;
  if (window == Apodization::gauss) w = expf(-12.5f * u * u);
  return inside * w;
}

// Returns the path from (x, z) to an element minus the pixel's |z|, in metres:
//   |p - p_e| - |z| = ((x - x_e)^2 + z_e (z_e - 2 z)) / (|p - p_e| + |z|)
// The difference of two long paths would lose 3 digits of a float; this form keeps them.
ECHO_HD float receive_excess_m(float dx_m, float z_m, float element_z_m) {
  const float dz = z_m - element_z_m;
  const float distance = sqrtf(dx_m * dx_m + dz * dz);
  const float depth = z_m < 0.0f ? -z_m : z_m;
  return (dx_m * dx_m + element_z_m * (element_z_m - 2.0f * z_m)) / (distance + depth + 1e-12f);
}

// Returns the same on a polar grid, minus the pixel's distance r from the apex; positions relative to the apex:
//   |p - p_e| - r = (p_e . p_e - 2 p . p_e) / (|p - p_e| + r)
ECHO_HD float receive_excess_polar_m(float x_m, float down_m, float r_m, float element_x_m, float element_down_m) {
  const float dx = x_m - element_x_m;
  const float dz = down_m - element_down_m;
  const float distance = sqrtf(dx * dx + dz * dz);
  return (element_x_m * (element_x_m - 2.0f * x_m) + element_down_m * (element_down_m - 2.0f * down_m)) /
         (distance + r_m + 1e-12f);
}

ECHO_HD float root_of(float v) { return sqrtf(v); }
ECHO_HD double root_of(double v) { return sqrt(v); }

// Returns how much longer, in metres of the medium, the path of an element to a point at the distance `h_m` beside it
// and `z_m` before it is through a flat lens on the element than the straight path without a lens (Fermat):
//   min over u of n sqrt(u^2 + L^2) + sqrt((h - u)^2 + (z - L)^2), minus sqrt(h^2 + z^2)
// L: thickness, n: sound speed of the medium over that of the lens. Requires z > L. Newton's method from the straight
// ray; with float within 3e-8 m.
template <class Real>
ECHO_HD Real lens_excess_m(Real h_m, Real z_m, Real lens_m, Real index) {
  constexpr int kSteps = 8;  // 4 within 45 degrees
  const Real beyond = z_m - lens_m;
  Real u = lens_m * h_m / z_m;
  for (int step = 0; step < kSteps; ++step) {
    const Real inside = root_of(u * u + lens_m * lens_m), outside = root_of((h_m - u) * (h_m - u) + beyond * beyond);
    const Real slope = index * u / inside - (h_m - u) / outside;
    const Real bend =
        index * lens_m * lens_m / (inside * inside * inside) + beyond * beyond / (outside * outside * outside);
    u -= slope / bend;
    u = u < Real(0) ? Real(0) : u > h_m ? h_m : u;
  }
  const Real across = h_m - u;
  return index * root_of(u * u + lens_m * lens_m) + root_of(across * across + beyond * beyond) -
         root_of(h_m * h_m + z_m * z_m);
}

struct ElementGeometry {
  float x_m;
  float z_m;
  float normal_sin;  // direction that the element faces
  float normal_cos;
  float aperture_place;  // -1/2 .. 1/2 along the array, for apodization without an F-number
};

// Line-by-line imaging: transmit of a column.
struct ColumnTransmit {
  int transmit;  // -1: none
  float turns;   // of its t0, for IQ input
};

// Paths to the elements that are not straight lines in the image plane: refracted by a lens, or in space. Read by
// das_pixel() and the methods' channels, not by the faster kernels.
struct BentPaths {
  const float* element_y_m = nullptr;  // [n_el] distance from the image plane; null: 0
  float lens_m = 0.0f;                 // thickness; 0: none
  float lens_index = 1.0f;             // sound speed of the medium over that of the lens
  [[nodiscard]] ECHO_HD bool any() const { return element_y_m != nullptr || lens_m > 0.0f; }
};

// Columns begin .. end - 1 of a row.
struct PixelSpan {
  int begin, end;
};

// Factors of the sums of the transmits.
struct SumWeights {
  const float* all = nullptr;            // [n_tx] at every pixel; null: 1
  const float* cone = nullptr;           // [n_tx][nz][nx], replaces `all`; null: none
  const PixelSpan* cone_span = nullptr;  // [n_tx][nz], `cone` is 0 outside; host only
};

// Geometry of a beamformer. Pointers are host or device pointers; the Plan owns the host copy.
// Sample position of a (pixel, transmit, element): row_base + tx_excess + receive_excess_m * samples_per_m, in samples
// of the conditioned lines, from their sample 0. The separate integer row_base keeps the float part small (a few
// hundred samples at most), hence exact to about 1e-5 samples.
struct DasGeometry {
  int nx, nz;
  int n_tx;  // summed at a pixel: all, or those of its column in `columns`
  int n_el;
  int n_line;                     // samples between lines
  int n_valid;                    // usable samples of a line: positions 0 <= p < n_valid - 1 contribute
  const float* x_m;               // [nx] columns; polar: x at 1 m from the apex, the sine of the column's direction
  const float* z_m;               // [nz] rows; polar: distances from the apex
  const float* down_m = nullptr;  // [nx] polar: depth below the apex at 1 m, the cosine; null: Cartesian
  float apex_z_m = 0.0f;          // polar
  const ColumnTransmit* columns = nullptr;  // [n_tx][nx] transmit of sum t; null: transmit t, everywhere
  const ElementGeometry* elements;          // [n_el]
  const int* row_base;                      // [n_tx][nz] samples
  const float* row_turns;                   // [n_tx][nz] phase of row_base (and of t0 for IQ input), turns
  const float* tx_excess;                   // [n_tx][nz][nx] samples
  SumWeights weights = {};                  // of the transmits
  BentPaths bent = {};
  float samples_per_m;
  float turns_per_sample;  // demodulation frequency / sampling rate of the lines
  float f_number;
  Apodization apodization;
  float width_over_wavelength;  // 0: no element directivity
};

ECHO_HD float transmit_weight(const DasGeometry& g, int t) {
  return g.weights.all == nullptr ? 1.0f : g.weights.all[t];
}

struct PixelPlace {
  float x_m, z_m;
  float r_m;  // polar: distance from the apex
};

ECHO_HD PixelPlace place_of(const DasGeometry& g, int ix, int iz) {
  if (g.down_m == nullptr) return {g.x_m[ix], g.z_m[iz], 0.0f};
  const float r = g.z_m[iz];
  return {r * g.x_m[ix], g.apex_z_m + r * g.down_m[ix], r};
}

struct ReceiveTerm {
  float excess;  // samples beyond row_base
  float weight;  // apodization times directivity; 0: the element does not see the pixel
};

// Position of a pixel in an element's frame: along and across the direction that the element faces.
struct LocalPosition {
  float along_m;
  float across_m;
};

ECHO_HD LocalPosition local_position(const ElementGeometry& e, float x_m, float z_m) {
  const float dx = x_m - e.x_m;
  const float dz = z_m - e.z_m;
  return {dx * e.normal_sin + dz * e.normal_cos, dx * e.normal_cos - dz * e.normal_sin};
}

// Returns the place in the active aperture, for apodization_weight(): the element is active where |across| <= along /
// (2 F), for a flat array |x - x_e| <= z / (2 F). Without an F-number the window spans the whole array.
ECHO_HD float aperture_place(const DasGeometry& g, const ElementGeometry& e, LocalPosition p) {
  if (g.f_number <= 0.0f) return e.aperture_place;
  return p.along_m > 0.0f ? p.across_m * g.f_number / p.along_m : 1.0f;
}

// Returns the directivity of a strip of width w in a soft baffle: sinc(w / lambda sin t) cos t (Selfridge et al. 1980).
ECHO_HD float directivity_weight(float width_over_wavelength, LocalPosition p) {
  const float distance = sqrtf(p.along_m * p.along_m + p.across_m * p.across_m) + 1e-12f;
  const float cosine = p.along_m > 0.0f ? p.along_m / distance : 0.0f;
  const float v = width_over_wavelength * p.across_m / distance;
  // sin(pi v) is the imaginary part of a phasor of v / 2 turns.
  return cosine * (v * v < 1e-6f ? 1.0f : unit_phasor(0.5f * v).im / (3.14159265f * v));
}

// Parts that beamformers omit at compile time.
enum class DasForm {
  plain,   // Cartesian, every transmit at every pixel
  general  // any grid, with or without `columns` and cones
};
inline bool is_plain(const DasGeometry& g) {
  return g.down_m == nullptr && g.columns == nullptr && g.weights.cone == nullptr && !g.bent.any();
}

// Returns the weight of sum t at a pixel.
template <DasForm form>
ECHO_HD float transmit_weight(const DasGeometry& g, int t, int ix, int iz) {
  if (form == DasForm::plain || g.weights.cone == nullptr) return transmit_weight(g, t);
  return g.weights.cone[static_cast<long long>(t * g.nz + iz) * g.nx + ix];
}

// Returns receive_term() for `e` of g.elements where paths are bent; a pixel in the lens has the weight 0.
ECHO_HD ReceiveTerm bent_receive_term(const DasGeometry& g, const ElementGeometry& e, PixelPlace at) {
  const float y = g.bent.element_y_m == nullptr ? 0.0f : g.bent.element_y_m[&e - g.elements];
  const LocalPosition in_plane = local_position(e, at.x_m, at.z_m);
  const LocalPosition p = {in_plane.along_m, sqrtf(in_plane.across_m * in_plane.across_m + y * y)};
  if (p.along_m <= g.bent.lens_m) return {0.0f, 0.0f};
  float weight = apodization_weight(g.apodization, aperture_place(g, e, p));
  if (g.width_over_wavelength > 0.0f) weight *= directivity_weight(g.width_over_wavelength, p);
  const float path = sqrtf(p.along_m * p.along_m + p.across_m * p.across_m);
  const float down = at.z_m - g.apex_z_m, element_down = e.z_m - g.apex_z_m, dx = at.x_m - e.x_m;
  const float depth = at.z_m < 0.0f ? -at.z_m : at.z_m;
  // As receive_excess_m() and receive_excess_polar_m(), with y^2 in the difference of the squares.
  float excess_m = g.down_m == nullptr
                       ? (dx * dx + y * y + e.z_m * (e.z_m - 2.0f * at.z_m)) / (path + depth + 1e-12f)
                       : (e.x_m * (e.x_m - 2.0f * at.x_m) + y * y + element_down * (element_down - 2.0f * down)) /
                             (path + at.r_m + 1e-12f);
  if (g.bent.lens_m > 0.0f) excess_m += lens_excess_m(p.across_m, p.along_m, g.bent.lens_m, g.bent.lens_index);
  return {excess_m * g.samples_per_m, weight};
}

template <DasForm form = DasForm::general>
ECHO_HD ReceiveTerm receive_term(const DasGeometry& g, const ElementGeometry& e, PixelPlace at) {
  if (form == DasForm::general && g.bent.any()) return bent_receive_term(g, e, at);
  const LocalPosition p = local_position(e, at.x_m, at.z_m);
  float weight = apodization_weight(g.apodization, aperture_place(g, e, p));
  if (g.width_over_wavelength > 0.0f) weight *= directivity_weight(g.width_over_wavelength, p);
  if (form == DasForm::plain || g.down_m == nullptr)
    return {receive_excess_m(at.x_m - e.x_m, at.z_m, e.z_m) * g.samples_per_m, weight};
  const float excess_m = receive_excess_polar_m(at.x_m, at.z_m - g.apex_z_m, at.r_m, e.x_m, e.z_m - g.apex_z_m);
  return {excess_m * g.samples_per_m, weight};
}

// Returns true if `base + offset` samples is between two usable samples of a line.
ECHO_HD bool is_recorded(int n_valid, int base, float offset) {
  const int i = base + floor_to_int(offset);
  return i >= 0 && i < n_valid - 1;
}

// Interpolates a complex line linearly at `base + offset` samples; 0 outside the record.
ECHO_HD Complex interpolate(const Complex* line, int n_valid, int base, float offset) {
  const int whole = floor_to_int(offset);
  const float w = offset - static_cast<float>(whole);
  const int i = base + whole;
  if (i < 0 || i >= n_valid - 1) return {0.0f, 0.0f};
  const Complex a = line[i];
  const Complex b = line[i + 1];
  return {a.re + w * (b.re - a.re), a.im + w * (b.im - a.im)};
}

// Returns the factor of the sample interpolated on an element's line in the sum of one transmit; transmit_rotor() is
// the factor of that sum.
ECHO_HD Complex receive_rotor(const DasGeometry& g, ReceiveTerm rx) {
  return rx.weight * unit_phasor(rx.excess * g.turns_per_sample);
}

// Reading position of sum t of a pixel.
struct TransmitPlace {
  int transmit;  // -1: none
  int base;      // samples
  float excess;  // samples beyond base
};

template <DasForm form = DasForm::general>
ECHO_HD TransmitPlace transmit_place(const DasGeometry& g, int t, int ix, int iz) {
  const bool by_column = form == DasForm::general && g.columns != nullptr;
  const int row = t * g.nz + iz;
  int transmit = by_column ? g.columns[t * g.nx + ix].transmit : t;
  if (form == DasForm::general && g.weights.cone != nullptr && transmit_weight<form>(g, t, ix, iz) == 0.0f)
    transmit = -1;
  return {transmit, g.row_base[row], g.tx_excess[static_cast<long long>(row) * g.nx + ix]};
}

// Returns the phase of sum t at a pixel, turns.
template <DasForm form = DasForm::general>
ECHO_HD float transmit_turns(const DasGeometry& g, int t, int ix, int iz, float excess) {
  const bool by_column = form == DasForm::general && g.columns != nullptr;
  const float turns = g.row_turns[t * g.nz + iz] + (by_column ? g.columns[t * g.nx + ix].turns : 0.0f);
  return turns + excess * g.turns_per_sample;
}

template <DasForm form = DasForm::general>
ECHO_HD Complex transmit_rotor(const DasGeometry& g, int t, int ix, int iz, float excess) {
  return transmit_weight<form>(g, t, ix, iz) * unit_phasor(transmit_turns<form>(g, t, ix, iz, excess));
}

// Transmits summed per pass over the elements, so that the receive part is computed once for all of them.
inline constexpr int kTransmitGroup = 4;

// Returns complex pixel (ix, iz) of the compounded image from IQ lines [n_tx][n_el][n_line]:
//   b = sum_tx e^{i 2 pi f tau_tx} sum_e w_e e^{i 2 pi f tau_e} iq_{tx,e}(tau_tx + tau_e)
template <DasForm form = DasForm::general>
ECHO_HD Complex das_pixel(const DasGeometry& g, const Complex* iq, int ix, int iz) {
  const PixelPlace at = form == DasForm::plain ? PixelPlace{g.x_m[ix], g.z_m[iz], 0.0f} : place_of(g, ix, iz);
  Complex pixel{0.0f, 0.0f};
  for (int first = 0; first < g.n_tx; first += kTransmitGroup) {
    const int count = g.n_tx - first < kTransmitGroup ? g.n_tx - first : kTransmitGroup;
    Complex sum[kTransmitGroup] = {};
    float excess[kTransmitGroup] = {};
    int base[kTransmitGroup] = {};
    int from[kTransmitGroup] = {};  // transmit, -1: none
    bool any = form == DasForm::plain;
    for (int t = 0; t < count; ++t) {
      const TransmitPlace place = transmit_place<form>(g, first + t, ix, iz);
      from[t] = place.transmit;
      any = any || place.transmit >= 0;
      base[t] = place.base;
      excess[t] = place.excess;
    }
    if (!any) continue;
    for (int e = 0; e < g.n_el; ++e) {
      const ReceiveTerm rx = receive_term<form>(g, g.elements[e], at);
      if (rx.weight == 0.0f) continue;
      const Complex rotor = receive_rotor(g, rx);
#if defined(__CUDACC__)
#pragma unroll
#endif
      for (int t = 0; t < kTransmitGroup; ++t) {
        if (t >= count) break;
        const int transmit = form == DasForm::plain ? first + t : from[t];
        if (form == DasForm::general && transmit < 0) continue;
        const Complex* line = iq + (static_cast<long long>(transmit) * g.n_el + e) * g.n_line;
        sum[t] = sum[t] + rotor * interpolate(line, g.n_valid, base[t], excess[t] + rx.excess);
      }
    }
    for (int t = 0; t < count; ++t) pixel = pixel + transmit_rotor<form>(g, first + t, ix, iz, excess[t]) * sum[t];
  }
  return pixel;
}

}  // namespace echoloop
