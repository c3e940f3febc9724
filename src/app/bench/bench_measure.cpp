#include "app/bench/bench_measure.h"

#include <algorithm>
#include <thread>

#include "backend/frame_processor.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

RfFrame frame_of(SeekableSource& source, std::uint64_t index) {
  return {.stamp = {.sequence = index, .source_index = index, .acquired_ns = now_ns(), .time_s = 0.0},
          .samples = source.at(index, {})};
}

constexpr double kFlowLimit_s = 600.0;  // a slow machine needs a minute for the frames of an ensemble

// Waits for the first flow image; throws the reason if there is none.
void wait_for_flow(Session& session) {
  const std::int64_t begin_ns = now_ns();
  while (session.analysis_counts().flow.pictures == 0) {
    if (const std::string why = session.take_refusal(); !why.empty()) throw Error("echoloop bench", why, "flow");
    if (seconds_since(begin_ns) > kFlowLimit_s) throw Error("echoloop bench", "no flow image within 600 s", "flow");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

double seconds_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-9; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

double copy_frames_per_second(const BenchRun& run, HostMemory kind) {
  constexpr std::size_t kLanes = 3;  // two copies are always queued behind the one that runs
  std::unique_ptr<PageLock> lock;
  if (kind == HostMemory::pinned) lock = run.backend.page_lock(run.source->zero_copy_memory());
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes.push_back(run.backend.make_lane(static_cast<int>(i), StreamMode::overlap));
    lanes.back()->set_plan(run.plan);
  }
  std::int64_t begin_ns = 0;
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0;; ++i) {
    Lane& lane = *lanes[i % kLanes];
    while (i >= kLanes && !lane.uploaded()) std::this_thread::yield();
    if (i == 4 * kLanes) {  // the first copies warm up
      begin_ns = now_ns();
      begin = i;
    }
    if (begin_ns != 0 && seconds_since(begin_ns) >= run.seconds) {
      return static_cast<double>(i - begin) / seconds_since(begin_ns);
    }
    lane.upload(frame_of(*run.source, i));
  }
}

std::array<StageSummary, kStageCount> stages_alone(const BenchRun& run) {
  constexpr std::size_t kLanes = 4;  // their buffers rotate past the caches as well
  const std::unique_ptr<PageLock> lock = run.backend.page_lock(run.source->zero_copy_memory());
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes.push_back(run.backend.make_lane(static_cast<int>(i), StreamMode::overlap));
    lanes.back()->set_plan(run.plan);
  }
  TimingTrace trace;
  const std::int64_t begin_ns = now_ns();
  for (std::uint64_t i = 0; i < 16 || seconds_since(begin_ns) < run.seconds; ++i) {
    Lane& lane = *lanes[i % kLanes];
    form_frame(lane, run.plan, frame_of(*run.source, i));
    make_image(lane, *run.plan, {.copy = HostCopy::none});
    lane.wait();
    if (i >= 8) lane.append_spans(trace);
  }
  return trace.summarize_stages();
}

PipelineFigures pipeline_figures(const BenchRun& run, double rate_hz, int lanes) {
  Mailbox<Image> images;
  Mailbox<FlowImage> flows;
  TimingTrace trace;
  StreamSettings stream;
  stream.rate_hz = rate_hz;
  stream.lanes = lanes;
  Session session(run.backend, run.source, images, trace,
                  {.stream = stream,
                   .params = run.bench_case.params,
                   .max_frames = 0,
                   .host_copy = HostCopy::none,
                   .analyses = {.flow = &flows}});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  if (run.bench_case.params.color_flow.mode != FlowMode::off) wait_for_flow(session);
  trace.clear();
  const FlowCounts flow_begin = session.analysis_counts().flow;
  const std::int64_t begin_ns = now_ns();
  const std::uint64_t begin = session.counts().processed;
  constexpr std::uint64_t kLeastFrames = 10;  // slow frames take their time, a minute at most
  const auto enough = [&] {
    const double passed = seconds_since(begin_ns);
    return passed > 60.0 || (passed >= run.seconds && session.counts().processed - begin >= kLeastFrames);
  };
  while (!enough()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double passed_s = seconds_since(begin_ns);
  const auto rate = [passed_s](std::uint64_t end, std::uint64_t start) {
    return static_cast<double>(end - start) / passed_s;
  };
  const FlowCounts flow = session.analysis_counts().flow;
  PipelineFigures figures{.frames_per_second = rate(session.counts().processed, begin),
                          .latency = trace.summarize_latency(Latency::ready),
                          .timing = stream_timing(trace.spans()),
                          .flow_pictures_per_second = rate(flow.pictures, flow_begin.pictures),
                          .flow_late_per_second = rate(flow.late, flow_begin.late),
                          .flow_restarts_per_second = rate(flow.restarts, flow_begin.restarts)};
  session.stop();
  return figures;
}

}  // namespace echoloop
