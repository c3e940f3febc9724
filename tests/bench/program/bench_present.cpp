#include "bench/program/bench_present.h"

#if defined(ECHO_HAVE_GUI)
#include <fmt/format.h>

#include <thread>

#include "app/options/folders.h"
#include "app/options/terminal.h"
#include "core/error.h"
#include "core/units.h"
#include "gui/viewer.h"

namespace echoloop {
namespace {

std::unique_ptr<Viewer> make_viewer(Commands& commands, LiveImages& live, const WindowSize& window) {
  try {
    return std::make_unique<Viewer>(ViewerOptions{.width = window.width,
                                                  .height = window.height,
                                                  .surface = SurfaceKind::offscreen,
                                                  .shader_dir = share_folder() / "shaders"},
                                    commands, live);
  } catch (const Error& error) {
    print_error("present: skipped: {}\n", error.what());
    return nullptr;
  }
}

struct Turn {
  double frames_per_second = 0.0;
  double shown_per_second = 0.0;
};

// Window frames at 60 Hz, for as long as the pipeline alone is measured; the first ones are not counted.
class PresentBench {
 public:
  PresentBench(const BenchRun& run, int lanes, Mailbox<Image>& images, Viewer& viewer)
      : run_(run), images_(images), viewer_(viewer) {
    stream_.rate_hz = kRateMax;
    stream_.lanes = lanes;
    state_.params = state_.defaults = run.bench_case.params;
    state_.source.acquisition = run.bench_case.acquisition;
    state_.run = RunState::live;
    state_.stream = stream_;
  }

  Turn turn() {
    TimingTrace trace;
    Session session(run_.backend, run_.source, images_, trace,
                    {.stream = stream_,
                     .params = state_.params,
                     .max_frames = 0,
                     .host_copy = viewer_.needs_host_image() ? HostCopy::made : HostCopy::none});
    constexpr int kWarmUp = 12;
    for (int i = 0; i < kWarmUp; ++i) window_frame();
    const std::size_t handed_over = texture_ms.size();
    const std::uint64_t begin = session.counts().processed;
    const std::int64_t begin_ns = now_ns();
    const auto passed_s = [begin_ns] { return static_cast<double>(now_ns() - begin_ns) * 1e-9; };
    while (passed_s() < run_.seconds) {
      const Viewer::FrameTimes& t = window_frame();
      ui_ms.push_back(static_cast<double>(t.draw_end - t.draw_start) * 1e-6);
      if (t.texture_ns > 0) texture_ms.push_back(static_cast<double>(t.texture_ns) * 1e-6);
    }
    const auto processed = static_cast<double>(session.counts().processed - begin);
    const Turn turn{processed / passed_s(), static_cast<double>(texture_ms.size() - handed_over) / passed_s()};
    session.stop();
    return turn;
  }

  std::vector<double> ui_ms, texture_ms;

 private:
  const Viewer::FrameTimes& window_frame() {
    const std::int64_t due_ns = now_ns() + 1'000'000'000 / 60;
    viewer_.frame(state_);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::max<std::int64_t>(0, due_ns - now_ns())));
    return viewer_.times();
  }

  const BenchRun& run_;
  Mailbox<Image>& images_;
  Viewer& viewer_;
  WindowState state_;
  StreamSettings stream_;
};

}  // namespace

std::optional<PresentFigures> bench_present(const BenchRun& run, const WindowSize& window, int lanes, int turns,
                                            const std::function<void()>& before_each) {
  Commands commands;  // none is carried out
  LiveImages live;
  const std::unique_ptr<Viewer> viewer = make_viewer(commands, live, window);
  if (viewer == nullptr) return std::nullopt;
  PresentBench bench(run, lanes, live.images, *viewer);
  std::vector<double> rates;
  Turn last;
  for (int i = 0; i < turns; ++i) {
    before_each();
    last = bench.turn();
    rates.push_back(last.frames_per_second);
  }
  return PresentFigures{.picture = viewer->needs_host_image() ? "host upload" : "interop",
                        .frames_per_second = median(rates),
                        .shown_per_second = last.shown_per_second,
                        .ui_ms = summarize(bench.ui_ms),
                        .texture_ms = summarize(bench.texture_ms)};
}

}  // namespace echoloop

#else

namespace echoloop {

std::optional<PresentFigures> bench_present(const BenchRun&, const WindowSize&, int, int,
                                            const std::function<void()>&) {
  return std::nullopt;
}

}  // namespace echoloop

#endif
