// Faults on purpose: a busy device, work that is refused, a device that is lost; and what a backend says of its memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "backend/frame_processor.h"
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::fault_test {
namespace {

class Faults : public GpuTest {};
class DeviceLostDeathTest : public GpuTest {};
class DeviceMemoryCount : public GpuTest {};

const Case kCase{.name = "faults", .n_tx = 7, .type = SampleType::int16};

Span span_of(Lane& lane, Stage stage) {
  TimingTrace trace;
  lane.append_spans(trace);
  for (const Span& span : trace.spans()) {
    if (span.stage == stage) return span;
  }
  return {};
}

void start_loaded_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const std::byte> samples,
                        std::uint64_t sequence, double load_ms) {
  form_frame(lane, plan, {.stamp = {.sequence = sequence}, .samples = samples}, {.load_ms = load_ms});
  make_image(lane, *plan, {});
}

TEST_F(Faults, LoadLastsAsLongAsAsked) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  for (const double ms : {5.0, 0.2, 20.0, 1.0}) {  // the first one also loads the kernel
    start_loaded_frame(*lane, plan, frame, 3, ms);
    EXPECT_EQ(host_image(*lane), run_picture(gpu(), plan, frame));
    const Span span = span_of(*lane, Stage::load);
    const double lasted_ms = static_cast<double>(span.end_ns - span.start_ns) * 1e-6;
    EXPECT_GE(lasted_ms, ms - 0.04);  // the device's clock moves in steps
    EXPECT_LE(lasted_ms, ms + 5.0);   // other programs on the device may lengthen it
    EXPECT_EQ(span.frame, 3U);
  }
  start_frame(*lane, plan, frame);
  lane->wait();
  EXPECT_EQ(span_of(*lane, Stage::load).end_ns, 0) << "a span of an earlier frame";
}

TEST_F(Faults, NextCopyRunsUnderTheLoad) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto block = gpu().allocate_host(frame.size(), HostMemory::pinned);
  std::memcpy(block->bytes().data(), frame.data(), frame.size());
  const auto first = gpu().make_lane(0, StreamMode::overlap);
  const auto second = gpu().make_lane(1, StreamMode::overlap);
  for (int warm = 0; warm < 2; ++warm) {
    start_loaded_frame(*first, plan, block->bytes(), 0, 20.0);
    start_loaded_frame(*second, plan, block->bytes(), 1, 1.0);
    first->wait();
    second->wait();
  }
  const Span load = span_of(*first, Stage::load);
  const Span copy = span_of(*second, Stage::upload);
  EXPECT_LT(copy.start_ns, copy.end_ns);
  EXPECT_LT(copy.end_ns, load.end_ns);
  EXPECT_GE(span_of(*second, Stage::load).start_ns + 100'000, span_of(*first, Stage::compress).end_ns);
}

TEST_F(Faults, RefusedWorkNamesItselfAndLeavesNothingBehind) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto want = run_picture(gpu(), plan, frame);
  for (const StreamMode mode : {StreamMode::overlap, StreamMode::serial}) {
    const auto lane = gpu().make_lane(0, mode);
    lane->set_plan(plan);
    lane->upload({.stamp = {}, .samples = frame});
    try {
      lane->fail(DeviceFault::refused);
      ADD_FAILURE() << "nothing was refused";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("injected fault): cudaErrorInvalid"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(gpu().usable());
    EXPECT_FALSE(lane->finished());
    lane->wait();
    EXPECT_TRUE(lane->uploaded()) << "the frame's samples are free again";
    start_frame(*lane, plan, frame);
    EXPECT_EQ(host_image(*lane), want) << "the same lane, the next frame";
    EXPECT_EQ(run_picture(gpu(), plan, frame, mode), want) << "another lane";
  }
}

// Numbers of the checks that failed, for an exit status that says which.
class Checks {
 public:
  void check(bool holds, const char* what) {
    ++number_;
    if (holds) return;
    std::fprintf(stderr, "check %d: %s\n", number_, what);
    failed_ = failed_ == 0 ? number_ : failed_;
  }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  int number_ = 0;
  int failed_ = 0;
};

template <class Call>
std::string exception_of(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// In a process of its own: loses the device in the middle of a frame, with lanes, images and every kind of host memory
// alive, and ends the program in the ordinary way.
void lose_the_device(Backend& gpu, Backend& cpu) {
  Checks checks;
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  Image image;
  {
    const auto pinned = gpu.allocate_host(frame.size(), HostMemory::pinned);
    const auto mapped = gpu.allocate_host(frame.size(), HostMemory::mapped);
    const auto lock = gpu.page_lock(frame);
    std::memcpy(mapped->bytes().data(), frame.data(), frame.size());
    const auto other = gpu.make_lane(0, StreamMode::overlap);
    start_frame(*other, plan, mapped->bytes());
    other->wait();
    std::swap(image, other->image());
    const auto lane = gpu.make_lane(1, StreamMode::overlap);
    lane->set_plan(plan);
    lane->upload({.stamp = {}, .samples = frame});
    checks.check(gpu.usable(), "usable before");
    const std::string said = exception_of([&] {
      lane->fail(DeviceFault::lost);
      lane->condition();
      lane->beamform();
      lane->envelope();
      lane->compress(0.0);
      lane->finish(HostCopy::made);
      lane->wait();
    });
    checks.check(!said.empty(), "a verb throws");
    checks.check(said.find("cudaError") != std::string::npos, said.c_str());
    checks.check(!gpu.usable(), "not usable after");
    checks.check(gpu.memory().used > 0 && gpu.memory().free == 0, "memory() answers");
    checks.check(!exception_of([&] { start_frame(*other, plan, frame); }).empty(), "another lane throws");
    checks.check(!exception_of([&] { auto none = gpu.make_lane(2, StreamMode::serial); }).empty(), "no new lane");
    checks.check(!exception_of([&] { auto none = gpu.allocate_host(64, HostMemory::pinned); }).empty(), "no memory");
    std::fprintf(stderr, "lost: %s\n", said.c_str());
  }
  image = {};
  std::string why_not;
  checks.check(make_cuda_backend(why_not) == nullptr && why_not.find("device failed") != std::string::npos,
               why_not.c_str());
  const auto lane = cpu.make_lane(0, StreamMode::overlap);
  start_frame(*lane, plan, frame);
  checks.check(lane->image().host().size() == plan->grid.pixels(), "the CPU goes on");
  std::exit(checks.failed());
}

TEST_F(DeviceLostDeathTest, EndsCleanly) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: a fork cannot use CUDA
  EXPECT_EXIT(lose_the_device(gpu(), cpu()), ::testing::ExitedWithCode(0), "lost: ");
}

TEST_F(DeviceMemoryCount, FollowsWhatLanesHold) {
  const Case large{.name = "memory count", .n_el = 128, .n_tx = 8, .n_samples = 8192};
  const auto plan = make_case_plan(large);
  const std::size_t frame_bytes = plan->acquisition->frame_bytes();  // 33 MB, and the floats as much again
  {
    const auto warm = gpu().make_lane(0, StreamMode::overlap);
    warm->set_plan(plan);
  }
  const DeviceMemory before = gpu().memory();
  EXPECT_GT(before.free, frame_bytes);
  {
    const auto lane = gpu().make_lane(0, StreamMode::overlap);
    lane->set_plan(plan);
    const DeviceMemory during = gpu().memory();
    EXPECT_GE(during.used, before.used + 2 * frame_bytes);
    EXPECT_LE(during.used, before.used + 8 * frame_bytes);
    const auto taken = static_cast<double>(before.free) - static_cast<double>(during.free);
    // Pages are of 2 MiB; other programs may use the device as well.
    EXPECT_NEAR(taken, static_cast<double>(during.used - before.used), 32.0 * (1 << 20));
    lane->set_plan(plan);
    EXPECT_EQ(gpu().memory().used, during.used);
  }
  EXPECT_EQ(gpu().memory().used, before.used);
}

TEST_F(DeviceMemoryCount, IsQuickWhileTheDeviceWorks) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  start_loaded_frame(*lane, plan, frame, 0, 1.0);
  lane->wait();
  start_loaded_frame(*lane, plan, frame, 0, 500.0);
  const DeviceMemory memory = gpu().memory();
  EXPECT_FALSE(lane->finished()) << "memory() waited for the device";
  EXPECT_GT(memory.free, 0U);
  lane->wait();
}

}  // namespace
}  // namespace echoloop::gpu_test::fault_test
