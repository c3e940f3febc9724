// Numbers and curves of spectral Doppler as they are drawn, the same in the window and in figures. Pure; any thread.
// No ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/results/image.h"
#include "core/results/spectrogram.h"
#include "render/rgb.h"

namespace echoloop {

// Of the columns within the newest `span_s`: whether they are all gaps, as where a short recording is repeated.
bool only_gaps(const Spectrogram& s, double span_s);
// "peak +32 cm/s" of those columns, or why there is none.
std::string peak_text(const Spectrogram& s, double span_s);
// Limit, angle, PRF, sample volume and its place: the most important first.
std::vector<std::string> spectrogram_facts(const Spectrogram& s);
// Where the frame of `image` is on the time axis, s: 0 or before, as the right edge is the newest column. Nothing where
// it is not within the newest `span_s`.
std::optional<double> frame_place_s(const Spectrogram& s, const Image& image, double span_s);
// Of the column there; not a number where there is none.
double mean_m_s(const Spectrogram& s, double place_s);

// A curve over the spectra. Beyond one limit it continues at the other, as the spectra do; NaN: a gap.
enum class DopplerCurves { none, shown };
struct SpectrogramCurve {
  Rgb color;
  double first_s = 0.0;  // of the first value; the right edge is 0
  std::vector<float> m_s;
};
// Envelope and mean of the newest `span_s`, with the baseline moved as `params` has it.
std::vector<SpectrogramCurve> spectrogram_curves(const Spectrogram& s, const ImagingParams& params, double span_s);

}  // namespace echoloop
