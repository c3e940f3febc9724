// Complex pixels that a GPU's lane copies to the host: those of the image, of every case in both precisions, with
// frames in flight, and only where they were asked for.
#include <cstring>
#include <vector>

#include "backend/frame_processor.h"
#include "gpu/gpu_support.h"
#include "support/kept_levels.h"

namespace echoloop::gpu_test::pixels_test {
namespace {

class KeptPixels : public GpuTest {};

void form(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const std::byte> frame, HostCopy copy) {
  form_frame(lane, plan, {.stamp = {}, .samples = frame});
  make_image(lane, *plan, {.reference_db = plan->params.level.reference_db, .copy = copy, .pixels = HostCopy::made});
}

TEST_F(KeptPixels, AreTheImageOfEveryCase) {
  std::vector<Case> cases;
  for (const auto& some : {analytic_cases(), sector_cases(), scan_line_cases(), adaptive_cases()})
    cases.insert(cases.end(), some.begin(), some.end());
  int compared = 0, packed = 0;
  for (Case c : cases) {
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      c.precision = precision;
      const AcquisitionPtr a = make_acquisition(c);
      const ImagingParams params = make_params(c, *a);
      if (!why_no_pixels(params).empty()) continue;
      SCOPED_TRACE(c.name + (precision == Precision::fp16 ? ", half precision" : ""));
      const auto plan = make_plan(a, params, nullptr, gpu().multiprocessors());
      const auto frame = make_frame(c, *a);
      for (const StreamMode mode : {StreamMode::overlap, StreamMode::serial}) {
        const auto lane = gpu().make_lane(0, mode);
        form(*lane, plan, frame, HostCopy::made);
        lane->wait();
        ASSERT_TRUE(lane->finished());
        testing::expect_pixels_of_image(*lane, *plan, params.level.reference_db, plan->scan ? 60.0 : 1e9);
        if (HasFatalFailure()) return;
      }
      ++compared;
      if (plan->packed != nullptr) ++packed;
    }
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(packed, 10);
}

// Also where the image itself stays on the device, and other frames follow at once in other lanes.
TEST_F(KeptPixels, OfFramesInFlightEqualThoseOfFramesAlone) {
  Case c{.name = "flight", .type = SampleType::int16, .adaptive = Adaptive::coherence};
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    c.precision = precision;
    const AcquisitionPtr a = make_acquisition(c);
    const auto plan = make_plan(a, make_params(c, *a), nullptr, gpu().multiprocessors());
    constexpr std::size_t kLanes = 3, kFrames = 24;
    std::vector<std::vector<std::byte>> frames;
    for (unsigned seed = 0; seed < kFrames; ++seed) frames.push_back(make_frame(c, *a, seed));
    const auto alone = [&](std::size_t n) {
      const auto lane = gpu().make_lane(0, StreamMode::serial);
      form(*lane, plan, frames[n], HostCopy::made);
      lane->wait();
      return std::vector<Complex>(lane->kept_pixels().begin(), lane->kept_pixels().end());
    };
    std::vector<std::unique_ptr<Lane>> lanes;
    for (int i = 0; i < static_cast<int>(kLanes); ++i) lanes.push_back(gpu().make_lane(i, StreamMode::overlap));
    const auto check = [&](std::size_t n) {
      Lane& lane = *lanes[n % kLanes];
      lane.wait();
      ASSERT_TRUE(lane.finished());
      const std::vector<Complex> want = alone(n);
      ASSERT_EQ(lane.kept_pixels().size(), want.size());
      EXPECT_EQ(std::memcmp(lane.kept_pixels().data(), want.data(), want.size() * sizeof(Complex)), 0) << "frame " << n;
      EXPECT_EQ(lane.image().host_db, nullptr);
    };
    for (std::size_t n = 0; n < kFrames; ++n) {
      if (n >= kLanes) check(n - kLanes);
      form(*lanes[n % kLanes], plan, frames[n], HostCopy::none);
    }
    for (std::size_t n = kFrames - kLanes; n < kFrames; ++n) check(n);
  }
}

// The verbs return before the device has worked: nothing waits for the copy.
TEST_F(KeptPixels, TheCopyIsWaitedForByNobody) {
  const Case c{.name = "busy"};
  const AcquisitionPtr a = make_acquisition(c);
  const auto plan = make_plan(a, make_params(c, *a), nullptr, gpu().multiprocessors());
  const auto frame = make_frame(c, *a);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  form(*lane, plan, frame, HostCopy::none);  // its memory is there from here on
  lane->wait();
  constexpr double kBusyMs = 300.0;
  form_frame(*lane, plan, {.stamp = {}, .samples = frame}, {.load_ms = kBusyMs});
  make_image(*lane, *plan, {.reference_db = 0.0, .copy = HostCopy::none, .pixels = HostCopy::made});
  EXPECT_FALSE(lane->finished());
  lane->wait();
  EXPECT_TRUE(lane->finished());
}

}  // namespace
}  // namespace echoloop::gpu_test::pixels_test
