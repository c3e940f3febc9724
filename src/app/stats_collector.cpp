#include "app/stats_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/process_memory.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::int64_t kSlowUpdateNs = 250'000'000;
constexpr std::int64_t kIdleMemoryNs = 10'000'000'000;
// About 500 frames; statistics of more would be too slow for a window frame.
constexpr std::size_t kSummarySpans = 4096;
// The timeline shows up to 50 frames. At two per second these span 25 s, in which the window draws 1500 times with two
// spans each.
constexpr std::size_t kTimelineSpans = 4096;

// Returns true if rates and times before and after a change belong to the same stream settings.
bool same_pace(const StreamSettings& a, const StreamSettings& b) {
  return a.policy == b.policy && a.slots == b.slots && a.lanes == b.lanes && a.streams == b.streams &&
         a.host_memory == b.host_memory && a.rate_hz == b.rate_hz && a.pace_ms == b.pace_ms && a.copy == b.copy &&
         a.inject == b.inject;
}

}  // namespace

// While the stream is idle rates are 0, and the timing remains.
void StatsCollector::update_rates(WindowState& state, const Session& session, std::int64_t now) {
  const RingCounts& counts = state.numbers.counts;
  last_processed_ = counts.processed;
  if (idle_ || !same_pace(session.stream(), paced_)) rates_.restart();
  paced_ = session.stream();
  const RateWindow::Rates rates = rates_.update({.now_ns = now,
                                                 .processed = counts.processed,
                                                 .dropped = counts.dropped,
                                                 .shown = state.numbers.shown,
                                                 .waited_ns = counts.producer_waited_ns});
  rates_from_ns_ = rates.from_ns;
  if (rates.from_ns == now && !idle_) return;  // a new window has no rates yet
  state.numbers.processed_fps = rates.processed_hz;
  state.numbers.shown_fps = rates.shown_hz;
  state.numbers.producer_wait_share = rates.waited_share;
  state.numbers.dropped_share = rates.dropped_share;
  state.numbers.bytes_per_second = rates.processed_hz * static_cast<double>(session.frame_bytes());
}

// Updates stages, frames and their limits of the rate. The measured period is that of the rate on screen.
void StatsCollector::update_timings(WindowState& state, const TimingTrace& trace) {
  const std::vector<Span> spans = trace.last_spans(kSummarySpans);
  std::vector<Span> recent;
  std::int64_t newest_ns = 0;
  for (const Span& span : spans) newest_ns = std::max(newest_ns, span.end_ns);
  std::ranges::copy_if(spans, std::back_inserter(recent),
                       [newest_ns](const Span& span) { return newest_ns - span.end_ns <= kRecentLatency_ns; });
  state.numbers.stages = stage_summaries(recent);
  state.numbers.frame_total = frame_summary(recent);
  if (idle_) return;
  StreamTiming timing = stream_timing(spans, rates_from_ns_);
  if (timing.frames > 0 && state.numbers.processed_fps > 0.0) timing.period_ms = 1e3 / state.numbers.processed_fps;
  if (timing.frames > 0 || rates_from_ns_ == last_ns_) state.numbers.timing = timing;
}

int busiest_between(const RingCounts& before, const RingCounts& now) {
  const int used = now.slots_writing + now.slots_ready + now.slots_reading;
  const bool same_ring = now.slots == before.slots && now.slots_peak >= before.slots_peak;
  if (!same_ring) return used;
  // A frame is dropped or rejected, and the source waits, only if all slots are in use.
  if (now.dropped > before.dropped || now.refused > before.refused ||
      now.producer_waited_ns > before.producer_waited_ns)
    return now.slots;
  return now.slots_peak > before.slots_peak ? now.slots_peak : used;
}

// Detects an idle stream, without new frames or frames in process: paused, at a recording's end, or without a sender.
void StatsCollector::watch_idle(WindowState& state, const Session& session, std::int64_t now) {
  const bool sent = !state.scanner.has_value() || state.scanner->link == LiveLink::connected;
  const bool stopped = !sent || session.stream().paused || session.producer_state() != ProducerState::running;
  idle_ = stopped && session.running() && state.numbers.counts.in_flight == 0 &&
          state.numbers.counts.processed == last_processed_;
  state.numbers.idle = idle_;
  if (looked_ns_ == 0) plot_ns_ = now;
  if (looked_ns_ != 0 && !idle_) plot_ns_ += now - looked_ns_;
  looked_ns_ = now;
}

void StatsCollector::update_pace(WindowState& state, const Session& session, std::int64_t now) {
  const bool comes = !state.scanner.has_value() || state.scanner->link == LiveLink::connected;
  const bool runs = comes && session.running() && session.fault().empty() && !session.stream().paused &&
                    session.producer_state() == ProducerState::running;
  state.numbers.pace = pace_.update({.now_ns = now,
                                     .next_sequence = state.numbers.counts.next_sequence,
                                     .waited_ns = state.numbers.counts.producer_waited_ns,
                                     .rate_hz = session.rate_hz(),
                                     .frame_rate_hz = state.source.acquisition->frame_rate_hz,
                                     .runs = runs,
                                     .live = state.source.live});
}

void StatsCollector::update_memory(WindowState& state, const Session& session, std::int64_t now) {
  const bool same = session.configurations() == memory_of_;
  if (idle_ && same && now - memory_ns_ < kIdleMemoryNs) return;  // free memory changes all the time
  memory_of_ = session.configurations();
  memory_ns_ = now;
  const StreamMemory memory = session.memory();
  state.device.memory = {.device_used = memory.device.used,
                         .device_free = memory.device.free,
                         .host_used = memory.host_bytes + state.kept.bytes,
                         .history_used = state.kept.bytes,
                         .host_free = free_host_memory(),
                         .slot_bytes = memory.slot_bytes,
                         .lane_bytes = memory.lane_bytes,
                         .page_locked = session.host_memory() != HostMemory::pageable,
                         .in_place_bytes = memory.in_place_bytes};
}

void StatsCollector::update_histories(WindowState& state, const TimingTrace& trace) {
  const std::int64_t now = plot_ns_;
  const RingCounts& c = state.numbers.counts;
  occupancy_.add(now, busiest_between(sampled_, c));
  occupancy_.add(now, c.slots_writing + c.slots_ready + c.slots_reading);  // state from here on
  sampled_ = c;
  for (const double ms : trace.new_latencies_ms(Latency::ready_of_shown, ready_seen_)) ready_.add(now, ms);
  for (const double ms : trace.new_latencies_ms(Latency::shown, shown_seen_)) shown_.add(now, ms);
  state.numbers.occupancy = occupancy_.values(now);
  state.numbers.latency.history_ms = ready_.values(now);
  state.numbers.shown_latency.history_ms = shown_.values(now);
}

void StatsCollector::update(WindowState& state, const Session& session, const TimingTrace& trace, std::uint64_t shown) {
  const std::int64_t now = now_ns();
  state.numbers.counts = session.counts();
  state.numbers.shown = shown;
  state.analyses.of<AnalysisCounts>() = session.analysis_counts();
  watch_idle(state, session, now);
  update_histories(state, trace);
  if (state.timeline_wanted) state.numbers.spans = trace.last_spans(kTimelineSpans);
  const bool changed = last_ns_ != 0 && !same_pace(session.stream(), paced_);
  if (now - last_ns_ < kSlowUpdateNs && !changed) return;
  const bool first = std::exchange(last_ns_, now) == 0;
  update_rates(state, session, now);
  if (first) rates_from_ns_ = 0;  // all frames so far
  update_pace(state, session, now);
  state.numbers.latency.recent = trace.recent_latency(Latency::ready_of_shown);
  state.numbers.latency.since_start = trace.summarize_latency(Latency::ready_of_shown);
  state.numbers.shown_latency.recent = trace.recent_latency(Latency::shown);
  state.numbers.shown_latency.since_start = trace.summarize_latency(Latency::shown);
  update_timings(state, trace);
  state.numbers.why_fp32 = session.why_fp32();
  update_memory(state, session, now);
  const double rate = session.rate_hz();
  state.numbers.frame_budget_ms = std::isfinite(rate) && rate > 0.0 ? 1e3 / rate : 0.0;
}

void update_run_state(WindowState& state, const Session& session, const RunFacts& facts) {
  state.notices.fault.reset();
  if (const std::string fault = session.fault(); !fault.empty()) {
    state.notices.fault = FaultNotice{
        .title = facts.on_gpu ? "GPU processing failed" : "Processing failed",
        .detail = fault,
        .advice = facts.device_lost ? "continue on the CPU; the GPU is available again after a restart of the program."
                  : facts.on_gpu    ? "restart the stream, or continue on the CPU."
                                    : "restart the stream.",
        .can_restart = !facts.device_lost,
        .can_use_cpu = facts.on_gpu};
  } else if (session.producer_state() == ProducerState::refused) {
    const bool live = state.source.live;
    const bool disk = session.refusal().value_or(RingRefusal{}).keeper_full;
    state.notices.fault =
        FaultNotice{.title = fmt::format("Stopped on overrun: the {} is faster than {}", live ? "scanner" : "source",
                                         disk ? "the recording disk" : "processing"),
                    .detail = session.producer_report(),
                    .advice = fmt::format("{}. To prevent this: lower the rate, {} or choose another policy.",
                                          live ? "resume" : "restart", disk ? "use a faster disk" : "add slots"),
                    .can_restart = true,
                    .can_use_cpu = false,
                    .refusal = disk ? std::nullopt : session.refusal()};
  } else if (session.producer_state() == ProducerState::failed) {
    state.notices.fault = FaultNotice{.title = "The source failed",
                                      .detail = session.producer_report(),
                                      .advice = "restart, or open another source.",
                                      .can_restart = true,
                                      .can_use_cpu = false};
  } else if (session.producer_state() == ProducerState::changed && !state.source.live) {  // a scanner continues
    state.notices.fault = FaultNotice{.title = "The acquisition changed",
                                      .detail = session.producer_report(),
                                      .advice = "open the source again.",
                                      .can_restart = false,
                                      .can_use_cpu = false};
  }
  if (state.notices.fault.has_value())
    state.run = RunState::fault;
  else if (facts.frozen)
    state.run = RunState::frozen;
  else
    state.run = state.source.phantom.empty() && !state.source.live ? RunState::replay : RunState::live;
}

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr auto kBinCount = static_cast<std::int64_t>(ClockHistory::kBins);

std::size_t place(std::int64_t bin) { return static_cast<std::size_t>(bin % kBinCount); }

}  // namespace

ClockHistory::ClockHistory(BetweenValues between) : between_(between), last_(kNothing) { bins_.fill(kNothing); }

void ClockHistory::advance(std::int64_t now_ns) {
  const std::int64_t bin = now_ns / kBin_ns;
  const float between = between_ == BetweenValues::last_value ? last_ : kNothing;
  for (std::int64_t b = std::max(newest_ + 1, bin - kBinCount + 1); b <= bin; ++b) bins_[place(b)] = between;
  newest_ = std::max(newest_, bin);
}

void ClockHistory::add(std::int64_t now_ns, double value) {
  advance(now_ns);
  last_ = static_cast<float>(value);
  float& bin = bins_[place(newest_)];
  bin = std::isnan(bin) ? last_ : std::max(bin, last_);
}

std::vector<float> ClockHistory::values(std::int64_t now_ns) {
  advance(now_ns);
  std::vector<float> list;
  list.reserve(kBins);
  for (std::int64_t b = newest_ - kBinCount + 1; b <= newest_; ++b)
    list.push_back(bins_[place(std::max<std::int64_t>(b, 0))]);
  return list;
}

RateWindow::Rates RateWindow::update(const Sample& sample) {
  const bool goes_on = !samples_.empty() && sample.processed >= samples_.back().processed &&
                       sample.dropped >= samples_.back().dropped && sample.shown >= samples_.back().shown &&
                       sample.waited_ns >= samples_.back().waited_ns;
  if (!goes_on) samples_.clear();
  samples_.push_back(sample);
  while (samples_.size() > 2 && sample.now_ns - samples_[1].now_ns >= kLongest_ns) samples_.pop_front();
  const auto older = std::ranges::find_if(samples_.rbegin(), samples_.rend(),
                                          [&](const Sample& one) { return sample.now_ns - one.now_ns >= kWindow_ns; });
  const bool enough = older != samples_.rend() && sample.processed - older->processed >= kFrames;
  const Sample& first = enough ? *older : samples_.front();
  const double seconds = static_cast<double>(sample.now_ns - first.now_ns) * 1e-9;
  if (seconds <= 0.0) return {.from_ns = first.now_ns};
  const auto processed = static_cast<double>(sample.processed - first.processed);
  const auto dropped = static_cast<double>(sample.dropped - first.dropped);
  const double waited_s = static_cast<double>(sample.waited_ns - first.waited_ns) * 1e-9;
  return {.processed_hz = processed / seconds,
          .shown_hz = static_cast<double>(sample.shown - first.shown) / seconds,
          .waited_share = std::clamp(waited_s / seconds, 0.0, 1.0),
          .dropped_share = processed + dropped > 0.0 ? dropped / (processed + dropped) : 0.0,
          .from_ns = first.now_ns};
}

namespace {

// Hysteresis of a badge: on below 95 %, off above 97 %, to avoid flicker.
constexpr double kBegins = 0.95, kEnds = 0.97;

// Tolerates one frame, which may arrive just after the window: a slow source is not behind for it.
bool is_behind(double frames, double expected, bool before) {
  return frames + 1.0 < (before ? kEnds : kBegins) * expected;
}

}  // namespace

StreamPace PaceWatch::update(const Sample& sample) {
  const bool goes_on = !samples_.empty() && sample.rate_hz == samples_.back().rate_hz &&
                       !is_before(sample.next_sequence, samples_.back().next_sequence);
  if (!sample.runs || !goes_on) {
    samples_.clear();
    pace_ = {};
  }
  if (!sample.runs) return pace_;
  samples_.push_back(sample);
  while (samples_.size() > 2 && sample.now_ns - samples_[1].now_ns >= kWindow_ns) samples_.pop_front();
  const Sample& first = samples_.front();
  if (sample.now_ns - first.now_ns < kWindow_ns) return pace_;
  const double seconds = static_cast<double>(sample.now_ns - first.now_ns) * 1e-9;
  const auto frames = static_cast<double>(sample.next_sequence - first.next_sequence);
  const double waited_share = static_cast<double>(sample.waited_ns - first.waited_ns) * 1e-9 / seconds;
  pace_.made_hz = frames / seconds;
  pace_.rate_hz = sample.live && !std::isfinite(sample.rate_hz) ? sample.frame_rate_hz : sample.rate_hz;
  const bool paced = std::isfinite(pace_.rate_hz) && pace_.rate_hz > 0.0;
  const bool behind = paced && is_behind(frames, pace_.rate_hz * seconds, pace_.held_back != HeldBack::no);
  const double missing_share = behind ? 1.0 - pace_.made_hz / pace_.rate_hz : 0.0;
  pace_.held_back = !behind                              ? HeldBack::no
                    : waited_share > 0.5 * missing_share ? HeldBack::by_processing
                    : sample.live                        ? HeldBack::no
                                                         : HeldBack::by_source;
  pace_.slower =
      !sample.live && sample.frame_rate_hz > 0.0 && is_behind(frames, sample.frame_rate_hz * seconds, pace_.slower);
  pace_.speed = pace_.slower ? pace_.made_hz / sample.frame_rate_hz : 1.0;
  return pace_;
}

}  // namespace echoloop
