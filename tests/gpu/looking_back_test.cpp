// On a real device: a kept frame processed again with changed parameters is, bit for bit, what it is live with them;
// meanwhile the live stream loses nothing.
#include <chrono>
#include <map>

#include "gpu/gpu_support.h"
#include "support/streaming.h"

namespace echoloop::gpu_test::looking_back_test {
namespace {

constexpr std::uint64_t kFrames = 500;

class LookingBackOnTheGpu : public GpuTest {
 protected:
  ImagingParams params(double f_number) {
    ImagingParams p = testing::small_picture(*acquisition_, 64, 96);
    p.level.reference_db = 3.0;
    p.formation.f_number = f_number;
    return p;
  }
  AcquisitionPtr acquisition_ = testing::share(testing::linear_acquisition(32, 512));
};

TEST_F(LookingBackOnTheGpu, AnyOfFiveHundredFramesIsWhatItIsLive) {
  const auto source = testing::noise_source(acquisition_, static_cast<int>(kFrames));
  std::map<std::uint64_t, std::vector<float>> live;
  Mailbox<Image> images;
  TimingTrace trace;
  {
    Session session(gpu(), source, images, trace,
                    {.stream = testing::unpaced(),
                     .params = params(2.25),
                     .max_frames = kFrames,
                     .on_image = [&](const Image& image) {
                       live[image.stamp.source_index] = {image.host().begin(), image.host().end()};
                     }});
    testing::wait_until([&] { return session.done(); });
  }
  ASSERT_EQ(live.size(), kFrames);

  RfHistory history(std::size_t{64} << 20);
  PastImages past;
  Session session(
      gpu(), source, images, trace,
      {.stream = testing::unpaced(), .params = params(1.0), .max_frames = 0, .sinks = {&history}, .past = &past});
  testing::wait_until([&] { return history.extent().frames >= kFrames; });
  history.hold();
  std::vector<double> took_ms;
  for (std::uint64_t n = 0; n < kFrames; ++n) {
    const auto kept = history.at(n * 211 % kFrames);
    ASSERT_TRUE(kept.has_value());
    const auto begin = std::chrono::steady_clock::now();
    session.review({.frame = kept->frame, .owner = kept->owner, .params = params(2.25), .compare = {}});
    testing::wait_until([&] { return past[0].take(); });
    took_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    const Image& again = past[0].front();
    ASSERT_EQ(again.stamp.sequence, kept->frame.stamp.sequence);
    EXPECT_EQ((std::vector<float>{again.host().begin(), again.host().end()}), live[again.stamp.source_index]);
  }
  session.stop();
  EXPECT_EQ(session.fault(), "");
  testing::expect_counts_add_up(session.counts());
  EXPECT_EQ(session.counts().dropped, 0U);
  const StageSummary s = summarize(took_ms);
  std::cout << "from the request to the picture: p50 " << s.p50_ms << " ms, p99 " << s.p99_ms << " ms\n";
}

}  // namespace
}  // namespace echoloop::gpu_test::looking_back_test
