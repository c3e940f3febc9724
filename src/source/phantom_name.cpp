#include "source/phantom_name.h"

#include <cmath>
#include <string>

#include "core/error.h"
#include "core/number.h"
#include "core/value_error.h"

namespace echoloop {
namespace {

double parse_number(std::string_view key, std::string_view text) {
  const auto value = finite_number(text);
  if (!value) throw invalid_value("sim: " + std::string(key), std::string(text), "a number");
  return *value;
}

// Takes the text up to `separator` off the front of `rest`.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

void set_angles(PhantomSettings& settings, std::string_view text) {
  settings.angles_rad.clear();
  while (!text.empty()) {
    settings.angles_rad.push_back(parse_number("angles_deg", take_part(text, '/')) * kRadiansPerDegree);
  }
}

// False: not a setting of the flow phantom.
bool set_flow(FlowSettings& flow, std::string_view key, std::string_view value) {
  if (key == "peak_mm_s") {
    flow.peak_m_s = parse_number(key, value) * kMetresPerMillimetre;
  } else if (key == "pulsation") {
    flow.pulsation = parse_number(key, value);
  } else if (key == "angle_deg") {
    flow.angle_rad = parse_number(key, value) * kRadiansPerDegree;
  } else if (key == "radius_mm") {
    flow.radius_m = parse_number(key, value) * kMetresPerMillimetre;
  } else if (key == "motion_mm_s") {
    flow.motion_m_s = parse_number(key, value) * kMetresPerMillimetre;
  } else {
    return false;
  }
  return true;
}

void set_one(PhantomSettings& settings, std::string_view assignment) {
  std::string_view value = assignment;
  const std::string_view key = take_part(value, '=');
  if (key == "probe") {
    settings.probe = value;
  } else if (key == "angles_deg") {
    set_angles(settings, value);
  } else if (key == "noise_db") {
    settings.noise_db = parse_number(key, value);
  } else if (key == "attenuation_db_cm_mhz") {
    settings.attenuation_db_cm_mhz = parse_number(key, value);
  } else if (key == "rate_hz") {
    settings.frame_rate_hz = parse_number(key, value);
  } else if (key == "sound_speed_m_s") {
    settings.sound_speed_m_s = parse_number(key, value);
  } else if (key == "seed") {
    const double seed = parse_number(key, value);
    if (!(seed >= 0.0 && seed <= 1e15) || seed != std::floor(seed)) {
      throw invalid_value("sim: seed", std::string(value), "a whole number from 0 to 1e15");
    }
    settings.seed = static_cast<std::uint64_t>(seed);
  } else if (settings.name != "flow" || !set_flow(settings.flow, key, value)) {
    throw Error("sim:" + settings.name, "unknown setting '" + std::string(key) + "'",
                std::string("probe, angles_deg, noise_db, attenuation_db_cm_mhz, rate_hz, sound_speed_m_s, seed") +
                    (settings.name == "flow" ? ", peak_mm_s, pulsation, angle_deg, radius_mm, motion_mm_s" : ""));
  }
}

}  // namespace

PhantomSettings parse_phantom(std::string_view text) {
  PhantomSettings settings;
  settings.name = take_part(text, ',');
  while (!text.empty()) set_one(settings, take_part(text, ','));
  return settings;
}

}  // namespace echoloop
