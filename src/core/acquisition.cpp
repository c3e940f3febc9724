#include "core/acquisition.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {

void require_facts(const Acquisition& a, const std::string& what);  // core/facts.cpp

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
    require_range(what, "element y", element.y_m, -1.0, 1.0, "within 1 m of the image plane");
  }
  require_range(what, "lens thickness", probe.lens.thickness_m, 0.0, 0.1, "0 to 100 mm");
  if (probe.lens.refracts())
    require_range(what, "lens sound speed", probe.lens.sound_speed_m_s, 100.0, 12000.0, "100 to 12000 m/s");
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
      validate_angle(transmit.elevation_rad, what);
      break;
    case TransmitKind::none:
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
  for (int e = 0; e < n_elements; ++e)
    probe.elements[static_cast<std::size_t>(e)].x_m = (e - 0.5 * (n_elements - 1)) * pitch_m;
  return probe;
}

bool leaves_plane(const Probe& probe) {
  return std::ranges::any_of(probe.elements, [](const Element& e) { return e.y_m != 0.0; });
}

double arrival_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s) {
  if (t.kind == TransmitKind::none) return 0.0;
  if (t.kind == TransmitKind::plane) {
    const double passed_m = x_m * std::sin(t.angle_rad) + z_m * std::cos(t.angle_rad);
    return (t.elevation_rad == 0.0 ? passed_m : passed_m * std::cos(t.elevation_rad)) / c_m_s;
  }
  if (t.kind != TransmitKind::delays) {
    const double longer_m = std::hypot(x_m - t.source_x_m, z_m - t.source_z_m) - std::hypot(t.source_x_m, t.source_z_m);
    return (t.kind == TransmitKind::focused ? -longer_m : longer_m) / c_m_s;
  }
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (std::isnan(t.element_delays_s[e])) continue;
    const Element& element = probe.elements[e];
    const double in_plane_m = std::hypot(x_m - element.x_m, z_m - element.z_m);
    const double path_m = element.y_m == 0.0 ? in_plane_m : std::hypot(in_plane_m, element.y_m);
    first = std::min(first, t.element_delays_s[e] + path_m / c_m_s);
  }
  return first;
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
  require_facts(*this, what);
  for (const Transmit& transmit : transmits) validate_transmit(transmit, *this, what);
  if (data == DataKind::beamformed) validate_columns(*this, what);
}

namespace {

// n_samples: 1024 samples at 20 MHz and 1540 m/s are a depth of 39 mm, of which all elements see about 36 mm; 2048 at
// 10.88 MHz are 145 mm.
constexpr std::array<ProbeModel, 5> kProbes{{
    {"L64", ProbeKind::linear, 64, 0.300e-3, 0.270e-3, 5.0e6, 0.60, 1024},
    {"L128", ProbeKind::linear, 128, 0.298e-3, 0.268e-3, 5.0e6, 0.60, 1024},
    {"L11-4v", ProbeKind::linear, 128, 0.300e-3, 0.270e-3, 6.25e6, 0.70, 1280},
    {"L22", ProbeKind::linear, 128, 0.100e-3, 0.080e-3, 15.625e6, 0.67, 2048},
    {"P4-2v", ProbeKind::phased, 64, 0.300e-3, 0.250e-3, 2.72e6, 0.60, 2048},
}};

}  // namespace

double ProbeModel::sampling_hz() const { return kSamplesPerPeriod * center_hz; }

std::span<const ProbeModel> probe_models() { return kProbes; }

const ProbeModel& find_probe_model(std::string_view name) {
  const auto* const found = std::ranges::find(kProbes, name, &ProbeModel::name);
  if (found != kProbes.end()) return *found;
  std::string names;
  for (const ProbeModel& probe : kProbes) names += (names.empty() ? "" : ", ") + std::string(probe.name);
  throw Error("probe", "\"" + std::string(name) + "\"", names);
}

}  // namespace echoloop
