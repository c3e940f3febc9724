#include "core/acquisition_facts.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/error.h"
#include "core/number.h"
#include "core/units.h"
#include "core/value_error.h"

namespace echoloop {
namespace {

constexpr std::array<FactSpec, 4> kFacts{{
    {"center_hz", "Centre frequency", "MHz", kHertzPerMegahertz, 1e4, 1e9, 5e5, 3e7, true,
     "Centre frequency of the transmitted pulse, and the initial centre of the band-pass filter.",
     [](const Acquisition& a) { return a.center_hz; }, [](Acquisition& a, double v) { a.center_hz = v; }},
    {"bandwidth_hz", "Bandwidth", "MHz", kHertzPerMegahertz, 0.0, 1e9, 0.0, 2e7, false,
     "Full width of the echo spectrum, and the initial width of the band-pass filter; 0 when unknown.",
     [](const Acquisition& a) { return a.bandwidth_hz; }, [](Acquisition& a, double v) { a.bandwidth_hz = v; }},
    {"frame_rate_hz", "Acquisition rate", "Hz", 1.0, 0.0, 1e6, 1.0, 1e4, true,
     "Acquisition frame rate of the recording, and the initial playback rate; 0 when unknown.",
     [](const Acquisition& a) { return a.frame_rate_hz; }, [](Acquisition& a, double v) { a.frame_rate_hz = v; }},
    {"first_sample_s", "First sample", "\u00b5s", 1e-6, -1e-2, 1e-2, -2e-5, 2e-5, false,
     "Time of sample 0 of the first transmit after the wave passes the array centre; other transmits shift equally. "
     "Shifts the image in depth.",
     [](const Acquisition& a) { return a.transmits.empty() ? 0.0 : a.transmits.front().t0_s; },
     [](Acquisition& a, double v) {
       if (a.transmits.empty()) return;
       const double first_s = a.transmits.front().t0_s;  // what the transmits differ by is known
       for (Transmit& t : a.transmits) t.t0_s = v + (t.t0_s - first_s);
     }},
}};

constexpr double kMostCenter = 2.0;  // of the sampling frequency: a quarter of it is left for the band of folded RF

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

double parse_fact(const FactSpec& spec, std::string_view text) {
  const auto value = finite_number(text);
  const std::string range = text_of(spec.least) + " to " + text_of(spec.most);
  if (!value) throw invalid_value(std::string(spec.key), std::string(text), "a number from " + range);
  if (*value < spec.least || *value > spec.most) throw out_of_range(std::string(spec.key), std::string(text), range);
  return *value;
}

}  // namespace

std::span<const FactSpec> fact_specs() { return kFacts; }

const FactSpec* find_fact(std::string_view key) {
  const auto found = std::find_if(kFacts.begin(), kFacts.end(), [&](const FactSpec& s) { return key == s.key; });
  return found == kFacts.end() ? nullptr : &*found;
}

Facts take_facts(std::vector<std::string>& settings) {
  Facts facts;
  std::erase_if(settings, [&](const std::string& setting) {
    const std::size_t equals = setting.find('=');
    const FactSpec* spec = equals == std::string::npos ? nullptr : find_fact(setting.substr(0, equals));
    if (spec != nullptr) facts[spec->key] = parse_fact(*spec, std::string_view(setting).substr(equals + 1));
    return spec != nullptr;
  });
  return facts;
}

AcquisitionPtr with_facts(const std::string& what, const AcquisitionPtr& acquisition, const Facts& facts) {
  if (facts.empty()) return acquisition;
  Acquisition a = *acquisition;
  for (const auto& [key, value] : facts) {
    const FactSpec* spec = find_fact(key);
    if (spec == nullptr) throw Error(what, "'" + key + "'", "a property of the recording");
    spec->set(a, value);
    std::erase_if(a.assumptions, [name = key](const Assumption& assumed) { return assumed.fact == name; });
    a.assumptions.emplace_back(
        std::string(spec->label) + " " + text_of(value / spec->per_unit) + " " + spec->unit + " (set by the user)",
        key);
    a.assumptions.back().given = true;
  }
  a.validate(what);
  if (facts.contains("center_hz") && a.signal == SignalKind::rf && a.center_hz > kMostCenter * a.sampling_hz)
    throw out_of_range(
        "center_hz", text_of(a.center_hz),
        "RF sampled at " + text_of(a.sampling_hz) + " Hz: up to " + text_of(kMostCenter * a.sampling_hz));
  return std::make_shared<const Acquisition>(std::move(a));
}

}  // namespace echoloop
