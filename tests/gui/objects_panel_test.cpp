// The objects panel: its table, what its buttons do to the display, its file, and that it fits its column.
#include <cmath>
#include <cstdio>
#include <sstream>

#include "app/outputs/measured_values.h"
#include "gui/gl/surface.h"
#include "gui/objects_scene.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/panels/panels.h"
#include "gui/stream_scene.h"

namespace echoloop::testing::objects_panel_test {
namespace {

TEST(Objects, AnEmptyTableNamesTheReason) {
  const auto found = std::make_shared<ObjectImage>();
  ObjectView view;
  view.image = found;
  EXPECT_EQ(empty_table_text(view), "No pixels beyond the threshold.");
  found->found = 11;
  EXPECT_EQ(empty_table_text(view), "No object of the minimum area.");
}

TEST(Objects, ALongTableScrollsByItself) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.objects.kind = ObjectKind::bright;
  scene.put_image(kSquare, gray);
  scene.frames(1);
  scene.put_objects(kSquare, [](double x, double z) {  // 6 x 6 boxes
    const double u = x + 10.0, v = z - 5.0;
    const int i = static_cast<int>(u / 3.3), k = static_cast<int>(v / 3.3);
    return i < 6 && k < 6 && u - 3.3 * i < 2.0 + 0.01 * i && v - 3.3 * k < 2.0 ? 1 + 6 * k + i : 0;
  });
  scene.frames(2);
  ASSERT_EQ(scene.state.analyses.of<ObjectView>().count(), 36);
  open_panel(scene);
  reveal(scene, "object/5");
  const auto drawn = [&](int n) { return scene.rect("object/" + std::to_string(n)).width() > 0.0F; };
  EXPECT_TRUE(drawn(1));
  EXPECT_FALSE(drawn(20));
  const Rect row = scene.rect("object/5");
  turn_wheel(scene, row.cx(), row.cy(), -4.0F);
  EXPECT_FALSE(drawn(1));
  EXPECT_EQ(scene.rect("panel_objects").width() > 0.0F, true);
  const FoundObject& last = scene.state.analyses.of<ObjectView>().object(36);
  click_mm(scene, last.centroid.x_m * 1e3, last.centroid.z_m * 1e3);
  EXPECT_EQ(scene.state.objects.selected, 36);
  EXPECT_TRUE(drawn(36)) << "the table shows what was selected in the picture";
}

TEST(Objects, ButtonsSetTheDisplayOnceAndCanBeUndone) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  open_panel(scene);
  const ImagingParams before = scene.state.params;
  reveal(scene, "reject_background");
  scene.click("reject_background");
  EXPECT_DOUBLE_EQ(scene.state.params.display.reject_db, -40.0);  // -50 + 2 * 5
  EXPECT_GT(scene.params_changed, 0);
  EXPECT_FALSE(scene.said.empty());
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, before);
  scene.click("fit_window");
  EXPECT_DOUBLE_EQ(scene.state.params.display.gain_db, 10.0);           // up to -10 dB
  EXPECT_DOUBLE_EQ(scene.state.params.display.dynamic_range_db, 44.0);  // from -49 - 5
  const ImagingParams fitted = scene.state.params;
  scene.put_objects(kSquare, [](double, double) { return 1; });
  scene.frames(3);
  EXPECT_EQ(scene.state.params, fitted) << "never by itself";
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, before);
}

TEST(Objects, RangeOfDarkOnesKeepsTissueGray) {
  ImagingParams p;
  p.objects.kind = ObjectKind::dark;
  LevelHistogram h{.first_db = -120.0, .step_db = 0.5, .counts = std::vector<std::uint32_t>(320)};
  h.counts[200] = 5;
  const Background b{.median_db = -40.0, .mean_db = -40.5, .sigma_db = 5.0, .pixels = 1000};
  fit_window(p, b, h);
  EXPECT_DOUBLE_EQ(p.display.gain_db, 19.0);  // the bin from -20 to -19.5 dB, and on to whole ones
  EXPECT_DOUBLE_EQ(p.display.gain_db + p.display.dynamic_range_db, 60.0);
  EXPECT_DOUBLE_EQ(brightest_db({.first_db = -120.0, .step_db = 0.5, .counts = {0, 0}}), -120.0);
  fit_window(p, {.median_db = -200.0, .sigma_db = 1.0, .pixels = 1}, h);
  EXPECT_DOUBLE_EQ(p.display.dynamic_range_db, 120.0) << "within its limits";
}

// In a saved image: the accent on the pixels' edges, nothing far from them; also where there is no mark.
TEST(Objects, AreDrawnIntoSavedPictures) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  RgbImage picture{.width = 101, .height = 101, .rgb = std::vector<std::uint8_t>(101 * 101 * 3, 60)};
  draw_marks_in(picture, kSquare, {}, overlays_of(scene.state.analyses));
  const int times = picture.width / 101;  // enlarged
  ASSERT_GT(times, 1);
  const auto blue_over_red = [&](double x_mm, double z_mm) {
    const auto place = [&](double from_first_mm) {
      return static_cast<int>(std::lround(from_first_mm / 0.2 * times + 0.5 * (times - 1)));
    };
    const std::size_t at = 3 * static_cast<std::size_t>(place(z_mm - 5.0) * picture.width + place(x_mm + 10.0));
    return picture.rgb[at + 2] - picture.rgb[at];
  };
  for (double z = 10.5; z < 14.9; z += 0.5) {
    EXPECT_GT(blue_over_red(-6.1, z), 60) << z;
    EXPECT_EQ(blue_over_red(-4.0, z), 0) << z;
    EXPECT_EQ(blue_over_red(-8.0, z), 0) << z;
  }
  const std::vector<std::uint8_t> before(101 * 101 * 3, 60);
  RgbImage bare{.width = 101, .height = 101, .rgb = before};
  draw_marks_in(bare, kSquare, {}, overlays_of(AnalysisViews()));
  EXPECT_EQ(bare.rgb, before);
}

TEST(Objects, CsvHasTheTableTheBackgroundAndTheThreshold) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  std::istringstream text(objects_csv(scene.state.analyses.of<ObjectView>()));
  std::string line, comments;
  while (std::getline(text, line) && line.starts_with("#")) comments += line + "\n";
  EXPECT_NE(comments.find("mean -50 dB, sigma 5 dB"), std::string::npos);
  EXPECT_NE(comments.find("# threshold: above -44 dB"), std::string::npos);
  EXPECT_NE(comments.find("# objects: 3, and 4 below the minimum area"), std::string::npos);
  EXPECT_EQ(line, "number,area_mm2,x_mm,z_mm,mean_db,pixels,ix0,ix1,iz0,iz1");
  std::getline(text, line);
  double area = 0, x = 0, z = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "1,%lf,%lf,%lf,-20,546,", &area, &x, &z), 3) << line;
  EXPECT_NEAR(area, 21 * 26 * 0.04, 1e-6);
  EXPECT_NEAR(x, -4.0, 1e-6);
  EXPECT_NEAR(z, 12.5, 1e-6);
}

class ObjectsPanel : public ::testing::TestWithParam<WindowSize> {};

TEST_P(ObjectsPanel, FitsItsColumnAndChangesWhatItSays) {
  const WindowSize size = GetParam();
  ECHO_SCENE(scene, size.width, size.height, size.scale);
  show(scene);
  scene.state.params.objects.kind = ObjectKind::off;
  scene.frames(1);
  open_panel(scene);
  EXPECT_EQ(scene.rect("structure_kappa").width(), 0.0F) << "off: nothing to set";
  scene.click("structure/Dark");
  EXPECT_EQ(scene.state.params.objects.kind, ObjectKind::dark);
  EXPECT_EQ(scene.params_changed, 1);
  EXPECT_EQ(scene.rect("background_plot").width(), 0.0F) << "nothing was found yet";
  scene.put_objects(kSquare, boxes);
  scene.frames(2);
  const Rect column = scene.rect("panel_objects");
  for (const char* id : {"structure_smooth_m", "structure_kappa", "structure_sigmas", "structure_area_m2",
                         "background_plot", "background", "background_kept", "structure_threshold", "reject_background",
                         "fit_window", "objects_made", "objects_age", "object/1", "object/3", "save_objects"}) {
    const Rect r = scene.rect(id);
    EXPECT_GT(r.width(), 0.0F) << id;
    EXPECT_GE(r.x0, column.x0 - 0.5F) << id;
    EXPECT_LE(r.x1, column.x1 + 0.5F) << id;
  }
  for (const char* id : {"structure_smooth_m", "structure_kappa", "structure_sigmas", "structure_area_m2"}) {
    const ImagingParams before = scene.state.params;
    reveal(scene, id);
    scene.drag(id, 0.4F, 0.8F);
    EXPECT_FALSE(scene.state.params == before) << id;
  }
  reveal(scene, "panel_objects");
  scene.click("objects_explain");
  reveal(scene, "save_objects");
  scene.click("save_objects");
  ASSERT_EQ(scene.saved_tables.size(), 1U);
  EXPECT_EQ(scene.saved_tables[0].suffix, "_objects");
  EXPECT_EQ(scene.saved_tables[0].rows, objects_csv(scene.state.analyses.of<ObjectView>()));
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ObjectsPanel,
                         ::testing::Values(WindowSize{1024, 640, 1.0}, WindowSize{1600, 900, 1.0},
                                           WindowSize{3840, 2160, 2.0}));

}  // namespace
}  // namespace echoloop::testing::objects_panel_test
