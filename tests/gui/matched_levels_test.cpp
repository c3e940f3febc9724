// The level-matched comparison: the pixels of B on screen, what stays as it is, what saved files hold; and the scatter
// plot of a method against delay-and-sum.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/window/window_app.h"
#include "core/units.h"
#include "gui/scene.h"
#include "gui/turning.h"
#include "measure/levels.h"
#include "support/environment_variable.h"
#include "support/picture_pixels.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::matched_levels_test {
namespace {

const Field kRamp = [](double x, double) { return static_cast<float>(-30.0 + 2.0 * x); };  // -50 to -10 dB
const Field kBent = [](double x, double) { return static_cast<float>(-70.0 + 4.0 * x + 0.1 * x * x); };  // -100 to -20
constexpr double kBentSlope = 2.0;

void compare(Scene& scene, const Grid& grid, CompareLook look) {
  scene.freeze(100, 50);
  scene.put_past(0, grid, kBent, 121);
  scene.frames(2);
  scene.state.cine.compare_look = look;
  scene.press(Key::x);
  scene.put_past(1, grid, kRamp, 121);
  scene.frames(2);
}

// Largest difference of gray between places of A and the same places of B.
int largest_difference(Scene& scene) {
  const RgbImage shot = scene.shot();
  const Rect a = scene.viewer->screen().side_a_layout().image, b = scene.viewer->screen().picture();
  int largest = 0;
  for (float share = 0.15F; share < 0.9F; share += 0.05F) {
    const float y = a.y0 + 0.6F * a.height();
    largest = std::max(largest, std::abs(gray_at(shot, a.x0 + share * a.width(), y) -
                                         gray_at(shot, b.x0 + share * b.width(), b.y0 + 0.6F * b.height())));
  }
  return largest;
}

TEST(MatchedLevels, DrawBWithTheHistogramOfA) {
  for (const bool sector : {false, true}) {
    const double degree = kRadiansPerDegree;
    const Grid grid = sector ? polar_grid({0.0, -40 * degree, 40 * degree, 5e-3, 25e-3}, 101, 101) : kSquare;
    ECHO_SCENE(scene, 1600, 900);
    compare(scene, grid, CompareLook::side_by_side);
    EXPECT_GT(largest_difference(scene), 60);
    const std::vector<float> before = scene.viewer->shown_db();
    scene.press(Key::x, false, true);
    ASSERT_TRUE(scene.state.cine.match_levels);
    EXPECT_TRUE(scene.frames_until([&] { return largest_difference(scene) <= 3; })) << largest_difference(scene);
    EXPECT_EQ(scene.viewer->shown_db(), before) << "display only";
    // Gain, range, TGC and colour map act after the map, on both alike.
    scene.state.params.display.gain_db = 6.0;
    scene.state.params.display.gamma = 1.4;
    scene.state.params.display.tgc_db = {0, 0, 3, 6, 6, 3, 0, 0};
    scene.frames(2);
    EXPECT_LE(largest_difference(scene), 4);
    scene.click("match_levels");
    EXPECT_FALSE(scene.state.cine.match_levels);
    scene.frames(2);
    EXPECT_GT(largest_difference(scene), 60);
  }
}

TEST(MatchedLevels, FollowNewImagesAndEndWithTheComparison) {
  ECHO_SCENE(scene, 1600, 900);
  compare(scene, kSquare, CompareLook::side_by_side);
  scene.click("match_levels");
  ASSERT_TRUE(scene.frames_until([&] { return largest_difference(scene) <= 3; }));
  scene.state.run = RunState::live;  // both sides move on
  scene.put_past(
      0, kSquare, [](double x, double z) { return 0.5F * kBent(x, z) - 3.0F; }, 200);
  scene.put_past(
      1, kSquare, [](double x, double z) { return kRamp(x, z) + 8.0F; }, 200);
  EXPECT_TRUE(scene.frames_until([&] { return largest_difference(scene) <= 3; })) << largest_difference(scene);
  scene.tap(Key::x);
  EXPECT_EQ(scene.rect("match_levels").width(), 0.0F);
}

// Right of the wipe line B, left of it A as ever.
TEST(MatchedLevels, OfAWipeAreOfTheRightSideOnly) {
  ECHO_SCENE(scene, 1600, 900);
  compare(scene, kSquare, CompareLook::wipe);
  const Rect r = scene.viewer->screen().picture();
  const auto at = [&](float share) { return gray_at(scene.shot(), r.x0 + share * r.width(), r.cy()); };
  const int left = at(0.3F), right = at(0.7F);
  scene.click("match_levels");
  const double x_mm = -10.0 + 0.7 * 20.0;
  const double wanted = 255.0 * (60.0 + static_cast<double>(kRamp(x_mm, 0))) / 60.0;
  EXPECT_GT(std::abs(right - wanted), 30);
  EXPECT_TRUE(scene.frames_until([&] { return std::abs(at(0.7F) - wanted) <= 3; })) << at(0.7F) << " " << wanted;
  EXPECT_EQ(at(0.3F), left);
}

TEST(MatchedLevels, AreRefusedForWeightsAndWithoutAComparison) {
  ECHO_SCENE(scene, 1600, 900);
  scene.press(Key::x, false, true);
  EXPECT_FALSE(scene.state.cine.match_levels);
  compare(scene, kSquare, CompareLook::wipe);
  scene.state.params.formation.adaptive = Adaptive::coherence;
  scene.state.params.formation.adaptive_show = AdaptiveShow::weight;
  scene.frames(1);
  scene.click("match_levels");
  EXPECT_FALSE(scene.state.cine.match_levels);
  scene.state.params.formation.adaptive_show = AdaptiveShow::image;
  scene.frames(1);
  scene.click("match_levels");
  EXPECT_TRUE(scene.state.cine.match_levels);
}

TEST(MatchedLevels, TheControlFitsFromNarrowToWide) {
  for (const auto& [width, height, scale] :
       {std::tuple{1024, 640, 1.0}, {1280, 800, 1.0}, {1600, 900, 1.0}, {3840, 2160, 2.0}}) {
    ECHO_SCENE(scene, width, height, scale);
    compare(scene, kSquare, CompareLook::wipe);
    scene.frames(2);
    std::vector<Rect> controls;
    for (const char* id :
         {"compare_look/Side by side", "compare/a", "compare/b", "match_levels", "swap", "compare_close"}) {
      controls.push_back(scene.rect(id));
      ASSERT_GT(controls.back().width(), 0.0F) << id << " " << width;
    }
    for (std::size_t i = 1; i < controls.size(); ++i)
      EXPECT_GE(controls[i].x0, controls[i - 1].x1) << i << " " << width;
    EXPECT_LE(controls.back().x1, static_cast<float>(width));
  }
}

Mark box(int number, RegionRole role, PlanePoint from, PlanePoint to) {
  return {.number = number, .kind = MarkKind::rectangle, .points = {from, to}, .role = role, .pair = 1};
}

TEST(Scatter, IsDrawnForAMethodAgainstDelayAndSumOnly) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(100, 50);
  scene.state.marks.list = {box(1, RegionRole::target, {-8e-3, 8e-3}, {-3e-3, 20e-3}),
                            box(2, RegionRole::background, {3e-3, 8e-3}, {8e-3, 20e-3})};
  scene.put_past(0, kSquare, kRamp, 121);
  scene.frames(2);
  scene.press(Key::x);
  scene.put_past(1, kSquare, kRamp, 121);
  scene.frames(2);
  const auto drawn = [&] { return scene.rect("scatter/pair 1").width() > 0.0F; };
  ASSERT_TRUE(scene.frames_until([&] { return !scene.state.measured.pairs.empty(); }));
  EXPECT_FALSE(drawn()) << "two images of delay-and-sum";
  scene.state.params.formation.adaptive = Adaptive::coherence;
  scene.put_past(
      0, kSquare, [](double x, double z) { return static_cast<float>(kBentSlope) * kRamp(x, z) - 5.0F; }, 121);
  ASSERT_TRUE(scene.frames_until(drawn));
  ASSERT_EQ(scene.state.measured.scatters.size(), 1U);
  const MeasuredScatter& scatter = scene.state.measured.scatters[0];
  EXPECT_NEAR(scatter.line.slope, kBentSlope, 1e-4);
  EXPECT_NEAR(scatter.line.intercept_db, -5.0, 1e-3);
  EXPECT_GT(scatter.line.pixels, kMostScatterPoints);
  EXPECT_LE(scatter.points.size(), kMostScatterPoints);
  EXPECT_GT(scatter.points.size(), kMostScatterPoints / 2);
  bool target = false, background = false;
  for (const ScatterPoint& p : scatter.points) {
    EXPECT_NEAR(p.method_db, kBentSlope * static_cast<double>(p.das_db) - 5.0, 1e-3);
    EXPECT_EQ(p.role, p.das_db < -30.0F ? RegionRole::target : RegionRole::background);
    target = target || p.role == RegionRole::target;
    background = background || p.role == RegionRole::background;
  }
  EXPECT_TRUE(target && background);
  // Its own colour is in the plot.
  const Rect r = scene.rect("scatter/pair 1");
  const RgbImage shot = scene.shot();
  int accent = 0;
  for (float y = r.y0; y < r.y1; ++y) {
    for (float x = r.x0; x < r.x1; ++x) {
      const auto at =
          (static_cast<std::size_t>(y) * static_cast<std::size_t>(shot.width) + static_cast<std::size_t>(x)) * 3;
      accent += shot.rgb[at] < 120 && shot.rgb[at + 2] > 190 ? 1 : 0;
    }
  }
  EXPECT_GT(accent, 100) << "the line of the regression";
  scene.state.cine.a.formation.adaptive = Adaptive::phase;
  scene.put_past(1, kSquare, kRamp, 121);
  EXPECT_TRUE(scene.frames_until([&] { return !drawn(); })) << "two methods";
}

constexpr const char* kDiverging = "simus_p42v_diverging/simus_p42v_diverging.uff";

// A saved figure names the map, its JSON says what B is matched to, and the measured numbers are those of the levels.
TEST(MatchedLevels, SavedFilesNameThemAndKeepTheNumbers) {
  ECHO_NEED_DATA(kDiverging);
  const TemporaryFolder folder;
  const Variable config("XDG_CONFIG_HOME", (folder / "config").string()),
      pictures("XDG_PICTURES_DIR", folder.path().string());
  Options options;
  options.source = (data_folder() / kDiverging).string();
  options.backend = BackendChoice::cpu;
  options.duration_s = 1e9;
  options.width = 1280;
  options.height = 800;
  options.settings = {"grid_nx=61", "grid_nz=81"};
  WindowApp app(options, SurfaceKind::offscreen);
  app.begin();
  WindowState& state = app.state();
  const auto press = [&](Key key, bool shift = false) {
    InjectedInput input;
    input.keys = {{.key = key, .shift = shift}};
    app.viewer().inject(input);
    app.turn();
  };
  ASSERT_TRUE(turn_until(app, [&] { return state.numbers.shown > 2; }));
  press(Key::space);
  ASSERT_TRUE(turn_until(app, [&] { return state.run == RunState::frozen; }));
  state.marks.list = {box(1, RegionRole::target, {-20e-3, 45e-3}, {-15e-3, 51e-3}),
                      box(2, RegionRole::background, {-4e-3, 44e-3}, {4e-3, 52e-3})};
  press(Key::x);
  state.params.formation.adaptive = Adaptive::coherence;
  const auto settled = [&] {
    return state.measured.image.params.formation.adaptive == Adaptive::coherence &&
           state.measured_a.image.number != 0 && !state.measured.scatters.empty();
  };
  ASSERT_TRUE(turn_until(app, settled));
  const double gcnr = state.measured.pairs[0].stats.gcnr, contrast_db = state.measured.pairs[0].stats.contrast_db;
  press(Key::x, true);
  ASSERT_TRUE(state.cine.match_levels);
  for (int i = 0; i < 5; ++i) app.turn();
  EXPECT_EQ(state.measured.pairs[0].stats.gcnr, gcnr);
  EXPECT_EQ(state.measured.pairs[0].stats.contrast_db, contrast_db);
  click(app, "save_menu");
  click(app, "save_format/SVG");
  press(Key::escape);
  press(Key::s);
  ASSERT_TRUE(turn_until(app, [&] { return !state.saving.last.empty(); }));
  ASSERT_FALSE(state.saving.failed) << state.saving.last;
  const auto text_of = [&](const std::string& ending) {
    std::stringstream text;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      if (entry.path().extension() == ending) text << std::ifstream(entry.path()).rdbuf();
    }
    return text.str();
  };
  const std::string figure = text_of(".svg");
  EXPECT_NE(figure.find("levels matched to A"), std::string::npos);
  const auto json = nlohmann::json::parse(text_of(".json"));
  EXPECT_TRUE(json.contains("levels_matched_to"));
  EXPECT_EQ(json["levels_matched_to"]["parameters"].value("adaptive", ""), "off");
  const nlohmann::json& pair = json["values"]["pairs"][0];
  EXPECT_EQ(pair["gcnr"].get<double>(), gcnr);
  EXPECT_EQ(pair["contrast_db"].get<double>(), contrast_db);
  EXPECT_EQ(pair["slope_against_das"].get<double>(), state.measured.scatters[0].line.slope);
  EXPECT_EQ(pair["scatter"]["das_db"].size(), state.measured.scatters[0].points.size());
}

}  // namespace
}  // namespace echoloop::testing::matched_levels_test
