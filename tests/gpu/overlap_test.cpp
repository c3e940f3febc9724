// What runs at the same time, read off the spans: in serial mode nothing, however many lanes; in overlap mode the copy
// of a frame runs under the kernels of the one before.
#include <algorithm>
#include <cstring>

#include "backend/frame_processor.h"
#include "core/units.h"
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::overlap_test {
namespace {

class Overlap : public GpuTest {};

// 8 MB: a copy of some 150 us.
const Case kCase{.name = "overlap", .n_el = 128, .n_tx = 2, .n_samples = 8183};
constexpr std::uint64_t kFrames = 60;
constexpr std::size_t kLanes = 2;
constexpr double kLoadMs = 0.4;
constexpr std::int64_t kRounding = 5'000;  // events tell time to half a microsecond

// All spans of a stream that keeps two frames queued at any time, in the order of their beginnings.
std::vector<Span> run_stream(Backend& gpu, StreamMode mode, HostMemory kind) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto block = gpu.allocate_host(frame.size(), kind);
  std::memcpy(block->bytes().data(), frame.data(), frame.size());
  // The device's clock is laid against the host's once a second: with one of these images, and not in the middle of
  // the stream.
  auto want = run_picture(gpu, plan, frame, mode);
  for (const std::int64_t begin = now_ns(); now_ns() < begin + 1'100'000'000;) {
    want = run_picture(gpu, plan, frame, mode);
  }
  std::unique_ptr<Lane> lanes[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = gpu.make_lane(static_cast<int>(i), mode);
  TimingTrace trace;
  for (std::uint64_t n = 0; n < kFrames + kLanes; ++n) {
    Lane& lane = *lanes[n % kLanes];
    if (n >= kLanes) {
      EXPECT_EQ(host_image(lane), want) << "frame " << n - kLanes;
      lane.append_spans(trace);
    }
    if (n >= kFrames) continue;
    form_frame(lane, plan, {.stamp = {.sequence = n}, .samples = block->bytes()}, {.load_ms = kLoadMs});
    make_image(lane, *plan, {});
  }
  std::vector<Span> spans = trace.spans();
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; });
  return spans;
}

// Copies during which kernels of another frame ran.
int copies_under_kernels(const std::vector<Span>& spans) {
  int count = 0;
  for (const Span& copy : spans) {
    if (copy.stage != Stage::upload) continue;
    count += std::any_of(spans.begin(), spans.end(), [&](const Span& kernel) {
      return kernel.stage != Stage::upload && kernel.frame != copy.frame && kernel.start_ns + kRounding < copy.end_ns &&
             copy.start_ns + kRounding < kernel.end_ns;
    });
  }
  return count;
}

TEST_F(Overlap, SerialDoesOneThingAtATime) {
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::pageable}) {
    const std::vector<Span> spans = run_stream(gpu(), StreamMode::serial, kind);
    ASSERT_EQ(spans.size(), 6 * kFrames);
    for (std::size_t i = 1; i < spans.size(); ++i) {
      EXPECT_LE(spans[i - 1].end_ns, spans[i].start_ns + kRounding)
          << "frames " << spans[i - 1].frame << " and " << spans[i].frame;
      EXPECT_LE(spans[i - 1].frame, spans[i].frame) << "frames keep their order";
    }
    EXPECT_EQ(copies_under_kernels(spans), 0);
  }
}

TEST_F(Overlap, CopiesRunUnderKernels) {
  const std::vector<Span> spans = run_stream(gpu(), StreamMode::overlap, HostMemory::pinned);
  ASSERT_EQ(spans.size(), 6 * kFrames);
  EXPECT_GE(copies_under_kernels(spans), static_cast<int>(kFrames) / 2);
  std::int64_t copied = 0;
  std::int64_t computed = 0;
  for (const Span& span : spans) {  // but never two copies, nor kernels of two frames, at once
    std::int64_t& end = span.stage == Stage::upload ? copied : computed;
    EXPECT_LE(end, span.start_ns + kRounding) << "frame " << span.frame;
    end = span.end_ns;
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::overlap_test
