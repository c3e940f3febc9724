// Words where there is little room for them: messages beside an error, long names in menus and tooltips, images of
// many transmits.
#include "gui/docks/docks.h"
#include "gui/scene.h"
#include "source/phantom_text.h"

namespace echoloop::testing::words_test {
namespace {

// An image that was saved says so, although an error of before still stands there; then the error is back.
TEST(MessageLine, NewsComeBeforeAnOldError) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.notices.messages.clear();
  scene.state.notices.messages.post({Severity::error, "14:31:00", "An error."});
  scene.frames(2);
  const auto error_shown = [&] { return scene.rect("dismiss").width() > 0.0F; };
  ASSERT_TRUE(error_shown());
  scene.state.notices.messages.post({Severity::info, "14:32:07", "Saved picture.png"});
  scene.frames(1);
  EXPECT_FALSE(error_shown());
  EXPECT_TRUE(scene.viewer->wants_frame()) << "nobody else would bring the error back";
  EXPECT_TRUE(scene.frames_until(error_shown));
  scene.state.notices.messages.post({Severity::error, "14:33:00", "Another one."});
  scene.frames(1);
  EXPECT_TRUE(error_shown());
}

const std::string kLongName = []() {
  std::string name;
  for (int i = 0; i < 8; ++i) name += "recording_of_a_long_day_";
  return name + ".uff";
}();

// Whether the pixel is neither the image's ground nor a panel's: of a tooltip or a menu.
bool differs(const RgbImage& a, const RgbImage& b, int x, int y) {
  const auto i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(a.width) + static_cast<std::size_t>(x));
  for (std::size_t k = i; k < i + 3; ++k) {
    if (std::abs(a.rgb[k] - b.rgb[k]) > 2) return true;
  }
  return false;
}

int rightmost_change(const RgbImage& a, const RgbImage& b, int y0, int y1) {
  for (int x = a.width - 1; x >= 0; --x) {
    for (int y = y0; y < y1; ++y) {
      if (differs(a, b, x, y)) return x;
    }
  }
  return -1;
}

TEST(LongNames, StayWithinMenus) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.opening.recent = {"/data/" + kLongName, "/data/a.uff", "/more/a.uff"};
  scene.frames(2);
  scene.click("source_menu");
  scene.frames(2);
  // After the phantoms and "Open recording".
  const std::string first_recent = "source_menu/" + std::to_string(phantoms().size() + 1);
  const Rect line = scene.rect(first_recent);
  ASSERT_GT(line.width(), 0.0F);
  EXPECT_LT(line.width(), 480.0F);
  scene.click(first_recent);
  EXPECT_EQ(scene.opened_file, "/data/" + kLongName);
}

TEST(LongNames, BreakInTooltips) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.source.name = kLongName;
  scene.frames(2);
  scene.move(800, 500);
  const Rect facts = scene.rect("source_facts");
  ASSERT_GT(facts.width(), 0.0F);
  const RgbImage before = scene.shot();
  scene.move(facts.cx(), facts.cy());
  const auto rightmost = [&] {
    return rightmost_change(before, scene.shot(), static_cast<int>(facts.y1) + 8, static_cast<int>(facts.y1) + 60);
  };
  ASSERT_TRUE(scene.frames_until([&] { return rightmost() > static_cast<int>(facts.x0) + 100; })) << "a tooltip";
  scene.frames(2);
  const int right = rightmost();
  EXPECT_LT(right, static_cast<int>(facts.x0) + 360) << "not wider than one may be";
}

TEST(SourcePanel, ItsTwoChecksStandApartInANarrowWindow) {
  for (const double scale : {1.0, 1.5}) {
    ECHO_SCENE(scene, static_cast<int>(1024 * scale), static_cast<int>(768 * scale), scale);
    scene.frames(2);
    if (scene.rect("pause").width() == 0.0F) scene.click("panel_source");
    scene.frames(2);
    const Rect pause = scene.rect("pause"), loop = scene.rect("loop");
    ASSERT_GT(pause.width(), 0.0F);
    const RgbImage shot = scene.shot();
    int light = 0;  // of words in the gap before the second box
    for (int y = static_cast<int>(pause.y0); y < static_cast<int>(pause.y1); ++y) {
      for (int x = static_cast<int>(loop.x0 - 8 * scale); x < static_cast<int>(loop.x0 - scale); ++x) {
        light += shot.rgb[static_cast<std::size_t>(y * shot.width + x) * 3] > 90 ? 1 : 0;
      }
    }
    EXPECT_EQ(light, 0) << scale;
    EXPECT_LE(loop.x1, scene.rect("panel_source").x1 + 1);
    scene.state.source.live = true;  // longer words, and nothing to repeat
    scene.frames(2);
    EXPECT_LE(scene.rect("pause").x1, scene.rect("panel_source").x1 + 1);
    EXPECT_EQ(scene.rect("loop").width(), 0.0F);
  }
}

// On the smallest projector, with flow: the way back is read, and no part of the caption lies under it.
TEST(Presentation, TheCaptionKeepsClearOfTheWayBack) {
  ECHO_SCENE(scene, 1024, 640);
  scene.state.params.color_flow.mode = FlowMode::power;
  scene.put_image({.x0_m = -5e-3, .x1_m = 5e-3, .z0_m = 2e-3, .z1_m = 38e-3, .nx = 50, .nz = 180},
                  [](double, double) { return -30.0F; });
  scene.put_flow(
      {.x0_m = -5e-3, .x1_m = 5e-3, .z0_m = 2e-3, .z1_m = 38e-3, .nx = 50, .nz = 180},
      [](double, double) { return -20.0F; }, [](double, double) { return 0.0F; });
  scene.state.source.name = "A source with a long name";
  scene.frames(2);
  scene.tap(Key::f5);
  const RgbImage shot = scene.shot();
  const auto bright_between = [&](int x0, int x1, int least) {
    int count = 0;
    for (int y = 640 - 176; y < 640 - 112; ++y) {  // above the touch strip
      for (int x = x0; x < x1; ++x) {
        count += shot.rgb[static_cast<std::size_t>(y * shot.width + x) * 3] > least ? 1 : 0;
      }
    }
    return count;
  };
  EXPECT_GT(bright_between(1024 - 240, 1020, 100), 100) << "the way back";
  EXPECT_EQ(bright_between(1024 - 240, 1020, 180), 0) << "the caption is brighter";
  EXPECT_GT(bright_between(24, static_cast<int>(scene.viewer->screen().picture().x0) - 10, 180), 50)
      << "it begins further left instead";
}

TEST(RecentNames, TellTheFolderWhereTwoAreAlike) {
  const std::vector<std::filesystem::path> recent = {"/monday/rf.npy", "/tuesday/rf.npy", "/tuesday/disk.mat"};
  const auto names = recent_names(recent);
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0].name, "rf.npy");
  EXPECT_EQ(names[0].folder, "monday");
  EXPECT_EQ(names[1].folder, "tuesday");
  EXPECT_EQ(names[2].folder, "");
}

TEST(Tiles, AllAreSeenWhereThereIsRoom) {
  constexpr float kCaption = 16, kGap = 6, kLeast = 44, kTall = 2;
  const Rect room{0, 0, 300, 190};
  for (const int count : {1, 2, 3, 4, 6}) {
    const Tiles t = lay_out_tiles(room, count, kTall, kCaption, kGap, kLeast);
    const int rows = (count + t.across - 1) / t.across;
    EXPECT_GE(t.width, kLeast) << count;
    EXPECT_LE(static_cast<float>(t.across) * (t.width + kGap) - kGap, room.width()) << count;
    EXPECT_LE(static_cast<float>(rows) * t.row - kGap, room.height()) << count << " pictures need " << rows << " rows";
  }
  EXPECT_LE(lay_out_tiles({0, 0, 700, 190}, 3, kTall, kCaption, kGap, kLeast).width, 88.0F) << "no empty sides";
  const Tiles few = lay_out_tiles(room, 1, kTall, kCaption, kGap, kLeast);
  const Tiles many = lay_out_tiles(room, 75, kTall, kCaption, kGap, kLeast);
  EXPECT_GT(few.width, many.width);
  EXPECT_GE(many.width, kLeast);
  EXPECT_LE(many.height + kCaption, room.height()) << "a whole one";
}

}  // namespace
}  // namespace echoloop::testing::words_test
