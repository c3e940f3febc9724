// The text that names a phantom and its settings, sim:NAME[,KEY=VALUE...]. One table of the numbers for the command
// line, its help, range checks and the window's Source panel.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "source/phantom_settings.h"

namespace echoloop {

// As set; otherwise the phantom's own for the probe. [any thread]
inline constexpr double kPhantomRate_hz = 50.0;  // of phantoms without a rate of their own
double frame_rate_hz(const PhantomSettings& settings);

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

// "sim:points, sim:cyst, ...", the default marked.
std::string phantom_names_text();

// Their rows in the README's table of sources.
std::string phantoms_markdown();

// Lines of --help: the phantoms and their settings.
std::string phantom_help();

}  // namespace echoloop
