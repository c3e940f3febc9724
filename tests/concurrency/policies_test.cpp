// Whole streams, each policy under a source three times too fast and under bursts and jitter: 100 000 frames each,
// accounted for at every moment, none torn, in order, while the history exchanges the slots' memory and somebody looks
// at what it keeps. ECHOLOOP_FRAMES: another number of frames (under thread sanitizer 20 000 are the default).
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "support/checking_backend.h"
#include "support/fake_backend.h"
#include "support/streaming.h"

namespace echoloop::policies_test {
namespace {

using testing::CheckingBackend;
using testing::NumberedSource;

#if defined(__SANITIZE_THREAD__)
constexpr double kFrames = 10'000;
constexpr auto kWork = std::chrono::microseconds(60);  // of the processing thread, a frame
#else
constexpr double kFrames = 40'000;
constexpr auto kWork = std::chrono::microseconds(30);
#endif

enum class Computing { fake, real };

struct Flow {
  std::string name;
  RingPolicy policy = RingPolicy::block;
  double rate_hz = kRateMax;
  Injection inject = {};
  Computing computing = Computing::fake;
};

void PrintTo(const Flow& flow, std::ostream* out) { *out << flow.name; }

void work() {
  const auto end = std::chrono::steady_clock::now() + kWork;
  while (std::chrono::steady_clock::now() < end) {
  }
}

class EachPolicy : public ::testing::TestWithParam<Flow> {
 protected:
  EachPolicy() {
    fake_.on_beamform = [](const RfFrame&) { work(); };
  }

  SessionOptions options() {
    StreamSettings stream;
    stream.policy = GetParam().policy;
    stream.slots = GetParam().policy == RingPolicy::error ? kMaxSlots : 6;  // error: fewer restarts
    stream.rate_hz = GetParam().rate_hz;
    stream.inject = GetParam().inject;
    ImagingParams params = testing::small_picture(*source_->acquisition(), 4, 4);
    params.level.reference_db = 0.0;
    return {.stream = stream,
            .params = params,
            .host_copy = HostCopy::none,
            .on_image = [this](const Image& image) { look(image); },
            .sinks = {&history_}};
  }
  // [processing thread]
  void look(const Image& image) {
    ++images_;
    const std::uint64_t number = image.stamp.sequence;
    if (number < next_) ++out_of_order_;
    if (number > next_) missing_ += number - next_;
    next_ = number + 1;
  }
  void look(const RingCounts& c) {
    ++snapshots_;
    const bool sums = c.produced == c.processed + c.dropped + c.refused + c.in_flight;
    const bool fits = c.slots_ready + c.slots_reading + c.slots_writing <= c.slots && c.slots_peak <= c.slots;
    const bool grows = c.produced >= before_.produced && c.processed >= before_.processed && c.copied >= before_.copied;
    if (!sums || !fits || !grows || c.sequence_gaps + c.duplicates != 0) ++wrong_;
    before_ = c;
  }
  // Any kept frame is whole, and stays so while it is looked at.
  void look_back() {
    const std::size_t frames = history_.extent().frames;
    if (frames == 0) return;
    const auto kept = history_.at(engine_() % frames);
    if (!kept.has_value()) return;
    ++looked_back_;
    if (!testing::is_whole(kept->frame)) ++torn_kept_;
    std::this_thread::yield();
    if (!testing::is_whole(kept->frame)) ++torn_kept_;
  }
  // One stream, until it is refused or enough has been produced.
  void run_stream(Backend& backend, std::uint64_t frames) {
    next_ = 0;
    before_ = {};
    Session session(backend, source_, images_box_, trace_, options());
    testing::wait_until(
        [&] {
          look(session.counts());
          look_back();
          return session.done() || totals_.produced + session.counts().produced >= frames;
        },
        std::chrono::seconds(600));
    if (session.done()) {
      EXPECT_EQ(session.producer_state(), ProducerState::refused) << session.producer_report();
      EXPECT_NE(session.producer_report().find("slot"), std::string::npos) << session.producer_report();
      EXPECT_EQ(session.counts().in_flight, 0U);
      ASSERT_TRUE(session.refusal().has_value());
      EXPECT_EQ(session.refusal()->sequence + 1, session.counts().produced);
    }
    session.stop();
    EXPECT_EQ(session.fault(), "");
    const RingCounts c = session.counts();
    look(c);
    totals_.produced += c.produced;
    totals_.processed += c.processed;
    totals_.dropped += c.dropped;
    totals_.refused += c.refused;
    totals_.in_flight += c.in_flight;
    totals_.producer_waited_ns += c.producer_waited_ns;
    ++streams_;
  }
  void expect_history_whole() {
    history_.hold();
    const std::vector<FrameStamp> stamps = history_.stamps();
    EXPECT_GE(stamps.size(), 50U);
    for (std::size_t i = 0; i < stamps.size(); ++i) EXPECT_TRUE(testing::is_whole(history_.at(i)->frame)) << i;
  }
  void expect_the_policy() const {
    const bool too_fast = GetParam().inject == Injection{};
    const bool fake = GetParam().computing == Computing::fake;
    switch (GetParam().policy) {
      case RingPolicy::block:
        EXPECT_EQ(totals_.dropped + totals_.refused + missing_, 0U);
        EXPECT_GT(totals_.producer_waited_ns, 0);
        break;
      case RingPolicy::error:
        EXPECT_EQ(totals_.dropped + missing_, 0U);
        EXPECT_LE(totals_.refused, streams_);
        EXPECT_GE(totals_.refused + 1, streams_) << "a refusal ends each stream but the last";
        break;
      case RingPolicy::drop_oldest:
      case RingPolicy::drop_newest:
        EXPECT_EQ(totals_.refused, 0U);
        EXPECT_LE(missing_, totals_.dropped);
        EXPECT_GT(totals_.dropped, too_fast && fake ? totals_.processed : 0U) << "the source was not too fast";
        break;
    }
  }

  std::shared_ptr<NumberedSource> source_ = std::make_shared<NumberedSource>(testing::integer_acquisition(4, 64));
  testing::FakeBackend fake_;
  Mailbox<Image> images_box_;
  TimingTrace trace_{256};
  RfHistory history_{std::size_t{64} * 512};  // 64 frames
  std::mt19937 engine_{3};
  RingCounts before_, totals_;
  std::uint64_t streams_ = 0, snapshots_ = 0, wrong_ = 0, looked_back_ = 0, torn_kept_ = 0;
  std::uint64_t images_ = 0, next_ = 0, missing_ = 0, out_of_order_ = 0;  // processing thread, then the test's
};

TEST_P(EachPolicy, EveryFrameIsAccountedFor) {
  const auto frames = static_cast<std::uint64_t>(testing::from_environment("ECHOLOOP_FRAMES", kFrames));
  const std::unique_ptr<Backend> cpu = make_cpu_backend(1);
  CheckingBackend backend(GetParam().computing == Computing::fake ? static_cast<Backend&>(fake_) : *cpu);
  do {
    run_stream(backend, frames);
  } while (GetParam().policy == RingPolicy::error && totals_.produced < frames && !HasFailure());

  EXPECT_GE(totals_.produced, frames);
  EXPECT_EQ(totals_.produced, totals_.processed + totals_.dropped + totals_.refused + totals_.in_flight);
  EXPECT_EQ(wrong_, 0U) << "of " << snapshots_ << " snapshots";
  EXPECT_EQ(backend.torn_before + backend.torn_after, 0U);
  EXPECT_GE(backend.checked, 2 * totals_.processed);
  EXPECT_EQ(images_, totals_.processed);
  EXPECT_EQ(out_of_order_, 0U);
  EXPECT_EQ(torn_kept_, 0U) << "of " << looked_back_ << " looks at kept frames";
  EXPECT_GT(looked_back_, 0U);
  expect_the_policy();
  expect_history_whole();
  std::cout << totals_.produced << " produced, " << totals_.processed << " processed, " << totals_.dropped
            << " dropped, " << totals_.refused << " refused, " << totals_.in_flight << " in flight, " << streams_
            << " streams, " << snapshots_ << " snapshots, " << looked_back_ << " looks back\n";
}

constexpr double kFramesPerSecond = 1e6 / static_cast<double>(kWork.count());  // that the processing thread can do
constexpr double kTooFast = 3.0 * kFramesPerSecond;
constexpr double kBearable = 0.4 * kFramesPerSecond;  // on the average
const Injection kRestless{.jitter_ms = 0.2, .burst_frames = 100};

const Flow kFlows[] = {
    {.name = "BlockTooFast", .policy = RingPolicy::block, .rate_hz = kTooFast},
    {.name = "ErrorTooFast", .policy = RingPolicy::error, .rate_hz = kTooFast},
    {.name = "DropOldestTooFast", .policy = RingPolicy::drop_oldest, .rate_hz = kTooFast},
    {.name = "DropNewestTooFast", .policy = RingPolicy::drop_newest, .rate_hz = kTooFast},
    {.name = "BlockBursts", .policy = RingPolicy::block, .rate_hz = kBearable, .inject = kRestless},
    {.name = "ErrorBursts", .policy = RingPolicy::error, .rate_hz = kBearable, .inject = kRestless},
    {.name = "DropOldestBursts", .policy = RingPolicy::drop_oldest, .rate_hz = kBearable, .inject = kRestless},
    {.name = "DropNewestBursts", .policy = RingPolicy::drop_newest, .rate_hz = kBearable, .inject = kRestless},
    {.name = "BlockOnTheCpu", .policy = RingPolicy::block, .computing = Computing::real},
    {.name = "ErrorOnTheCpu", .policy = RingPolicy::error, .computing = Computing::real},
    {.name = "DropOldestOnTheCpu", .policy = RingPolicy::drop_oldest, .rate_hz = 30e3, .computing = Computing::real},
    {.name = "DropNewestOnTheCpu", .policy = RingPolicy::drop_newest, .rate_hz = 30e3, .computing = Computing::real},
};

INSTANTIATE_TEST_SUITE_P(Policies, EachPolicy, ::testing::ValuesIn(kFlows),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace echoloop::policies_test
