// A sonogram on disk.
#include <algorithm>
#include <cmath>

#include "history/export.h"
#include "history/json_text.h"
#include "history/npy_text.h"

namespace echoloop {
namespace {

nlohmann::json number_or_null(double v) { return std::isfinite(v) ? nlohmann::json(v) : nlohmann::json(); }

// Least, median and greatest of what is a number among the kept columns.
nlohmann::json spread_json(const Sonogram& s, const std::vector<float>& values) {
  std::vector<float> known;
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    if (const float v = values[Sonogram::slot(k)]; std::isfinite(v)) known.push_back(v);
  }
  nlohmann::json json = {{"columns", known.size()}};
  if (known.empty()) return json;
  std::ranges::sort(known);
  json["least"] = known.front();
  json["median"] = known[known.size() / 2];
  json["greatest"] = known.back();
  return json;
}

}  // namespace

nlohmann::json sonogram_json(const Sonogram& s) {
  return {{"gate", {{"x_m", s.centre.x_m}, {"z_m", s.centre.z_m}, {"length_m", s.length_m}, {"bands", s.bands}}},
          {"window_frames", s.frames},
          {"prf_hz", s.prf_hz},
          {"column_step_s", s.step_s},
          {"aliasing_m_s", s.aliasing_m_s},
          {"reference_db", s.reference_db},
          {"brightest_db", number_or_null(static_cast<double>(s.brightest_db))},
          {"envelope_m_s", spread_json(s, s.envelope_m_s)},
          {"mean_m_s", spread_json(s, s.mean_m_s)}};
}

void write_sonogram_npy(const std::filesystem::path& path, const Sonogram& s, const nlohmann::json& about) {
  std::vector<float> values;
  nlohmann::json times = nlohmann::json::array(), envelope = times, mean = times, velocities = times;
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    const std::span<const float> column = s.column(k);
    values.insert(values.end(), column.begin(), column.end());
    const std::size_t slot = Sonogram::slot(k);
    times.push_back(number_or_null(s.time_s[slot]));
    envelope.push_back(number_or_null(static_cast<double>(s.envelope_m_s[slot])));
    mean.push_back(number_or_null(static_cast<double>(s.mean_m_s[slot])));
  }
  for (int i = 0; i < s.n_bins; ++i) velocities.push_back(s.velocity_m_s(i));
  const std::string shape = std::to_string(s.end - s.first()) + ", " + std::to_string(s.n_bins);
  nlohmann::json sidecar = about;
  sidecar["file"] = path.filename().string();
  sidecar["order"] = "[column][velocity], power in dB, float32; velocities positive towards the probe";
  sidecar["time_s"] = times;
  sidecar["velocity_m_s"] = velocities;
  sidecar["envelope_m_s"] = envelope;
  sidecar["mean_m_s"] = mean;
  sidecar["parameters"] = params_json(s.params);
  sidecar["frame"] = frame_json(s.stamp);
  sidecar["sonogram"] = sonogram_json(s);
  write_pair({{{path, npy_text(shape, {values})},
               {std::filesystem::path(path).replace_extension(".json"), json_text(sidecar, 1) + "\n"}}});
}

}  // namespace echoloop
