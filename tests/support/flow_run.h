// Runs a source through a whole Session with flow on: the last flow image, and the B-mode image of the same frame.
#pragma once

#include "support/streaming.h"

namespace echoloop::testing {

struct FlowRun {
  FlowImage flow;
  Picture picture;
  FlowCounts counts;
};

inline FlowRun run_flow(const std::shared_ptr<Source>& source, const ImagingParams& params, std::uint64_t frames,
                        Backend* backend = nullptr) {
  const std::unique_ptr<Backend> own = backend == nullptr ? make_cpu_backend(2) : nullptr;
  Mailbox<Image> images;
  Mailbox<FlowImage> flows;
  TimingTrace trace;
  Session session(
      own != nullptr ? *own : *backend, source, images, trace,
      {.stream = unpaced(), .params = params, .max_frames = frames, .analyses = AnalysisMailboxes::only(flows)});
  wait_until([&] { return session.done(); }, std::chrono::seconds(300));
  session.stop();
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.take_refusal(), "");
  FlowRun run;
  run.counts = std::get<FlowCounts>(session.analysis_counts());
  EXPECT_TRUE(images.take());
  run.picture = Picture::of(images.front());
  EXPECT_TRUE(flows.take()) << "no flow picture";
  run.flow = std::move(flows.front());
  return run;
}

}  // namespace echoloop::testing
