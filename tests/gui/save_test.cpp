// The save panel: everything in it can be reached at every size, says what it will do, and why it cannot.
#include <algorithm>
#include <tuple>

#include "gui/docks/docks.h"
#include "gui/scene.h"

namespace echoloop::testing::save_test {
namespace {

constexpr const char* kControls[] = {
    "save_format/SVG", "save_format/DICOM", "save_size/Scale",  "save_ground/Dark", "save/picture",
    "save/levels",     "save/data",         "save/timings",     "save/film",        "film_range/Full history",
    "film_speed/0.1×", "film_format/MKV",   "film_format/DICOM"};

void expect_all_inside(Scene& scene, float width, float height) {
  for (const char* id : kControls) {
    const Rect r = scene.rect(id);
    EXPECT_GT(r.width(), 20.0F) << id;
    EXPECT_GE(r.x0, 0.0F) << id;
    EXPECT_GE(r.y0, 0.0F) << id;
    EXPECT_LE(r.x1, width) << id;
    EXPECT_LE(r.y1, height) << id;
  }
}

void open_panel(Scene& scene) {
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.frames(2);
  scene.click("save_menu");
  scene.frames(2);
}

TEST(SavePanel, SavesEachThing) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.state.numbers.counts.processed = 10;
  scene.freeze(100, 20);
  scene.put_past(0, kSquare, [](double, double) { return -20.0F; });
  scene.frames(2);
  scene.click("save_menu");
  scene.frames(2);
  expect_all_inside(scene, 1600, 900);
  for (const char* id :
       {"save/picture", "save/levels", "save/data", "save/iq", "save/iq_range", "save/timings", "save/film"})
    scene.click(id);
  EXPECT_EQ(scene.saved, (std::vector<SaveWhat>{SaveWhat::picture, SaveWhat::levels, SaveWhat::data, SaveWhat::iq,
                                                SaveWhat::iq_range, SaveWhat::timings, SaveWhat::film}));
  scene.click("film_range/Full history");
  scene.click("film_speed/0.25×");
  scene.click("film_format/WebM");
  EXPECT_EQ(scene.state.save.film.range, FilmRange::all);
  EXPECT_EQ(scene.state.save.film.speed, 0.25);
  EXPECT_EQ(scene.state.save.film.container, FilmContainer::webm);
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(SavePanel, ChoosesFormatSizeAndGround) {
  constexpr float kFirst = 30, kDpi = 115;
  ECHO_SCENE(scene, 1600, 900);
  open_panel(scene);
  scene.click("save_size/Width");
  scene.frames(1);
  // A field at `x` of the row between those of Size and Background, in logical pixels from the first size.
  const auto put = [&](float x, const std::string& text) {
    const Rect above = scene.rect("save_size/1×"), below = scene.rect("save_ground/White");
    InjectedInput press;
    press.mouse_x = above.x0 + x;
    press.mouse_y = 0.5F * (above.cy() + below.cy());
    scene.inject(press);
    press.left = true;
    scene.inject(press);
    press.left = false;
    scene.inject(press);
    scene.type(text);
    scene.frames(2);
  };
  put(kFirst, "86.5");
  put(kDpi, "600");
  scene.click("save_ground/Dark");
  scene.click("save_format/PDF");
  const SaveChoice& choice = scene.viewer->settings().saving;
  EXPECT_EQ(choice.format, SaveFormat::pdf);
  EXPECT_EQ(choice.ground, PageGround::dark);
  EXPECT_EQ(choice.figure_size().by, FigureSizing::width);
  EXPECT_EQ(choice.figure_size().value, 86.5);
  EXPECT_EQ(choice.figure_size().dpi, 600.0);
  put(kDpi, "6000");
  EXPECT_EQ(choice.dpi, 600.0) << "beyond the range: the last good value stays";
  scene.tap(Key::enter);
  EXPECT_TRUE(scene.saved.empty()) << "and nothing is saved with it";
  ASSERT_FALSE(scene.said.empty());
  EXPECT_EQ(scene.said.back(), "Resolution = 6000 is out of range (72 to 1200 dpi).");
  scene.click("save_size/Scale");
  scene.frames(1);
  put(kFirst, "15");
  EXPECT_EQ(choice.figure_size().by, FigureSizing::scale);
  EXPECT_EQ(choice.figure_size().value, 15.0);
  scene.click("save_size/3×");
  EXPECT_EQ(choice.figure_size().by, FigureSizing::factor);
  EXPECT_EQ(choice.figure_size().value, 3.0);
  scene.click("save_format/Image only");
  scene.frames(1);
  scene.click("save_size/1×");  // the grid decides
  EXPECT_EQ(choice.size, SaveSize::x3);
}

// By keyboard alone: Ctrl+S, Enter; also from a line of text. A control that was reached by key keeps its Enter.
TEST(SavePanel, EnterSaves) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.frames(2);
  scene.tap(Key::enter);
  EXPECT_TRUE(scene.saved.empty()) << "the panel is not open";
  scene.tap(Key::s, true);
  scene.tap(Key::enter);
  EXPECT_EQ(scene.saved, std::vector{SaveWhat::picture});
  scene.tap(Key::tab);  // shows where the keys are: on Close
  scene.tap(Key::tab);  // the name
  scene.type("abc");
  scene.tap(Key::enter);
  EXPECT_EQ(scene.viewer->settings().saving.name, "abc");
  EXPECT_EQ(scene.saved.size(), 2U);
  scene.tap(Key::tab);  // the folder
  scene.tap(Key::tab);  // the format
  scene.tap(Key::enter);
  EXPECT_EQ(scene.saved.size(), 2U);
}

TEST(SavePanel, FilmsNeedKeptFramesAndOneAtATime) {
  ECHO_SCENE(scene, 1600, 900);
  open_panel(scene);
  scene.click("save/film");  // live
  scene.freeze(100, 20);
  scene.put_past(0, kSquare, [](double, double) { return -20.0F; });
  scene.state.saving.busy = "A video is being saved.";
  scene.frames(2);
  scene.click("save/film");
  scene.state.saving.busy.clear();
  scene.state.saving.why_no_film = "No ffmpeg.";
  scene.frames(2);
  scene.click("save/film");
  EXPECT_TRUE(scene.saved.empty());
  scene.click("film_format/DICOM");
  scene.frames(2);
  scene.click("save/film");
  EXPECT_EQ(scene.saved, std::vector{SaveWhat::film}) << "DICOM needs no ffmpeg";
}

TEST(SavePanel, OpensInTheSmallestWindow) {
  ECHO_SCENE(scene, 1024, 640);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.frames(2);
  EXPECT_EQ(scene.rect("picture_button").width(), 0.0F) << "no room for that";
  scene.click("save_menu");
  scene.frames(2);
  expect_all_inside(scene, 1024, 640);
}

// By keyboard from top to bottom, the image's column first.
TEST(SavePanel, TabGoesThroughOneColumnAfterTheOther) {
  ECHO_SCENE(scene, 1280, 800);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.frames(2);
  scene.tap(Key::s, true);
  const auto& stops = scene.viewer->screen().ui().focus().stops();
  const float middle = scene.rect("save/picture").x1 + 1;
  std::vector<float> columns;  // of the controls behind the one that closes the panel
  for (std::size_t i = 1; i < stops.size(); ++i) columns.push_back(stops[i].rect.x0 < middle ? 0.0F : 1.0F);
  EXPECT_EQ(stops.front().id, "close_save");
  EXPECT_GT(columns.size(), 8U);
  EXPECT_TRUE(std::ranges::is_sorted(columns));
}

TEST(SavePanel, IsWholeInWindowsOfManySizesAndScales) {
  for (const auto& [width, height, scale] :
       {std::tuple{1024, 640, 1.5}, {1280, 800, 1.0}, {1280, 800, 3.0}, {1600, 900, 2.0}, {3840, 2160, 3.0}}) {
    ECHO_SCENE(scene, width, height, scale);
    scene.put_image(kSquare, [](double, double) { return -20.0F; });
    scene.frames(2);
    scene.tap(Key::s, true);
    expect_all_inside(scene, static_cast<float>(width), static_cast<float>(height));
  }
}

KeptFrames kept(std::size_t frames, double rate_hz) {
  KeptFrames all;
  all.frames = frames;
  all.seconds = static_cast<double>(frames - 1) / rate_hz;
  for (std::size_t i = 0; i < frames; ++i) {
    all.times_s.push_back(static_cast<float>(-static_cast<double>(frames - 1 - i) / rate_hz));
  }
  return all;
}

TEST(FilmPlan, LoopOrAllAtTheSpeedAskedFor) {
  const KeptFrames all = kept(101, 20.0);
  Cine cine;
  cine.mark_in = 10;
  cine.mark_out = 29;
  FilmPlan plan = plan_film(all, cine, {});
  EXPECT_EQ(plan.first, 10U);
  EXPECT_EQ(plan.last, 29U);
  EXPECT_EQ(plan.pictures, 20U);
  EXPECT_NEAR(plan.rate_hz, 20.0, 0.01);
  plan = plan_film(all, cine, {.range = FilmRange::all, .speed = 0.25});
  EXPECT_EQ(plan.pictures, 101U);
  EXPECT_NEAR(plan.rate_hz, 5.0, 0.01);
  EXPECT_NEAR(plan.seconds(), 20.2, 0.05);
}

// Every third frame was dropped: the video is as long as the acquisition, and what is missing is held.
TEST(FilmPlan, MissingFramesDoNotMakeItShorter) {
  KeptFrames all;
  all.frame_rate_hz = 50.0;
  for (int i = 0; i <= 150; ++i) {
    if (i % 3 != 1) all.times_s.push_back(static_cast<float>(i - 150) / 50.0F);
  }
  all.frames = all.times_s.size();
  all.seconds = 3.0;
  const FilmPlan plan = plan_film(all, {}, {.range = FilmRange::all, .speed = 1.0});
  EXPECT_EQ(plan.rate_hz, 50.0);
  EXPECT_EQ(plan.pictures, 151U);
  const std::vector<FilmFrame> frames = film_frames(all, plan);
  ASSERT_EQ(frames.size(), all.frames);
  for (const FilmFrame& frame : frames) EXPECT_NE(frame.place % 3, 1U);
  EXPECT_EQ(frames.back().place, 150U);
  const FilmPlan quick = plan_film(all, {}, {.range = FilmRange::all, .speed = 5.0});
  EXPECT_NEAR(quick.seconds(), 3.0 / 5.0, 0.03);
  EXPECT_EQ(film_frames(all, quick).back().place + 1, quick.pictures);
}

TEST(FilmPlan, ASourceStartsInRealTimeWhereItCanBeSeen) {
  EXPECT_EQ(starting_speed(0.0), 1.0);
  EXPECT_EQ(starting_speed(50.0), 1.0);
  EXPECT_EQ(starting_speed(200.0), 0.5);
  EXPECT_EQ(starting_speed(3000.0), 0.01);
}

TEST(FilmPlan, AtMostSixtyPicturesASecond) {
  const KeptFrames all = kept(1001, 500.0);
  const FilmPlan plan = plan_film(all, {}, {.range = FilmRange::all, .speed = 1.0});
  EXPECT_EQ(plan.step, 8U);
  EXPECT_LE(plan.rate_hz, 1.05 * kFilmFastest_hz);
  EXPECT_EQ(plan.pictures, 126U);
  EXPECT_NEAR(plan.seconds(), 2.0, 0.05);
  EXPECT_EQ(plan_film(kept(300, 61.0), {}, {.range = FilmRange::all, .speed = 1.0}).step, 1U);
  EXPECT_EQ(plan_film({}, {}, {}).pictures, 0U);
  const FilmPlan dicom = plan_film(all, {}, {.range = FilmRange::all, .speed = 0.1, .container = FilmContainer::dicom});
  EXPECT_EQ(dicom.rate_hz, 500.0) << "all frames at their time";
  EXPECT_EQ(film_frames(all, dicom).size(), 1001U);
}

}  // namespace
}  // namespace echoloop::testing::save_test
