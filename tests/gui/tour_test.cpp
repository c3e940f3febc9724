// The overlay of all keys, the tour, and what the window remembers between runs.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "app/window/window_app.h"
#include "gui/docks/docks.h"
#include "gui/key_commands.h"
#include "gui/scene.h"
#include "gui/toolkit/view_settings.h"
#include "gui/turning.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing::tour_test {
namespace {

const Field kGrey = [](double, double) { return -20.0F; };

bool overlap(const Rect& a, const Rect& b) { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1; }

// How the list writes each key.
const std::map<std::string, Key>& key_names() {
  static const std::map<std::string, Key> names = {{"Space", Key::space},  {"Tab", Key::tab},
                                                   {"Esc", Key::escape},   {"Enter", Key::enter},
                                                   {"↑", Key::up},         {"↓", Key::down},
                                                   {"←", Key::left},       {"→", Key::right},
                                                   {"Home", Key::home},    {"End", Key::end},
                                                   {"F1", Key::f1},        {"F5", Key::f5},
                                                   {"F6", Key::f6},        {"F9", Key::f9},
                                                   {"F11", Key::f11},      {"[", Key::left_bracket},
                                                   {"−", Key::minus},      {"]", Key::right_bracket},
                                                   {"=", Key::equal},      {"Del", Key::remove},
                                                   {"1", Key::digit1},     {"9", Key::digit9},
                                                   {"A", Key::a},          {"C", Key::c},
                                                   {"D", Key::d},          {"E", Key::e},
                                                   {"F", Key::f},          {"I", Key::i},
                                                   {"M", Key::m},          {"N", Key::n},
                                                   {"O", Key::o},          {"P", Key::p},
                                                   {"R", Key::r},          {"S", Key::s},
                                                   {"X", Key::x},          {"Y", Key::y},
                                                   {"Z", Key::z},          {"0", Key::digit0},
                                                   {"2", Key::digit2},     {"3", Key::digit3},
                                                   {"4", Key::digit4},     {"5", Key::digit5},
                                                   {"6", Key::digit6},     {"7", Key::digit7},
                                                   {"8", Key::digit8},     {"Q", Key::q},
                                                   {"PgUp", Key::page_up}, {"PgDn", Key::page_down}};
  return names;
}

// "Ctrl+Z" and "Z" as the list has them.
bool is_listed(const std::string& name, bool control) {
  const std::string wanted = (control ? "Ctrl+" : "") + name;
  return std::ranges::any_of(key_help(), [&](const KeyHelp& help) {
    std::istringstream words((std::string(help.key)));
    for (std::string word; words >> word;) {
      if (!word.empty() && word.back() == ',') word.pop_back();
      if (word == wanted) return true;
    }
    const bool digit = name.size() == 1 && name[0] >= '1' && name[0] <= '9';
    return digit && !control && help.key == "1 … 9";
  });
}

TEST(Keys, WhateverDoesSomethingIsListed) {
  ECHO_SCENE(scene, 800, 480);
  scene.put_image(kSquare, kGrey);
  scene.frames(2);
  int used = 0;
  for (const auto& [name, key] : key_names()) {
    for (const bool control : {false, true}) {
      scene.press(key, control);
      const bool did = scene.viewer->screen().used_last_key();
      used += did ? 1 : 0;
      // Control that is held makes no other key of it, unless the list says so.
      EXPECT_TRUE(!did || is_listed(name, control) || (control && is_listed(name, false))) << name << control;
      if (key == Key::f5) scene.press(Key::f5);
      scene.press(Key::escape);
      scene.frames(1);
    }
  }
  EXPECT_GE(used, 25);
}

// The list is made of the rows that act. A key without a row could do nothing; each that the window system passes on
// has one, but for those of the assistant alone.
TEST(Keys, EveryKeyHasARowAndNoneHasTwo) {
  std::set<std::pair<Key, KeyHeld>> acting;
  std::set<Key> listed;
  for (const KeyRow& row : key_rows()) {
    for (const KeyChord& chord : row.chords) {
      listed.insert(chord.key);
      EXPECT_TRUE(chord.act == nullptr || acting.emplace(chord.key, chord.held).second) << row.help.key;
    }
  }
  for (const DockRow& row : kDocks) EXPECT_TRUE(is_listed(std::string(row.key_name), false)) << row.name;
  for (int key = 0; key <= static_cast<int>(Key::z); ++key) {
    const bool of_assistant = key == static_cast<int>(Key::t);
    EXPECT_EQ(listed.contains(static_cast<Key>(key)), !of_assistant) << key;
  }
}

TEST(Keys, TheOverlayShowsAllOfThemInTheSmallestWindow) {
  for (const auto& [width, height, scale] : {std::tuple{1024, 640, 1.0}, {1600, 900, 1.0}, {2048, 1280, 2.0}}) {
    ECHO_SCENE(scene, width, height, scale);
    scene.frames(2);
    scene.tap(Key::f1);
    std::vector<Rect> rows;
    for (const KeyHelp& help : key_help()) {
      const Rect r = scene.rect("key/" + std::string(help.key));
      ASSERT_GT(r.width(), 0.0F) << help.key;
      EXPECT_GE(r.height(), 15 * scale) << help.key;
      EXPECT_GE(r.y0, 0) << help.key;
      EXPECT_LE(r.y1, static_cast<float>(height)) << help.key;
      for (const Rect& other : rows) EXPECT_FALSE(overlap(r, other)) << help.key;
      rows.push_back(r);
    }
    const Rect again = scene.rect("tour_again");
    EXPECT_LE(again.y1, static_cast<float>(height));
    for (const Rect& row : rows) EXPECT_FALSE(overlap(row, again));
  }
}

// As wide as the longest row needs: none is cut, and none reaches into the other column.
TEST(Keys, NoRowIsCutFrom1024To3840) {
  for (const auto& [width, height, scale] : {std::tuple{1024, 640, 1.0},
                                             {1024, 640, 1.5},
                                             {1280, 800, 1.0},
                                             {1440, 900, 1.25},
                                             {1600, 900, 1.0},
                                             {1920, 1080, 1.5},
                                             {2560, 1440, 2.0},
                                             {3840, 2160, 2.0},
                                             {3840, 2160, 3.0}}) {
    ECHO_SCENE(scene, width, height, scale);
    scene.frames(2);
    scene.tap(Key::f1);
    const float first = scene.rect("key/Space").x0;
    const float second = scene.rect("key/colour bar").x0;
    ASSERT_GT(second, first);
    const float column = second - first;
    for (const KeyHelp& help : key_help()) {
      const Rect r = scene.rect("key/" + std::string(help.key));
      EXPECT_LT(r.x1, r.x0 + column) << width << " at " << scale << ": " << help.what;
      EXPECT_LT(r.x1, static_cast<float>(width)) << width << " at " << scale << ": " << help.what;
    }
  }
}

TEST(Keys, AScaleThatTheWindowLimitsSaysSo) {
  for (const auto& [width, height, scale, limited] :
       {std::tuple{1024, 640, 1.5, true}, {1024, 640, 1.25, false}, {1600, 900, 1.5, false}, {1280, 800, 3.0, true}}) {
    ECHO_SCENE(scene, width, height, scale);
    scene.frames(2);
    scene.tap(Key::f1);
    const Rect word = scene.rect("scale_limit");
    EXPECT_EQ(word.width() > 0.0F, limited) << width << " at " << scale;
    if (!limited) continue;
    EXPECT_GT(word.x0, scene.rect("about_program").x1) << width;
  }
}

TEST(Keys, TheManualHasTheSameList) {
  EXPECT_NE(read_text(ECHO_SOURCE_DIR "/assets/manual/window.md").find(keys_markdown_table(key_help())),
            std::string::npos)
      << "put this into assets/manual/window.md:\n"
      << keys_markdown_table(key_help());
}

bool tour_is_shown(const Scene& scene) { return scene.rect("tour_next").width() > 0.0F; }

class TourAt : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(TourAt, StepsPointAtWhatTheyExplain) {
  const auto [width, height] = GetParam();
  ECHO_SCENE(scene, width, height);
  scene.put_image(kSquare, kGrey);
  scene.frames(2);
  scene.tap(Key::f1);
  scene.click("tour_again");
  ASSERT_EQ(tour_steps().size(), 7U);
  for (const TourStep& step : tour_steps()) {
    scene.frames(2);
    ASSERT_TRUE(tour_is_shown(scene)) << step.title;
    const Rect box = scene.rect("tour_callout");
    EXPECT_GE(box.x0, 0) << step.title;
    EXPECT_GE(box.y0, 0) << step.title;
    EXPECT_LE(box.x1, static_cast<float>(width)) << step.title;
    EXPECT_LE(box.y1, static_cast<float>(height)) << step.title;
    const Rect target = scene.rect("tour_target");
    EXPECT_GT(target.width(), 0.0F) << step.title;
    const bool picture =
        target.height() >= scene.viewer->screen().picture().height();  // may be too large to stand beside
    EXPECT_TRUE(picture || !overlap(box, target)) << step.title;
    scene.press(Key::enter);
  }
  scene.frames(2);
  EXPECT_FALSE(tour_is_shown(scene));
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TourAt, ::testing::Values(std::pair{1600, 900}, std::pair{1024, 640}));

TEST(Tour, GoesByButtonsAndArrowsAndEndsByEscape) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, kGrey);
  scene.frames(2);
  const auto again = [&] {
    scene.tap(Key::f1);
    scene.click("tour_again");
    scene.frames(1);
  };
  again();
  const Rect first = scene.rect("tour_target");
  scene.click("tour_next");
  const Rect second = scene.rect("tour_target");
  EXPECT_NE(first.y0, second.y0);
  scene.click("tour_back");
  EXPECT_EQ(scene.rect("tour_target").y0, first.y0);
  scene.press(Key::right);
  EXPECT_EQ(scene.rect("tour_target").y0, second.y0);
  EXPECT_EQ(scene.cine_changed, 0);
  scene.press(Key::left);
  scene.frames(1);
  EXPECT_EQ(scene.rect("tour_target").y0, first.y0);
  scene.press(Key::space);  // everything else works as ever
  EXPECT_EQ(scene.freezes, 1);
  scene.press(Key::escape);
  scene.frames(1);
  EXPECT_FALSE(tour_is_shown(scene));
  again();
  scene.click("tour_skip");
  EXPECT_FALSE(tour_is_shown(scene));
}

TEST(Tour, OffersItsLessons) {
  ECHO_SCENE(scene, 1024, 640);
  scene.put_image(kSquare, kGrey);
  scene.frames(2);
  scene.tap(Key::f1);
  scene.click("tour_again");
  std::vector<std::string> wanted, opened;
  for (const TourStep& step : tour_steps()) {
    scene.frames(2);
    EXPECT_EQ(scene.rect("tour_lesson").width() > 0.0F, !step.lesson.empty()) << step.title;
    if (!step.lesson.empty()) {
      wanted.emplace_back(step.lesson);
      scene.opened_lesson.clear();
      scene.click("tour_lesson");
      opened.push_back(scene.opened_lesson);
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(ECHO_SOURCE_DIR) / "assets" / "lessons" / step.lesson));
    }
    scene.press(Key::enter);
  }
  EXPECT_FALSE(wanted.empty());
  EXPECT_EQ(opened, wanted);
}

TEST(Tour, ComesByItselfOnceAndOnlyWhereItCanBeRemembered) {
  const TemporaryFolder folder;
  {
    ECHO_SCENE(scene, 1600, 900, 1.0, folder / "window", FirstTour::show);
    scene.frames(2);
    EXPECT_FALSE(tour_is_shown(scene));  // no image yet
    scene.put_image(kSquare, kGrey);
    scene.frames(2);
    EXPECT_TRUE(tour_is_shown(scene));
  }
  {
    ECHO_SCENE(scene, 1600, 900, 1.0, folder / "window", FirstTour::show);
    scene.put_image(kSquare, kGrey);
    scene.frames(2);
    EXPECT_FALSE(tour_is_shown(scene));
  }
  write_text_file(folder / "file", "");
  for (const auto& settings : {folder / "file/window", std::filesystem::path()}) {
    ECHO_SCENE(scene, 1600, 900, 1.0, settings, FirstTour::show);
    scene.put_image(kSquare, kGrey);
    scene.frames(2);
    EXPECT_FALSE(tour_is_shown(scene)) << settings;
  }
}

TEST(Remembered, PlaceRecordingsAndPresetComeBack) {
  const TemporaryFolder folder;
  ViewSettings settings;
  settings.place = {-10, 20, 1234, 777, true};
  settings.recent.recordings = {"/data/a file.mat", "/data/b = c.npy"};
  settings.last_preset = "My heart = 2";
  settings.toured = true;
  ASSERT_TRUE(save_view_settings(folder / "window", settings));
  EXPECT_EQ(load_view_settings(folder / "window"), settings);
  write_text_file(folder / "window", "window = 1 2 three\nrecent = x\nwindow = 1 2 -3 4\n");
  EXPECT_EQ(load_view_settings(folder / "window").place, WindowPlace());
}

TEST(Remembered, APipeInPlaceOfTheFileIsNotWaitedFor) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "window").c_str(), 0600), 0);
  EXPECT_EQ(load_view_settings(folder / "window"), ViewSettings());
}

TEST(Remembered, AFullDiskLeavesWhatWasThere) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const TemporaryFolder folder;
  ViewSettings settings;
  settings.toured = true;
  ASSERT_TRUE(save_view_settings(folder / "window", settings));
  std::filesystem::create_symlink("/dev/full", folder / "window.new");
  EXPECT_FALSE(save_view_settings(folder / "window", {}));
  EXPECT_EQ(load_view_settings(folder / "window"), settings);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(Remembered, TheWindowWritesWhatTheProgramKnows) {
  const TemporaryFolder folder;
  {
    ECHO_SCENE(scene, 1024, 640, 1.0, folder / "window");
    scene.state.opening.recent = {"/data/x.mat"};
    scene.state.presets.list.resize(1);
    scene.state.presets.list[0].name = "Mine";
    scene.state.presets.active = 0;
    scene.frames(2);
  }
  const ViewSettings read = load_view_settings(folder / "window");
  EXPECT_EQ(read.last_preset, "Mine");
  ASSERT_EQ(read.recent.recordings.size(), 1U);
  EXPECT_EQ(read.recent.recordings[0], "/data/x.mat");
}

TEST(Remembered, TheLastRecordingIsOfferedNotOpened) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  EXPECT_EQ(scene.rect("continue").width(), 0.0F);
  scene.state.opening.continue_with = "/data/a_recording_with_a_rather_long_name_of_a_file.mat";
  scene.frames(2);
  EXPECT_TRUE(scene.opened_file.empty());
  scene.click("continue");
  EXPECT_EQ(scene.opened_file, scene.state.opening.continue_with);
}

TEST(Remembered, APlaceThatNoScreenShowsIsNotTaken) {
  const ScreenArea screen{0, 0, 1920, 1080};
  EXPECT_TRUE(can_be_seen({100, 100, 1600, 900}, screen));
  EXPECT_TRUE(can_be_seen({-1400, 0, 1600, 900}, screen));
  EXPECT_FALSE(can_be_seen({-1600, 0, 1600, 900}, screen));
  EXPECT_FALSE(can_be_seen({100, -500, 1600, 900}, screen));
  EXPECT_FALSE(can_be_seen({100, 1070, 1600, 900}, screen));
}

TEST(Remembered, AWindowOfALargerScreenFitsIntoThisOne) {
  const ScreenArea screen{0, 20, 1920, 1060};
  EXPECT_EQ(fitted({100, 100, 1600, 900}, screen), (WindowPlace{100, 100, 1600, 900}));
  EXPECT_EQ(fitted({-800, 100, 1600, 900}, screen), (WindowPlace{-800, 100, 1600, 900})) << "left as it was put";
  EXPECT_EQ(fitted({300, 200, 3840, 2160}, screen), (WindowPlace{0, 20, 1920, 1060}));
  EXPECT_EQ(fitted({300, 200, 1000, 2160}, screen), (WindowPlace{300, 20, 1000, 1060}));
}

// The lessons that the tour opens show what they say, in the program's own window.

// By the tour, from F1.
void open_lesson(WindowApp& app) {
  press(app, {.key = Key::f1});
  app.turn();
  click(app, "tour_again");
  for (std::size_t i = 0; i < tour_steps().size(); ++i) {
    for (int turn = 0; turn < 3; ++turn) app.turn();
    if (app.viewer().screen().ui().rect_of("tour_lesson").width() > 0.0F) return click(app, "tour_lesson");
    press(app, {.key = Key::enter});
  }
  ADD_FAILURE() << "no lesson in the tour";
}

// Tissue of the ramp beside the point is brighter than tissue 4 mm deeper, by the phantom's 7.2 dB. The coherence
// factor makes it darker than that: a dark region that is no cyst.
TEST(Lesson, TheDarkRegionIsMadeByTheMethod) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options = script_options("sim:points");
  options.width = 1280;
  options.height = 800;
  WindowApp app(options, SurfaceKind::offscreen);
  app.begin();
  WindowState& state = app.state();
  ASSERT_TRUE(turn_until(app, [&] { return state.numbers.shown > 1; }));
  open_lesson(app);
  const auto measured_with = [&](Adaptive method) {
    return state.measured.pairs.size() == 1 && state.measured.image.params.formation.adaptive == method;
  };
  ASSERT_TRUE(turn_until(app, [&] { return measured_with(Adaptive::coherence); }));
  EXPECT_LT(state.measured.pairs[0].stats.contrast_db, -10.0);
  state.params.formation.adaptive = Adaptive::off;
  press(app, {.key = Key::right_bracket});  // any key that says that parameters changed
  ASSERT_TRUE(turn_until(app, [&] { return measured_with(Adaptive::off); }));
  EXPECT_NEAR(state.measured.pairs[0].stats.contrast_db, 7.2, 2.0);
}

}  // namespace
}  // namespace echoloop::testing::tour_test
