// The built-in phantoms, each announced once: sim:NAME and its errors, --help, the Source panel, the status bar's menu,
// the README's table and the tests read these rows. A new phantom is one file with its scene and one row.
// Constant data, no state: what the window needs of phantoms, without their waves. [any thread]
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "source/phantom_settings.h"

namespace echoloop {

class Scene;
struct SceneSetup;
struct ProbeModel;

inline constexpr std::string_view kPhantomPrefix = "sim:";

struct PhantomRow {
  std::string_view name;                                          // after kPhantomPrefix
  const char* title;                                              // in menus, and before "phantom"
  std::string_view help;                                          // what is scanned
  SettingGroup settings = SettingGroup::any;                      // its own, beside those of every phantom
  double (*frame_rate_hz)(const ProbeModel&) = nullptr;           // null: kPhantomRate_hz
  double (*sample_volume_z_m)(const PhantomSettings&) = nullptr;  // null: it has no vessel
  std::unique_ptr<Scene> (*make)(const SceneSetup&);
};

// In the order of the menus.
std::span<const PhantomRow> phantoms();

// Null: there is none of that name.
const PhantomRow* find_phantom(std::string_view name);

}  // namespace echoloop
