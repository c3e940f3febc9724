// What runs at the same time, read off the spans: in serial mode nothing, however many lanes; in overlap mode the copy
// of a frame runs under the kernels of the one before, and kernels of small frames run side by side.
#include <algorithm>
#include <cstring>

#include "backend/fp16/packed_plan.h"
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

// Frames of noise in page-locked memory, `gap` bytes apart.
struct PinnedFrames {
  PinnedFrames(Backend& gpu, const Case& c, std::size_t n, std::size_t gap = 0) {
    const AcquisitionPtr acquisition = make_acquisition(c);
    const std::size_t bytes = acquisition->frame_bytes();
    block = gpu.allocate_host(n * (bytes + gap), HostMemory::pinned);
    for (std::size_t i = 0; i < n; ++i) {
      const auto place = block->bytes().subspan(i * (bytes + gap), bytes);
      std::ranges::copy(make_frame(c, *acquisition, static_cast<unsigned>(i)), place.begin());
      frames.push_back({.stamp = {.sequence = i}, .samples = place});
    }
  }
  // The images of each frame alone.
  [[nodiscard]] std::vector<std::vector<float>> images(Backend& gpu, const std::shared_ptr<const Plan>& plan) const {
    std::vector<std::vector<float>> images;
    for (const RfFrame& frame : frames) images.push_back(run_picture(gpu, plan, frame.samples, StreamMode::serial));
    return images;
  }

  std::unique_ptr<HostMemoryBlock> block;
  std::vector<RfFrame> frames;
};

// All spans of a stream that keeps two frames queued at any time, in the order of their beginnings.
std::vector<Span> run_stream(Backend& gpu, const LaneSettings& settings, HostMemory kind) {
  const StreamMode mode = settings.streams;
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
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = gpu.make_lane(static_cast<int>(i), settings);
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

TEST_F(Overlap, TheDefaultStreamAndADeviceSynchroniseKeepCopiesFromKernels) {
  LaneSettings synchronised(StreamMode::overlap);
  synchronised.copy.device_sync = 1.0;
  for (const LaneSettings& settings : {LaneSettings(StreamMode::default_stream), synchronised}) {
    const std::vector<Span> spans = run_stream(gpu(), settings, HostMemory::pinned);
    ASSERT_EQ(spans.size(), 6 * kFrames);
    EXPECT_EQ(copies_under_kernels(spans), 0);
  }
}

// run_stream() compares each image with that of a copy as a whole.
TEST_F(Overlap, ACopyInPiecesOnManyStreamsIsTheSameFrame) {
  for (const double streams : {1.0, 5.0, 32.0}) {
    LaneSettings settings(StreamMode::overlap);
    settings.copy.chunks = 64.0;
    settings.copy.streams = streams;
    EXPECT_EQ(run_stream(gpu(), settings, HostMemory::pinned).size(), 6 * kFrames);
  }
}

// 67 MB: a copy of more than a millisecond.
const Case kLong{.name = "long", .n_el = 128, .n_tx = 2, .n_samples = 65463};

// Kernels without the event of the copy begin before its end, unless other programs keep host or device busy.
TEST_F(Overlap, AFrameWithoutItsEventIsTornAndTheNextOneIsWhole) {
  const auto plan = make_case_plan(kLong);
  const PinnedFrames pinned(gpu(), kLong, 2);
  const auto want = pinned.images(gpu(), plan);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  const auto image_of = [&](std::size_t frame, const FrameForming& forming) {
    form_frame(*lane, plan, pinned.frames[frame], forming);
    make_image(*lane, *plan, {});
    return host_image(*lane);
  };
  std::vector<float> torn = want[1];
  double share = 0.0;
  for (int tries = 0; tries < 50 && torn == want[1]; ++tries) {
    EXPECT_EQ(image_of(0, {}), want[0]);
    EXPECT_EQ(lane->image(0).torn_share, 0.0);
    torn = image_of(1, {.missing_event = true});
    share = lane->image(0).torn_share;
  }
  EXPECT_LE(share, 1.0);
  EXPECT_EQ(image_of(1, {}), want[1]);
  EXPECT_EQ(lane->image(0).torn_share, 0.0);
  if (torn == want[1]) GTEST_SKIP() << "the kernels began after the end of each copy, or of what they need of it";
  EXPECT_GT(share, 0.0);
}

// 50 kB a frame and 60,000 pixels: kernels take longer than copies.
const Case kSmall{.name = "small",
                  .n_el = 32,
                  .n_tx = 3,
                  .n_samples = 256,
                  .nx = 250,
                  .nz = 240,
                  .type = SampleType::int16,
                  .precision = Precision::fp16};

// Frames of two plans that take turns every 300 frames. Every 97th keeps its complex pixels, which brings it back to
// the processing stream.
TEST_F(Overlap, SmallFramesSideBySideEqualFramesAlone) {
  Case other = kSmall;
  other.nx = 231;
  const std::shared_ptr<const Plan> plans[] = {make_case_plan(kSmall), make_case_plan(other)};
  if (plans[0]->packed == nullptr) GTEST_SKIP() << "no half precision: " << plans[0]->why_fp32;
  constexpr std::size_t kDifferent = 7;
  const PinnedFrames pinned(gpu(), kSmall, kDifferent);
  const std::vector<std::vector<float>> want[] = {pinned.images(gpu(), plans[0]), pinned.images(gpu(), plans[1])};
  constexpr std::uint64_t kRound = 3000, kMost = 10 * kRound;
  constexpr int kEnough = 100;  // frames side by side; a device at a low clock rate needs several rounds
  std::uint64_t wanted = kRound;
  std::unique_ptr<Lane> lanes[kMaxLanes];
  for (int i = 0; i < kMaxLanes; ++i) lanes[i] = gpu().make_lane(i, StreamMode::overlap);
  TimingTrace trace;
  int side_by_side = 0;
  std::int64_t last_end = 0;
  for (std::uint64_t n = 0; n < wanted + kMaxLanes; ++n) {
    Lane& lane = *lanes[n % kMaxLanes];
    if (n >= kMaxLanes) {
      const std::uint64_t ended = n - kMaxLanes;
      ASSERT_EQ(host_image(lane), want[ended / 300 % 2][ended % kDifferent]) << "frame " << ended;
      lane.append_spans(trace);
      for (const Span& span : trace.spans()) {
        if (span.frame != ended || span.stage == Stage::upload) continue;
        side_by_side += span.stage == Stage::load && span.start_ns + kRounding < last_end ? 1 : 0;
        last_end = std::max(last_end, span.end_ns);
      }
      trace.clear();
    }
    if (n == wanted && side_by_side <= kEnough && wanted < kMost) wanted += kRound;
    if (n >= wanted) continue;
    const std::shared_ptr<const Plan>& plan = plans[n / 300 % 2];
    const double level_db = plan->params.level.reference_db;
    FrameForming forming{.load_ms = 0.1};  // so that the next frame is queued in time
    if (n % 97 != 0) forming.expected_db = level_db;
    form_frame(lane, plan, {.stamp = {.sequence = n}, .samples = pinned.frames[n % kDifferent].samples}, forming);
    if (n % 97 == 0) {
      EXPECT_NE(lane.pixels().values, nullptr);
    }
    make_image(lane, *plan, {.reference_db = level_db});
  }
  EXPECT_GT(side_by_side, kEnough) << "of " << wanted << " frames";
}

// Cases of every kind of weight, grid and form of the kernels that sum frames together.
std::vector<Case> cases_of_frames_together() {
  const Case odd{.name = "odd", .n_el = 33, .n_tx = 5, .n_samples = 512, .nx = 40, .nz = 30};
  Case many = odd;
  many.name = "many transmits";
  many.n_tx = 31;
  Case sector = odd;
  sector.name = "sector";
  sector.probe = ProbeKind::phased;
  sector.grid = GridChoice::polar;
  std::vector<Case> cases{kSmall};
  for (const Case& base : {odd, many, sector}) {
    for (const double f_number : {0.0, 1.5}) {
      for (const Apodization window : {Apodization::boxcar, Apodization::hann}) {
        cases.push_back(base);
        cases.back().f_number = f_number;
        cases.back().apodization = window;
      }
    }
  }
  return cases;
}

// Of an odd number of elements and transmits, behind each other in host memory and in an order of their own.
void expect_together_as_alone(Backend& gpu, Case c, int every) {
  constexpr std::size_t kDifferent = 9;
  constexpr std::size_t kGap = 2;  // bytes between frames
  c.type = SampleType::int16;
  c.precision = Precision::fp16;
  const AcquisitionPtr acquisition = make_acquisition(c);
  ImagingParams params = make_params(c, *acquisition);
  params.transmits.every = every;
  const auto plan = make_plan(acquisition, params);
  ASSERT_NE(plan->packed, nullptr) << plan->why_fp32;
  const PinnedFrames pinned(gpu, c, kDifferent, kGap);
  const std::vector<RfFrame>& frames = pinned.frames;
  const std::vector<std::vector<float>> want = pinned.images(gpu, plan);
  const auto lane = gpu.make_lane(0, StreamMode::overlap);
  {
    const auto mapped = gpu.allocate_host(acquisition->frame_bytes(), HostMemory::mapped);
    lane->set_plan(plan);  // its memory is that of frames together all the same
    EXPECT_EQ(lane->frames_at_once(), mapped->kind() == HostMemory::mapped ? 1 : lane->frames_at_once());
  }
  ASSERT_GE(lane->frames_at_once(), 3);
  const double level_db = plan->params.level.reference_db;
  const auto expect_images = [&](std::span<const RfFrame> group) {
    form_frames(*lane, plan, group, {.expected_db = level_db});
    make_image(*lane, *plan, {.reference_db = level_db});
    lane->wait();
    ASSERT_TRUE(lane->finished());
    TimingTrace trace;
    lane->append_spans(trace);
    EXPECT_EQ(trace.spans().size(), 5 * group.size());
    for (std::size_t k = 0; k < group.size(); ++k) {
      const std::uint64_t n = group[k].stamp.sequence;
      EXPECT_EQ(lane->image(k).stamp.sequence, n);
      const auto image = lane->image(k).host();
      EXPECT_EQ(std::vector<float>(image.begin(), image.end()), want[n]) << "frame " << k << " of " << group.size();
    }
  };
  for (int n = 1; n <= lane->frames_at_once(); ++n) {
    expect_images(std::span(frames).first(static_cast<std::size_t>(n)));
  }
  const std::vector<RfFrame> shuffled{frames[4], frames[1], frames[2]};
  expect_images(shuffled);
  expect_images(std::span(frames).subspan(5, 1));
}

TEST_F(Overlap, FramesTogetherEqualFramesAlone) {
  if (const auto plan = make_case_plan(kSmall); plan->packed == nullptr) {
    GTEST_SKIP() << "no half precision: " << plan->why_fp32;
  }
  for (const Case& c : cases_of_frames_together()) {
    for (const int every : {1, 2}) {
      SCOPED_TRACE(::testing::Message() << c.name << ", F " << c.f_number << ", window "
                                        << static_cast<int>(c.apodization) << ", every " << every);
      expect_together_as_alone(gpu(), c, every);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(Overlap, FramesWithFiltersGoOneByOne) {
  const auto plan = make_case_plan(kSmall);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  lane->set_plan(plan);
  if (lane->frames_at_once() == 1) GTEST_SKIP() << "frames are summed one by one on this device";
  ImagingParams params = plan->params;
  params.refine.median = Median::three;
  lane->set_plan(make_plan(plan->acquisition, params, plan));
  EXPECT_EQ(lane->frames_at_once(), 1);
}

// Frames that are too large to be worth it on their own go together where kernels are the bound, and are then all
// there.
TEST_F(Overlap, LargeFramesGoTogetherWhereKernelsTakeLonger) {
  const Case c{.name = "large",
               .n_el = 128,
               .n_tx = 45,
               .n_samples = 512,
               .nx = 400,
               .nz = 600,
               .type = SampleType::int16,
               .f_number = 0.0,
               .precision = Precision::fp16};
  const auto plan = make_case_plan(c);
  if (plan->packed == nullptr || plan->packed->tiles->together.elements == 0) {
    GTEST_SKIP() << "frames are summed one by one on this device";
  }
  const auto together = static_cast<std::size_t>(plan->packed->tiles->tuning.form.most_frames);
  const PinnedFrames pinned(gpu(), c, together);
  const std::vector<std::vector<float>> want = pinned.images(gpu(), plan);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  lane->set_plan(plan);
  const double level_db = plan->params.level.reference_db;
  int groups = 0;
  for (int n = 0; n < 100 && groups < 10; ++n) {
    const auto group = std::span(pinned.frames).first(static_cast<std::size_t>(lane->frames_at_once()));
    groups += group.size() == together ? 1 : 0;
    form_frames(*lane, plan, group, {.expected_db = level_db});
    make_image(*lane, *plan, {.reference_db = level_db});
    lane->wait();
    ASSERT_TRUE(lane->finished());
    TimingTrace trace;
    lane->append_spans(trace);
    for (std::size_t k = 0; k < group.size(); ++k) {
      const auto image = lane->image(k).host();
      ASSERT_EQ(std::vector<float>(image.begin(), image.end()), want[k]) << "frame " << k << ", launch " << n;
    }
  }
  EXPECT_EQ(groups, 10);
}

}  // namespace
}  // namespace echoloop::gpu_test::overlap_test
