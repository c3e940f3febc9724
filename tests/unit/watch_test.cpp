// When the processing thread looks for frames and when it sleeps.
#include "backend/watch.h"

#include <gtest/gtest.h>

namespace echoloop {
namespace {

using namespace std::chrono_literals;
constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kStart = 1'000'000 * kUs;

// A frame every `interval`, the last one at kStart; it ended 200 us later.
Watch watch_of(std::int64_t interval, bool may_look = true) {
  Watch watch(may_look);
  watch.frame_came(kStart - interval, kStart - interval);
  watch.frame_came(kStart, kStart);
  watch.frame_ended(kStart + 200 * kUs);
  return watch;
}

bool looks(const Watch& watch, std::int64_t at_us, bool in_flight) {
  const std::int64_t now = kStart + at_us * kUs;
  return watch.look_until_ns(now, in_flight) > now;
}

TEST(Watch, LooksAboutTheTimeWhenAFrameIsDue) {
  const Watch watch = watch_of(10'000 * kUs);
  EXPECT_FALSE(looks(watch, 1'000, false));
  EXPECT_FALSE(looks(watch, 9'840, false));
  EXPECT_TRUE(looks(watch, 9'860, false));
  EXPECT_TRUE(looks(watch, 10'340, false));
  EXPECT_FALSE(looks(watch, 10'360, false)) << "the stream has paused";
  EXPECT_EQ(watch.sleep(kStart + 1'000 * kUs, false), 8'850us) << "until then";
  EXPECT_EQ(watch.sleep(kStart + 10'360 * kUs, false), 20ms);
}

TEST(Watch, LooksForAMomentAfterAnEventOfAFrameInFlight) {
  const Watch watch = watch_of(10'000 * kUs);
  EXPECT_TRUE(looks(watch, 300, true));
  EXPECT_TRUE(looks(watch, 690, true));
  EXPECT_FALSE(looks(watch, 710, true)) << "a slow frame";
  EXPECT_EQ(watch.sleep(kStart + 710 * kUs, true), 50us);
}

TEST(Watch, SleepsBesideLanesThatNeedTheCores) {
  const Watch watch = watch_of(1'000 * kUs, false);
  for (const std::int64_t at_us : {0, 300, 900, 1'100}) {
    EXPECT_FALSE(looks(watch, at_us, false));
    EXPECT_FALSE(looks(watch, at_us, true));
  }
  EXPECT_EQ(watch.sleep(kStart + 300 * kUs, false), 20ms);
}

TEST(Watch, KnowsNothingBeforeTheFirstFrame) {
  const Watch watch(true);
  EXPECT_FALSE(looks(watch, 0, false));
  EXPECT_EQ(watch.sleep(kStart, false), 20ms);
}

TEST(Watch, AsksAtLeastOnce) {
  int asked = 0;
  EXPECT_TRUE(Watch(false).look(false, [&] { return ++asked == 1; }));
  EXPECT_FALSE(Watch(false).look(false, [&] { return ++asked == 0; }));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace echoloop
