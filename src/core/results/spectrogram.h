// Spectral Doppler of one gate: power over velocity (rows) and time (columns), with two curves. Columns are equal steps
// of the recording's time; what lies within a window of a missing frame is a gap (not a number), never bridged. Plain
// memory on the host; values are overwritten, not reallocated, on their way through a Mailbox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/params.h"

namespace echoloop {

struct Spectrogram {
  static constexpr int kColumns = 2048;           // that are kept: 10 s or more
  static constexpr double kMostColumns_hz = 200;  // of the recording's time

  std::uint64_t number = 0;  // counts publications, from 1; 0 = none yet
  std::uint64_t begun = 0;   // changes where the columns begin anew: another gate, another scale, other pixels
  FrameStamp stamp;          // of the newest frame
  AcquisitionPtr acquisition;
  ImagingParams params;  // that made the newest column
  PlanePoint centre{};   // of the gate as it lies on the pixels
  double length_m = 0.0;
  double reference_db = 0.0;  // level that is 0 dB, of the newest column

  int frames = 0;  // of a window
  int hop = 0;     // frames from column to column
  int bands = 0;   // whose spectra are averaged (dsp/gate.h)
  int n_bins = 0;  // a column
  double prf_hz = 0.0;
  double aliasing_m_s = 0.0;  // a column spans plus and minus this

  std::uint64_t end = 0;            // columns since `begun`; column k lies at k % kColumns, the last kColumns are kept
  std::vector<float> power_db;      // [kColumns][n_bins], from -aliasing_m_s up, towards the probe positive; gaps: NaN
  std::vector<float> envelope_m_s;  // [kColumns]: the fastest flow on the side where it is stronger; NaN: none
  std::vector<float> mean_m_s;      // [kColumns]: weighted with the power above the noise; NaN: none
  std::vector<double> time_s;       // [kColumns]: the recording's time at the window's middle; gaps: NaN
  float brightest_db = -1e9F;       // of all columns since `begun`

  [[nodiscard]] double step_s() const { return hop / prf_hz; }  // from column to column
  [[nodiscard]] std::uint64_t first() const { return end > kColumns ? end - kColumns : 0; }
  [[nodiscard]] static std::size_t slot(std::uint64_t column) { return static_cast<std::size_t>(column % kColumns); }
  [[nodiscard]] std::span<const float> column(std::uint64_t k) const {
    return std::span(power_db).subspan(slot(k) * static_cast<std::size_t>(n_bins), static_cast<std::size_t>(n_bins));
  }
  [[nodiscard]] double velocity_m_s(double bin) const { return aliasing_m_s * (2.0 * bin / n_bins - 1.0); }
};

// Counts of frames since the sample volume was set.
struct SpectrogramCounts {
  std::uint64_t columns = 0;  // with a spectrum
  std::uint64_t gaps = 0;     // times that frames did not follow each other
  std::uint64_t late = 0;     // frames that could not be taken
};

// White where the power is this, in dB: the brightest so far less the gain.
[[nodiscard]] inline double spectrogram_white_db(const Spectrogram& s, const ImagingParams& params) {
  return static_cast<double>(s.brightest_db) - params.doppler.gain_db;
}

}  // namespace echoloop
