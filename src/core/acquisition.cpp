#include "core/acquisition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

void require(bool ok, const std::string& what, const std::string& field, const std::string& value,
             const std::string& rule) {
  if (!ok) throw Error(what, field + " = " + value, rule);
}

void require_range(const std::string& what, const std::string& field, double value, double min, double max,
                   const std::string& rule) {
  if (std::isfinite(value) && value >= min && value <= max) return;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  throw out_of_range(what + ": " + field, text, rule);
}

void validate_probe(const Probe& probe, const std::string& what) {
  require(!probe.elements.empty() && probe.elements.size() <= static_cast<std::size_t>(kMaxElements), what,
          "number of elements", std::to_string(probe.elements.size()), "1 to " + std::to_string(kMaxElements));
  for (const Element& element : probe.elements) {
    require_range(what, "element x", element.x_m, -1.0, 1.0, "within 1 m of the origin");
    require_range(what, "element z", element.z_m, -1.0, 1.0, "within 1 m of the origin");
    require_range(what, "element normal", element.normal_rad, -kPi, kPi, "-pi to pi rad");
  }
  require_range(what, "pitch", probe.pitch_m, 0.0, 0.1, "0 to 100 mm");
  require_range(what, "element width", probe.element_width_m, 0.0, 0.1, "0 to 100 mm");
}

// Validates the columns of beamformed data.
void validate_columns(const Acquisition& a, const std::string& what) {
  const std::vector<Element>& columns = a.probe.elements;
  require(columns.size() >= 2, what, "columns", std::to_string(columns.size()), "2 or more");
  const double first = columns.front().x_m,
               step = (columns.back().x_m - first) / static_cast<double>(columns.size() - 1);
  require(step > 0.0 && std::abs(a.probe.pitch_m - step) <= 0.01 * step, what, "column spacing", std::to_string(step),
          "the pitch");
  const double off_m = std::max(0.01 * step, 1.001e-6);  // positions may be whole micrometres
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool there = std::abs(columns[k].x_m - (first + static_cast<double>(k) * step)) <= off_m;
    require(there && columns[k].z_m == 0.0 && columns[k].normal_rad == 0.0, what, "column " + std::to_string(k + 1),
            std::to_string(columns[k].x_m), "columns evenly spaced from left to right");
  }
  require(a.signal == SignalKind::iq, what, "samples of beamformed data", "RF", "IQ");
  const bool straight = a.transmits.size() == 1 && a.transmits[0].kind == TransmitKind::plane;
  require(straight && a.transmits[0].angle_rad == 0.0, what, "transmits of beamformed data",
          std::to_string(a.transmits.size()), "one plane wave at 0 degrees");
}

// Throws with the unit, as degrees are the usual mistake.
void validate_angle(double angle_rad, const std::string& what) {
  if (std::abs(angle_rad) <= kPi / 2) return;
  char text[64];
  std::snprintf(text, sizeof text, "%.6g rad (%.4g degrees)", angle_rad, angle_rad / kRadiansPerDegree);
  throw out_of_range(what + ": transmit angle", text, "-1.5708 to 1.5708 rad, which are -90 to 90 degrees");
}

void validate_transmit(const Transmit& transmit, const Acquisition& a, const std::string& what) {
  require_range(what, "t0", transmit.t0_s, -1.0, 1.0, "within 1 s of time zero");
  const double first_m = 0.5 * a.sound_speed_m_s * transmit.t0_s;
  if (first_m >= kMaxDepth_m) {
    char text[64];
    std::snprintf(text, sizeof text, "t0 = %.6g s, a depth of %.3g m", transmit.t0_s, first_m);
    throw Error(what, text, "a first sample from less than 10 m");
  }
  require_range(what, "transmit aperture", transmit.aperture_m, 0.0, 10.0, "0 to 10 m");
  switch (transmit.kind) {
    case TransmitKind::plane:
      validate_angle(transmit.angle_rad, what);
      break;
    case TransmitKind::diverging:
    case TransmitKind::focused:
      require_range(what, "source x", transmit.source_x_m, -10.0, 10.0, "within 10 m of the origin");
      require_range(what, "source z", transmit.source_z_m, -10.0, 10.0, "within 10 m of the origin");
      break;
    case TransmitKind::delays: {
      require(transmit.element_delays_s.size() == a.probe.elements.size(), what, "number of transmit delays",
              std::to_string(transmit.element_delays_s.size()), "one for each element");
      bool any = false;
      for (const double delay : transmit.element_delays_s) {
        if (std::isnan(delay)) continue;
        require_range(what, "transmit delay", delay, -1.0, 1.0, "within 1 s, or NaN for a silent element");
        any = true;
      }
      require(any, what, "transmit delays", "all NaN", "at least one firing element");
      break;
    }
  }
}

}  // namespace

bool has_even_elements(const Probe& probe) {
  double least = 0.0;
  double most = 0.0;
  for (std::size_t e = 1; e < probe.elements.size(); ++e) {
    const Element& a = probe.elements[e - 1];
    const Element& b = probe.elements[e];
    const double distance = std::hypot(b.x_m - a.x_m, b.z_m - a.z_m);
    least = e == 1 ? distance : std::min(least, distance);
    most = std::max(most, distance);
  }
  return most - least <= 0.05 * 0.5 * (most + least);
}

Probe make_linear_probe(std::string name, int n_elements, double pitch_m, double element_width_m) {
  Probe probe{.name = std::move(name),
              .kind = ProbeKind::linear,
              .pitch_m = pitch_m,
              .element_width_m = element_width_m,
              .elements = {}};
  probe.elements.resize(static_cast<std::size_t>(n_elements));
  for (int e = 0; e < n_elements; ++e) {
    probe.elements[static_cast<std::size_t>(e)].x_m = (e - 0.5 * (n_elements - 1)) * pitch_m;
  }
  return probe;
}

std::size_t Acquisition::frame_values() const {
  return transmits.size() * probe.elements.size() * static_cast<std::size_t>(n_samples) *
         static_cast<std::size_t>(values_per_sample());
}

void Acquisition::validate(const std::string& what) const {
  validate_probe(probe, what);
  require(!transmits.empty() && transmits.size() <= static_cast<std::size_t>(kMaxTransmits), what,
          "number of transmits", std::to_string(transmits.size()), "1 to " + std::to_string(kMaxTransmits));
  require(n_samples >= 2 && n_samples <= kMaxSamples, what, "samples", std::to_string(n_samples),
          "2 to " + std::to_string(kMaxSamples));
  require(frame_bytes() <= (std::size_t{1} << 33), what, "frame size", std::to_string(frame_bytes()) + " bytes",
          "up to 8 GiB");
  require_range(what, "sampling frequency", sampling_hz, 1e3, 1e10, "1 kHz to 10 GHz");
  require_range(what, "centre frequency", center_hz, 1e3, 1e9, "1 kHz to 1 GHz");
  require_range(what, "bandwidth", bandwidth_hz, 0.0, 1e9, "0 to 1 GHz, 0 when unknown");
  require_range(what, "demodulation frequency", demod_hz, 0.0, 1e9, "0 to 1 GHz");
  require_range(what, "sound speed", sound_speed_m_s, 100.0, 12000.0, "100 to 12000 m/s");
  require_range(what, "frame rate", frame_rate_hz, 0.0, 1e6, "0 to 1 MHz, 0 when unknown");
  for (const Transmit& transmit : transmits) validate_transmit(transmit, *this, what);
  if (data == DataKind::beamformed) validate_columns(*this, what);
}

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
       const double first_s = a.transmits.front().t0_s;  // differences between transmits are known
       for (Transmit& t : a.transmits) t.t0_s = v + (t.t0_s - first_s);
     }},
}};

constexpr double kMostCenter = 2.0;  // of the sampling frequency: the band of folded RF then has a quarter of it

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
