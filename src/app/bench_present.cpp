#include "app/bench_present.h"

#if defined(ECHO_HAVE_GUI)
#include <thread>

#include "app/share.h"
#include "core/error.h"
#include "core/units.h"
#include "gui/viewer.h"

namespace echoloop {
namespace {

std::unique_ptr<Viewer> make_viewer(Mailbox<Image>& images) {
  try {
    return std::make_unique<Viewer>(
        ViewerOptions{.surface = SurfaceKind::offscreen, .shader_dir = share_folder() / "shaders"}, UiCommands{},
        images);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

std::optional<PresentFigures> bench_present(const BenchRun& run, int lanes) {
  Mailbox<Image> images;
  const std::unique_ptr<Viewer> viewer = make_viewer(images);
  if (viewer == nullptr) return std::nullopt;
  UiState state;
  state.params = state.defaults = run.bench_case.params;
  state.source.acquisition = run.bench_case.acquisition;
  state.run = RunState::live;
  TimingTrace trace;
  StreamSettings stream;
  stream.rate_hz = kRateMax;
  stream.lanes = lanes;
  state.stream = stream;
  Session session(
      run.backend, run.source, images, trace,
      {.stream = stream, .params = state.params, .max_frames = 0, .host_images = viewer->needs_host_image()});
  std::vector<double> ui_ms, wait_ms;
  std::uint64_t shown = 0;
  std::uint64_t begin = 0;
  std::int64_t begin_ns = 0;
  const auto passed_s = [&begin_ns] { return static_cast<double>(now_ns() - begin_ns) * 1e-9; };
  constexpr int kWarmUp = 20;  // window frames
  for (int i = 0; i < kWarmUp || passed_s() < 2.0 * run.seconds; ++i) {
    if (i == kWarmUp - 1) {
      begin_ns = now_ns();
      begin = session.counts().processed;
      shown = 0;
      ui_ms.clear();
      wait_ms.clear();
    }
    const std::int64_t due_ns = now_ns() + 1'000'000'000 / 60;
    if (viewer->frame(state)) ++shown;
    const Viewer::FrameTimes& t = viewer->times();
    ui_ms.push_back(static_cast<double>(t.draw_end - t.draw_start) * 1e-6);
    wait_ms.push_back(static_cast<double>(t.device_wait_ns) * 1e-6);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::max<std::int64_t>(0, due_ns - now_ns())));
  }
  PresentFigures figures{.picture = viewer->needs_host_image() ? "host upload" : "interop",
                         .frames_per_second = static_cast<double>(session.counts().processed - begin) / passed_s(),
                         .shown_per_second = static_cast<double>(shown) / passed_s(),
                         .ui_ms = summarize(ui_ms),
                         .device_wait_ms = summarize(wait_ms)};
  session.stop();
  return figures;
}

}  // namespace echoloop

#else

namespace echoloop {

std::optional<PresentFigures> bench_present(const BenchRun&, int) { return std::nullopt; }

}  // namespace echoloop

#endif
