// Beats in the velocity curve of spectral Doppler. Any thread.
#pragma once

#include <limits>
#include <span>

namespace echoloop {

// Values of a pulsating flow; NaN: not known. Velocities have the sign of the flow.
struct PulseValues {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double peak_m_s = kUnknown;          // systolic: median over the beats of their maxima
  double end_diastole_m_s = kUnknown;  // median of the values before each rise
  double resistance_index = kUnknown;  // (peak - end of diastole) / peak
  double beats_per_minute = kUnknown;  // from the autocorrelation, 30 to 220
};

// Measures the fastest velocities in columns `step_s` apart (NaN: none). Nothing is known of fewer than two beats, of
// flow that does not pulsate, and of a curve that reaches `limit_m_s`.
PulseValues measure_pulses(std::span<const float> curve_m_s, double step_s, double limit_m_s);

}  // namespace echoloop
