// Switches all settings of a running stream at random ten times per second, with use of the history meanwhile: no frame
// is lost under `block`, counts continue exactly through all configurations, nothing grows. ECHOLOOP_SWITCH_S: duration
// in seconds (3). The session is used from one thread, as by the window.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <random>

#include "support/checking_backend.h"
#include "support/fake_backend.h"
#include "support/set_stream.h"
#include "support/streaming.h"

namespace echoloop::testing {

// Returns the resident memory, after the allocator has released its reserve.
inline std::size_t resident_bytes() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

enum class Policies { block, losing };

class Switching : public ::testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;
  // Small: partly kept blocks may need twice the memory when the kind of memory changes.
  static constexpr std::size_t kHistoryBytes = std::size_t{1} << 20;
  static constexpr std::uint64_t kMinFrames = 1000;

  Switching() {
    history_ = std::make_unique<RfHistory>(kHistoryBytes);
    // Two sources of frames of one size; the processing thread is slow now and then.
    fake_.on_beamform = [](const RfFrame& frame) {
      if (frame.stamp.sequence % 5 == 0) take_time(std::chrono::microseconds(50));
    };
  }

  template <class T, std::size_t N>
  T pick(const T (&values)[N]) {
    return values[engine_() % N];
  }

  StreamSettings at_random(Policies policies) {
    StreamSettings s;
    constexpr RingPolicy kLosing[] = {RingPolicy::block, RingPolicy::drop_oldest, RingPolicy::drop_newest};
    constexpr HostMemory kKinds[] = {HostMemory::pageable, HostMemory::pinned, HostMemory::write_combined,
                                     HostMemory::mapped};
    constexpr double kRates[] = {kRateMax, kRateMax, 2'000.0, 20'000.0};
    constexpr double kPaces[] = {0.0, 0.0, 0.0, 1.0};
    s.policy = policies == Policies::block ? RingPolicy::block : pick(kLosing);
    s.slots = kMinSlots + static_cast<int>(engine_() % (kMaxSlots - kMinSlots + 1));
    s.lanes = 1 + static_cast<int>(engine_() % kMaxLanes);
    s.streams = engine_() % 2 == 0 ? StreamMode::serial : StreamMode::overlap;
    s.host_memory = pick(kKinds);
    s.rate_hz = pick(kRates);
    s.pace_ms = pick(kPaces);
    s.paused = engine_() % 12 == 0;
    if (engine_() % 3 == 0) s.inject.jitter_ms = 1.0;
    if (engine_() % 3 == 0) s.inject.burst_frames = 50;
    if (engine_() % 5 == 0) s.inject.duplicate_every = 100;
    if (engine_() % 5 == 0) s.inject.missing_every = 100;
    if (engine_() % 7 == 0) s.inject.load_ms = 0.2;
    if (engine_() % 7 == 0) s.inject = {.stall_ms = 20.0, .stall_every_s = 0.1};
    return s;
  }

  // [processing thread]
  void look(const Image& image) {
    const std::uint64_t number = image.stamp.sequence;
    if (number + 1 == next_) {
      ++duplicates_;
    } else if (number < next_) {
      ++out_of_order_;
    } else {
      missing_ += number - next_;
    }
    next_ = std::max(next_, number + 1);
    ++images_;
  }

  void look(const RingCounts& c) {
    ++snapshots_;
    const bool sums = c.produced == c.processed + c.dropped + c.refused + c.in_flight;
    const bool grows = c.produced >= before_.produced && c.processed >= before_.processed &&
                       c.copied >= before_.copied && c.sequence_gaps >= before_.sequence_gaps;
    if (!sums || !grows) ++wrong_;
    before_ = c;
  }

  // Acts as the window: freezes now and then, and requests history frames with other parameters.
  void look_back(Session& session, const ImagingParams& params) {
    if (engine_() % 50 == 0) {
      frozen_ = !frozen_;
      if (frozen_) {
        history_->hold();
      } else {
        history_->release();
        session.end_review();
      }
    }
    const std::size_t frames = history_->extent().frames;
    if (frames == 0 || engine_() % 4 != 0) return;
    const auto kept = history_->at(engine_() % frames);
    if (!kept.has_value()) return;
    if (!is_whole(kept->frame)) ++torn_kept_;
    ReprocessRequest request{.frame = kept->frame, .owner = kept->owner, .params = params, .compare = {}};
    request.params.formation.f_number = 1.0 + 0.25 * static_cast<double>(engine_() % 8);
    if (engine_() % 2 == 0) request.compare = params;
    session.review(std::move(request));
    past_[0].take();
    past_[1].take();
  }

  // Runs `computing` for `seconds`, ten changes per second; on a busy machine until kMinFrames are processed as well.
  void run(Backend& computing, Policies policies, double seconds) {
    CheckingBackend backend(computing);
    ImagingParams params = small_picture(*source_->acquisition(), 4, 4);
    params.level.reference_db = 0.0;
    Session session(backend, source_, images_box_, trace_,
                    {.stream = at_random(policies),
                     .params = params,
                     .on_image = [this](const Image& image) { look(image); },
                     .sinks = {history_.get()},
                     .past = &past_});
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    const auto last = end + std::chrono::minutes(3);
    const auto min_changes = static_cast<std::uint64_t>(seconds * 9);
    std::size_t warm_bytes = 0;
    std::uint64_t changes = 0;
    const auto goes_on = [&] {
      const bool enough = changes >= min_changes && session.counts().processed > kMinFrames;
      return Clock::now() < (enough ? end : last);
    };
    for (auto next = begin; goes_on() && !session.done();) {
      if (Clock::now() >= next) {
        next += std::chrono::milliseconds(100);
        session.begin_stream(at_random(policies));
        ++changes;
      }
      session.advance();
      look(session.counts());
      look_back(session, params);
      images_box_.take();
      if (warm_bytes == 0 && Clock::now() > begin + (end - begin) / 3) warm_bytes = resident_bytes();
      take_time(std::chrono::milliseconds(1));  // of a window frame
    }
    const std::size_t last_bytes = resident_bytes();
    const std::size_t grown = last_bytes - std::min(last_bytes, warm_bytes);
    finish(session);
    expect_nothing_lost(session.counts(), policies);
    EXPECT_EQ(backend.torn_before + backend.torn_after, 0U);
    EXPECT_EQ(torn_kept_, 0U);
    EXPECT_GE(changes, min_changes);
    std::cout << changes << " changes, " << session.counts().processed << " processed, " << session.counts().dropped
              << " dropped, " << session.counts().sequence_gaps << " gaps, " << session.counts().duplicates
              << " duplicates, " << past_[0].front().number << " looked back, " << grown / 1024 << " kB grown\n";
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    // Allowed growth of slots, lanes and history; sanitizers keep memory of their own.
    EXPECT_LE(grown, kHistoryBytes + most_grown_);
#endif
  }

  // Waits for everything on its way: another configuration begins when all frames of the previous one are processed. A
  // pause alone is no end: the frame being fetched by the producer still comes.
  void finish(Session& session) {
    EXPECT_EQ(session.fault(), "");
    EXPECT_EQ(session.producer_report(), "");
    StreamSettings last = session.stream();
    last.paused = true;
    last.inject = {};
    last.slots = last.slots == kMinSlots ? kMaxSlots : kMinSlots;
    testing::set_stream(session, last);
    EXPECT_EQ(session.counts().in_flight, 0U);
    session.stop();
    EXPECT_EQ(session.take_refusal(), "");
  }

  void expect_nothing_lost(const RingCounts& c, Policies policies) {
    expect_counts_add_up(c);
    EXPECT_EQ(wrong_, 0U) << "of " << snapshots_ << " snapshots";
    EXPECT_EQ(images_, c.processed);
    EXPECT_EQ(out_of_order_, 0U);
    EXPECT_EQ(c.refused, 0U);
    EXPECT_GT(c.processed, kMinFrames);
    // Each number below next_sequence was omitted or came, some of them twice.
    EXPECT_EQ(c.next_sequence + c.duplicates, c.produced + c.sequence_gaps);
    if (policies == Policies::losing) return;
    EXPECT_EQ(c.dropped, 0U);
    EXPECT_EQ(c.processed, c.produced);
    EXPECT_EQ(missing_, c.sequence_gaps) << "only what the source left out is missing";
    EXPECT_EQ(duplicates_, c.duplicates);
  }

  std::shared_ptr<NumberedSource> source_ = std::make_shared<NumberedSource>(integer_acquisition(4, 128));
  FakeBackend fake_;
  Mailbox<Image> images_box_;
  PastImages past_;
  TimingTrace trace_{256};
  std::unique_ptr<RfHistory> history_;
  std::mt19937 engine_{17};
  RingCounts before_;
  bool frozen_ = false;
  std::uint64_t snapshots_ = 0, wrong_ = 0, torn_kept_ = 0;
  std::uint64_t images_ = 0, next_ = 0, missing_ = 0, duplicates_ = 0, out_of_order_ = 0;  // processing thread's
  std::size_t most_grown_ = std::size_t{4} << 20;                                          // without the history
  double seconds_ = from_environment("ECHOLOOP_SWITCH_S", 3.0);
};

}  // namespace echoloop::testing
