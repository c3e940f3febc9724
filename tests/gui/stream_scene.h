// Spans and numbers of a stream as on a device: content for the tests of the stream and timeline panels.
#pragma once

#include "gui/scene.h"

namespace echoloop::testing {

struct SpanScript {
  int frames = 60;
  std::uint64_t first = 24'600;
  double period_ms = 1.0;
  double copy_ms = 0.24;
  double kernels_ms = 0.50;
  int lanes = 2;
  StreamMode streams = StreamMode::overlap;
  double window_ms = 16.667;  // between window frames
  double produce_ms = 0.05;
};

inline constexpr std::int64_t kScriptBegin_ns = 1'000'000'000'000;

// Returns spans, oldest first; frame k is copied from kScriptBegin_ns + k x period on.
std::vector<Span> script_spans(const SpanScript& script);

// Every number of the stream panel, none zero that can be another.
void fill_stream(WindowState& state, const SpanScript& script = {});

// Scrolls its column until the control is in view.
void reveal(Scene& scene, const std::string& id);
// Turns the wheel with the pointer at (x, y).
void turn_wheel(Scene& scene, float x, float y, float steps);

}  // namespace echoloop::testing
