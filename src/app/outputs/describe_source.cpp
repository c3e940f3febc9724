#include "app/outputs/describe_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/outputs/doubts.h"
#include "app/outputs/provenance.h"
#include "core/number.h"
#include "core/scan_lines.h"
#include "core/units.h"
#include "history/json_text.h"

namespace echoloop {
namespace {

const char* transmit_words(TransmitKind kind) {
  switch (kind) {
    case TransmitKind::plane:
      return "plane waves";
    case TransmitKind::diverging:
      return "diverging waves";
    case TransmitKind::focused:
      return "focused beams";
    case TransmitKind::delays:
      break;
  }
  return "element delays";
}

// "5.00", or "5.00 to 6.50".
std::string range_text(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string first = fmt::format("{:.2f}", *low), last = fmt::format("{:.2f}", *high);
  return first == last ? first : first + " to " + last;
}

std::vector<double> each_transmit(const Acquisition& a, const std::function<double(const Transmit&)>& of) {
  std::vector<double> values;
  for (const Transmit& t : a.transmits) values.push_back(of(t));
  return values;
}

bool fires_alone(const Transmit& t, const Probe& probe) {
  return t.kind == TransmitKind::diverging &&
         std::any_of(probe.elements.begin(), probe.elements.end(),
                     [&](const Element& e) { return std::hypot(e.x_m - t.source_x_m, e.z_m - t.source_z_m) < 1e-6; });
}

// Beams: between which lines and how deep; sources: where.
std::string spherical_text(const Acquisition& a, const std::string& text) {
  if (std::all_of(a.transmits.begin(), a.transmits.end(), [&](const Transmit& t) { return fires_alone(t, a.probe); })) {
    return counted(a.n_transmits(), "single element") + " (synthetic aperture)";
  }
  const TransmitKind kind = a.transmits.front().kind;
  if (std::any_of(a.transmits.begin(), a.transmits.end(), [&](const Transmit& t) { return t.kind != kind; }))
    return text;
  if (kind == TransmitKind::diverging) {
    return text + ", " + plural(a.n_transmits(), "virtual source") +
           " at z = " + range_text(each_transmit(a, [](const Transmit& t) { return t.source_z_m * 1e3; })) + " mm";
  }
  if (kind != TransmitKind::focused) return text;
  const auto lines = find_scan_lines(a);
  const double apex_m = lines && !lines->parallel ? sector_apex_z_m(a.probe) : 0.0;
  const auto depth_mm = each_transmit(a, [&](const Transmit& t) {
    if (!lines || lines->parallel) return t.source_z_m * 1e3;
    const Element& e = a.probe.elements.front();
    const double surface_m = a.probe.kind == ProbeKind::convex ? std::hypot(e.x_m, e.z_m - apex_m) : 0.0;
    return (std::hypot(t.source_x_m, t.source_z_m - apex_m) - surface_m) * 1e3;
  });
  std::string where;
  if (lines && lines->parallel)
    where = fmt::format(" from x = {:.2f} to {:.2f} mm", lines->first * 1e3, lines->last * 1e3);
  if (lines && !lines->parallel)
    where = fmt::format(" from {:.2f} to {:.2f} degrees", lines->first / kRadiansPerDegree,
                        lines->last / kRadiansPerDegree);
  return text + where + ", focus at " + range_text(depth_mm) + " mm";
}

std::string transmits_text(const Acquisition& a) {
  const TransmitKind kind = a.transmits.front().kind;
  std::string text = fmt::format("{} {}", a.n_transmits(), transmit_words(kind));
  if (a.n_transmits() == 1) text = text.substr(0, text.size() - 1);
  if (kind != TransmitKind::plane) return spherical_text(a, text);
  const auto [least, most] =
      std::minmax_element(a.transmits.begin(), a.transmits.end(),
                          [](const Transmit& x, const Transmit& y) { return x.angle_rad < y.angle_rad; });
  text += a.n_transmits() == 1 ? " at" : " from";
  text += fmt::format(" {:.2f}", least->angle_rad / kRadiansPerDegree);
  if (a.n_transmits() > 1) text += fmt::format(" to {:.2f}", most->angle_rad / kRadiansPerDegree);
  return text + " degrees";
}

std::string lines_text(const Acquisition& a) {
  const auto t0_us = each_transmit(a, [](const Transmit& t) { return t.t0_s * 1e6; });
  const auto [first, last] = std::minmax_element(t0_us.begin(), t0_us.end());
  const std::string until = *last - *first < 5e-4 ? "" : fmt::format(" to {:.3f}", *last);
  return fmt::format("lines         {} of {} {} at {:g} MHz, first sample at {:.3f}{} us\n",
                     counted(a.n_samples, "sample"), a.sample_type == SampleType::int16 ? "int16" : "float32",
                     a.signal == SignalKind::iq ? "IQ" : "RF", a.sampling_hz * 1e-6, *first, until);
}

// Of a beamformed recording.
std::string rows_text(const Acquisition& a) {
  const double row_m = 0.5 * a.sound_speed_m_s / a.sampling_hz;
  const double top_m = 0.5 * a.sound_speed_m_s * a.transmits.front().t0_s;
  return fmt::format("rows          {} of {} IQ from {:.2f} to {:.2f} mm\n", a.n_samples,
                     a.sample_type == SampleType::int16 ? "int16" : "float32", top_m * 1e3,
                     (top_m + (a.n_samples - 1) * row_m) * 1e3);
}

const char* probe_words(ProbeKind kind) {
  return kind == ProbeKind::linear ? "linear" : kind == ProbeKind::convex ? "convex" : "phased";
}

}  // namespace

std::string describe_source(const OpenedSource& opened) {
  const Acquisition& a = *opened.info.acquisition;
  std::string text = fmt::format("{}: {}\n", opened.info.name, opened.info.format);
  text += opened.info.frame_count > 0 ? fmt::format("frames        {}", opened.info.frame_count)
                                      : "frames        unlimited";
  text += a.frame_rate_hz > 0.0 ? fmt::format(", recorded at {:g} Hz\n", a.frame_rate_hz) : ", frame rate unknown\n";
  if (a.data == DataKind::beamformed) {
    text += fmt::format("image         beamformed: {} from {:.2f} to {:.2f} mm\n", counted(a.n_elements(), "column"),
                        a.probe.elements.front().x_m * 1e3, a.probe.elements.back().x_m * 1e3);
    text += rows_text(a);
  } else {
    text += a.n_elements() == 1 ? "probe         one element\n"
                                : fmt::format("probe         {} array, {} elements, pitch {:.3f} mm\n",
                                              probe_words(a.probe.kind), a.n_elements(), a.probe.pitch_m * 1e3);
    text += fmt::format("transmits     {}\n", transmits_text(a));
    text += lines_text(a);
  }
  text += fmt::format("pulse         {:g} MHz\nsound speed   {:g} m/s\n", a.center_hz * 1e-6, a.sound_speed_m_s);
  for (const Assumption& assumed : a.assumptions) {
    text += "assumed       " + assumed.text;
    if (!assumed.fact.empty()) text += " (--set " + assumed.fact + "=... overrides)";
    text += "\n";
  }
  for (const Doubt& doubt : measure_doubts(opened)) text += "doubt         " + doubt.text + " (" + doubt.cure + ")\n";
  return text;
}

std::string describe_source_json(const OpenedSource& opened) {
  const Acquisition& a = *opened.info.acquisition;
  nlohmann::json angles = nlohmann::json::array();
  nlohmann::json t0 = nlohmann::json::array();
  for (const Transmit& t : a.transmits) {
    if (t.kind == TransmitKind::plane) angles.push_back(t.angle_rad);
    t0.push_back(t.t0_s);
  }
  const nlohmann::json json = {{"name", opened.info.name},
                               {"format", opened.info.format},
                               {"frames", opened.info.frame_count},
                               {"transmits", a.n_transmits()},
                               {"transmit_kind", transmit_words(a.transmits.front().kind)},
                               {"angles_rad", angles},
                               {"t0_s", t0},
                               {"elements", a.n_elements()},
                               {"probe", probe_words(a.probe.kind)},
                               {"pitch_m", a.probe.pitch_m},
                               {"samples", a.n_samples},
                               {"beamformed", a.data == DataKind::beamformed},
                               {"signal", a.signal == SignalKind::iq ? "IQ" : "RF"},
                               {"sample_type", a.sample_type == SampleType::int16 ? "int16" : "float32"},
                               {"sampling_hz", a.sampling_hz},
                               {"center_hz", a.center_hz},
                               {"demod_hz", a.demod_hz},
                               {"sound_speed_m_s", a.sound_speed_m_s},
                               {"frame_rate_hz", a.frame_rate_hz},
                               {"assumptions", assumptions_json(a)},
                               {"doubts", doubts_json(measure_doubts(opened))}};
  return json_text(json, 1) + "\n";
}

}  // namespace echoloop
