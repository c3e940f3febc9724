// Frames between another description and its first image: all that came, where the policy makes the sender wait; where
// it drops frames, those in lanes only.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "support/fake_backend.h"
#include "support/numbered_frames.h"
#include "support/streaming.h"

namespace echoloop::live_change_test {
namespace {

using namespace testing;

// As a scanner: frames of one description, then of another one, and then none.
class Scanner final : public Source {
 public:
  static constexpr std::uint64_t kBefore = 24, kAfter = 3;

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return changed_ ? second : first; }
  [[nodiscard]] std::string name() const override { return "scanner"; }
  std::optional<Arrival> next(const std::stop_token& /*stop*/) override {
    if (next_ == kBefore && !changed_) {
      changed_ = true;
      return Arrival{.stamp = {.sequence = next_, .source_index = next_}, .acquisition = second};
    }
    if (next_ == kBefore + kAfter) return std::nullopt;
    const std::uint64_t number = next_++;
    return Arrival{.stamp = {.sequence = number, .source_index = number}};
  }
  std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& /*stop*/) override {
    std::ranges::fill(slot.bytes, std::byte{0});
    return slot.bytes;
  }

  const AcquisitionPtr first = share(integer_acquisition(2, 64)), second = share(integer_acquisition(2, 32));

 private:
  std::uint64_t next_ = 0;
  bool changed_ = false;
};

class LiveChange : public ::testing::TestWithParam<RingPolicy> {};
INSTANTIATE_TEST_SUITE_P(Policies, LiveChange,
                         ::testing::Values(RingPolicy::block, RingPolicy::drop_oldest, RingPolicy::drop_newest));

TEST_P(LiveChange, FramesOfTheOldDescriptionAreProcessedOrDroppedAsThePolicySays) {
  const bool drops = GetParam() != RingPolicy::block;
  const auto source = std::make_shared<Scanner>();
  FakeBackend backend;
  std::atomic<bool> works = !drops;  // else the device is busy until the other description is known
  backend.on_beamform = [&works](const RfFrame&) {
    while (!works) std::this_thread::yield();
  };
  Mailbox<Image> images;
  TimingTrace trace{64};
  std::uint64_t old = 0, other = 0;  // images; processing thread's until the session has ended
  StreamSettings stream = unpaced();
  stream.policy = GetParam();
  Session session(backend, source, images, trace,
                  {.stream = stream,
                   .params = small_picture(*source->first, 4, 4),
                   .on_image = [&](const Image& image) { ++(image.stamp.sequence < Scanner::kBefore ? old : other); }});
  ASSERT_TRUE(wait_until([&] { return session.producer_state() == ProducerState::changed; }));
  session.follow_acquisition(small_picture(*source->second, 4, 4));
  session.advance();
  works = true;
  ASSERT_TRUE(wait_until([&] { return session.advance() && session.done(); }));
  session.stop();
  const RingCounts c = session.counts();
  expect_counts_add_up(c);
  EXPECT_EQ(c.produced, Scanner::kBefore + Scanner::kAfter);
  EXPECT_EQ(other, Scanner::kAfter);
  if (drops) {
    EXPECT_LE(old, static_cast<std::uint64_t>(stream.lanes)) << "none of the " << stream.slots << " slots";
    EXPECT_EQ(c.dropped, Scanner::kBefore - old);
  } else {
    EXPECT_EQ(old, Scanner::kBefore);
    EXPECT_EQ(c.dropped, 0U);
  }
}

// As a scanner that is described again while a stream of its first description is made: the memory of that stream's
// slots is not there before.
class ScannerDescribedTwice final : public Source {
 public:
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return follows_ ? second : first; }
  [[nodiscard]] std::string name() const override { return "scanner"; }
  [[nodiscard]] bool described_again() const override { return described_ && !follows_; }
  [[nodiscard]] bool sender_gone() const override { return gone; }
  void follow_description() override { follows_ = true; }
  FrameMemory allocate(std::size_t /*bytes*/) override {
    ++allocations;
    while (!gives_memory) std::this_thread::yield();
    return {};
  }
  std::optional<Arrival> next(const std::stop_token& /*stop*/) override {
    if (next_ == 3) return std::nullopt;
    const std::uint64_t number = next_++;
    return Arrival{.stamp = {.sequence = number, .source_index = number}};
  }
  std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& /*stop*/) override {
    std::ranges::fill(slot.bytes, std::byte{0});
    return slot.bytes;
  }
  void describe() { described_ = true; }

  const AcquisitionPtr first = share(integer_acquisition(2, 64)), second = share(integer_acquisition(2, 32));
  std::atomic<bool> gives_memory{false}, gone{false};
  std::atomic<int> allocations{0};

 private:
  std::atomic<bool> described_{false}, follows_{false};
  std::uint64_t next_ = 0;
};

TEST(LiveChange, AStreamThatIsBeingMadeIsGivenUpForTheNextDescription) {
  const auto source = std::make_shared<ScannerDescribedTwice>();
  FakeBackend backend;
  Mailbox<Image> images;
  TimingTrace trace{64};
  Session session(backend, source, images, trace,
                  {.stream = unpaced(), .params = small_picture(*source->first, 4, 4), .in_background = true});
  ASSERT_TRUE(wait_until([&] { return source->allocations > 0; }));
  source->describe();
  EXPECT_FALSE(session.advance());
  source->gives_memory = true;
  ASSERT_TRUE(wait_until([&] { return session.advance(); }));
  EXPECT_EQ(session.producer_state(), ProducerState::changed);
  EXPECT_EQ(session.configurations(), 0U) << "the first stream was made";
  EXPECT_EQ(source->allocations, 1) << "of its 8 slots";
  EXPECT_EQ(session.acquisition(), source->second);
  session.follow_acquisition(small_picture(*source->second, 4, 4));
  ASSERT_TRUE(wait_until([&] { return session.advance() && session.done(); }));
  EXPECT_EQ(session.configurations(), 1U);
  session.stop();
  EXPECT_EQ(session.counts().processed, 3U);
}

class SenderLeaves : public ::testing::Test {
 protected:
  // While the first stream is made; until it is given up.
  SenderLeaves() {
    EXPECT_TRUE(wait_until([&] { return source_->allocations > 0; }));
    source_->gone = true;
    EXPECT_FALSE(session_.advance());
    source_->gives_memory = true;
    EXPECT_TRUE(wait_until([&] { return session_.advance(); }));
    EXPECT_FALSE(session_.running());
    EXPECT_FALSE(session_.done()) << "the next sender is waited for";
    EXPECT_EQ(session_.producer_state(), ProducerState::running);
    EXPECT_EQ(source_->allocations, 1) << "of its 8 slots";
  }
  void expect_frames() {
    ASSERT_TRUE(wait_until([&] { return session_.advance() && session_.done(); }));
    EXPECT_EQ(session_.configurations(), 1U);
    session_.stop();
    EXPECT_EQ(session_.counts().processed, 3U);
  }

  const std::shared_ptr<ScannerDescribedTwice> source_ = std::make_shared<ScannerDescribedTwice>();
  FakeBackend backend_;
  Mailbox<Image> images_;
  TimingTrace trace_{64};
  Session session_{backend_,
                   source_,
                   images_,
                   trace_,
                   {.stream = unpaced(), .params = small_picture(*source_->first, 4, 4), .in_background = true}};
};

TEST_F(SenderLeaves, AStreamThatIsBeingMadeIsMadeWhenASenderIsBack) {
  source_->gone = false;
  expect_frames();
  EXPECT_EQ(session_.acquisition(), source_->first);
}

TEST_F(SenderLeaves, AnotherDescriptionOfTheNextSenderIsFollowed) {
  source_->describe();
  source_->gone = false;
  ASSERT_TRUE(session_.advance());
  EXPECT_EQ(session_.producer_state(), ProducerState::changed);
  session_.follow_acquisition(small_picture(*source_->second, 4, 4));
  expect_frames();
  EXPECT_EQ(session_.acquisition(), source_->second);
}

TEST_F(SenderLeaves, TheSessionCanBeStopped) {
  session_.stop();
  EXPECT_FALSE(session_.running());
}

TEST(LiveChange, AStreamThatIsBeingMadeCanBeStopped) {
  const auto source = std::make_shared<ScannerDescribedTwice>();
  FakeBackend backend;
  Mailbox<Image> images;
  TimingTrace trace{64};
  {
    Session session(backend, source, images, trace,
                    {.stream = unpaced(), .params = small_picture(*source->first, 4, 4), .in_background = true});
    ASSERT_TRUE(wait_until([&] { return source->allocations > 0; }));
    source->describe();
    EXPECT_FALSE(session.advance());
    source->gives_memory = true;
    session.stop();  // as at the end of the program: nothing runs
    EXPECT_FALSE(session.running());
    EXPECT_TRUE(session.done());
  }
  EXPECT_EQ(source->allocations, 1);
}

}  // namespace
}  // namespace echoloop::live_change_test
