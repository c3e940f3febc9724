// Parts of the reader of zea files: tracks (zea.cpp), the table scan and delays apart from the path (zea_scan.cpp),
// transmits and their decoding (zea_transmits.cpp). Internal to formats/readers. Reader process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/source_properties.h"
#include "formats/base/open_request.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/coded_lines.h"
#include "formats/readers/geometry.h"

namespace echoloop {

inline constexpr std::size_t kMaxZeaTable = std::size_t{1} << 24;  // values: (transmit, element), (frame, transmit)

std::string fixed_text(double value, int digits);  // cut, not rounded

// The tracks of a file, in its order. The list is empty for a file without several acquisitions.
struct ZeaTracks {
  std::vector<RecordedTrack> list;
  std::vector<std::string> paths;  // of each: "tracks/track_0"
  std::size_t chosen = 0;
  std::vector<double> times_s;  // of the frames of the chosen one; empty: unknown

  [[nodiscard]] std::string path() const { return paths.empty() ? std::string() : paths[chosen]; }
};

// Chooses by the property `track`; notes what is not shown in a.assumptions. Throws Error.
ZeaTracks zea_tracks(const OpenRequest& request, const hdf5::Node& root, Acquisition& a);

// Sets the times of the frames of the chosen track, and the frame rate, the median: the sum of the waits of all events
// before a frame's first one, over all tracks by track_schedule.
void set_zea_times(const hdf5::Node& root, std::size_t n_frames, std::size_t n_tx, ZeaTracks& tracks, Acquisition& a);

// Events of a track, by row; empty tables are missing in the file. Time is counted from the first firing of each
// transmit, initial_times is that of the first sample; IQ is demodulated on a clock that starts with the first sample.
struct ZeaScan {
  std::size_t n_tx = 0, n_el = 0, n_rx = 0;
  std::vector<double> delays_s, weights;                           // [n_tx][n_el]
  std::vector<double> polar_rad, azimuth_rad, focus_m, initial_s;  // [n_tx]
  std::vector<double> origins_m;                                   // [n_tx][3]
  std::vector<double> center_hz, demod_hz;                         // [n_tx]; demod_hz: as stored, also of RF
  std::vector<double> late_s;                                      // [n_tx] of echo peaks, beyond the path
  std::vector<std::size_t> receivers;                              // [n_tx][n_rx] element; empty: in order
  bool harmonic = false;                                           // received at twice the pulse's frequency

  // Keeps these rows, in this order.
  void keep(const std::vector<std::size_t>& rows);
  [[nodiscard]] bool fires(std::size_t k, std::size_t e) const { return weight(k, e) != 0.0; }
  [[nodiscard]] double weight(std::size_t k, std::size_t e) const {
    return weights.empty() ? 1.0 : weights[k * n_el + e];
  }
  [[nodiscard]] double initial(std::size_t k) const { return initial_s.empty() ? 0.0 : initial_s[k]; }
};

struct ZeaPart {
  const OpenRequest& request;
  const hdf5::Node &root, &scan;
};

// `shape`: of raw_data. Sets frequencies, sound speed and lens of `a`, whose probe is known; corrections, and facts
// missing in the file, are noted in a.assumptions. Throws Error.
ZeaScan read_zea_scan(const ZeaPart& part, const std::vector<std::size_t>& shape, Acquisition& a);

// Joins receive apertures and decodes transmits: returns the steps from the stored lines to those of a.transmits, and
// changes `scan` accordingly. No steps: as stored.
std::vector<LineStep> zea_steps(const ZeaPart& part, const LineShape& stored, ZeaScan& scan, Acquisition& a);

// Adds the transmits of `scan`. Notes laws that are no wave, and opposite polarities.
void add_zea_transmits(const ZeaPart& part, const ZeaScan& scan, const PlacedProbe& placed, Acquisition& a);

}  // namespace echoloop
