// The probes that the phantoms can be scanned with: a small table of real and teaching arrays by name.
// Why: element count, pitch, band and sampled depth belong together; a phantom takes them from here and nothing
// else has to know them. Numbers are the makers' published nominal values, rounded.
#pragma once

#include <span>
#include <string_view>

#include "core/acquisition.h"

namespace echoloop {

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
