// When the processing thread looks for frames and when it sleeps.
#include "backend/wait_policy.h"

#include <gtest/gtest.h>

namespace echoloop::wait_policy_test {
namespace {

using namespace std::chrono_literals;
constexpr auto kIdle = WaitPolicy::Lanes::idle;
constexpr auto kBusy = WaitPolicy::Lanes::busy;
constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kStart = 1'000'000 * kUs;

// A frame every `interval`, the last one at kStart; it ended 200 us later.
WaitPolicy wait_policy_of(std::int64_t interval, WaitPolicy::Mode mode = WaitPolicy::Mode::spin) {
  WaitPolicy watch(mode);
  watch.frame_came(kStart - interval, kStart - interval);
  watch.frame_came(kStart, kStart);
  watch.frame_ended(kStart + 200 * kUs);
  return watch;
}

bool looks(const WaitPolicy& watch, std::int64_t at_us, WaitPolicy::Lanes lanes) {
  const std::int64_t now = kStart + at_us * kUs;
  return watch.spin_until_ns(now, lanes) > now;
}

TEST(WaitPolicy, LooksAboutTheTimeWhenAFrameIsDue) {
  const WaitPolicy watch = wait_policy_of(10'000 * kUs);
  EXPECT_FALSE(looks(watch, 1'000, kIdle));
  EXPECT_FALSE(looks(watch, 9'840, kIdle));
  EXPECT_TRUE(looks(watch, 9'860, kIdle));
  EXPECT_TRUE(looks(watch, 10'340, kIdle));
  EXPECT_FALSE(looks(watch, 10'360, kIdle)) << "the stream has paused";
  EXPECT_EQ(watch.sleep(kStart + 1'000 * kUs, kIdle), 8'850us) << "until then";
  EXPECT_EQ(watch.sleep(kStart + 10'360 * kUs, kIdle), 20ms);
}

TEST(WaitPolicy, LooksForAMomentAfterAnEventOfAFrameInFlight) {
  const WaitPolicy watch = wait_policy_of(10'000 * kUs);
  EXPECT_TRUE(looks(watch, 300, kBusy));
  EXPECT_TRUE(looks(watch, 690, kBusy));
  EXPECT_FALSE(looks(watch, 710, kBusy)) << "a slow frame";
  EXPECT_EQ(watch.sleep(kStart + 710 * kUs, kBusy), 50us);
}

TEST(WaitPolicy, SleepsBesideLanesThatNeedTheCores) {
  const WaitPolicy watch = wait_policy_of(1'000 * kUs, WaitPolicy::Mode::sleep_only);
  for (const std::int64_t at_us : {0, 300, 900, 1'100}) {
    EXPECT_FALSE(looks(watch, at_us, kIdle));
    EXPECT_FALSE(looks(watch, at_us, kBusy));
  }
  EXPECT_EQ(watch.sleep(kStart + 300 * kUs, kIdle), 20ms);
}

TEST(WaitPolicy, KnowsNothingBeforeTheFirstFrame) {
  const WaitPolicy watch(WaitPolicy::Mode::spin);
  EXPECT_FALSE(looks(watch, 0, kIdle));
  EXPECT_EQ(watch.sleep(kStart, kIdle), 20ms);
}

TEST(WaitPolicy, AsksAtLeastOnce) {
  int asked = 0;
  EXPECT_TRUE(WaitPolicy(WaitPolicy::Mode::sleep_only).spin(kIdle, [&] { return ++asked == 1; }));
  EXPECT_FALSE(WaitPolicy(WaitPolicy::Mode::sleep_only).spin(kIdle, [&] { return ++asked == 0; }));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace echoloop::wait_policy_test
