// Which transmits of a frame make the image, by the parameters transmit_first, transmit_last and transmit_every.
// Pure functions; any thread.
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

// Where lines are formed every transmit is needed for its own line: all of them then, whatever the parameters say.
// The parameters must have passed validate_params().
TransmitPick picked_transmits(const ImagingParams& params, const Acquisition& acquisition);

// Whether transmits are weighed at every pixel by its place in their cones (dsp/delays.h).
bool uses_cones(const ImagingParams& params, const Acquisition& acquisition);

// The acquisition as if only those transmits had been recorded. The same object when they are all.
AcquisitionPtr with_transmits(const AcquisitionPtr& acquisition, const TransmitPick& pick);

// The axes of those beams. Empty: not all transmits are focused.
std::vector<BeamAxis> picked_axes(const Acquisition& acquisition, const TransmitPick& pick);

// What a selection takes from the level of an echo that all transmits agree on, dB, at most 0: 20 log10(picked / all),
// or 0 with cones, whose weights add up to 1 at every pixel.
double transmit_level_db(const ImagingParams& params, const Acquisition& acquisition);

// The probes that the phantoms can be scanned with: a small table of real and teaching arrays by name.
// Why: element count, pitch, band and sampled depth belong together; a phantom takes them from here and nothing
// else has to know them. Numbers are the makers' published nominal values, rounded.

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

// Four samples a period, as research scanners take them: the band ends well below half the sampling frequency.
inline constexpr double kSamplesPerPeriod = 4.0;

// All probes; the first is the default. [any thread]
std::span<const ProbeModel> probe_models();

// The probe of that name (exact spelling). Throws Error listing the names. [any thread]
const ProbeModel& find_probe_model(std::string_view name);

}  // namespace echoloop
