// Rates and shares over one window of time.
#include <gtest/gtest.h>

#include "app/stats_collector.h"

namespace echoloop::rate_window_test {
namespace {

constexpr std::int64_t kStep_ns = 250'000'000;

// `steps` looks, at each of which so many frames more have been processed and dropped.
RateWindow::Rates run(RateWindow& window, RateWindow::Sample& at, int steps, std::uint64_t processed,
                      std::uint64_t dropped) {
  RateWindow::Rates rates;
  for (int i = 0; i < steps; ++i) {
    at.now_ns += kStep_ns;
    at.processed += processed;
    at.dropped += dropped;
    rates = window.update(at);
  }
  return rates;
}

TEST(RateWindow, RatesAndSharesAreOfTheSameFrames) {
  RateWindow window;
  RateWindow::Sample at{.now_ns = 1};
  const RateWindow::Rates rates = run(window, at, 40, 3, 12);
  EXPECT_DOUBLE_EQ(rates.processed_hz, 12.0);
  EXPECT_DOUBLE_EQ(rates.dropped_share, 0.8);
  EXPECT_EQ(rates.from_ns, at.now_ns - RateWindow::kWindow_ns);
}

// Two seconds after a change nothing of the time before is left.
TEST(RateWindow, ForgetsWhatIsOlderThanTheWindow) {
  RateWindow window;
  RateWindow::Sample at{.now_ns = 1};
  static_cast<void>(run(window, at, 40, 15, 0));
  EXPECT_DOUBLE_EQ(run(window, at, 8, 5, 0).processed_hz, 20.0);
}

TEST(RateWindow, ASlowStreamHasALongerOne) {
  RateWindow window;
  RateWindow::Sample at{.now_ns = 1};
  RateWindow::Rates rates;
  for (int second = 0; second < 30; ++second) {
    static_cast<void>(run(window, at, 3, 0, 0));
    rates = run(window, at, 1, 1, 0);
  }
  EXPECT_DOUBLE_EQ(rates.processed_hz, 1.0);
  EXPECT_EQ(rates.from_ns, at.now_ns - RateWindow::kLongest_ns);
}

TEST(RateWindow, AnotherStreamRestartsIt) {
  RateWindow window;
  RateWindow::Sample at{.now_ns = 1};
  static_cast<void>(run(window, at, 40, 15, 0));
  at.processed = 0;
  EXPECT_EQ(run(window, at, 1, 1, 0).from_ns, at.now_ns);
  EXPECT_DOUBLE_EQ(run(window, at, 4, 1, 0).processed_hz, 4.0);
  window.restart();
  EXPECT_EQ(run(window, at, 1, 1, 0).processed_hz, 0.0);
}

}  // namespace
}  // namespace echoloop::rate_window_test
