#include "gui/stream_scene.h"

#include <algorithm>
#include <cmath>

namespace echoloop::testing {
namespace {

std::int64_t ns(double ms) { return std::llround(ms * 1e6); }

void add_frame(std::vector<Span>& spans, const SpanScript& s, int k) {
  const std::uint64_t frame = s.first + static_cast<std::uint64_t>(k);
  const auto lane = static_cast<std::uint8_t>(k % s.lanes);
  const std::int64_t begin = kScriptBegin_ns + k * ns(s.period_ms);
  spans.push_back({frame, Stage::produce, 0, begin - ns(s.produce_ms), begin});
  spans.push_back({frame, Stage::upload, lane, begin, begin + ns(s.copy_ms)});
  std::int64_t t = begin + ns(s.copy_ms);
  for (const auto& [stage, share] : {std::pair{Stage::condition, 0.28}, std::pair{Stage::beamform, 0.64},
                                     std::pair{Stage::envelope, 0.05}, std::pair{Stage::compress, 0.03}}) {
    spans.push_back({frame, stage, lane, t, t + ns(share * s.kernels_ms)});
    t += ns(share * s.kernels_ms);
  }
}

}  // namespace

std::vector<Span> script_spans(const SpanScript& s) {
  std::vector<Span> spans;
  for (int k = 0; k < s.frames; ++k) add_frame(spans, s, k);
  const double all_ms = s.frames * s.period_ms;
  std::uint64_t before = 0;
  for (double t = 0.9 * s.period_ms; t < all_ms; t += s.window_ms) {
    const std::uint64_t frame = s.first + static_cast<std::uint64_t>(t / s.period_ms);
    const std::int64_t begin = kScriptBegin_ns + ns(t);
    if (frame != before) spans.push_back({frame, Stage::present, 0, begin, begin + ns(0.05)});
    before = frame;
    spans.push_back({frame, Stage::draw, 0, begin, begin + ns(0.7)});
    spans.push_back({frame, Stage::vsync, 0, begin + ns(0.9), begin + ns(0.9)});
  }
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.end_ns < b.end_ns; });
  return spans;
}

void fill_stream(WindowState& s, const SpanScript& script) {
  s.numbers.counts.produced = 24'720;
  s.numbers.counts.copied = 24'681;
  s.numbers.counts.processed = 24'680;
  s.numbers.counts.dropped = 37;
  s.numbers.counts.refused = 1;
  s.numbers.counts.in_flight = 2;
  s.numbers.counts.sequence_gaps = 3;
  s.numbers.counts.duplicates = 5;
  s.numbers.counts.slots_peak = 6;
  s.numbers.counts.producer_waited_ns = 12'340'000'000;
  s.numbers.shown = 1481;
  s.numbers.shown_latency.recent = {.p50_ms = 9.4, .p95_ms = 17.3, .p99_ms = 18.9, .max_ms = 33.1, .count = 100};
  for (int i = 0; i < 300; ++i) {
    s.numbers.shown_latency.history_ms.push_back(2.0F + static_cast<float>((i * 7) % 17));
    s.numbers.occupancy.push_back(static_cast<float>(1 + (i * 5 + i / 7) % 3));
  }
  s.numbers.bytes_per_second = 1.57e9;
  s.numbers.producer_wait_share = 0.34;
  s.device.memory = {.device_used = 1'210'000'000,
                     .device_free = 138'000'000'000,
                     .host_used = 100'600'000,
                     .host_free = 95'100'000'000,
                     .slot_bytes = 12'570'000,
                     .lane_bytes = 88'000'000,
                     .page_locked = true};
  s.numbers.timing = {.t_t_ms = script.copy_ms,
                      .t_p_ms = script.kernels_ms,
                      .period_ms = script.period_ms,
                      .frames = static_cast<std::size_t>(script.frames)};
  s.numbers.spans = script_spans(script);
}

void turn_wheel(Scene& scene, float x, float y, float steps) {
  InjectedInput input;
  input.mouse_x = x;
  input.mouse_y = y;
  scene.inject(input);
  input.wheel = steps;
  scene.viewer->inject(input);
  scene.frames(1);
  input.wheel = 0;
  scene.inject(input);
}

void reveal(Scene& scene, const std::string& id) {
  const float middle = 0.5F * static_cast<float>(scene.shot().height);
  for (int i = 0; i < 4; ++i) {  // the column derives its height from what was drawn
    const Rect r = scene.rect(id);
    ASSERT_GT(r.width(), 0.0F) << id;
    constexpr float kStep = 48.0F;  // of the column, at scale 1
    turn_wheel(scene, r.x0 - 4, middle, (middle - r.cy()) / kStep);
  }
}

}  // namespace echoloop::testing
