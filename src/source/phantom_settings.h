// Settings of the built-in phantoms, written as sim:NAME[,KEY=VALUE...]: see phantom_text.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace echoloop {

// Settings of the flow phantom. The defaults do not alias at its own frame rate: 0.4 m/s at the peak, 104 mm/s along
// the beam; the limit is 154 mm/s.
struct FlowSettings {
  double peak_m_s = 0.22;                       // blood on the axis, mean over a beat; the profile is parabolic
  double pulsation = 0.4;                       // amplitude of that speed about its mean, relative; 0 = steady
  double angle_rad = 15.0 * kRadiansPerDegree;  // of the vessel, downwards to the right
  double radius_m = 0.0;                        // inner; 0 = 2.6 mm, less on a small probe
  double motion_m_s = 0.0;                      // largest vertical speed of the whole phantom
};

struct HeartSettings {
  double rate_hz = 1.2;         // heart beats per second
  double peak_blood_m_s = 0.0;  // largest speed; 0 = 85 % of the aliasing limit, at most 0.8 m/s
};

struct PhantomSettings {
  std::string name = "heart";                          // one of phantoms()
  std::string probe = {};                              // one of probe_models(); empty: see probe_of()
  std::optional<std::vector<double>> angles_rad = {};  // nullopt: see angles_rad()
  std::optional<double> frame_rate_hz = {};            // nullopt: see frame_rate_hz()
  double noise_db = -35.0;                             // channel noise re channel speckle at mid depth, unattenuated
  double attenuation_db_cm_mhz = 0.1;                  // one way; low, because the image has no depth gain
  double sound_speed_m_s = 1540.0;
  std::uint64_t seed = 1;
  FlowSettings flow = {};
  HeartSettings heart = {};
};

// Phantoms that have a setting.
enum class SettingGroup { any, flow, heart };

}  // namespace echoloop
