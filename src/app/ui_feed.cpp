#include "app/ui_feed.h"

#include <algorithm>
#include <cmath>

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

void UiFeed::update_rates(UiState& state, std::int64_t now) {
  const double seconds = static_cast<double>(now - last_ns_) * 1e-9;
  const auto rate = [&](std::uint64_t count, std::uint64_t last) {
    return count >= last ? static_cast<double>(count - last) / seconds : 0.0;
  };
  if (last_ns_ != 0) {
    // Averaged over about a second, so that the number can be read.
    const double keep = std::exp(-seconds / 0.7);
    state.processed_fps = keep * state.processed_fps + (1.0 - keep) * rate(state.counts.processed, last_processed_);
    state.shown_fps = keep * state.shown_fps + (1.0 - keep) * rate(state.shown, last_shown_);
  }
  last_ns_ = now;
  last_processed_ = state.counts.processed;
  last_shown_ = state.shown;
}

void UiFeed::update(UiState& state, const Session& session, const TimingTrace& trace, std::uint64_t shown) {
  state.counts = session.counts();
  state.shown = shown;
  const std::int64_t now = now_ns();
  if (now - last_ns_ < kSlowUpdateNs) return;
  update_rates(state, now);
  state.latency = trace.summarize_latency();
  state.latency_history_ms = thin_history(trace.latencies_ms(), state.processed_fps);
  state.stages = trace.summarize_stages();
  state.frame_total = trace.summarize_frames();
  const double rate = session.rate_hz();
  state.frame_budget_ms = std::isfinite(rate) && rate > 0.0 ? 1e3 / rate : 0.0;
}

void update_run_state(UiState& state, const Session& session, bool on_gpu) {
  state.fault.reset();
  if (const std::string fault = session.fault(); !fault.empty()) {
    state.fault = Fault{.title = on_gpu ? "The GPU stopped working on this stream" : "Processing stopped",
                        .detail = fault,
                        .advice = on_gpu ? "Restart the stream, or go on with the CPU." : "Restart the stream.",
                        .can_restart = true,
                        .can_use_cpu = on_gpu};
  } else if (session.producer_state() == ProducerState::refused) {
    state.fault = Fault{.title = "Error on override: the source was faster than processing",
                        .detail = session.producer_report(),
                        .advice = "Restart; a slower rate, more slots or another policy prevents it.",
                        .can_restart = true,
                        .can_use_cpu = false};
  } else if (session.producer_state() == ProducerState::failed) {
    state.fault = Fault{.title = "The source cannot go on",
                        .detail = session.producer_report(),
                        .advice = "Restart, or open another source.",
                        .can_restart = true,
                        .can_use_cpu = false};
  }
  if (state.fault.has_value()) {
    state.run = RunState::fault;
  } else if (state.stream.paused || session.producer_state() == ProducerState::ended) {
    state.run = RunState::frozen;
  } else {
    state.run = state.source.phantom.empty() ? RunState::replay : RunState::live;
  }
}

}  // namespace echoloop
