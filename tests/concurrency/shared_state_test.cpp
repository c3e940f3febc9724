// State that threads share besides the ring: mailbox, timing trace, the end of the history.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/mailbox.h"
#include "core/timing_trace.h"
#include "history/rf_history.h"

namespace echoloop::shared_state_test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kRounds = 20000;
#else
constexpr std::uint64_t kRounds = 300000;
#endif

struct Wide {
  std::array<std::uint64_t, 32> words{};
  void fill(std::uint64_t v) { words.fill(v); }
  [[nodiscard]] bool whole() const {
    for (const std::uint64_t word : words) {
      if (word != words[0]) return false;
    }
    return true;
  }
};

// Writer -> relay -> reader through two mailboxes: three threads, each on its own side of a mailbox.
TEST(Mailbox, ValuesAreNeverTornAndNeverGoBack) {
  Mailbox<Wide> first, second;
  std::atomic<bool> written{false}, relayed{false};
  std::thread writer([&] {
    for (std::uint64_t v = 1; v <= kRounds; ++v) {
      first.back().fill(v);
      first.publish();
    }
    written = true;
  });
  int torn = 0;
  std::thread relay([&] {
    for (bool last = false; !last;) {
      last = written;
      if (!first.take()) continue;
      if (!first.front().whole()) ++torn;
      second.back() = first.front();
      second.publish();
    }
    relayed = true;
  });
  std::uint64_t newest = 0;
  int torn_at_reader = 0, went_back = 0;
  for (bool last = false; !last;) {
    last = relayed;
    if (!second.take()) continue;
    if (!second.front().whole()) ++torn_at_reader;
    if (second.front().words[0] <= newest) ++went_back;
    newest = second.front().words[0];
  }
  writer.join();
  relay.join();
  EXPECT_EQ(torn + torn_at_reader, 0);
  EXPECT_EQ(went_back, 0);
  EXPECT_EQ(newest, kRounds) << "the last value must arrive";
}

TEST(TimingTrace, ThreeWritersAndAReader) {
  TimingTrace trace(4096);
  std::vector<std::thread> writers;
  for (std::uint8_t lane = 0; lane < 3; ++lane) {
    writers.emplace_back([&trace, lane] {
      for (std::uint64_t i = 0; i < kRounds / 10; ++i) {
        const auto start = static_cast<std::int64_t>(i) * 1000;
        // End and lane follow from start and stage: a torn span would not fit together.
        trace.add(
            {.frame = i, .stage = static_cast<Stage>(lane), .lane = lane, .start_ns = start, .end_ns = start + 7});
        if (lane == 0) trace.add_latency(Latency::ready, 0, static_cast<std::int64_t>(i) * 1'000'000);
      }
    });
  }
  for (int reads = 0; reads < 20; ++reads) {
    for (const Span& span : trace.spans()) {
      EXPECT_EQ(span.end_ns - span.start_ns, 7);
      EXPECT_EQ(static_cast<int>(span.stage), span.lane);
      EXPECT_EQ(span.start_ns, static_cast<std::int64_t>(span.frame) * 1000);
    }
    EXPECT_TRUE(nlohmann::json::accept(trace.chrome_json()));
    (void)trace.summarize_stages();
    (void)trace.summarize_latency(Latency::ready);
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(trace.spans().size(), 4096U);
  std::uint64_t seen = 0;
  EXPECT_EQ(trace.new_latencies_ms(Latency::ready, seen).back(), static_cast<double>(kRounds / 10 - 1));
}

// A reset clears the history while the stream that it ends is still ending in the background.
TEST(SharedState, TwoThreadsEndTheHistoryAtOnce) {
  RfHistory history(std::size_t{1} << 20);
  for (int i = 0; i < 300; ++i) {
    history.begin({.frame_bytes = 4096,
                   .allocate =
                       [](std::size_t bytes) {
                         auto block = std::make_shared<std::vector<std::byte>>(bytes);
                         return FrameMemory{.bytes = *block, .owner = block};
                       },
                   .lend = nullptr});
    std::thread other([&] { history.end(); });
    history.clear();
    other.join();
  }
  EXPECT_EQ(history.extent().frames, 0U);
}

}  // namespace
}  // namespace echoloop::shared_state_test
