// The Measure panel: numbers of images whose statistics are known, the histogram's window, what it costs.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <random>
#include <sstream>

#include "app/outputs/measured_values.h"
#include "core/units.h"
#include "gui/overlay/mask_overlay.h"
#include "gui/scene.h"
#include "gui/toolkit/theme.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::measure_test {
namespace {

Mark region(int number, RegionRole role, int pair, PlanePoint a, PlanePoint b) {
  return {.number = number, .kind = MarkKind::rectangle, .points = {a, b}, .role = role, .pair = pair};
}

// Speckle, 12 dB stronger right of the middle.
Field two_halves() {
  auto random = std::make_shared<std::mt19937>(7U);
  return [random](double x_mm, double) {
    const double even = (static_cast<double>((*random)()) + 0.5) / 4294967296.0;
    const double amplitude = std::sqrt(-2.0 * std::log(even)) * (x_mm > 0.0 ? 0.04 : 0.01);
    return static_cast<float>(20.0 * std::log10(amplitude));
  };
}

// Long enough for the next image's levels: 20 a second at most.
void settle(Scene& scene) {
  const std::int64_t end = now_ns() + 120'000'000;
  for (int i = 0; i < 8 || now_ns() < end; ++i) scene.frames(1);
}

double value_of(const Scene& scene, const char* object, const char* quantity) {
  const MeasuredValue* v = scene.state.measured.find(object, quantity);
  return v != nullptr ? v->value : NAN;
}

TEST(MeasurePanel, PairOfRegionsHasItsNumbers) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, two_halves());
  scene.state.marks.list = {region(1, RegionRole::target, 1, {0.5e-3, 6e-3}, {9.5e-3, 24e-3}),
                            region(2, RegionRole::background, 1, {-9.5e-3, 6e-3}, {-0.5e-3, 24e-3})};
  settle(scene);
  // Rayleigh against Rayleigh of four times the amplitude: gCNR at r^2 = 2 ln 16 / (1 - 1/16).
  const double r2 = 2.0 * std::log(16.0) / (1.0 - 1.0 / 16.0);
  EXPECT_NEAR(value_of(scene, "pair 1", "contrast"), 12.04, 0.3);
  EXPECT_NEAR(value_of(scene, "pair 1", "gCNR"), std::exp(-r2 / 32.0) - std::exp(-r2 / 2.0), 0.02);
  EXPECT_NEAR(value_of(scene, "pair 1", "target speckle SNR"), 1.913, 0.05);
  EXPECT_NEAR(value_of(scene, "pair 1", "background speckle SNR"), 1.913, 0.05);
  EXPECT_DOUBLE_EQ(value_of(scene, "pair 1", "target pixels"), 45 * 91);  // 0.2 mm apart, the edges half a pixel off
  EXPECT_GT(scene.rect("measure/pair 1/gCNR").width(), 100.0F);
  EXPECT_EQ(scene.rect("measure/region 1").width(), 0.0F);
  EXPECT_EQ(scene.gl_error(), 0);
}

// Pixels of the window in the theme's warning colour.
int warning_pixels(const RgbImage& shot, const Rect& in) {
  int found = 0;
  for (float y = in.y0; y < in.y1; y += 1) {
    for (float x = in.x0; x < in.x1; x += 1) {
      const Rgb c = pixel(shot, x, y);
      if (IM_COL32(c.r, c.g, c.b, 255) == theme::kWarn) ++found;
    }
  }
  return found;
}

// Left of the middle no element saw the pixels.
TEST(MeasurePanel, SaysWhatShareOfARegionHasAnEcho) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double x, double) { return x < -0.1 ? -600.0F : -30.0F; });
  scene.state.marks.list = {region(1, RegionRole::target, 1, {-4.1e-3, 6e-3}, {4.1e-3, 24e-3}),
                            region(2, RegionRole::background, 1, {0.9e-3, 6e-3}, {9e-3, 24e-3})};
  settle(scene);
  EXPECT_DOUBLE_EQ(value_of(scene, "pair 1", "target pixels"), 21 * 91);
  EXPECT_DOUBLE_EQ(value_of(scene, "pair 1", "target pixels in the region"), 41 * 91);
  EXPECT_NEAR(value_of(scene, "pair 1", "target share with an echo"), 100.0 * 21 / 41, 1e-9);
  EXPECT_NEAR(value_of(scene, "pair 1", "target area"), 41 * 91 * 0.2 * 0.2, 1e-6);
  EXPECT_DOUBLE_EQ(value_of(scene, "pair 1", "background share with an echo"), 100.0);
  // The share is a warning where it is low: the row's numbers are drawn in that colour, the background's are not.
  const Rect row = scene.rect("measure/pair 1/target share with an echo");
  ASSERT_GT(row.width(), 100.0F);
  const RgbImage shot = scene.shot();
  EXPECT_GT(warning_pixels(shot, {row.x0 + 90, row.y0, row.x0 + 148, row.y1}), 10);
  EXPECT_EQ(warning_pixels(shot, {row.x0 + 160, row.y0, row.x0 + 226, row.y1}), 0);
}

// With an adaptive method gCNR is the first row, and what the method changes follows; without one it is the last.
TEST(MeasurePanel, GcnrIsTheFirstRowWhereAMethodChangesTheOthers) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.marks.list = {region(1, RegionRole::target, 1, {0.5e-3, 6e-3}, {9.5e-3, 24e-3}),
                            region(2, RegionRole::background, 1, {-9.5e-3, 6e-3}, {-0.5e-3, 24e-3})};
  scene.put_image(kSquare, two_halves());
  settle(scene);
  const auto top = [&](const char* quantity) {
    const Rect row = scene.rect((std::string("measure/pair 1/") + quantity).c_str());
    EXPECT_GT(row.width(), 100.0F) << quantity;
    return row.y0;
  };
  EXPECT_EQ(scene.rect("changed_by_method").width(), 0.0F);
  EXPECT_GT(top("gCNR"), top("contrast"));
  scene.state.params.formation.adaptive = Adaptive::coherence;
  scene.put_image(kSquare, two_halves());
  settle(scene);
  const float note = scene.rect("changed_by_method").y0;
  EXPECT_LT(top("gCNR"), note);
  for (const char* quantity : {"target mean amplitude", "target speckle SNR", "contrast", "CNR"}) {
    EXPECT_GT(top(quantity), note) << quantity;
  }
}

TEST(MeasurePanel, AnEllipseIsARegionLikeTheOthers) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, two_halves());
  const std::vector<PlanePoint> axes = {{1e-3, 15e-3}, {9e-3, 15e-3}, {5e-3, 21e-3}};
  scene.state.marks.list = {
      {.number = 1, .kind = MarkKind::ellipse, .points = axes, .role = RegionRole::target, .pair = 1},
      region(2, RegionRole::background, 1, {-9.5e-3, 6e-3}, {-0.5e-3, 24e-3})};
  settle(scene);
  EXPECT_NEAR(value_of(scene, "pair 1", "contrast"), 12.04, 0.4);
  EXPECT_NEAR(value_of(scene, "pair 1", "target area"), kPi * 4.0 * 6.0, 1.0);
  EXPECT_NEAR(value_of(scene, "pair 1", "target speckle SNR"), 1.913, 0.1);
  EXPECT_GT(value_of(scene, "pair 1", "gCNR"), 0.7);
}

TEST(MeasurePanel, FollowsThePictureAndTheDrawing) {
  ECHO_SCENE(scene, 1024, 640);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.state.marks.list = {region(3, RegionRole::none, 0, {-5e-3, 10e-3}, {5e-3, 20e-3})};
  settle(scene);
  EXPECT_NEAR(value_of(scene, "region 3", "mean amplitude"), -20.0, 1e-4);
  scene.put_image(kSquare, [](double x, double) { return x < 2.0 ? -30.0F : -50.0F; });
  settle(scene);
  scene.state.marks.list[0].points = {{-5e-3, 10e-3}, {1e-3, 20e-3}};
  settle(scene);
  EXPECT_NEAR(value_of(scene, "region 3", "mean amplitude"), -30.0, 1e-4);
  EXPECT_NEAR(value_of(scene, "region 3", "area"), 31 * 51 * 0.2 * 0.2, 1e-6);
  const std::vector<float>& trend = scene.state.measured.find("region 3", "mean amplitude")->trend;
  ASSERT_EQ(trend.size(), static_cast<std::size_t>(kTrendSteps));
  EXPECT_TRUE(std::isnan(trend.front()));
  EXPECT_NEAR(trend.back(), -30.0F, 1e-3F);
  scene.state.marks.list.clear();
  scene.frames(2);
  EXPECT_TRUE(scene.state.measured.values.empty());
}

TEST(MeasurePanel, PointAndProfileOnASector) {
  ECHO_SCENE(scene, 1600, 900);
  const Grid fan =
      polar_grid({.apex_z_m = 0, .angle0_rad = -0.6, .angle1_rad = 0.6, .r0_m = 5e-3, .r1_m = 45e-3}, 241, 401);
  scene.put_image(fan, [](double x, double z) {
    const double across = 24.0 * std::pow(x - 3.0, 2) / std::pow(1.2, 2), along = 24.0 * std::pow(z - 30.0, 2) / 0.36;
    return static_cast<float>(std::max(-60.0, -5.0 - across - along));
  });
  scene.state.marks.list = {{.number = 4, .kind = MarkKind::point, .points = {{3.3e-3, 29.6e-3}}},
                            {.number = 5, .kind = MarkKind::profile, .points = {{-3e-3, 30e-3}, {9e-3, 30e-3}}},
                            {.number = 6, .kind = MarkKind::point, .points = {{0.2, 0.2}}}};
  settle(scene);
  EXPECT_NEAR(value_of(scene, "point 4", "x"), 3.0, 0.02);
  EXPECT_NEAR(value_of(scene, "point 4", "z"), 30.0, 0.02);
  EXPECT_NEAR(value_of(scene, "point 4", "lateral width at -6 dB"), 1.2, 0.04);
  EXPECT_NEAR(value_of(scene, "point 4", "axial width at -6 dB"), 0.6, 0.02);
  ASSERT_EQ(scene.state.measured.profiles.size(), 1U);
  const LineProfile& profile = scene.state.measured.profiles[0].profile;
  EXPECT_NEAR(profile.at_m.back(), 12e-3, 1e-9);
  const auto peak = std::max_element(profile.level_db.begin(), profile.level_db.end()) - profile.level_db.begin();
  EXPECT_NEAR(profile.at_m[static_cast<std::size_t>(peak)], 6e-3, 0.1e-3);
  EXPECT_TRUE(std::isnan(value_of(scene, "point 6", "x")));
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(MeasurePanel, NothingIsReadWhileNothingIsMeasured) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, two_halves());
  settle(scene);
  EXPECT_EQ(scene.state.measured.image.number, 0U);
  EXPECT_EQ(scene.rect("save_measurements").width(), 0.0F);
  scene.state.marks.list = {region(1, RegionRole::none, 0, {-5e-3, 10e-3}, {5e-3, 20e-3})};
  settle(scene);
  EXPECT_EQ(scene.state.measured.image.number, 1U);
  scene.click("save_measurements");
  EXPECT_EQ(scene.saved, std::vector<SaveWhat>{SaveWhat::measurements});
  scene.click("close_measure");  // no more numbers
  scene.frames(2);
  EXPECT_EQ(scene.state.measured.image.number, 0U);
}

TEST(MeasurePanel, EverythingItShowsIsInTheFile) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double x, double z) {
    return static_cast<float>(std::max(-70.0, -3.0 - 24.0 * (x * x + (z - 12.0) * (z - 12.0))));
  });
  scene.state.marks.list = {region(1, RegionRole::target, 1, {2e-3, 8e-3}, {6e-3, 14e-3}),
                            region(2, RegionRole::background, 1, {-6e-3, 8e-3}, {-2e-3, 14e-3}),
                            {.number = 3, .kind = MarkKind::point, .points = {{0.4e-3, 12e-3}}},
                            {.number = 4, .kind = MarkKind::profile, .points = {{-5e-3, 12e-3}, {5e-3, 12e-3}}}};
  scene.state.marks.last_number = 4;
  scene.frames(2);
  scene.click("histogram_head");
  settle(scene);
  std::istringstream text(measurements_csv(scene.state.measured, "# source: a test\n"));
  std::string line;
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_EQ(line, "# source: a test");
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_EQ(line, "table,object,quantity,unit,at,at_unit,value");
  std::map<std::string, int> rows;
  double width_mm = 0.0, pixels = 0.0;
  while (std::getline(text, line)) {
    ASSERT_EQ(std::count(line.begin(), line.end(), ','), 6) << line;
    ++rows[line.substr(0, line.find(','))];
    const double value = std::stod(line.substr(line.rfind(',') + 1));
    if (line.starts_with("now,point 3,lateral width at -6 dB,mm,,,")) width_mm = value;
    if (line.starts_with("histogram,picture,pixels,,")) pixels += value;
  }
  EXPECT_NEAR(width_mm, 1.0, 0.05);
  EXPECT_EQ(pixels, 101.0 * 101.0);
  EXPECT_GT(rows["now"], 20);
  EXPECT_GE(rows["trend"], rows["now"]);
  EXPECT_GT(rows["curve"], 100 + 20);
}

// Labels 1 left and 2 right of x = 0 below z = 15 mm.
LabelMaskPtr two_labels(const Grid& grid) {
  std::vector<std::uint8_t> labels;
  for (int iz = 0; iz < grid.nz; ++iz)
    for (int ix = 0; ix < grid.nx; ++ix)
      labels.push_back(grid.point(ix, iz).z_m < 15e-3 ? 0 : grid.point(ix, iz).x_m < 0.0 ? 1 : 2);
  return make_label_mask(std::move(labels), grid, grid, {"vessel", "wall of it"});
}

TEST(MeasurePanel, MaskHasItsAreasAndColours) {
  for (const Grid& grid :
       {kSquare, polar_grid({.angle0_rad = -0.5, .angle1_rad = 0.5, .r0_m = 5e-3, .r1_m = 25e-3}, 101, 201)}) {
    ECHO_SCENE(scene, 1600, 900);
    scene.mask = two_labels(grid);
    const auto black = [](double, double) { return -90.0F; };
    scene.put_image(grid, black);
    scene.frames(2);
    const ImageLayout& l = scene.viewer->screen().image_layout();
    const auto at = [&](double x_m) { return pixel(scene.shot(), l.x_px(x_m), l.z_px(20e-3)); };
    const Rgb one = at(-3e-3), two = at(3e-3), first = label_color(1), second = label_color(2);
    EXPECT_NEAR(one.r, 0.4 * first.r, 2);
    EXPECT_NEAR(one.b, 0.4 * first.b, 2);
    EXPECT_NEAR(two.b, 0.4 * second.b, 2);
    ViewSettings view = scene.viewer->settings();
    view.is_open("measure", false) = true;
    scene.viewer->restore_view(view);
    ASSERT_TRUE(scene.frames_until([&] { return scene.state.measured.find("mask vessel", "area") != nullptr; }));
    // A pixel counts whole if its centre is inside.
    const double area_mm2 = grid.polar() ? 0.5 * 0.5 * 25.0 * 25.0 - 0.5 * 15.0 * 15.0 * std::tan(0.5) : 100.0;
    EXPECT_NEAR(value_of(scene, "mask vessel", "area"), area_mm2, 0.05 * area_mm2);
    EXPECT_NEAR(value_of(scene, "mask wall of it", "area"), area_mm2, 0.05 * area_mm2);
    scene.frames(2);
    EXPECT_GT(scene.rect("measure/mask vessel/area").width(), 100.0F);
    EXPECT_NE(measurements_csv(scene.state.measured, "").find("now,mask vessel,area,mm2,,,"), std::string::npos);

    scene.state.params.display.mask_opacity = 0.0;
    scene.frames(2);
    EXPECT_TRUE(is_gray(at(-3e-3)));
    scene.state.params.display.mask_opacity = 1.0;
    scene.mask = nullptr;  // of another frame
    scene.put_image(grid, black);
    ASSERT_TRUE(scene.frames_until([&] { return is_gray(at(-3e-3)); }));
    ASSERT_TRUE(scene.frames_until([&] { return scene.state.measured.values.empty(); }));
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

TEST(MeasurePanel, MasksOfAComparisonAreThoseOfTheirSides) {
  ECHO_SCENE(scene, 1600, 900);
  const auto black = [](double, double) { return -90.0F; };
  scene.put_image(kSquare, black);
  scene.freeze(20, 50);
  scene.state.cine.compare = true;
  scene.state.cine.compare_look = CompareLook::side_by_side;
  scene.state.cine.a = scene.state.params;
  scene.mask = two_labels(kSquare);
  scene.put_past(1, kSquare, black);
  scene.mask = nullptr;
  scene.put_past(0, kSquare, black);
  scene.frames(3);
  const ImageLayout& a = scene.viewer->screen().side_a_layout();
  const ImageLayout& b = scene.viewer->screen().image_layout();
  ASSERT_GT(a.image.width(), 0.0F);
  const RgbImage shot = scene.shot();
  EXPECT_FALSE(is_gray(pixel(shot, a.x_px(-3e-3), a.z_px(20e-3))));
  EXPECT_TRUE(is_gray(pixel(shot, b.x_px(-3e-3), b.z_px(20e-3))));
}

TEST(MeasurePanel, HistogramsWindowCanBeDragged) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double x, double) { return x < 0.0 ? -20.5F : -40.5F; });
  scene.frames(2);
  scene.click("dock/measure");
  scene.click("histogram_head");
  settle(scene);
  ASSERT_TRUE(scene.state.measured.histogram);
  const LevelHistogram& h = *scene.state.measured.histogram;
  const auto count_at = [&](double db) { return h.counts[static_cast<std::size_t>(db - h.first_db)]; };
  EXPECT_EQ(count_at(-21), 50U * 101U);
  EXPECT_EQ(count_at(-41), 51U * 101U);
  // -90 .. 10 dB over the plot's width: 0 dB at 0.9 of it, -60 dB at 0.3.
  scene.drag("histogram", 0.3F, 0.5F);
  EXPECT_NEAR(scene.state.params.display.dynamic_range_db, 40.0, 1.01);
  EXPECT_DOUBLE_EQ(scene.state.params.display.gain_db, 0.0);
  scene.drag("histogram", 0.9F, 0.8F);
  EXPECT_NEAR(scene.state.params.display.dynamic_range_db, 30.0, 1.01);
  EXPECT_NEAR(scene.state.params.display.gain_db, 10.0, 1.01);
  const double range = scene.state.params.display.dynamic_range_db;
  scene.drag("histogram", 0.65F, 0.55F);
  EXPECT_NEAR(scene.state.params.display.gain_db, 20.0, 2.01);
  EXPECT_DOUBLE_EQ(scene.state.params.display.dynamic_range_db, range);
  EXPECT_GT(scene.params_changed, 2);
  scene.click("histogram", true);
  EXPECT_DOUBLE_EQ(scene.state.params.display.dynamic_range_db, scene.state.defaults.display.dynamic_range_db);
  EXPECT_DOUBLE_EQ(scene.state.params.display.gain_db, scene.state.defaults.display.gain_db);
}

// The UI thread's own time in a window frame, the image's way into its texture included.
double frame_ms(Scene& scene, const Grid& grid, const Field& field) {
  const auto spent_ns = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
  };
  const std::int64_t rested_ns = now_ns() + 700'000'000;  // since anything was touched
  while (now_ns() < rested_ns) scene.viewer->frame(scene.state);
  double sum_ns = 0.0;
  constexpr int kFrames = 40;
  for (int i = 0; i < kFrames; ++i) {
    scene.put_image(grid, field);
    const double before_ns = spent_ns();
    scene.viewer->frame(scene.state);
    sum_ns += spent_ns() - before_ns;
  }
  return sum_ns / kFrames * 1e-6;
}

TEST(MeasurePanel, CostsLittle) {
  ECHO_SCENE(scene, 1600, 900);
  const Field field = [](double x, double z) { return static_cast<float>(-40.0 + 20.0 * std::sin(9.0 * x * z)); };
  Grid grid = kSquare;
  grid.nx = 400;
  grid.nz = 1000;
  const double empty_ms = frame_ms(scene, grid, field);
  scene.state.marks.list = {region(1, RegionRole::target, 1, {2e-3, 8e-3}, {6e-3, 14e-3}),
                            region(2, RegionRole::background, 1, {-6e-3, 8e-3}, {-2e-3, 14e-3}),
                            {.number = 3, .kind = MarkKind::point, .points = {{1e-3, 20e-3}}},
                            {.number = 4, .kind = MarkKind::profile, .points = {{-5e-3, 20e-3}, {5e-3, 20e-3}}}};
  scene.frames(2);
  scene.click("histogram_head");
  const double full_ms = frame_ms(scene, grid, field);
  std::printf("UI thread: %.2f ms a frame with an empty panel, %.2f ms with a full one\n", empty_ms, full_ms);
  EXPECT_LT(full_ms - empty_ms, 40.0);  // far above what it takes, for busy machines
}

}  // namespace
}  // namespace echoloop::testing::measure_test
