// Selection of a frame's transmits by the parameters transmit_first, transmit_last and transmit_every. Pure functions;
// any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/acquisition.h"
#include "core/grid.h"
#include "core/params.h"

namespace echoloop {

// Transmits first, first + every, ... (from 0), `count` of them.
struct TransmitPick {
  int first = 0;
  int every = 1;
  int count = 0;
  friend bool operator==(const TransmitPick&, const TransmitPick&) = default;
};

// Returns all transmits if lines are formed, as each line needs its own. The parameters must have passed
// validate_params().
TransmitPick picked_transmits(const ImagingParams& params, const Acquisition& acquisition);

// Returns true if transmits are weighted at every pixel by its place in their cones (dsp/delays.h).
bool uses_cones(const ImagingParams& params, const Acquisition& acquisition);

// Returns the acquisition reduced to these transmits; the same object if they are all.
AcquisitionPtr with_transmits(const AcquisitionPtr& acquisition, const TransmitPick& pick);

// Returns the axes of those beams; empty: not all transmits are focused.
std::vector<BeamAxis> picked_axes(const Acquisition& acquisition, const TransmitPick& pick);

// Returns the effect of a selection on the level of an echo common to all transmits, dB, at most 0: 20 log10(picked /
// all), or 0 with cones, whose weights add up to 1 at every pixel.
double transmit_level_db(const ImagingParams& params, const Acquisition& acquisition);

// Probes for phantoms: a small table of real and teaching arrays by name, with matching element count, pitch, band and
// sampled depth. Numbers are the manufacturers' published nominal values, rounded.

struct ProbeModel {
  std::string_view name;
  ProbeKind kind = ProbeKind::linear;
  int n_elements = 0;
  double pitch_m = 0.0;
  double element_width_m = 0.0;
  double center_hz = 0.0;
  double fractional_bandwidth = 0.0;  // two-way, full width at half amplitude (-6 dB), over center_hz
  int n_samples = 0;                  // of a channel line, sampled at kSamplesPerPeriod times center_hz

  [[nodiscard]] double sampling_hz() const;
  [[nodiscard]] double width_m() const { return n_elements * pitch_m; }
};

// Four samples per period, as usual for research scanners: the band ends well below half the sampling frequency.
inline constexpr double kSamplesPerPeriod = 4.0;

// Returns all probes; the first is the default. [any thread]
std::span<const ProbeModel> probe_models();

// Returns the probe of that name (exact spelling). Throws Error listing the names. [any thread]
const ProbeModel& find_probe_model(std::string_view name);

}  // namespace echoloop
