#include "app/ui_feed.h"

#include <algorithm>
#include <cmath>

#include "app/free_memory.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::int64_t kSlowUpdateNs = 250'000'000;
constexpr double kHistorySeconds = 10.0;

// The last 10 s of latencies, thinned to at most one value a pixel of the plot: the largest of each group stays.
std::vector<float> thin_history(const std::vector<double>& latencies_ms, double frames_per_second) {
  constexpr std::size_t kPoints = 240;
  const auto wanted = static_cast<std::size_t>(std::max(kHistorySeconds * frames_per_second, 2.0));
  const std::size_t n = std::min(wanted, latencies_ms.size());
  const std::size_t group = std::max<std::size_t>(1, (n + kPoints - 1) / kPoints);
  std::vector<float> points;
  for (std::size_t i = latencies_ms.size() - n; i < latencies_ms.size(); i += group) {
    const std::size_t end = std::min(i + group, latencies_ms.size());
    points.push_back(static_cast<float>(*std::max_element(latencies_ms.begin() + static_cast<std::ptrdiff_t>(i),
                                                          latencies_ms.begin() + static_cast<std::ptrdiff_t>(end))));
  }
  return points;
}

}  // namespace

void UiFeed::update_rates(UiState& state, std::int64_t now, std::size_t frame_bytes) {
  const double seconds = static_cast<double>(now - last_ns_) * 1e-9;
  const auto rate = [&](std::uint64_t count, std::uint64_t last) {
    return count >= last ? static_cast<double>(count - last) / seconds : 0.0;
  };
  if (last_ns_ != 0) {
    // Averaged over about a second, so that the number can be read.
    const double keep = std::exp(-seconds / 0.7);
    const auto follow = [keep](double& value, double latest) { value = keep * value + (1.0 - keep) * latest; };
    follow(state.processed_fps, rate(state.counts.processed, last_processed_));
    follow(state.shown_fps, rate(state.shown, last_shown_));
    const double waited_s = static_cast<double>(state.counts.producer_waited_ns - last_waited_ns_) * 1e-9;
    follow(state.producer_wait_share, std::clamp(waited_s / seconds, 0.0, 1.0));
    state.bytes_per_second = state.processed_fps * static_cast<double>(frame_bytes);
  }
  last_ns_ = now;
  last_processed_ = state.counts.processed;
  last_shown_ = state.shown;
  last_waited_ns_ = state.counts.producer_waited_ns;
}

// One value each window frame.
void UiFeed::update_occupancy(UiState& state) {
  constexpr std::size_t kPoints = 600;  // 10 s at 60 window frames a second
  const RingCounts& c = state.counts;
  if (state.occupancy.size() >= kPoints) state.occupancy.erase(state.occupancy.begin());
  state.occupancy.push_back(static_cast<float>(c.slots_writing + c.slots_ready + c.slots_reading));
}

void UiFeed::update(UiState& state, const Session& session, const TimingTrace& trace, std::uint64_t shown) {
  state.counts = session.counts();
  state.shown = shown;
  update_occupancy(state);
  if (state.timeline.wanted) {
    constexpr std::size_t kTimelineSpans = 1024;  // about a hundred frames
    state.timeline.spans = trace.last_spans(kTimelineSpans);
  }
  const std::int64_t now = now_ns();
  if (now - last_ns_ < kSlowUpdateNs) return;
  update_rates(state, now, session.frame_bytes());
  state.latency = trace.summarize_latency(Latency::ready);
  state.latency_history_ms = thin_history(trace.latencies_ms(Latency::ready), state.processed_fps);
  state.shown_latency = trace.summarize_latency(Latency::shown);
  state.shown_latency_history_ms = thin_history(trace.latencies_ms(Latency::shown), state.shown_fps);
  state.stages = trace.summarize_stages();
  state.frame_total = trace.summarize_frames();
  state.timing = stream_timing(trace.last_spans(4096));
  const StreamMemory memory = session.memory();
  state.memory = {.device_used = memory.device.used,
                  .device_free = memory.device.free,
                  .host_used = memory.host_bytes,
                  .host_free = free_host_memory(),
                  .slot_bytes = memory.slot_bytes,
                  .lane_bytes = memory.lane_bytes,
                  .page_locked = session.host_memory() != HostMemory::pageable};
  const double rate = session.rate_hz();
  state.frame_budget_ms = std::isfinite(rate) && rate > 0.0 ? 1e3 / rate : 0.0;
}

void update_run_state(UiState& state, const Session& session, const RunFacts& facts) {
  state.fault.reset();
  if (const std::string fault = session.fault(); !fault.empty()) {
    state.fault =
        Fault{.title = facts.on_gpu ? "The GPU stopped working on this stream" : "Processing stopped",
              .detail = fault,
              .advice = facts.device_lost ? "Go on with the CPU; the GPU is lost until the program is started again."
                        : facts.on_gpu    ? "Restart the stream, or go on with the CPU."
                                          : "Restart the stream.",
              .can_restart = !facts.device_lost,
              .can_use_cpu = facts.on_gpu};
  } else if (session.producer_state() == ProducerState::refused) {
    state.fault = Fault{.title = "Error on override: the source was faster than processing",
                        .detail = session.producer_report(),
                        .advice = "Restart; a slower rate, more slots or another policy prevents it.",
                        .can_restart = true,
                        .can_use_cpu = false,
                        .refusal = session.refusal()};
  } else if (session.producer_state() == ProducerState::failed) {
    state.fault = Fault{.title = "The source cannot go on",
                        .detail = session.producer_report(),
                        .advice = "Restart, or open another source.",
                        .can_restart = true,
                        .can_use_cpu = false};
  }
  if (state.fault.has_value()) {
    state.run = RunState::fault;
  } else if (facts.frozen) {
    state.run = RunState::frozen;
  } else {
    state.run = state.source.phantom.empty() ? RunState::replay : RunState::live;
  }
}

}  // namespace echoloop
