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

}  // namespace echoloop
