// A Doppler gate: what one frame says about the echoes of a stretch of the beam. Host and device.
//
// The image's complex pixels turn along the depth by 4 pi f dz / c, so that a plain mean over a gate of several
// wavelengths would cancel. Aligned by the turn of one frequency f and summed with a window, the gate is a filter for
// that frequency, as a range gate of pulsed Doppler is (Evans and McDicken, "Doppler Ultrasound", 2nd ed. 2000, ch. 6):
// its band, about c / (2 length), is narrower than the pulse's. This matters: the Doppler shift is 2 v f / c, so that
// the pulse's whole band (60 % is common) would smear one velocity over as many per cent. Several such bands side by
// side, each with its own scale of velocity, are averaged as powers: less speckle without the smear (radial averages
// in the plane of RF and Doppler frequency; Wilson, Ultrasonic Imaging 13, 1991).
#pragma once

#include <cmath>

#include "dsp/complex.h"

namespace echoloop {

inline constexpr int kMaxGateBands = 9;

// Pixels first + i * stride, i < rows, from the shallowest down.
struct GateGeometry {
  long long first;
  int stride;
  int rows;
  int bands;
  float norm;                          // 1 / sum of the window
  float turns_per_row[kMaxGateBands];  // 2 f dz / c
};

// Tukey's window: flat in the middle half, raised cosines in the outer quarters.
ECHO_HD float gate_window(int row, int rows) {
  const float at = (static_cast<float>(row) + 0.5f) / static_cast<float>(rows);  // 0 .. 1
  const float from_edge = at < 0.5f ? at : 1.0f - at;
  return from_edge >= 0.25f ? 1.0f : 0.5f - 0.5f * cosf(12.566370614f * from_edge);
}

// What row `row` of the gate brings to the sum of band `band`.
ECHO_HD Complex gate_term(const GateGeometry& g, int band, int row, Complex pixel) {
  const float turns = g.turns_per_row[band] * (static_cast<float>(row) - 0.5f * static_cast<float>(g.rows - 1));
  const float angle = -6.2831853072f * (turns - rintf(turns));
  const float weight = g.norm * gate_window(row, g.rows);
  return Complex{weight * cosf(angle), weight * sinf(angle)} * pixel;
}

}  // namespace echoloop
