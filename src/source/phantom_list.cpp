#include "source/phantom_list.h"

#include <algorithm>
#include <array>

#include "core/probe_table.h"
#include "source/phantom_truth.h"

namespace echoloop {

// Each in a file of its own, scene_NAME.cpp.
std::unique_ptr<Scene> make_points_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_cyst_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_gradient_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_flow_scene(const SceneSetup& setup);
std::unique_ptr<Scene> make_heart_scene(const SceneSetup& setup);

namespace {

// The speed at which Doppler aliases is the same for every probe.
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
        .name = "heart", .title = "Heart", .help = "a beating heart in four-chamber view", .make = make_heart_scene},
};

}  // namespace

std::span<const PhantomRow> phantoms() { return kPhantoms; }

const PhantomRow* find_phantom(std::string_view name) {
  const auto* const row = std::ranges::find(kPhantoms, name, &PhantomRow::name);
  return row == kPhantoms.end() ? nullptr : row;
}

}  // namespace echoloop
