#include "gui/golden_modes.h"

#include <cmath>
#include <utility>

namespace echoloop::testing {
namespace {

// Returns the profile of a vessel across the image, at 15 mm: parabolic, from left to right.
double profile(double z) {
  const double v = 1.0 - (z - 15.0) * (z - 15.0) / 9.0;
  return v > 0.0 ? v : 0.0;
}

float vessel(double, double z) { return profile(z) > 0.0 ? -50.0F : static_cast<float>(-15.0 - 0.6 * z); }

void open_alone(Scene& scene, const char* panel) {
  scene.frames(2);
  using Inside = std::pair<const char*, const char*>;  // header of a panel, and a control that shows that it is open
  for (const auto& [header, inside] :
       {Inside{"panel_source", "phantom/Points"}, {"panel_formation", "f_number"}, {"panel_display", "gain_db"}}) {
    if (scene.rect(inside).width() > 0) scene.click(header);
  }
  scene.click(panel);
}

}  // namespace

// Uses a history frame: live ones have a varying age.
void show_velocity(Scene& scene) {
  constexpr std::uint64_t kFrame = 120;
  scene.state.params.color_flow.mode = FlowMode::velocity;
  scene.put_image(kSquare, vessel);
  scene.freeze(200, 50);
  scene.put_past(0, kSquare, vessel, kFrame);
  scene.state.cine.index = kFrame;
  scene.put_past_flow(
      kSquare, [](double, double z) { return profile(z) > 0.0 ? -25.0F : -70.0F; },
      [](double x, double z) { return static_cast<float>(0.09 * profile(z) * (x < 0.0 ? -1.0 : 1.0)); }, kFrame);
  open_alone(scene, "panel_flow");
}

void show_spectrogram(Scene& scene) {
  ImagingParams& p = scene.state.params;
  p.doppler.gate = Gate::on;
  p.doppler.x_m = 0.0;
  p.doppler.z_m = 15e-3;
  p.color_flow.angle_rad = 1.0;
  scene.put_image(kSquare, vessel);
  scene.frames(2);
  if (scene.viewer->settings().dock != Dock::spectrogram) scene.click("dock/sonogram");
  scene.put_spectrogram(900, [](double ago_s, double v_m_s) {
    const double beat = 0.15 + 0.2 * std::pow(std::sin(3.0 * ago_s), 2.0);
    return v_m_s > 0.02 && v_m_s < beat ? -20.0F : -80.0F;
  });
}

void show_objects(Scene& scene) {
  scene.state.params.objects.kind = ObjectKind::bright;
  scene.put_image(kSquare, [](double x, double z) {
    const double u = x - 5.0 * std::round(x / 5.0), v = z - 5.0 * std::round(z / 5.0);
    return u * u + v * v < 0.8 ? -10.0F : -50.0F;
  });
  scene.frames(1);
  scene.put_objects(kSquare, [](double x, double z) {
    const double column = std::round(x / 5.0), row = std::round(z / 5.0);
    const double u = x - 5.0 * column, v = z - 5.0 * row;
    return u * u + v * v < 0.8 ? 1 + static_cast<int>(5.0 * (row - 1.0) + column + 2.0) : 0;
  });
  open_alone(scene, "panel_objects");
}

// Uses generated folders, the same everywhere.
void show_open_dialog(Scene& scene) {
  scene.viewer->screen().list_folders_with([](const std::filesystem::path&) {
    return FolderListing{.entries = {{"2026-02-11 carotid", true, 0},
                                     {"2026-02-18 heart", true, 0},
                                     {"PWI_disk.mat", false, 2'085'623},
                                     {"carotid_plane_waves.uff", false, 1'204'224'000},
                                     {"notes.txt", false, 812},
                                     {"rf.npy", false, 588'928}},
                         .complaint = {}};
  });
  scene.put_image(kSquare, vessel);
  scene.frames(2);
  scene.tap(Key::o, true);
  scene.type("/recordings/");
  for (int i = 0; i < 500 && scene.rect("file/5").width() == 0.0F; ++i) {
    scene.viewer->wait_events(0.01);
    scene.frames(1);
  }
  scene.press(Key::down);
  scene.press(Key::down);
  scene.press(Key::down);
}

}  // namespace echoloop::testing
