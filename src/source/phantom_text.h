// Text of a phantom and its settings, sim:NAME[,KEY=VALUE...]. One table of the numbers for the command line, its help,
// range checks and the window's Source panel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid.h"
#include "source/phantom_settings.h"

namespace echoloop {

struct ProbeModel;

// Returns the set rate, otherwise the phantom's own for the probe. [any thread]
inline constexpr double kPhantomRate_hz = 50.0;  // of phantoms without their own rate
double frame_rate_hz(const PhantomSettings& settings);

// Returns the set probe, otherwise the phantom's own. Throws Error for an unknown name. [any thread]
const ProbeModel& probe_of(const PhantomSettings& settings);

// Returns the set angles, otherwise those of the probe. Linear array: of plane waves. Phased array: of diverging waves,
// from the virtual source behind the array to the middle of the array. [any thread]
std::vector<double> angles_rad(const PhantomSettings& settings);

// Numeric setting.
struct PhantomSetting {
  const char* key;  // in units of `unit`
  const char* label;
  const char* unit;
  double per_unit;                 // SI value of one unit
  double least, most;              // units, inclusive
  double track_least, track_most;  // units, range of dragging
  int decimals;
  bool logarithmic;
  SettingGroup group;
  const char* help;
  double (*get)(const PhantomSettings&);  // SI
  void (*set)(PhantomSettings&, double);
};
std::span<const PhantomSetting> phantom_table();

// Returns true if the phantom has the setting.
bool applies(const PhantomSetting& setting, const PhantomSettings& settings);

// Returns one line of --help per setting of this group: "  peak_mm_s=220  Peak blood speed, mm/s, 0 to 10000".
std::string phantom_settings_help(SettingGroup group);

// Parses the text after "sim:". Keys: those of the table, probe, angles_deg (numbers separated by /) and seed. Throws
// Error naming key, value and the accepted values. [any thread]
PhantomSettings parse_phantom(std::string_view text);

// Returns the inverse, with only the settings that differ from the defaults.
std::string phantom_text(const PhantomSettings& settings);

// Returns the source with the probe L64 if it is a phantom whose own probe is not linear and that names none; otherwise
// unchanged. For the course recipe, and for sessions written when L64 was the probe of every phantom.
std::string on_linear_probe(const std::string& source);

// Throws Error naming the setting and the accepted values. [any thread]
void check_phantom(const PhantomSettings& settings);

// Returns "sim:points, sim:cyst, ...", the default marked.
std::string phantom_names_text();

// Returns the phantoms' rows of the README's table of sources.
std::string phantoms_markdown();

// Returns lines of --help: phantoms and settings.
std::string phantom_help();

// Built-in phantoms, one row each: sim:NAME and its errors, --help, the Source panel, the status bar's menu, the
// README's table and the tests read these rows. A new phantom is one file with its scene and one row. Constant data,
// without waves, for the window. [any thread]

class Scene;
struct SceneSetup;

inline constexpr std::string_view kPhantomPrefix = "sim:";

struct PhantomRow {
  std::string_view name;                                          // after kPhantomPrefix
  const char* title;                                              // in menus, and followed by "phantom"
  std::string_view help;                                          // scanned object
  SettingGroup settings = SettingGroup::any;                      // additional to those of every phantom
  std::string_view probe = "L64";                                 // default
  std::string_view preset = {};                                   // built-in, for the window; empty: none
  double (*frame_rate_hz)(const ProbeModel&) = nullptr;           // null: kPhantomRate_hz
  double (*sample_volume_z_m)(const PhantomSettings&) = nullptr;  // null: no vessel
  std::unique_ptr<Scene> (*make)(const SceneSetup&);
};

// Returns the rows in the order of the menus.
std::span<const PhantomRow> phantoms();

// Returns the name of the phantom's preset; empty: none.
std::string_view phantom_preset(std::string_view name);

// Returns null for an unknown name.
const PhantomRow* find_phantom(std::string_view name);

// Ground truth of the built-in phantoms: positions, radii and speeds for tests and the sample volume. Defined in
// scene_NAME.cpp.

// Returns the resting wires of the points phantom. [0] and [1] are 20.00 mm apart in depth, [2] and [3] 10.00 mm apart
// laterally (half of that on a small probe). [any thread]
std::vector<PlanePoint> points_phantom_wires(const PhantomSettings& settings);

// Returns the position of the circling wire of the points phantom in frame `index`. [any thread]
PlanePoint points_phantom_circling_wire(const PhantomSettings& settings, std::uint64_t index);

struct PhantomDisc {
  PlanePoint center{};
  double radius_m = 0.0;
};

// Return the echo-free cyst and the bright inclusion of the cyst phantom in frame `index`; the radius neglects the
// strain of the breathing (below 3 %). [any thread]
PhantomDisc cyst_phantom_cyst(const PhantomSettings& settings, std::uint64_t index);
PhantomDisc cyst_phantom_inclusion(const PhantomSettings& settings, std::uint64_t index);

// Truth of the flow phantom in frame `index`: a point of the vessel's axis and its direction, which give the speed
// anywhere: along the vessel peak (1 - (across / radius)^2), plus the motion of the tissue.
struct FlowTruth {
  PlanePoint axis{};       // crossing of the axis with x = 0
  double angle_rad = 0.0;  // downwards to the right
  double radius_m = 0.0;
  double peak_m_s = 0.0;    // along the vessel, to the right
  double tissue_m_s = 0.0;  // downwards
};
FlowTruth flow_phantom_truth(const PhantomSettings& settings, std::uint64_t index);

}  // namespace echoloop
