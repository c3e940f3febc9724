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
  scene.state.device.backend = "CPU";
  put_timings(scene);
  scene.put_image(kSquare, dim);
  scene.tap(Key::l, true);
  scene.frames(3);  // lanes and cards share the height
  ASSERT_FALSE(scene.said.empty());
  EXPECT_NE(scene.said.back().find("Esc returns"), std::string::npos);
  std::vector<std::string> ids = {"lecture/order/Serial",
                                  "lecture/order/Overlap",
                                  "lecture/order/Default stream",
                                  "timeline",
                                  "lecture/memory/Pageable",
                                  "lecture/memory/Mapped",
                                  "lecture/bus/Off",
                                  "lecture/bus/32",
                                  "lecture/policy/Block the source",
                                  "lecture/policy/Drop oldest",
                                  "lecture/policy/Drop newest",
                                  "lecture/slots-",
                                  "lecture/slots+",
                                  "lecture/back"};
  if (width >= 1280) {  // a low window has them in the Stream panel
    for (const char* id : {"lecture/card/block", "lecture/lanes/4", "lecture/chunks/64", "lecture/wait/Device",
                           "lecture/break/Missing event", "lecture/break/Too many streams"}) {
      ids.emplace_back(id);
    }
  }
  std::vector<Rect> places;
  for (const std::string& id : ids) {
    const Rect r = scene.rect(id);
    EXPECT_TRUE(inside(r, width, height)) << id;
    for (const Rect& other : places) EXPECT_FALSE(r.overlaps(other)) << id;
    places.push_back(r);
  }
  EXPECT_TRUE(scene.state.timeline_wanted);
  EXPECT_EQ(scene.viewer->screen().picture().width(), 0.0F);
  scene.shot();
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Lectured,
                         ::testing::Values(std::tuple{1024, 640, 1.0}, std::tuple{1280, 720, 1.0},
                                           std::tuple{1600, 900, 1.0}, std::tuple{3840, 2160, 2.0},
                                           std::tuple{3840, 2160, 3.0}));

// Opens the lecture of a stream with timings.
void open_lecture(Scene& scene) {
  put_timings(scene);
  scene.put_image(kSquare, dim);
  scene.tap(Key::l, true);
  scene.frames(3);
}

TEST(LectureView, CardsAndOrdersAct) {
  ECHO_SCENE(scene, 1600, 900);
  open_lecture(scene);
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::block);
  scene.click("lecture/card/error");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::error);
  EXPECT_EQ(scene.stream_changed, 1);
  scene.click("lecture/policy/Drop oldest");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::drop_oldest);
  scene.click("lecture/order/Serial");
  EXPECT_EQ(scene.state.stream.streams, StreamMode::serial);
  scene.click("lecture/order/Default stream");
  EXPECT_EQ(scene.state.stream.streams, StreamMode::default_stream);
  scene.tap(Key::escape);
  EXPECT_EQ(scene.rect("lecture/card/error").width(), 0.0F);
  EXPECT_GT(scene.viewer->screen().picture().width(), 100.0F);
}

TEST(LectureView, ANarrowWindowHasTheChosenCardAndTheOneBefore) {
  ECHO_SCENE(scene, 1280, 720);
  open_lecture(scene);
  scene.click("lecture/policy/Drop oldest");
  scene.click("lecture/card/block");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::block) << "the one that was chosen before";
}

TEST(LectureView, TransportIsSwitchedInPlace) {
  ECHO_SCENE(scene, 1600, 900);
  open_lecture(scene);
  scene.click("lecture/memory/Mapped");
  EXPECT_EQ(scene.state.stream.host_memory, HostMemory::mapped);
  scene.click("lecture/lanes/1");
  EXPECT_EQ(scene.state.stream.lanes, 1);
  scene.click("lecture/chunks/16");
  EXPECT_EQ(scene.state.stream.copy.chunks, 16.0);
  scene.click("lecture/wait/Device");
  EXPECT_EQ(scene.state.stream.copy.device_sync, 1.0);
  const int slots = scene.state.stream.slots;
  scene.click("lecture/slots+");
  EXPECT_EQ(scene.state.stream.slots, slots + 1);
  EXPECT_EQ(scene.stream_changed, 5);
  EXPECT_EQ(scene.rect("lecture/bus/Off").width(), 0.0F) << "a GPU has its own bus";
}

TEST(LectureView, TheSlowBusTakesAFifthOfTheProcessing) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.device.backend = "CPU";
  open_lecture(scene);
  scene.click("lecture/bus/Slow");
  const double gbps = scene.state.stream.copy.bus_gbps;
  const double copy_ms = static_cast<double>(scene.state.source.acquisition->frame_bytes()) * 1e-6 / gbps;
  EXPECT_NEAR(copy_ms, 1.2 / 5, 0.06 * 1.2 / 5);
  scene.click("lecture/bus/Off");
  EXPECT_EQ(scene.state.stream.copy.bus_gbps, 0.0);
}

TEST(LectureView, EachBreakHasItsRepair) {
  ECHO_SCENE(scene, 1600, 900);
  open_lecture(scene);
  const StreamSettings before = scene.state.stream;
  for (const BreakRow& row : break_rows()) {
    EXPECT_EQ(scene.rect("lecture/repair").width(), 0.0F) << row.name;
    scene.click("lecture/break/" + std::string(row.name));
    EXPECT_FALSE(scene.state.stream == before) << row.name;
    scene.frames(2);
    scene.click("lecture/repair");
    EXPECT_EQ(scene.state.stream, before) << row.name;
    scene.frames(2);
  }
  scene.click("lecture/break/Missing event");
  scene.frames(2);
  scene.click("lecture/break/Too many streams");
  EXPECT_EQ(scene.state.stream.inject.missing_event, 0.0) << "one at a time";
  scene.frames(2);
  scene.click("lecture/repair");
  EXPECT_EQ(scene.state.stream, before);
}

TEST(LectureView, AFaultIsShownWithItsRestart) {
  ECHO_SCENE(scene, 1600, 900);
  open_lecture(scene);
  scene.state.run = RunState::fault;
  scene.state.notices.fault = FaultNotice{.title = "Stopped on overrun",
                                          .detail = {},
                                          .can_restart = true,
                                          .refusal = RingRefusal{.sequence = 690, .counts = {.slots = 2}}};
  scene.frames(2);
  scene.click("lecture/restart_block");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::block);
  EXPECT_EQ(scene.restarts, 1);
  scene.shot();
}

TEST(LectureView, ABlockShowsItsCalls) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.stream.lanes = 1;
  open_lecture(scene);
  scene.click("timeline");  // its middle: conditioning of the third of five frames
  EXPECT_GT(scene.rect("lecture/code/copy").width(), 0.0F);
  scene.click("lecture/code/copy");
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("cudaStreamWaitEvent(processing, copied);\ncondition<<<"),
            std::string::npos);
  scene.click("lecture/code/close");
  EXPECT_EQ(scene.rect("lecture/code/copy").width(), 0.0F);
}

TEST(LectureView, CallsFollowTheSettings) {
  StreamSettings stream;
  EXPECT_EQ(cuda_lines(Stage::condition, stream)[0], "cudaStreamWaitEvent(processing, copied);");
  stream.inject.missing_event = 1.0;
  EXPECT_TRUE(cuda_lines(Stage::condition, stream)[0].starts_with("// missing"));
  EXPECT_NE(cuda_lines(Stage::upload, stream)[1].find(", copy);"), std::string::npos);
  stream.streams = StreamMode::serial;
  EXPECT_NE(cuda_lines(Stage::upload, stream)[1].find(", processing);"), std::string::npos);
  stream.copy.chunks = 16.0;
  EXPECT_NE(cuda_lines(Stage::upload, stream)[1].find("i < 16"), std::string::npos);
  stream.host_memory = HostMemory::mapped;
  EXPECT_NE(cuda_lines(Stage::upload, stream)[0].find("cudaHostAllocMapped"), std::string::npos);
}

TEST(LectureView, EveryChoiceIsAFocusStop) {
  ECHO_SCENE(scene, 1600, 900);
  scene.tap(Key::l, true);
  for (const char* id : {"lecture/order/Serial", "lecture/memory/Pinned", "lecture/policy/Drop oldest",
                         "lecture/card/error", "lecture/back"}) {
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
    EXPECT_GT(scene.rect("lecture/card/error").width(), 0.0F) << id;
    scene.click("lecture/back");
    EXPECT_EQ(scene.rect("lecture/card/error").width(), 0.0F) << id;
  }
  EXPECT_TRUE(scene.viewer->settings().open.at("stream")) << "the icon folds nothing";
}

LessonView step_with(int held) {
  LessonView lesson{.title = "Buffers",
                    .step_title = "Stop on overrun",
                    .text = "Nothing shall be lost in silence: choose the policy that stops the stream.",
                    .hint = "Policy.",
                    .step = 2,
                    .steps = 5};
  lesson.lines = {{"refused above 0 frames", "3 frames", held > 0}, {"policy is error", "block", held > 1}};
  lesson.done = held > 1;
  return lesson;
}

TEST(LessonCard, HasAPlaceInColumnsAndInTheLecture) {
  for (const int width : {1024, 1600}) {
    ECHO_SCENE(scene, width, width * 9 / 16);
    scene.state.lesson = step_with(1);
    scene.put_image(kSquare, dim);
    scene.frames(2);
    EXPECT_TRUE(inside(scene.rect("lesson/next"), width, width * 9 / 16)) << width;
    scene.tap(Key::l, true);
    scene.frames(3);
    EXPECT_TRUE(inside(scene.rect("lesson/next"), width, width * 9 / 16)) << width;
    scene.shot();
  }
}

}  // namespace
}  // namespace echoloop::testing::lecture_test
