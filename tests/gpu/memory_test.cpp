// Host memory of every kind gives the same image; device memory does not grow; spans lie where they belong in time.
#include <cstring>

#include "core/units.h"
#include "gpu/gpu_support.h"

#ifdef ECHO_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace echoloop::gpu_test::memory_test {
namespace {

class Memory : public GpuTest {};
class Spans : public GpuTest {};

const Case kCase{.name = "memory", .n_tx = 7, .type = SampleType::int16};

TEST_F(Memory, EveryKindGivesTheSamePicture) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto want = run_picture(gpu(), plan, frame);
  for (const HostMemory kind :
       {HostMemory::pageable, HostMemory::pinned, HostMemory::write_combined, HostMemory::mapped}) {
    // The frame does not begin where the memory begins: slots may share a block.
    const std::size_t offset = frame.size();
    const auto block = gpu().allocate_host(offset + frame.size(), kind);
    EXPECT_EQ(block->kind(), kind);
    ASSERT_EQ(block->bytes().size(), offset + frame.size());
    std::memcpy(block->bytes().data() + offset, frame.data(), frame.size());
    EXPECT_EQ(run_picture(gpu(), plan, block->bytes().subspan(offset)), want) << static_cast<int>(kind);
    EXPECT_EQ(run_picture(gpu(), plan, block->bytes().subspan(offset), StreamMode::serial), want);
  }
}

TEST_F(Memory, PageLockedMemoryIsKeptForTheNextStream) {
  std::string why_not;
  const auto backend = make_cuda_backend(why_not);
  ASSERT_NE(backend, nullptr) << why_not;
  constexpr std::size_t kLarge = std::size_t{8} << 20, kSmall = 4096;
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto want = run_picture(gpu(), plan, frame);
  ASSERT_LT(frame.size(), kLarge);
  const auto address = [&](std::size_t bytes, HostMemory kind) {
    const auto block = backend->allocate_host(bytes, kind);
    EXPECT_EQ(block->kind(), kind);
    EXPECT_EQ(block->bytes().size(), bytes);
    if (bytes < frame.size()) return block->bytes().data();
    std::memcpy(block->bytes().data(), frame.data(), frame.size());
    EXPECT_EQ(run_picture(*backend, plan, block->bytes().first(frame.size())), want);
    return block->bytes().data();
  };
  backend->keep_host_memory(2 * kLarge);
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::write_combined, HostMemory::mapped}) {
    for (const std::size_t bytes : {kLarge, kSmall}) {
      const std::byte* const first = address(bytes, kind);
      EXPECT_EQ(address(bytes, kind), first);
    }
  }
  const auto other = backend->allocate_host(kLarge + 1, HostMemory::pinned);  // none of that size is kept
  EXPECT_EQ(other->bytes().size(), kLarge + 1);
}

TEST_F(Memory, MappedSamplesAreNeededUntilTheyAreRead) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto block = gpu().allocate_host(frame.size(), HostMemory::mapped);
  std::memcpy(block->bytes().data(), frame.data(), frame.size());
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  for (int n = 0; n < 3; ++n) {
    lane->set_plan(plan);
    lane->upload({.stamp = {}, .samples = block->bytes()});
    EXPECT_FALSE(lane->uploaded()) << "nothing has read them yet";
    lane->condition();
    lane->beamform();
    lane->envelope();
    lane->compress(0.0);
    EXPECT_FALSE(lane->finished());
    lane->finish(HostCopy::made);
    lane->wait();
    EXPECT_TRUE(lane->uploaded());
    EXPECT_TRUE(lane->finished());
  }
}

TEST_F(Memory, PageLockedMemoryOfSomebodyElse) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto want = run_picture(gpu(), plan, frame);
  const auto lock = gpu().page_lock(frame);
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(run_picture(gpu(), plan, frame), want);
  EXPECT_EQ(gpu().page_lock(frame), nullptr) << "locked already";
  EXPECT_EQ(gpu().page_lock({}), nullptr);
  EXPECT_EQ(run_picture(gpu(), plan, frame), want) << "after a refusal";
}

#ifdef ECHO_HAVE_CUDA
TEST_F(Memory, HeavyNoGrowthOver500Frames) {
  Case c = kCase;  // large tables: 500 lost ones would be 375 MB
  c.n_tx = 3;
  c.nx = c.nz = 251;
  const AcquisitionPtr a = make_acquisition(c);
  ImagingParams params = make_params(c, *a);
  auto plan = make_plan(a, params);
  const auto frame = make_frame(c, *a);
  const std::unique_ptr<Lane> lanes[] = {gpu().make_lane(0, StreamMode::overlap),
                                         gpu().make_lane(1, StreamMode::overlap)};
  std::size_t free_at_first = 0;
  std::size_t free_now = 0;
  std::size_t total = 0;
  for (int n = 0; n < 520; ++n) {
    Lane& lane = *lanes[n % 2];
    lane.wait();
    params.formation.f_number = n % 2 == 0 ? 1.5 : 0.0;
    params.formation.sound_speed_m_s = n % 3 == 0 ? 1540.0 : 1500.0;  // new tables
    params.formation.band_low_hz = n % 5 == 0 ? 3.5e6 : 3.7e6;        // and a new filter
    plan = make_plan(a, params, plan);
    start_frame(lane, plan, frame, static_cast<std::uint64_t>(n));
    if (n != 20 && n != 519) continue;
    for (const auto& each : lanes) each->wait();
    ASSERT_EQ(cudaMemGetInfo(&free_now, &total), cudaSuccess);
    if (n == 20) free_at_first = free_now;
  }
  // The driver's pool takes and returns memory in pieces of 32 MiB.
  EXPECT_GE(free_now + (std::size_t{64} << 20), free_at_first);
}
#endif

TEST_F(Spans, StagesFollowEachOther) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto block = gpu().allocate_host(frame.size(), HostMemory::pinned);
  std::memcpy(block->bytes().data(), frame.data(), frame.size());
  const std::unique_ptr<Lane> lanes[] = {gpu().make_lane(2, StreamMode::overlap),
                                         gpu().make_lane(3, StreamMode::overlap)};
  constexpr std::int64_t kRounding = 2'000;  // events tell time to half a microsecond
  constexpr Stage kStages[] = {Stage::upload, Stage::condition, Stage::beamform, Stage::envelope, Stage::compress};
  std::int64_t previous_end = 0;
  const std::int64_t begin = now_ns();
  for (std::uint64_t n = 0; n < 21; ++n) {
    if (n < 20) start_frame(*lanes[n % 2], plan, block->bytes(), n);
    if (n == 0) continue;
    Lane& lane = *lanes[(n - 1) % 2];
    lane.wait();
    TimingTrace trace;
    lane.append_spans(trace);
    const std::vector<Span> spans = trace.spans();
    ASSERT_EQ(spans.size(), 5u);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      EXPECT_EQ(spans[i].frame, n - 1);
      EXPECT_EQ(spans[i].lane, 2 + (n - 1) % 2);
      EXPECT_EQ(spans[i].stage, kStages[i]);
      EXPECT_LE(spans[i].start_ns, spans[i].end_ns);
      EXPECT_LT(spans[i].end_ns - spans[i].start_ns, 5'000'000'000) << "stage " << i;
      if (i > 0) {
        EXPECT_LE(spans[i - 1].end_ns, spans[i].start_ns + kRounding) << "stage " << i;
      }
    }
    EXPECT_GE(spans[1].start_ns + 10 * kRounding, previous_end) << "kernels of two frames at once";
    previous_end = spans[4].end_ns;
  }
  EXPECT_GT(previous_end, begin);
}

// The device's clock is laid against the host's again and again: spans stay between the host's own readings.
TEST_F(Spans, HeavyClockHoldsOverSeconds) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  start_frame(*lane, plan, frame);
  lane->wait();
  constexpr std::int64_t kTolerance = 200'000;
  constexpr std::int64_t kLong = 3'200'000'000;
  const std::int64_t begin = now_ns();
  for (int n = 0; now_ns() < begin + kLong; ++n) {
    const std::int64_t before = now_ns();
    start_frame(*lane, plan, frame);
    lane->wait();
    const std::int64_t after = now_ns();
    TimingTrace trace;
    lane->append_spans(trace);
    for (const Span& span : trace.spans()) {
      EXPECT_GE(span.start_ns + kTolerance, before) << "frame " << n;
      EXPECT_LE(span.end_ns, after + kTolerance) << "frame " << n;
    }
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::memory_test
