// Live source at its own address, its sender controlled by the test, and a stream that reads the frames.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "source/live/live_source.h"
#include "source/producer.h"
#include "source/scripted_sender.h"
#include "support/environment_variable.h"
#include "support/ring_rig.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {

inline std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

struct LiveRig {
  static constexpr std::chrono::seconds kLimit{20};

  explicit LiveRig(const std::string& address = "live:test")
      : runtime("XDG_RUNTIME_DIR", folder.path().string()), waiting(std::make_unique<LiveWaiting>(address)) {}
  ~LiveRig() { stop(); }

  [[nodiscard]] std::unique_ptr<ScriptedSender> connect() const {
    return std::make_unique<ScriptedSender>(folder.path() / "echoloop" / "test.sock");
  }
  // Returns a sender that has described its frames, with the stream running.
  std::unique_ptr<ScriptedSender> start(const std::string& scan = small_scan(), RingPolicy policy = RingPolicy::block,
                                        int slots = 4, std::uint32_t transport = 1) {
    auto sender = connect();
    sender->transport = transport;
    EXPECT_TRUE(sender->begin(scan));
    source = waiting->open({});
    stream(policy, slots);
    return sender;
  }
  void stream(RingPolicy policy = RingPolicy::block, int slots = 4, const RingCounts& counts = {}) {
    stop();
    const auto allocate = [this](std::size_t bytes) { return source->allocate(bytes); };
    std::vector<FrameMemory> memories;
    for (int k = 0; k < slots; ++k) memories.push_back(allocate(source->acquisition()->frame_bytes()));
    source->read_ahead_in(allocate);
    source->set_policy(policy);
    ring = std::make_unique<FrameRing>(std::move(memories), policy, counts);
    producer = std::make_unique<Producer>(*source, *ring, trace, ProducerOptions{.rate_hz = kRateMax});
  }
  // Returns its last counts; frames in flight are lost.
  RingCounts end_stream() {
    stop();
    return ring->counts();
  }
  void stop() {
    if (ring != nullptr) ring->close();
    producer.reset();
  }
  // Next frame: its number, and the value of all its bytes (-1: torn). nullopt after the limit.
  struct Seen {
    std::uint64_t sequence = 0;
    int value = -1;
    FrameStamp stamp;
  };
  std::optional<Seen> read() {
    auto lease = ring->begin_read(kLimit);
    if (!lease) return std::nullopt;
    const RfFrame frame = lease->frame();
    const auto first = static_cast<int>(frame.samples.front());
    const bool whole = std::ranges::all_of(frame.samples, [&](std::byte b) { return static_cast<int>(b) == first; });
    lease->release();
    ring->count_processed();
    return Seen{.sequence = frame.stamp.sequence, .value = whole ? first : -1, .stamp = frame.stamp};
  }
  // Checks that the frame arrives, whatever was sent before.
  void expect_frame(ScriptedSender& sender, std::uint64_t sequence, std::uint8_t value) {
    ASSERT_TRUE(sender.frame(sequence, value));
    const auto seen = read();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->value, value);
  }
  [[nodiscard]] LiveStatus status() const { return waiting->status(); }
  template <class Condition>
  bool wait_until(Condition&& condition) const {
    const auto limit = std::chrono::steady_clock::now() + kLimit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > limit) return false;
      std::this_thread::yield();
    }
    return true;
  }
  [[nodiscard]] bool has_note(const std::string& words) {
    for (LiveNote& note : waiting->take_notes()) notes += note.text + "\n";
    return notes.find(words) != std::string::npos;
  }
  // Checks both sums, of one snapshot.
  void expect_sums() const {
    const RingCounts c = ring->counts();
    EXPECT_EQ(c.produced, c.processed + c.dropped + c.refused + c.in_flight);
    EXPECT_EQ(c.next_sequence - c.first_sequence, c.produced - c.duplicates + c.lost_at_sender + c.stale + c.missing());
  }

  TemporaryFolder folder;
  Variable runtime;
  std::unique_ptr<LiveWaiting> waiting;
  std::shared_ptr<Source> source;
  TimingTrace trace{64};
  std::unique_ptr<FrameRing> ring;
  std::unique_ptr<Producer> producer;
  std::string notes;
};

}  // namespace echoloop::testing
