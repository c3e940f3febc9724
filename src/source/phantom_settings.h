// Settings of the built-in phantoms, which sim:NAME[,KEY=VALUE...] names: phantom_text.h. The phantoms themselves:
// phantom_list.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace echoloop {

// Of the flow phantom. The defaults do not alias at its own frame rate: 0.4 m/s at the peak, 104 mm/s along the beam;
// 154 mm/s is the limit.
struct FlowSettings {
  double peak_m_s = 0.22;                       // blood on the axis, mean over a pulse; the profile is parabolic
  double pulsation = 0.4;                       // swing of that speed about its mean, as a share of it; 0 = steady
  double angle_rad = 15.0 * kRadiansPerDegree;  // of the vessel, downwards to the right
  double radius_m = 0.0;                        // inner; 0 = 2.6 mm, smaller on a probe too small for it
  double motion_m_s = 0.0;                      // largest speed of everything, up and down together
};

struct PhantomSettings {
  std::string name = "heart";                                                                 // one of phantoms()
  std::string probe = "L64";                                                                  // one of probe_models()
  std::vector<double> angles_rad = {-6.0 * kRadiansPerDegree, 0.0, 6.0 * kRadiansPerDegree};  // plane waves
  std::optional<double> frame_rate_hz = {};  // nothing: see frame_rate_hz()
  double noise_db = -35.0;                   // channel noise against the channel's speckle at mid depth, unattenuated
  double attenuation_db_cm_mhz = 0.1;        // one way; low, because the image has no depth gain of its own
  double sound_speed_m_s = 1540.0;
  std::uint64_t seed = 1;
  FlowSettings flow = {};
};

// Which phantoms a setting is for.
enum class SettingGroup { any, flow };

}  // namespace echoloop
