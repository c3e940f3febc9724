// Doppler from slow time: power and velocity from a pixel's filtered samples. One pixel per function, host and device.
//
// Kasai, Namekawa, Koyano, Omoto, "Real-time two-dimensional blood flow imaging using an autocorrelation technique",
// IEEE Trans. Sonics Ultrason. 32(3), 1985: power = sum |y_k|^2 / N, R1 = sum y_(k+1) conj(y_k), and the angle of R1 is
// the mean Doppler phase from frame to frame.
//
// Sign: a pixel of the complex image has the phase exp(+i 2 pi f0 (tau_pixel - tau_echo)). For tissue that approaches
// the probe, tau_echo falls and the phase grows: a positive velocity is motion towards the probe.
#pragma once

#include <cmath>
#include <complex>
#include <span>
#include <vector>

#include "dsp/complex.h"

namespace echoloop {

struct FlowSums {
  float power;  // mean of |y|^2
  Complex r1;   // sum over frames of y_(k+1) conj(y_k)
};

// Returns y_(k+1) conj(y_k).
ECHO_HD Complex lag_product(Complex now, Complex before) { return now * conjugate(before); }

// Returns a velocity within +- pi * scale_m_s, the aliasing limit. scale_m_s: see flow_scale_m_s().
ECHO_HD float kasai_velocity_m_s(Complex r1, float scale_m_s) {
  return r1.re == 0.0f && r1.im == 0.0f ? 0.0f : scale_m_s * atan2f(r1.im, r1.re);
}

// Returns 10 log10(power) - reference_db, on the scale of to_db(): a pixel of magnitude m has power m^2.
ECHO_HD float power_db(float power, float reference_db) {
  const float floor = 1e-38f;
  return 10.0f * log10f(power > floor ? power : floor) - reference_db;
}

// Averages with the previous image: keep = exp(-time between the images / persistence), 0 = not averaged.
ECHO_HD FlowSums persist(FlowSums before, FlowSums now, float keep) {
  const float take = 1.0f - keep;
  return {keep * before.power + take * now.power, keep * before.r1 + take * now.r1};
}

// Sums over pixels of adjacent rows: b(row + 1) conj(b(row)), and |b(row)|^2.
struct AxialLag {
  double re = 0.0;
  double im = 0.0;
  double power = 0.0;
};

// Returns the mean frequency of the echoes as a share of the nominal one, from the phase advance of the complex image
// along the beam: nominal_rad = 4 pi f0 dz / c from row to row. It is below f0 (by 4 % for a band of 60 %), because
// beams are wider and tissue attenuates less at low frequencies, and because a wide aperture receives at an angle; all
// of it scales Doppler shifts equally, so that velocities scaled with the measured frequency are correct (Loupas,
// Powers and Gill, IEEE TUFFC 42(4), 1995; their estimate, for the image as a whole). Returns 1 if rows are too far
// apart.
[[nodiscard]] inline double received_frequency_share(const AxialLag& lag, double nominal_rad) {
  const double coherence = lag.power > 0.0 ? std::hypot(lag.re, lag.im) / lag.power : 0.0;
  if (coherence < 0.2 || nominal_rad <= 0.0) return 1.0;
  const double turned = std::remainder(std::atan2(lag.im, lag.re) - nominal_rad, 6.283185307179586);
  const double share = 1.0 + turned / nominal_rad;
  return share > 0.75 && share < 1.25 ? share : 1.0;
}

// Returns m/s per radian of phase between two frames: c f_prf / (4 pi f0 cos(angle)); `angle_rad` between the
// ultrasound beam and the flow. The aliasing limit is pi times this.
[[nodiscard]] inline double flow_scale_m_s(double sound_speed_m_s, double prf_hz, double center_hz, double angle_rad) {
  return sound_speed_m_s * prf_hz / (12.566370614359172 * center_hz * std::cos(angle_rad));
}

// Wall filters as matrices in slow time: y[t] = sum over s of x[s] W[s][t], for an ensemble of n frames. Any linear
// filter along the frames is such a matrix, including its behaviour at the ends of the ensemble, so that one matrix
// product applies all of them: FIR, polynomial regression, and components of the singular value decomposition.

inline constexpr int kWallTaps = 129;  // of the short course's colour Doppler study

// Returns a symmetric odd FIR as row-major [n][n]: W[s * n + t], middle tap on t; the ensemble is mirrored at its ends
// (d c b a | a b c d | d c b a), as by default in scipy.ndimage.convolve1d.
std::vector<float> fir_wall_matrix(std::span<const double> taps, int n);

// Returns the identity minus the projection on the polynomials of degree 0 .. order over the ensemble (least squares;
// Hoeks et al., Ultrasound Med. Biol. 17, 1991). order < n.
std::vector<float> polynomial_wall_matrix(int order, int n);

// Returns orthonormal polynomials of degree 0 .. order on n equally spaced points; order < n.
std::vector<std::vector<double>> orthonormal_polynomials(int order, int n);

std::vector<float> identity_matrix(int n);

// Energies, errors and default choice of components, from singular values of a Casorati matrix [pixel][frame] and its
// temporal singular vectors. Host only, double precision.

// X = U S V^H: column k of U is a component's image, row k of V^H its course along the frames. The columns of V are the
// eigenvectors of the Gram matrix X^H X, the squares of S its eigenvalues.
struct Decomposition {
  int n = 0;                                           // frames = components
  std::vector<double> singular_values;                 // [n], descending
  std::vector<std::complex<double>> temporal_vectors;  // V^H: [component][frame], orthonormal
};

// Components first .. last of 1 .. n, inclusive; empty if last < first.
struct ComponentRange {
  int first = 1;
  int last = 0;
  friend bool operator==(const ComponentRange&, const ComponentRange&) = default;
};

// Returns ||X - X_range|| / ||X|| (Frobenius) of the reconstruction from these components: by Eckart and Young, the
// root of the omitted energy.
double reconstruction_error(std::span<const double> singular_values, ComponentRange range);

// Returns the mean Doppler frequency of a temporal vector [frame] as a share of the Nyquist frequency, -1 .. 1: the
// angle of its lag-one autocorrelation over pi. Positive: towards the probe.
double mean_frequency(std::span<const std::complex<double>> temporal_vector);

// Returns the number of leading components whose mean frequency is within +- cutoff (share of Nyquist): tissue is
// strongest, and slow. (Choice by the eigenvectors' mean frequency: Yu and Lovstakken, IEEE TUFFC 57(5), 2010; Kruse
// and Ferrara, IEEE TUFFC 49(10), 2002.) At most n - 1.
int tissue_components(const Decomposition& d, double cutoff);

// Returns the last component above the noise, at least 1. Noise: below 4/sqrt(3), corrected for the matrix's shape,
// times the noise's own singular value (Gavish and Donoho, IEEE Trans. Inf. Theory 60(8), 2014: omega(beta) times the
// median). They use the median of all singular values; here it is that of the smaller half, because blood may fill half
// of the components; if the values below it form no plateau (their own median is lower by more than that factor),
// motion fills still more, and that median is used, and so on.
int last_above_noise(std::span<const double> singular_values, std::size_t n_pixels);

// Returns W[s * n + t] that keeps these components: sum over them of conj(v[s]) v[t], v the temporal vector, so that X
// W = X V V^H. For more than half of them the identity minus the others: as exact, and less work.
std::vector<std::complex<float>> component_matrix(const Decomposition& d, ComponentRange range);

}  // namespace echoloop
