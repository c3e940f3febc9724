#include "gui/scene.h"

#include <glad/gl.h>

#include <algorithm>
#include <chrono>

#include "gui/state/any_command.h"
#include "support/waiting.h"
#include "test_paths.h"

namespace echoloop::testing {

AcquisitionPtr scene_acquisition() {
  auto a = std::make_shared<Acquisition>();
  a->probe = make_linear_probe("test probe", 128, 0.3e-3);
  for (int i = 0; i < 11; ++i) {
    Transmit transmit;
    transmit.angle_rad = 0.02 * (i - 5);
    a->transmits.push_back(transmit);
  }
  a->n_samples = 2048;
  a->sampling_hz = 31.25e6;
  a->center_hz = 5e6;
  a->bandwidth_hz = 4e6;
  a->frame_rate_hz = 50;
  return a;
}

WindowState plausible_state() {
  WindowState s;
  const AcquisitionPtr acquisition = scene_acquisition();
  s.params = default_params(*acquisition);
  s.params.level.reference_db = 0.0;
  s.defaults = s.params;
  s.source.name = "Flow phantom";
  s.source.phantom = "flow";
  s.source.acquisition = acquisition;
  s.source.rate_hz = 50;
  s.device.backend = "CUDA";
  s.device.name = "a device with a name";
  s.run = RunState::live;
  s.numbers.processed_fps = 50;
  s.numbers.shown_fps = 50;
  s.numbers.counts.produced = 24682;
  s.numbers.counts.processed = 24680;
  s.numbers.counts.in_flight = 2;
  s.numbers.counts.slots = 8;
  s.numbers.counts.slots_ready = 1;
  s.numbers.counts.slots_reading = 1;
  s.numbers.latency.recent = {.p50_ms = 0.9, .p95_ms = 1.2, .p99_ms = 1.4, .max_ms = 2.0, .count = 100};
  for (int i = 0; i < 300; ++i) s.numbers.latency.history_ms.push_back(1.0F + 0.1F * static_cast<float>(i % 7));
  for (StageSummary& stage : s.numbers.stages) stage = s.numbers.latency.recent;
  s.numbers.frame_budget_ms = 20;
  s.notices.messages.post({Severity::error, "14:31:00", "An error."});
  s.notices.messages.post({Severity::info, "14:32:07", "A message."});
  return s;
}

Scene::Scene(int width, int height, double scale, const std::filesystem::path& settings, FirstTour tour,
             Motion motion) {
  viewer = std::make_unique<Viewer>(ViewerOptions{.width = width,
                                                  .height = height,
                                                  .surface = SurfaceKind::offscreen,
                                                  .interop = Interop::off,
                                                  .shader_dir = std::filesystem::path(ECHO_SOURCE_DIR) / "shaders",
                                                  .settings_file = settings,
                                                  .first_tour = tour,
                                                  .ui_scale = scale,
                                                  .motion = motion},
                                    commands_, live_, &past_);
}

void Scene::note(const AnyCommand& given) {
  using namespace command;
  const Acts acts{
      [this](const ParamsChanged&) { ++params_changed; },
      [this](const StreamChanged&) { ++stream_changed; },
      [this](const CineChanged&) { ++cine_changed; },
      [this](const OpenPhantom& c) { opened_phantom = c.text; },
      [this](const OpenLesson& c) { opened_lesson = c.name; },
      [this](const OpenFile& c) { opened_file = c.file; },
      [this](const ToggleFreeze&) { ++freezes; },
      [this](const CompareWith& c) { compared_with.emplace_back(c.side, c.file); },
      [this](const SwapRecordings&) { ++recordings_swapped; },
      [this](const Save& c) {
        saved.push_back(c.what);
        if (c.what == SaveWhat::picture) ++pictures;
      },
      [this](const ToggleRecord&) { ++records; },
      [this](const command::Preset& c) { preset_orders.push_back(c.order); },
      [this](const Say& c) { said.push_back(c.text); },
      [this](const Hint& c) { said.push_back(c.text); },
      [this](const Restart&) { ++restarts; },
      [this](const Reset&) { ++resets; },
      [this](const Cancel&) { ++cancels; },
      [this](const SaveTable& c) { saved_tables.push_back(c.table); },
      [this](const SaveTimings& c) { saved_timings.push_back(c.format); },
      [this](const DismissMessage& c) { dismissed = c.index; },
      [](const auto&) {},
  };
  std::visit(acts, given);
}

void Scene::freeze(std::size_t count, double rate_hz) {
  Cine& cine = state.cine;
  KeptFrames& kept = state.kept;
  kept.frames = count;
  kept.seconds = static_cast<double>(count - 1) / rate_hz;
  kept.times_s.clear();
  for (std::size_t i = 0; i < count; ++i) {
    kept.times_s.push_back(static_cast<float>(static_cast<double>(i) / rate_hz - kept.seconds));
  }
  cine.index = cine.mark_out = count - 1;
  cine.mark_in = 0;
  state.run = RunState::frozen;
}

// Draws without rasterisation: shot() redraws all pixels. In software, filling them is most of a test's time. All else
// is unchanged, including OpenGL's checks of every call.
void Scene::frames(int count) {
  glEnable(GL_RASTERIZER_DISCARD);
  for (int i = 0; i < count; ++i) {
    viewer->frame(state);
    for (const AnyCommand& command : commands_.take()) note(command);
  }
  glDisable(GL_RASTERIZER_DISCARD);
}

bool Scene::frames_until(const std::function<bool()>& holds) {
  return holds_within(std::chrono::seconds(30), [&] {
    if (holds()) return true;
    frames(1);
    return holds();
  });
}

void Scene::press(Key key, bool control, bool shift) {
  InjectedInput input;
  input.keys.push_back({key, control, shift});
  viewer->inject(input);
  frames(1);
}

void Scene::move(float x, float y) {
  InjectedInput input;
  input.mouse_x = x;
  input.mouse_y = y;
  viewer->inject(input);
  frames(2);
}

void Scene::drag(WindowPoint from, WindowPoint to) {
  move(from.x, from.y);
  InjectedInput input;
  input.left = true;
  for (const WindowPoint at : {from, to}) {
    input.mouse_x = at.x;
    input.mouse_y = at.y;
    inject(input);
  }
  move(to.x, to.y);
}

void Scene::drag(const std::string& id, float from_share, float to_share) {
  const Rect r = viewer->screen().ui().rect_of(id);
  ASSERT_GT(r.width(), 0.0F) << id;
  const auto at = [&](float share) { return r.x0 + share * r.width(); };
  move(at(from_share), r.cy());
  InjectedInput input;
  input.mouse_y = r.cy();
  input.left = true;
  for (const float share : {from_share, 0.5F * (from_share + to_share), to_share}) {
    input.mouse_x = at(share);
    viewer->inject(input);
    frames(2);
  }
  move(at(to_share), r.cy());
}

void Scene::click(const std::string& id, bool right, bool control) {
  const Rect r = viewer->screen().ui().rect_of(id);
  ASSERT_GT(r.width(), 0.0F) << id;
  InjectedInput input;
  input.mouse_x = r.cx();
  input.mouse_y = r.cy();
  input.control = control;
  viewer->inject(input);
  frames(2);
  input.left = !right;
  input.right = right;
  viewer->inject(input);
  frames(2);
  input.left = input.right = input.control = false;
  viewer->inject(input);
  frames(2);
}

void Scene::type(const std::string& text) {
  InjectedInput input;
  input.text = text;
  viewer->inject(input);
  frames(2);
}

RgbImage Scene::shot() { return viewer->screenshot(); }

int Scene::gl_error() const { return static_cast<int>(glGetError()); }

}  // namespace echoloop::testing
