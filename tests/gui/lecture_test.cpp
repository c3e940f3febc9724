// Timeline and Stream enlarged for a lecture.

#include <algorithm>
#include <string>

#include "gui/panels/panels.h"
#include "gui/scene.h"

namespace echoloop::testing::lecture_test {
namespace {

float dim(double, double) { return -45.0F; }

// Frames 2 ms apart: copy 0.8 ms, kernels 1.2 ms, the next copy beside them.
void put_timings(Scene& scene) {
  std::vector<Span>& spans = scene.state.numbers.spans;
  for (std::uint64_t frame = 0; frame < 12; ++frame) {
    const auto begin = static_cast<std::int64_t>(1'000'000'000 + frame * 2'000'000);
    const auto add = [&](Stage stage, std::int64_t from, std::int64_t to) {
      spans.push_back(
          {.frame = 24676 + frame, .stage = stage, .lane = 0, .start_ns = begin + from, .end_ns = begin + to});
    };
    add(Stage::upload, 0, 800'000);
    add(Stage::condition, 800'000, 1'100'000);
    add(Stage::beamform, 1'100'000, 1'700'000);
    add(Stage::envelope, 1'700'000, 1'850'000);
    add(Stage::compress, 1'850'000, 2'000'000);
  }
  scene.state.numbers.timing = {.t_t_ms = 0.8, .t_p_ms = 1.2, .period_ms = 2.0, .frames = 12};
}

bool inside(const Rect& r, int width, int height) {
  return r.width() > 0 && r.height() > 0 && r.x0 >= 0 && r.y0 >= 0 && r.x1 <= static_cast<float>(width) &&
         r.y1 <= static_cast<float>(height);
}

class Lectured : public ::testing::TestWithParam<std::tuple<int, int, double>> {};

TEST_P(Lectured, EverythingHasAPlaceOfItsOwn) {
  const auto [width, height, scale] = GetParam();
  ECHO_SCENE(scene, width, height, scale);
  scene.state.stream.lanes = 3;
  put_timings(scene);
  scene.put_image(kSquare, dim);
  scene.tap(Key::l, true);
  ASSERT_FALSE(scene.said.empty());
  EXPECT_NE(scene.said.back().find("Esc returns"), std::string::npos);
  std::vector<Rect> places;
  for (const std::string id : {"lecture/serial", "lecture/overlap", "timeline", "lecture/policy/Block the source",
                               "lecture/policy/Drop oldest", "lecture/policy/Drop newest", "lecture/chosen",
                               "lecture/other", "lecture/back"}) {
    const Rect r = scene.rect(id);
    EXPECT_TRUE(inside(r, width, height)) << id;
    for (const Rect& other : places) EXPECT_FALSE(r.overlaps(other)) << id;
    places.push_back(r);
  }
  EXPECT_GE(scene.rect("lecture/chosen").height(), 100.0F * static_cast<float>(scale));
  EXPECT_TRUE(scene.state.timeline_wanted);
  EXPECT_EQ(scene.viewer->screen().picture().width(), 0.0F);
  scene.shot();
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Lectured,
                         ::testing::Values(std::tuple{1024, 640, 1.0}, std::tuple{1280, 720, 1.0},
                                           std::tuple{1600, 900, 1.0}, std::tuple{3840, 2160, 2.0},
                                           std::tuple{3840, 2160, 3.0}));

TEST(LectureView, CardsAndOrdersAct) {
  ECHO_SCENE(scene, 1280, 720);
  put_timings(scene);
  scene.put_image(kSquare, dim);
  scene.tap(Key::l, true);
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::block);
  scene.click("lecture/other");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::error);
  EXPECT_EQ(scene.stream_changed, 1);
  scene.click("lecture/policy/Drop oldest");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::drop_oldest);
  scene.click("lecture/other");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::error) << "the one that was chosen before";
  scene.click("lecture/serial");
  EXPECT_EQ(scene.state.stream.streams, StreamMode::serial);
  scene.tap(Key::escape);
  EXPECT_EQ(scene.rect("lecture/other").width(), 0.0F);
  EXPECT_GT(scene.viewer->screen().picture().width(), 100.0F);
}

TEST(LectureView, EveryChoiceIsAFocusStop) {
  ECHO_SCENE(scene, 1600, 900);
  scene.tap(Key::l, true);
  for (const char* id :
       {"lecture/serial", "lecture/overlap", "lecture/policy/Drop oldest", "lecture/other", "lecture/back"}) {
    const auto& stops = scene.viewer->screen().ui().focus().stops();
    EXPECT_TRUE(std::any_of(stops.begin(), stops.end(), [&](const FocusStop& s) { return s.id == id; })) << id;
  }
}

TEST(LectureView, OpensByTheIconsOfItsPanels) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, dim);
  scene.frames(2);
  for (const char* id : {"panel_timeline/enlarge", "panel_stream/enlarge"}) {
    scene.click(id);
    EXPECT_GT(scene.rect("lecture/other").width(), 0.0F) << id;
    scene.click("lecture/back");
    EXPECT_EQ(scene.rect("lecture/other").width(), 0.0F) << id;
  }
  EXPECT_TRUE(scene.viewer->settings().open.at("stream")) << "the icon folds nothing";
}

}  // namespace
}  // namespace echoloop::testing::lecture_test
