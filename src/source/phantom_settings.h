// Settings of the built-in phantoms and the text that names them, sim:NAME[,KEY=VALUE...]. One table of the numbers for
// the command line, its help, range checks and the window's Source panel. The phantoms themselves: phantom_list.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// As set; otherwise the phantom's own for the probe. [any thread]
inline constexpr double kPhantomRate_hz = 50.0;  // of phantoms without a rate of their own
double frame_rate_hz(const PhantomSettings& settings);

// Which phantoms a setting is for.
enum class SettingGroup { any, flow };

// A number among the settings.
struct PhantomSetting {
  const char* key;  // in units of `unit`
  const char* label;
  const char* unit;
  double per_unit;                 // SI value of one unit
  double least, most;              // units, both accepted
  double track_least, track_most;  // units, reached by dragging
  int decimals;
  bool logarithmic;
  SettingGroup group;
  const char* help;
  double (*get)(const PhantomSettings&);  // SI
  void (*set)(PhantomSettings&, double);
};
std::span<const PhantomSetting> phantom_table();

// Whether the phantom has it.
bool applies(const PhantomSetting& setting, const PhantomSettings& settings);

// A line of --help a setting of this group: "  peak_mm_s=220  Peak blood speed, mm/s, 0 to 10000".
std::string phantom_settings_help(SettingGroup group);

// The text after "sim:". Keys: those of the table, probe, angles_deg (numbers separated by /) and seed.
// Throws Error naming key, value and the accepted values. [any thread]
PhantomSettings parse_phantom(std::string_view text);

// The inverse: the settings that differ from the defaults only.
std::string phantom_text(const PhantomSettings& settings);

// Throws Error naming the setting and the accepted values. [any thread]
void check_phantom(const PhantomSettings& settings);

}  // namespace echoloop
