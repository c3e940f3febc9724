// One column of a spectrogram: from the slow time of a gate to power over velocity, and clinical traces. Host only; one
// object per thread.
//
// For each band of the gate: polynomials of frequencies below the cut-off are subtracted by least squares (Hoeks et
// al., Ultrasound Med. Biol. 17, 1991), then Hann window, zero padded Fourier transform, squared magnitude. In a band
// at frequency f, velocity v has the Doppler frequency 2 v f / c.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "dsp/complex.h"

namespace echoloop {

struct GateSpectrumPlan {
  int frames = 0;
  double cutoff_hz = 0.0;  // 0: nothing is subtracted
  double prf_hz = 0.0;
  std::vector<double> frequency_share;  // [bands]: frequency of each band over the nominal one
  friend bool operator==(const GateSpectrumPlan&, const GateSpectrumPlan&) = default;
};

// Returns the degree of the polynomial: on n points degree k has pi f n / prf extrema per cycle near the centre of the
// window, so that k = pi cutoff n / prf; -1 for none.
int gate_wall_degree(double cutoff_hz, double prf_hz, int frames);

// Returns the bins of a column: at least twice the frames, so that a line between bins loses less than 0.4 dB.
int gate_bins(int frames);

class GateSpectrum {
 public:
  explicit GateSpectrum(GateSpectrumPlan plan);
  ~GateSpectrum();
  GateSpectrum(const GateSpectrum&) = delete;
  GateSpectrum& operator=(const GateSpectrum&) = delete;

  [[nodiscard]] int bins() const { return bins_; }

  // samples: [frames][stride], the bands first in each. power: [bins()], from -prf/2 up by prf / bins(); a series of
  // magnitude A at one frequency gives A^2 there.
  void compute(const Complex* samples, int stride, std::span<float> power);

 private:
  struct Fft;
  void filter(const Complex* samples, int stride);

  GateSpectrumPlan plan_;
  int bins_;
  std::vector<std::vector<double>> wall_;  // orthonormal polynomials
  std::vector<float> window_;              // sum 1
  std::vector<float> band_power_;
  std::unique_ptr<Fft> fft_;
};

// Positions on the velocity axis, from -1 (aliasing limit, away from the probe) to 1; NaN: no flow.
struct GateTraces {
  float envelope;
  float mean;
};

// Traces a column. Noise: lower quartile of the powers, smoothed over a few lines against speckle. Flow: 11 dB above
// it. envelope: threshold crossing from the aliasing limit inwards (Mo, Yun and Cobbold, Ultrasound Med. Biol. 14,
// 1988), on the side of the stronger flow: the first flow bin within 10 dB of the strongest, minus the widening by
// window and smoothing. mean: weighted with the power above the noise over all flow bins.
GateTraces gate_traces(std::span<const float> power, int frames);

// A Doppler gate: terms of one frame for the echoes of a stretch of the beam. Host and device.
//
// The image's complex pixels turn along the depth by 4 pi f dz / c, so that a plain mean over a gate of several
// wavelengths would cancel. Aligned by the turn of one frequency f and summed with a window, the gate filters that
// frequency, as a range gate of pulsed Doppler does (Evans and McDicken, "Doppler Ultrasound", 2nd ed. 2000, ch. 6):
// its band, about c / (2 length), is narrower than the pulse's. As the Doppler shift is 2 v f / c, the pulse's whole
// band (60 % is common) would smear one velocity by as many per cent. Several adjacent bands, each with its own scale
// of velocity, are averaged as powers: less speckle without the smear (radial averages in the plane of RF and Doppler
// frequency; Wilson, Ultrasonic Imaging 13, 1991).

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

// Returns the Tukey window: flat in the middle half, raised cosines in the outer quarters.
ECHO_HD float gate_window(int row, int rows) {
  const float at = (static_cast<float>(row) + 0.5f) / static_cast<float>(rows);  // 0 .. 1
  const float from_edge = at < 0.5f ? at : 1.0f - at;
  return from_edge >= 0.25f ? 1.0f : 0.5f - 0.5f * cosf(12.566370614f * from_edge);
}

// Returns the term of row `row` in the gate's sum of band `band`.
ECHO_HD Complex gate_term(const GateGeometry& g, int band, int row, Complex pixel) {
  const float turns = g.turns_per_row[band] * (static_cast<float>(row) - 0.5f * static_cast<float>(g.rows - 1));
  const float angle = -6.2831853072f * (turns - rintf(turns));
  const float weight = g.norm * gate_window(row, g.rows);
  return Complex{weight * cosf(angle), weight * sinf(angle)} * pixel;
}

}  // namespace echoloop
