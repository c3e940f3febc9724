// S1 in half precision with everything that has a plan of its own at the same time: the live stream, the inspector,
// kept frames with other parameters (compare, scrub) and colour flow. The stream goes on without a fault and loses
// nothing.
#include "bench/program/bench_cases.h"
#include "gpu/gpu_support.h"
#include "support/streaming.h"

namespace echoloop::gpu_test::side_by_side_test {
namespace {

class SideBySide : public GpuTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SideBySide, InspectorCompareScrubAndFlow) {
  const BenchCase c = bench_case(GetParam(), SampleType::int16, 1.0);
  const auto source = make_bench_source(c, BenchSignal::points);
  ImagingParams params = c.params;
  params.formation.precision = Precision::fp16;
  params.color_flow.mode = FlowMode::velocity;
  params.color_flow.frames = 16;
  RfHistory history(std::size_t{256} << 20);
  Mailbox<Image> images;
  Mailbox<FlowImage> flows;
  PastImages past;
  InspectionAnswers answers;
  TimingTrace trace;
  Session session(gpu(), source, images, trace,
                  {.stream = testing::unpaced(),
                   .params = params,
                   .sinks = {&history},
                   .past = &past,
                   .inspections = &answers,
                   .analyses = AnalysisMailboxes::only(flows)});
  testing::wait_until([&] { return history.extent().frames >= 8 || !session.fault().empty(); });
  for (int i = 0; i < 60 && session.fault().empty(); ++i) {
    const std::uint64_t processed = session.counts().processed;
    history.hold();
    const auto kept = history.at(static_cast<std::size_t>(i) % history.extent().frames);
    ASSERT_TRUE(kept.has_value());
    ImagingParams other = params;
    other.formation.f_number = 0.25 * (i % 12);
    other.formation.grid_nx = 64 + 37 * (i % 7);
    other.formation.grid_nz = 96 + 61 * (i % 5);
    const bool inspect = i % 2 == 0;
    if (inspect) {
      session.inspect({.frame = kept->frame,
                       .owner = kept->owner,
                       .params = i % 4 == 0 ? params : other,
                       .at = {0.0, 0.5 * (params.formation.depth_min_m + params.formation.depth_max_m)},
                       .pictures = {0},
                       .number = static_cast<std::uint64_t>(i) + 1});
    }
    session.review({.frame = kept->frame, .owner = kept->owner, .params = other, .compare = params});
    bool reviewed = false;
    bool inspected = !inspect;
    testing::wait_until([&] {
      reviewed = reviewed || past[0].take();
      inspected = inspected || (answers.take() && answers.front().complete);
      return !session.fault().empty() || (reviewed && inspected);
    });
    if (inspect) {
      EXPECT_EQ(answers.front().refusal, "");
    }
    history.release();
    testing::wait_until([&] { return session.counts().processed > processed || !session.fault().empty(); });
  }
  EXPECT_TRUE(flows.take()) << "no flow image";
  session.stop();
  EXPECT_EQ(session.fault(), "");
  testing::expect_counts_add_up(session.counts());
  EXPECT_EQ(session.counts().dropped, 0U);
}

INSTANTIATE_TEST_SUITE_P(Cases, SideBySide, ::testing::Values("S1", "S1L", "sector"));

}  // namespace
}  // namespace echoloop::gpu_test::side_by_side_test
