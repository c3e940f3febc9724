// Finds the speed of sound at which the channels of a frame agree best: Phi(c) = sum |S|^2 / sum (W E) over the pixels
// of a region, with S, W and E of the coherence factor (dsp/methods/coherence.h); a ratio of sums, as the mean of the
// factor over pixels has no useful peak. Rows scale with c, z c / c0, so that every speed compares the same echoes.
// Uniform weights, and no aperture wider than F 1.5: distant elements see a pixel through other directivities and
// arrivals, which moves the peak over elements (simus_p42v_diverging, made with 1540 m/s: 1553 with the full aperture,
// 1541 at F 1.5). Any thread; waits for the backend.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace echoloop {

struct SoundSpeedTask {
  AcquisitionPtr acquisition;
  ImagingParams params;               // grid, F-number (see search_f_number()), band; sound_speed_m_s is c0
  Grid grid;                          // at c0
  std::vector<std::uint32_t> pixels;  // indices into the grid; empty: all
  std::vector<double> speeds_m_s;     // rising, at equal steps, at least 3
};

struct SoundSpeedCurve {
  std::vector<double> phi;            // per speed; empty: not computed
  double peak_m_s = 0.0;              // of a parabola through the highest value and its neighbours
  double prominence = 0.0;            // (highest - lowest) / highest
  std::vector<std::string> warnings;  // sentences; empty: the peak can be used
};

struct SoundSpeedResult {
  SoundSpeedCurve elements;   // Phi over elements of the compounded channels
  SoundSpeedCurve transmits;  // not computed for one transmit
};

inline constexpr int kSpeeds = 41;
inline constexpr double kSpeedReach_m_s = 150.0;
// Returns kSpeeds speeds within kSpeedReach_m_s of c0.
std::vector<double> speeds_around(double speed_m_s);

// Returns the F-number of the search, the image's but at least 1.5; and a sentence if it differs, else empty.
double search_f_number(const ImagingParams& params);
std::string search_f_number_note(const ImagingParams& params);

// Returns why these parameters allow no search, as a sentence; empty: they do.
std::string why_no_sound_speed(const ImagingParams& params, const Acquisition& acquisition);

// Returns the grid of the task: the extent of the image at its automatic spacing, at most 256 x 512 pixels. Throws
// Error for scan lines, beamformed recordings and the course recipe, which have no channels to compare.
Grid sound_speed_grid(const ImagingParams& params, const Acquisition& acquisition);

// `go_on`: called before each speed with the finished share, 0 to 1; false ends the search with empty curves.
SoundSpeedResult find_sound_speed(Backend& backend, const SoundSpeedTask& task, const RfFrame& frame,
                                  const std::function<bool(double)>& go_on = {});

// Sets peak, prominence and warnings from phi.
void judge_curve(SoundSpeedCurve& curve, const std::vector<double>& speeds_m_s);

}  // namespace echoloop
