#include "source/phantom_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

using S = PhantomSettings;

constexpr double kLargestAngle_deg = 45.0;
constexpr std::size_t kMostAngles = 256;
constexpr double kLargestSeed = 1e15;  // exact integers of a double

constexpr std::array kTable{
    PhantomSetting{"rate_hz", "Acquisition rate", "Hz", 1.0, 0.1, 1e5, 10.0, 1e4, 0, true, SettingGroup::any,
                   "Frames per second of the simulated scanner. Doppler methods use this as PRF.",
                   [](const S& s) { return frame_rate_hz(s); }, [](S& s, double v) { s.frame_rate_hz = v; }},
    PhantomSetting{"sound_speed_m_s", "Sound speed", "m/s", 1.0, 1000.0, 2500.0, 1400.0, 1700.0, 0, false,
                   SettingGroup::any, "Speed in the simulated tissue. The image uses its own sound speed.",
                   [](const S& s) { return s.sound_speed_m_s; }, [](S& s, double v) { s.sound_speed_m_s = v; }},
    PhantomSetting{"noise_db", "Channel noise", "dB", 1.0, -300.0, 40.0, -60.0, 20.0, 0, false, SettingGroup::any,
                   "White noise on every channel, relative to the speckle of a channel at mid depth.",
                   [](const S& s) { return s.noise_db; }, [](S& s, double v) { s.noise_db = v; }},
    PhantomSetting{"attenuation_db_cm_mhz", "Attenuation", "dB/cm/MHz", 1.0, 0.0, 10.0, 0.0, 1.0, 2, false,
                   SettingGroup::any, "One way, at the centre frequency.",
                   [](const S& s) { return s.attenuation_db_cm_mhz; },
                   [](S& s, double v) { s.attenuation_db_cm_mhz = v; }},
    PhantomSetting{"peak_mm_s", "Peak blood speed", "mm/s", kMetresPerMillimetre, 0.0, 10000.0, 0.0, 1000.0, 0, false,
                   SettingGroup::flow, "On the vessel's axis, mean over a heart cycle. The profile is parabolic.",
                   [](const S& s) { return s.flow.peak_m_s; }, [](S& s, double v) { s.flow.peak_m_s = v; }},
    PhantomSetting{"pulsation", "Pulsation", "", 1.0, 0.0, 1.0, 0.0, 1.0, 2, false, SettingGroup::flow,
                   "Swing of the speed about its mean, as a fraction. 0: steady flow.",
                   [](const S& s) { return s.flow.pulsation; }, [](S& s, double v) { s.flow.pulsation = v; }},
    PhantomSetting{"angle_deg", "Vessel angle", "°", kRadiansPerDegree, -60.0, 60.0, -60.0, 60.0, 0, false,
                   SettingGroup::flow, "Of the vessel's axis against the probe's face, downwards to the right.",
                   [](const S& s) { return s.flow.angle_rad; }, [](S& s, double v) { s.flow.angle_rad = v; }},
    PhantomSetting{"radius_mm", "Vessel radius", "mm", kMetresPerMillimetre, 0.0, 10.0, 0.0, 8.0, 1, false,
                   SettingGroup::flow, "Inner radius. 0: 2.6 mm, scaled down for small probes.",
                   [](const S& s) { return s.flow.radius_m; }, [](S& s, double v) { s.flow.radius_m = v; }},
    PhantomSetting{"motion_mm_s", "Tissue motion", "mm/s", kMetresPerMillimetre, 0.0, 1000.0, 0.0, 50.0, 1, false,
                   SettingGroup::flow, "Largest speed of the tissue, up and down once per second.",
                   [](const S& s) { return s.flow.motion_m_s; }, [](S& s, double v) { s.flow.motion_m_s = v; }},
    PhantomSetting{"heart_rate", "Heart rate", "/min", 1.0 / 60.0, 20.0, 250.0, 40.0, 180.0, 0, false,
                   SettingGroup::heart, "Beats per minute.", [](const S& s) { return s.heart.rate_hz; },
                   [](S& s, double v) { s.heart.rate_hz = v; }},
    PhantomSetting{"blood_mm_s", "Peak blood speed", "mm/s", kMetresPerMillimetre, 0.0, 2000.0, 0.0, 800.0, 1, false,
                   SettingGroup::heart,
                   "Through the valves. 0: 85 % of the aliasing limit of the acquisition rate, at most 800 mm/s.",
                   [](const S& s) { return s.heart.peak_blood_m_s; },
                   [](S& s, double v) { s.heart.peak_blood_m_s = v; }},
};

std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

double parse_number(std::string_view key, std::string_view text) {
  const auto value = finite_number(text);
  if (!value) throw invalid_value("sim: " + std::string(key), std::string(text), "a number");
  return *value;
}

// Removes and returns the text up to `separator` from the front of `rest`.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

std::string accepted_keys(const PhantomSettings& settings) {
  std::string keys = "probe, angles_deg, seed";
  for (const PhantomSetting& row : kTable) {
    if (applies(row, settings)) keys += ", " + std::string(row.key);
  }
  return keys;
}

void set_angles(PhantomSettings& settings, std::string_view text) {
  std::vector<double>& angles_rad = settings.angles_rad.emplace();
  while (!text.empty()) {
    angles_rad.push_back(parse_number("angles_deg", take_part(text, '/')) * kRadiansPerDegree);
  }
}

std::string angles_text(const std::vector<double>& angles_rad) {
  std::string text;
  for (const double angle : angles_rad) text += (text.empty() ? "" : "/") + number_text(angle / kRadiansPerDegree);
  return text;
}

void set_seed(PhantomSettings& settings, std::string_view text) {
  const double seed = parse_number("seed", text);
  if (!(seed >= 0.0 && seed <= kLargestSeed) || seed != std::floor(seed)) {
    throw invalid_value("sim: seed", std::string(text), "a whole number from 0 to 1e15");
  }
  settings.seed = static_cast<std::uint64_t>(seed);
}

void set_one(PhantomSettings& settings, std::string_view assignment) {
  std::string_view value = assignment;
  const std::string_view key = take_part(value, '=');
  if (key == "probe") {
    settings.probe = value;
  } else if (key == "angles_deg") {
    set_angles(settings, value);
  } else if (key == "seed") {
    set_seed(settings, value);
  } else {
    const auto* const row = std::ranges::find_if(
        kTable, [&](const PhantomSetting& candidate) { return candidate.key == key && applies(candidate, settings); });
    if (row == kTable.end()) {
      throw Error("sim:" + settings.name, "unknown setting '" + std::string(key) + "'", accepted_keys(settings));
    }
    row->set(settings, parse_number(key, value) * row->per_unit);
  }
}

std::string unit_text(const PhantomSetting& row) {
  const std::string_view unit = row.unit;
  return unit == "°" ? " degrees" : unit.empty() ? "" : " " + std::string(unit);
}

void require(bool ok, const PhantomSettings& s, const std::string& found, const std::string& accepted) {
  if (!ok) throw Error("sim:" + s.name, found, accepted);
}

std::string with_default(const PhantomRow& row, const std::string& text) {
  return row.name == PhantomSettings().name ? text + " (default)" : text;
}

std::string named(const PhantomRow& row) { return std::string(kPhantomPrefix) + std::string(row.name); }

}  // namespace

double frame_rate_hz(const PhantomSettings& settings) {
  if (settings.frame_rate_hz.has_value()) return *settings.frame_rate_hz;
  const PhantomRow* const row = find_phantom(settings.name);
  if (row == nullptr || row->frame_rate_hz == nullptr) return kPhantomRate_hz;
  return row->frame_rate_hz(probe_of(settings));
}

const ProbeModel& probe_of(const PhantomSettings& settings) {
  if (!settings.probe.empty()) return find_probe_model(settings.probe);
  const PhantomRow* const row = find_phantom(settings.name);
  return row == nullptr ? probe_models().front() : find_probe_model(row->probe);
}

std::vector<double> angles_rad(const PhantomSettings& settings) {
  if (settings.angles_rad.has_value()) return *settings.angles_rad;
  constexpr double kDegree = kRadiansPerDegree;
  if (probe_of(settings).kind == ProbeKind::phased) return {-25.0 * kDegree, 0.0, 25.0 * kDegree};
  return {-6.0 * kDegree, 0.0, 6.0 * kDegree};
}

std::span<const PhantomSetting> phantom_table() { return kTable; }

bool applies(const PhantomSetting& setting, const PhantomSettings& settings) {
  if (setting.group == SettingGroup::any) return true;
  const PhantomRow* const row = find_phantom(settings.name);
  return row != nullptr && row->settings == setting.group;
}

std::string phantom_settings_help(SettingGroup group) {
  const PhantomSettings normal;
  std::string text;
  if (group == SettingGroup::any) {
    std::string names;
    for (const ProbeModel& probe : probe_models()) names += (names.empty() ? "" : ", ") + std::string(probe.name);
    text = "  probe=NAME  Probe: " + names +
           "\n  angles_deg=A/B/...  Angles of the plane waves (phased array: diverging" +
           " waves)\n  seed=" + std::to_string(normal.seed) + "  Speckle and noise\n";
  }
  for (const PhantomSetting& row : kTable) {
    if (row.group != group) continue;
    const std::string unit = unit_text(row);
    text += "  " + std::string(row.key) + "=" + number_text(row.get(normal) / row.per_unit) + "  " + row.label + "," +
            (unit.empty() ? "" : unit + ",") + " " + number_text(row.least) + " to " + number_text(row.most) + "\n";
  }
  return text;
}

PhantomSettings parse_phantom(std::string_view text) {
  PhantomSettings settings;
  settings.name = take_part(text, ',');
  while (!text.empty()) set_one(settings, take_part(text, ','));
  return settings;
}

std::string phantom_text(const PhantomSettings& settings) {
  const PhantomSettings normal = {.name = settings.name, .probe = settings.probe};
  std::string text = settings.name;
  if (probe_of(settings).name != probe_of({.name = settings.name}).name) text += ",probe=" + settings.probe;
  if (angles_rad(settings) != angles_rad(normal)) text += ",angles_deg=" + angles_text(angles_rad(settings));
  for (const PhantomSetting& row : kTable) {
    const double value = row.get(settings);
    if (applies(row, settings) && value != row.get(normal)) {
      text += "," + std::string(row.key) + "=" + number_text(value / row.per_unit);
    }
  }
  if (settings.seed != normal.seed) text += ",seed=" + std::to_string(settings.seed);
  return text;
}

std::string on_linear_probe(const std::string& source) {
  if (!source.starts_with(kPhantomPrefix)) return source;
  PhantomSettings settings = parse_phantom(std::string_view(source).substr(kPhantomPrefix.size()));
  if (!settings.probe.empty() || probe_of(settings).kind == ProbeKind::linear) return source;
  settings.probe = probe_models().front().name;
  return std::string(kPhantomPrefix) + phantom_text(settings);
}

void check_phantom(const PhantomSettings& s) {
  if (find_phantom(s.name) == nullptr) {
    std::string names;
    for (const PhantomRow& row : phantoms()) names += (names.empty() ? "" : ", ") + std::string(row.name);
    throw Error("phantom", "\"" + s.name + "\"", names);
  }
  const std::vector<double> angles = angles_rad(s);
  require(!angles.empty() && angles.size() <= kMostAngles, s, std::to_string(angles.size()) + " transmit angles",
          "1 to " + std::to_string(kMostAngles));
  for (const double angle : angles) {
    const double degrees = angle / kRadiansPerDegree;
    require(std::abs(degrees) <= kLargestAngle_deg, s, "transmit angle of " + number_text(degrees) + " degrees",
            "-45 to 45 degrees");
  }
  for (const PhantomSetting& row : kTable) {
    const double value = row.get(s) / row.per_unit;
    const double slack = 1e-9 * std::max(1.0, std::abs(value));  // rounding by the conversion to SI
    if (value >= row.least - slack && value <= row.most + slack) continue;
    throw out_of_range("sim:" + s.name + ": " + row.key, number_text(value),
                       number_text(row.least) + " to " + number_text(row.most) + unit_text(row));
  }
}

std::string phantom_names_text() {
  std::string names;
  for (const PhantomRow& row : phantoms()) names += (names.empty() ? "" : ", ") + with_default(row, named(row));
  return names;
}

std::string phantoms_markdown() {
  std::string text;
  for (const PhantomRow& row : phantoms()) {
    text += "| `" + named(row) + "` | " + with_default(row, std::string(row.help)) + " |\n";
  }
  return text;
}

std::string phantom_help() {
  std::string text = "Phantoms:\n";
  for (const PhantomRow& row : phantoms()) {
    text += "  " + named(row) + "  " + with_default(row, std::string(row.help)) + "\n";
  }
  text += "Settings of every phantom, as sim:NAME,KEY=VALUE,... with their defaults:\n";
  text += phantom_settings_help(SettingGroup::any);
  for (const PhantomRow& row : phantoms()) {
    if (row.settings == SettingGroup::any) continue;
    text += "Settings of " + named(row) + ":\n" + phantom_settings_help(row.settings);
  }
  return text;
}

// Defined in files of their own, scene_NAME.cpp.
std::unique_ptr<Scene> make_points_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_cyst_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_gradient_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_flow_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_heart_scene(const SceneSetup& setup);

namespace {

// Makes the aliasing speed of Doppler the same for every probe.
double flow_rate_hz(const ProbeModel& probe) { return 4.5e-4 * probe.center_hz; }

double vessel_z_m(const PhantomSettings& settings) { return flow_phantom_truth(settings, 0).axis.z_m; }

constexpr std::array kPhantoms{
    PhantomRow{
        .name = "points", .title = "Points", .help = "wires at exactly known positions", .make = make_points_scene},
    PhantomRow{.name = "cyst",
               .title = "Cyst",
               .help = "speckle with an echo-free cyst and a bright inclusion",
               .make = make_cyst_scene},
    PhantomRow{
        .name = "gradient",
        .title = "Gradient",
        .help = "speckle with ramps of 1.8 dB/mm in depth and across, a block and a point in an echo-free region",
        .make = make_gradient_scene},
    PhantomRow{.name = "flow",
               .title = "Flow",
               .help = "a vessel with parabolic flow; settings for speed, angle, radius and tissue motion",
               .settings = SettingGroup::flow,
               .frame_rate_hz = flow_rate_hz,
               .sample_volume_z_m = vessel_z_m,
               .make = make_flow_scene},
    PhantomRow{
        .name = "heart",
        .title = "Heart",
        .help = "a beating heart in four-chamber view with moving blood; settings for heart rate and blood speed",
        .settings = SettingGroup::heart,
        .probe = "P4-2v",
        .preset = "Heart",
        .make = make_heart_scene},
};

}  // namespace

std::span<const PhantomRow> phantoms() { return kPhantoms; }

std::string_view phantom_preset(std::string_view name) {
  const PhantomRow* const row = find_phantom(name);
  return row == nullptr ? std::string_view() : row->preset;
}

const PhantomRow* find_phantom(std::string_view name) {
  const auto* const row = std::ranges::find(kPhantoms, name, &PhantomRow::name);
  return row == kPhantoms.end() ? nullptr : row;
}

}  // namespace echoloop
