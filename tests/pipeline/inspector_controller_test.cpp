// What the open inspector asks of the stream: nothing while it is closed, seldom while live, once while frozen.
#include <gtest/gtest.h>

#include "app/review/history_requests.h"
#include "core/units.h"
#include "support/streaming.h"

namespace echoloop::inspector_controller_test {
namespace {

using testing::wait_until;

struct Rig {
  Rig() {
    state.params = testing::small_picture(*acquisition, 24, 32);
    state.source.acquisition = acquisition;
    state.view.inspected = PlanePoint{0.0, 4e-3};
    wait_until([this] { return history.extent().frames > 4; });
  }
  void turn(InspectorController::Moment moment) { inspector.update(state, session, moment, now_ns()); }
  // Turns until no answer is missing.
  void drain() {
    wait_until([this] {
      const std::uint64_t before = inspector.requests();
      turn(InspectorController::Moment::frozen);
      return state.image.inspector.pixel != nullptr && inspector.requests() == before && complete();
    });
  }
  [[nodiscard]] bool complete() const {
    for (const int k : state.view.inspector.pictures_seen) {
      if (state.image.inspector.pictures[static_cast<std::size_t>(k)] == nullptr) return false;
    }
    return true;
  }

  AcquisitionPtr acquisition = testing::share(testing::linear_acquisition(8, 256, {-8.0, 0.0, 8.0}));
  std::shared_ptr<SeekableSource> source = testing::noise_source(acquisition, 16);
  std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  PastImages past;
  InspectionAnswers answers;
  TimingTrace trace{256};
  RfHistory history{std::size_t{1} << 20};
  WindowState state;
  Session session{*backend,
                  source,
                  images,
                  trace,
                  {.stream = testing::unpaced(),
                   .params = testing::small_picture(*acquisition, 24, 32),
                   .sinks = {&history},
                   .past = &past,
                   .inspections = &answers}};
  InspectorController inspector{history, answers};
};

TEST(InspectingTheStream, AsksNothingWhileItIsClosed) {
  Rig rig;
  for (int k = 0; k < 50; ++k) rig.turn(InspectorController::Moment::live);
  EXPECT_EQ(rig.inspector.requests(), 0U);
  rig.state.view.inspector.wanted = true;
  rig.state.view.inspected.reset();
  rig.turn(InspectorController::Moment::live);
  EXPECT_EQ(rig.inspector.requests(), 0U) << "nor while no pixel is chosen";
}

TEST(InspectingTheStream, LiveItFollowsTheStreamButSeldom) {
  Rig rig;
  rig.state.view.inspector.wanted = true;
  const std::int64_t begin_ns = now_ns();
  wait_until([&] {
    rig.turn(InspectorController::Moment::live);
    return rig.inspector.requests() >= 4;
  });
  EXPECT_GE(now_ns() - begin_ns, 600'000'000) << "five times a second at most";
  ASSERT_NE(rig.state.image.inspector.pixel, nullptr);
  const std::uint64_t before = rig.inspector.requests();
  wait_until([&] {
    rig.state.view.inspected = PlanePoint{1e-3, 5e-3};  // a click does not wait
    rig.turn(InspectorController::Moment::live);
    return rig.inspector.requests() > before;
  });
  rig.state.view.inspector.wanted = false;
  rig.turn(InspectorController::Moment::live);
  EXPECT_EQ(rig.state.image.inspector.pixel, nullptr) << "closed, nothing is kept";
}

TEST(InspectingTheStream, FrozenItAsksOnceForEachChange) {
  Rig rig;
  rig.history.hold();
  rig.state.cine.index = 1;
  rig.state.view.inspector.wanted = true;
  rig.state.view.inspector.pictures_seen = {0, 1, 2};
  rig.drain();
  EXPECT_EQ(rig.state.image.inspector.pixel->stamp.sequence, rig.history.at(1)->frame.stamp.sequence);
  const std::uint64_t settled = rig.inspector.requests();
  for (int k = 0; k < 50; ++k) rig.turn(InspectorController::Moment::frozen);
  EXPECT_EQ(rig.inspector.requests(), settled);
  rig.state.params.display.gain_db = 5.0;  // no buffer changes
  rig.turn(InspectorController::Moment::frozen);
  EXPECT_EQ(rig.inspector.requests(), settled);
  rig.state.cine.index = 2;
  rig.turn(InspectorController::Moment::frozen);
  EXPECT_EQ(rig.inspector.requests(), settled + 1);
  wait_until([&] {
    rig.turn(InspectorController::Moment::frozen);
    return rig.state.image.inspector.pixel->stamp.sequence == rig.history.at(2)->frame.stamp.sequence;
  });
}

TEST(InspectingTheStream, ARefusalIsSaidAndNotAskedForAgain) {
  Rig rig;
  rig.history.hold();
  rig.state.view.inspector.wanted = true;
  rig.state.view.inspector.pictures_seen = {0};
  rig.state.params.formation.band_high_hz = rig.state.params.formation.band_low_hz - 1e6;
  wait_until([&] {
    rig.turn(InspectorController::Moment::frozen);
    return !rig.state.image.inspector.refusal.empty();
  });
  const std::uint64_t asked = rig.inspector.requests();
  for (int k = 0; k < 50; ++k) rig.turn(InspectorController::Moment::frozen);
  EXPECT_EQ(rig.inspector.requests(), asked);
}

}  // namespace
}  // namespace echoloop::inspector_controller_test
