// Ensembles in flight: images come in the order of their ensembles, what is late or broken off is counted, a fault
// ends all of them, and nobody waits for a turn that does not come.
#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

#include "backend/flow_engine.h"
#include "support/streaming.h"

namespace echoloop::flow_worker_test {
namespace {

using namespace testing;

constexpr int kDevices = 2;

// What the devices do, and when they may go on.
struct Script {
  std::array<std::atomic<bool>, kDevices> held{};  // in decompose()
  std::array<std::atomic<bool>, kDevices> fails{};
  std::atomic<bool> begin_fails{false};
  std::array<std::atomic<int>, kDevices> n_begun{};   // decompositions
  std::array<std::atomic<pid_t>, kDevices> thread{};  // that decomposed
  std::atomic<int> in_apply{0};
  std::atomic<bool> overlapped{false};  // two were in apply() at a time
};

class ScriptedDevice final : public FlowDevice {
 public:
  explicit ScriptedDevice(Script& script, int index = 0) : script_(script), index_(static_cast<std::size_t>(index)) {}

  std::unique_ptr<FlowDevice> clone() override { return std::make_unique<ScriptedDevice>(script_, 1); }
  void begin_thread() override {
    if (script_.begin_fails) throw std::runtime_error("nothing begins");
  }
  void reserve(int, std::size_t) override {}
  void store(int, const PixelView&) override {}
  Decomposition decompose(std::span<const int> slots, int) override {
    script_.thread.at(index_) = ::gettid();
    ++script_.n_begun.at(index_);
    wait_until([this] { return !script_.held.at(index_); });
    if (script_.fails.at(index_)) throw std::runtime_error("no eigenvectors");
    const std::size_t n = slots.size();
    return {.n = static_cast<int>(n),
            .singular_values = std::vector<double>(n, 1.0),
            .temporal_vectors = std::vector<std::complex<double>>(n * n, 1.0)};
  }
  void keep_components(const Decomposition&, ComponentRange) override {}
  void set_matrix(std::span<const float>, int) override {}
  void apply(std::span<const int>, const FlowFinish&, FlowImage&) override {
    if (script_.in_apply.fetch_add(1) > 0) script_.overlapped = true;
    take_time(std::chrono::milliseconds(1));
    --script_.in_apply;
  }
  std::vector<Complex> filtered(std::span<const int>) override { return {}; }

 private:
  Script& script_;
  std::size_t index_;
};

// An engine that is fed by hand.
class EnsemblesInFlight : public ::testing::Test {
 protected:
  ~EnsemblesInFlight() override { release(); }

  void make_engine() { engine_ = std::make_unique<FlowEngine>(std::make_unique<ScriptedDevice>(script_), pictures_); }
  void set_frames(int frames) {
    params_.color_flow.frames = frames;
    plan_ = make_plan(acquisition_, params_, plan_);
  }
  void hold() {
    for (auto& held : script_.held) held = true;
  }
  void release() {
    for (auto& held : script_.held) held = false;
  }
  void take(int count) {
    for (int i = 0; i < count; ++i, ++next_) {
      engine_->take({plan_,
                     {.values = &pixel_, .count = 1},
                     {.sequence = next_, .source_index = next_, .time_s = 1e-3 * static_cast<double>(next_)},
                     0.0});
    }
  }
  void wait_for_begun(int first, int second) {
    wait_until([&] { return script_.n_begun[0] == first && script_.n_begun[1] == second; });
    ASSERT_EQ(script_.n_begun[0], first);
    ASSERT_EQ(script_.n_begun[1], second);
  }

  static ImagingParams flow_params(const Acquisition& a) {
    ImagingParams p = small_picture(a);
    p.color_flow.mode = FlowMode::power;
    p.color_flow.frames = 16;
    p.color_flow.step = 4;
    p.color_flow.prf_hz = 1000.0;
    return p;
  }

  const AcquisitionPtr acquisition_ = std::make_shared<const Acquisition>(linear_acquisition());
  ImagingParams params_ = flow_params(*acquisition_);
  std::shared_ptr<const Plan> plan_ = make_plan(acquisition_, params_);
  Complex pixel_{};
  std::uint64_t next_ = 0;
  Script script_;
  Mailbox<FlowImage> pictures_;
  std::unique_ptr<FlowEngine> engine_;
};

TEST_F(EnsemblesInFlight, TheLaterOneWaitsForTheEarlierOnesPicture) {
  script_.held[0] = true;
  make_engine();
  take(20);
  wait_for_begun(1, 1);
  wait_until([this] { return is_waiting(script_.thread[1]); });
  EXPECT_EQ(script_.in_apply, 0);
  EXPECT_EQ(engine_->counts().pictures, 0U);
  EXPECT_TRUE(engine_->busy());
  release();
  wait_until([this] { return engine_->counts().pictures >= 1; });
  engine_->drain();
  EXPECT_EQ(engine_->counts().pictures, 2U);
  ASSERT_TRUE(pictures_.take());
  EXPECT_EQ(pictures_.front().number, 2U);
  EXPECT_EQ(pictures_.front().stamp.source_index, 19U);
}

TEST_F(EnsemblesInFlight, ManyComeInOrderAndOneAtATimeMixesInTheOneBefore) {
  make_engine();
  std::uint64_t last = 0;
  std::uint64_t number = 0;
  for (int i = 0; i < 400; ++i) {
    take(1);
    if (i % 4 == 3) take_time(std::chrono::microseconds(300));  // the source's pace
    if (!pictures_.take()) continue;
    EXPECT_GT(pictures_.front().stamp.source_index, last);
    EXPECT_GT(pictures_.front().number, number);
    last = pictures_.front().stamp.source_index;
    number = pictures_.front().number;
  }
  engine_->drain();
  EXPECT_GT(number, 0U);
  EXPECT_GT(script_.n_begun[1], 0);
  EXPECT_FALSE(script_.overlapped);
  EXPECT_EQ(script_.n_begun[0] + script_.n_begun[1], static_cast<int>(engine_->counts().pictures));
}

TEST_F(EnsemblesInFlight, AThirdOneIsLateAndCountsOnce) {
  hold();
  make_engine();
  take(20);
  wait_for_begun(1, 1);
  take(12);  // 12 frames of the 16 that the ring has room for beside an ensemble
  EXPECT_EQ(engine_->counts().late, 1U);
  EXPECT_EQ(engine_->counts().restarts, 0U);
  release();
  engine_->drain();
  take(1);
  engine_->drain();
  EXPECT_EQ(engine_->counts().late, 1U);
  EXPECT_EQ(engine_->counts().pictures, 3U);
  ASSERT_TRUE(pictures_.take());
  EXPECT_EQ(pictures_.front().stamp.source_index, 32U) << "with the frames that are the newest then";
}

TEST_F(EnsemblesInFlight, FramesThatAreStillNeededAreNotOverwritten) {
  hold();
  make_engine();
  take(32);  // the ring is full
  EXPECT_EQ(engine_->counts().restarts, 0U);
  take(1);
  EXPECT_EQ(engine_->counts().restarts, 1U);
}

TEST_F(EnsemblesInFlight, LongOnesGoOneAtATime) {
  set_frames(kShortFrames + 1);
  hold();
  make_engine();
  take(kShortFrames + 1);
  wait_for_begun(1, 0);
  take(4);
  EXPECT_EQ(engine_->counts().late, 1U);
  EXPECT_EQ(script_.n_begun[1], 0);
}

TEST_F(EnsemblesInFlight, EachIsOfTheParametersWhenItWasDue) {
  hold();
  make_engine();
  take(16);
  params_.color_flow.wall_filter = WallFilter::fir;  // needs no decomposition
  set_frames(16);
  take(4);
  EXPECT_EQ(engine_->counts().pictures, 0U);
  script_.held[0] = false;
  engine_->drain();
  EXPECT_EQ(engine_->counts().pictures, 2U);
  ASSERT_TRUE(pictures_.take());
  EXPECT_EQ(pictures_.front().params.color_flow.wall_filter, WallFilter::fir);
  EXPECT_TRUE(pictures_.front().singular_values.empty());
}

TEST_F(EnsemblesInFlight, AFaultOfOneEndsAll) {
  script_.held[0] = script_.fails[0] = true;
  make_engine();
  take(20);
  wait_for_begun(1, 1);
  release();
  engine_->drain();
  EXPECT_EQ(engine_->take_fault(), "no eigenvectors");
  EXPECT_EQ(engine_->take_fault(), "");
  EXPECT_EQ(engine_->counts().pictures, 0U);
  take(40);
  engine_->drain();
  EXPECT_EQ(script_.n_begun[0] + script_.n_begun[1], 2);
}

TEST_F(EnsemblesInFlight, ADeviceThatDoesNotBeginHoldsNobodyUp) {
  script_.begin_fails = true;
  make_engine();
  take(40);
  engine_->drain();
  EXPECT_EQ(engine_->take_fault(), "nothing begins");
  EXPECT_EQ(engine_->counts().pictures, 0U);
}

TEST_F(EnsemblesInFlight, TheEndComesWhileOneWaitsForItsTurn) {
  script_.held[0] = true;
  make_engine();
  take(20);
  wait_for_begun(1, 1);
  std::thread later([this, ending = ::gettid()] {
    wait_until([&] { return is_waiting(ending); });
    release();
  });
  engine_.reset();
  later.join();
  EXPECT_LE(script_.in_apply, 0);
}

}  // namespace
}  // namespace echoloop::flow_worker_test
