// What the rows of a line in RcvData are: Receive.sampleMode and the rates beside it. The vendor samples at four times
// demodFrequency; BS100BW keeps two neighbouring samples of every four, BS50BW of every eight: these are I and -Q.
// BS67BW keeps every third, evenly, as samplers of RF do.
#include <array>
#include <string_view>

#include "core/error.h"
#include "core/units.h"
#include "formats/readers/verasonics_scheme.h"

namespace echoloop::verasonics {
namespace {

struct Mode {
  std::string_view name;
  double rows_per_wave;
  double periods_per_pair;  // 0: no pairs
};
constexpr std::array kModes = {Mode{"NS200BW", 4.0, 0.0}, Mode{"BS100BW", 2.0, 1.0}, Mode{"BS67BW", 4.0 / 3.0, 0.0},
                               Mode{"BS50BW", 1.0, 2.0}};

// By its name, or by samplesPerWave alone as older scripts give it; null for "custom" and unknown ones.
const Mode* mode_of(const std::string& name, std::optional<double> per_wave) {
  for (const Mode& mode : kModes) {
    if (name == mode.name || (name.empty() && per_wave == mode.rows_per_wave)) return &mode;
  }
  return nullptr;
}

// Rows a second.
double row_rate(const MatNode& receive, std::size_t row, const Mode* mode, const Scales& s, Acquisition& a) {
  if (const auto rate = receive.number("decimSampleRate", row))
    return *rate * kHertzPerMegahertz / receive.number("quadDecim", row).value_or(1.0);
  if (const auto per_wave = receive.number("samplesPerWave", row)) return *per_wave * s.frequency_hz;
  if (mode != nullptr) {
    a.assumptions.emplace_back("sampling frequency from Receive.sampleMode " + std::string(mode->name) +
                               ": the file has neither decimSampleRate nor samplesPerWave");
    return mode->rows_per_wave * s.frequency_hz;
  }
  a.assumptions.emplace_back(
      "4 samples per wavelength assumed: the file has neither decimSampleRate nor samplesPerWave");
  return 4.0 * s.frequency_hz;
}

}  // namespace

Sampling sampling(const std::string& what, const MatNode& receive, std::size_t row, const Scales& s, Acquisition& a) {
  const std::string name = receive.words("sampleMode", row);
  if (name == "NS200BWI") {
    throw Error(what, "Receive.sampleMode NS200BWI, which interleaves two acquisitions",
                "sample modes NS200BW, BS100BW, BS67BW, BS50BW and custom");
  }
  const Mode* const mode = mode_of(name, receive.number("samplesPerWave", row));
  Sampling sampling{.sampling_hz = row_rate(receive, row, mode, s, a), .demod_hz = 0.0};
  if (mode == nullptr || mode->periods_per_pair == 0.0) return sampling;
  sampling.sampling_hz *= 0.5;
  sampling.demod_hz = sampling.sampling_hz * mode->periods_per_pair;
  a.assumptions.emplace_back("adjacent samples are I and -Q, a quarter of a period apart (sample mode " +
                             std::string(mode->name) + ")");
  return sampling;
}

}  // namespace echoloop::verasonics
