// Objects in the window: their outlines on the pixels' edges at any zoom, which picture they belong to, the table and
// the picture pointing at each other, what the buttons do to the display.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "app/objects_csv.h"
#include "gui/background_window.h"
#include "gui/scene.h"
#include "gui/stream_scene.h"

namespace echoloop::testing {
namespace {

Rgb pixel(const RgbPicture& p, float x, float y) {
  const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
  const std::size_t at = (row * static_cast<std::size_t>(p.width) + column) * 3;
  return {p.rgb[at], p.rgb[at + 1], p.rgb[at + 2]};
}

// How many of the pixels around a place have the accent's colour.
int accents(Scene& scene, const RgbPicture& shot, double x_mm, double z_mm, int reach) {
  const PictureLayout& l = scene.viewer->picture_layout();
  int n = 0;
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      const Rgb c =
          pixel(shot, l.x_px(x_mm * 1e-3) + static_cast<float>(dx), l.z_px(z_mm * 1e-3) + static_cast<float>(dy));
      n += c.b > c.r + 50 && c.g > c.r + 40 ? 1 : 0;
    }
  }
  return n;
}

float gray(double, double) { return -30.0F; }

// Three boxes: 2 is the largest, then 3, then 1. Pixels of kSquare are 0.2 mm wide.
int boxes(double x, double z) {
  const auto in = [&](double x0, double x1, double z0, double z1) {
    return x > x0 - 0.05 && x < x1 + 0.05 && z > z0 - 0.05 && z < z1 + 0.05;
  };
  return in(5, 6, 7, 8) ? 1 : in(-6, -2, 10, 15) ? 2 : in(2, 5, 18, 20) ? 3 : 0;
}

void show(Scene& scene, Structure mode = Structure::bright) {
  scene.state.params.structure = mode;
  scene.put_image(kSquare, gray);
  scene.frames(1);
  scene.put_structure(kSquare, boxes);
  scene.frames(2);
}

// Opens the panel, wherever the column has it.
void open_panel(Scene& scene) {
  for (const char* panel : {"panel_source", "panel_formation", "panel_display", "panel_objects"}) {
    const bool open = std::string(panel) != "panel_objects";
    const char* inside = panel == std::string("panel_source")      ? "phantom/Points"
                         : panel == std::string("panel_formation") ? "recipe/Course"
                         : panel == std::string("panel_display")   ? "dynamic_range_db"
                                                                   : "structure/Off";
    if ((scene.viewer->control_rect(inside).width() > 0.0F) == open) scene.click(panel);
  }
}

void put_mouse(Scene& scene, double x_mm, double z_mm, bool left) {
  const PictureLayout& l = scene.viewer->picture_layout();
  InjectedInput input;
  input.mouse_x = l.x_px(x_mm * 1e-3);
  input.mouse_y = l.z_px(z_mm * 1e-3);
  input.left = left;
  scene.viewer->inject(input);
  scene.frames(2);
}

void click_mm(Scene& scene, double x_mm, double z_mm) {
  for (const bool left : {false, true, false}) put_mouse(scene, x_mm, z_mm, left);
  scene.frames(1);
}

TEST(Objects, OutlinesLieOnTheEdgesOfPixelsAtAnyZoomAndScale) {
  for (const double scale : {1.0, 2.0}) {
    ECHO_SCENE(scene, static_cast<int>(1600 * scale), static_cast<int>(900 * scale), scale);
    for (const double logical_px_per_m : {0.0, 60e3, 400e3}) {
      if (logical_px_per_m > 0.0) {
        scene.state.pan_zoom = {.fitted = false, .centre = {-6.1e-3, 12e-3}, .logical_px_per_m = logical_px_per_m};
      }
      show(scene);
      const RgbPicture shot = scene.shot();
      const double off_mm = 7e3 * scale / scene.viewer->picture_layout().px_per_m;
      for (const double z : {11.5, 12.0, 12.5}) {  // in sight at every zoom, beside no number
        EXPECT_GE(accents(scene, shot, -6.1, z, 1), 3) << z << " at " << logical_px_per_m;
        EXPECT_EQ(accents(scene, shot, -6.1 - off_mm, z, 2), 0) << z << " at " << logical_px_per_m;
        EXPECT_EQ(accents(scene, shot, -6.1 + off_mm, z, 2), 0) << z << " at " << logical_px_per_m;
      }
    }
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

TEST(Objects, LieInPlaceOverASector) {
  ECHO_SCENE(scene, 1600, 900);
  const Grid fan =
      polar_grid({.apex_z_m = -5e-3, .angle0_rad = -0.5, .angle1_rad = 0.5, .r0_m = 8e-3, .r1_m = 35e-3}, 401, 401);
  scene.state.params.structure = Structure::dark;
  scene.put_image(fan, gray);
  scene.frames(1);
  scene.put_structure(fan, [](double x, double z) { return std::hypot(x - 3.0, z - 18.0) < 4.0 ? 1 : 0; });
  scene.frames(2);
  const RgbPicture shot = scene.shot();
  for (double angle = 0.3; angle < 6.2; angle += 0.5) {
    const auto at = [&](double r) {
      return accents(scene, shot, 3.0 + r * std::cos(angle), 18.0 + r * std::sin(angle), 2);
    };
    EXPECT_GT(at(4.0), 2) << angle;
    EXPECT_EQ(at(3.4), 0) << angle;
    EXPECT_EQ(at(4.6), 0) << angle;
  }
}

TEST(Objects, BelongToThePictureOnScreen) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  ASSERT_NE(scene.state.structure.image, nullptr);
  EXPECT_EQ(scene.state.structure.count(), 3);
  scene.state.params.structure = Structure::dark;  // those of before are not what is looked for now
  scene.frames(1);
  EXPECT_EQ(scene.state.structure.image, nullptr);
  show(scene, Structure::dark);
  EXPECT_NE(scene.state.structure.image, nullptr);
  Grid other = kSquare;
  other.nx = 51;
  scene.put_image(other, gray);  // other pixels
  scene.frames(1);
  EXPECT_EQ(scene.state.structure.image, nullptr);
  show(scene, Structure::dark);
  scene.state.params.structure = Structure::off;
  scene.frames(1);
  EXPECT_EQ(scene.state.structure.image, nullptr);
  EXPECT_TRUE(scene.state.structure.outlines.empty());
  EXPECT_EQ(accents(scene, scene.shot(), -6.1, 12.0, 2), 0);
}

TEST(Objects, OfAKeptFrameAreItsOwnOrNone) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.freeze(20, 50.0);
  scene.put_past(0, kSquare, gray, 100);
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.image, nullptr) << "the live ones are another frame's";
  scene.put_structure(kSquare, boxes, 99);
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.image, nullptr);
  scene.state.params.structure_sigmas += 1.0;  // not yet what the picture was asked for with
  scene.put_structure(kSquare, boxes, 100);
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.image, nullptr);
  scene.put_past(0, kSquare, gray, 100);
  scene.frames(2);
  EXPECT_NE(scene.state.structure.image, nullptr);
  scene.state.params.gain_db += 3.0;  // acts on the screen only
  scene.frames(1);
  EXPECT_NE(scene.state.structure.image, nullptr);
  scene.put_structure(kSquare, boxes, 101);  // a live one behind the frozen picture
  scene.frames(2);
  ASSERT_NE(scene.state.structure.image, nullptr);
  EXPECT_EQ(scene.state.structure.image->stamp.sequence, 100u);
  scene.state.cine.compare = true;
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.image, nullptr) << "two pictures are on screen";
  EXPECT_EQ(accents(scene, scene.shot(), -6.1, 12.0, 2), 0);
}

TEST(Objects, AreNotShownOverTheLowRankPicture) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.state.params.flow = FlowMode::low_rank;
  scene.frames(2);
  EXPECT_NE(scene.state.structure.image, nullptr) << "it is not on screen yet";
  scene.put_flow(kSquare, gray, [](double, double) { return 0.0F; });
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.image, nullptr);
}

TEST(Objects, TableAndPicturePointAtEachOther) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  open_panel(scene);
  const StructureView& s = scene.state.structure;
  EXPECT_NEAR(s.object(1).centroid.x_m, -4e-3, 1e-6);
  EXPECT_NEAR(s.object(2).centroid.z_m, 19e-3, 1e-6);
  EXPECT_GT(s.object(2).area_m2, s.object(3).area_m2);
  reveal(scene, "object/2");
  scene.click("object/2");
  EXPECT_EQ(s.selected, 2);
  EXPECT_EQ(s.hovered, 2) << "the pointer is still there";
  const int before = accents(scene, scene.shot(), 1.9, 19.0, 3);
  click_mm(scene, -4.0, 12.0);
  EXPECT_EQ(s.selected, 1);
  EXPECT_EQ(s.hovered, 1);
  EXPECT_LT(accents(scene, scene.shot(), 1.9, 19.0, 3), before) << "the selected one is stronger";
  put_mouse(scene, 5.5, 7.5, false);
  EXPECT_EQ(s.hovered, 3);
  click_mm(scene, 9.0, 24.0);  // beside all
  EXPECT_EQ(s.selected, 0);
  for (const bool left : {false, true}) put_mouse(scene, -4.0, 12.0, left);  // a drag selects nothing
  put_mouse(scene, -2.5, 14.0, true);
  put_mouse(scene, -2.5, 14.0, false);
  EXPECT_EQ(s.selected, 0);
  reveal(scene, "object/3");
  scene.click("object/3");
  scene.click("object/3");
  EXPECT_EQ(s.selected, 0) << "a second click lets it go";
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(Objects, TheSelectedOneIsFollowed) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  click_mm(scene, 3.5, 19.0);
  ASSERT_EQ(scene.state.structure.selected, 2);
  // It moves by a pixel and is the largest now.
  scene.put_structure(kSquare, [](double x, double z) {
    const int l = boxes(x - 0.2, z);
    return l == 2 && x < -3.0 ? 0 : l;
  });
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.selected, 1);
  scene.put_structure(kSquare, [](double x, double z) { return boxes(x, z) == 2 ? 1 : 0; });
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.selected, 0) << "it is gone";
  scene.put_structure(kSquare, boxes);
  scene.frames(2);
  EXPECT_EQ(scene.state.structure.selected, 2) << "and back";
}

TEST(Objects, ALongTableScrollsByItself) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.structure = Structure::bright;
  scene.put_image(kSquare, gray);
  scene.frames(1);
  scene.put_structure(kSquare, [](double x, double z) {  // 6 x 6 boxes
    const double u = x + 10.0, v = z - 5.0;
    const int i = static_cast<int>(u / 3.3), k = static_cast<int>(v / 3.3);
    return i < 6 && k < 6 && u - 3.3 * i < 2.0 + 0.01 * i && v - 3.3 * k < 2.0 ? 1 + 6 * k + i : 0;
  });
  scene.frames(2);
  ASSERT_EQ(scene.state.structure.count(), 36);
  open_panel(scene);
  reveal(scene, "object/5");
  const auto drawn = [&](int n) { return scene.viewer->control_rect("object/" + std::to_string(n)).width() > 0.0F; };
  EXPECT_TRUE(drawn(1));
  EXPECT_FALSE(drawn(20));
  const Rect row = scene.viewer->control_rect("object/5");
  turn_wheel(scene, row.cx(), row.cy(), -4.0F);
  EXPECT_FALSE(drawn(1));
  EXPECT_EQ(scene.viewer->control_rect("panel_objects").width() > 0.0F, true);
  const StructureObject& last = scene.state.structure.object(36);
  click_mm(scene, last.centroid.x_m * 1e3, last.centroid.z_m * 1e3);
  EXPECT_EQ(scene.state.structure.selected, 36);
  EXPECT_TRUE(drawn(36)) << "the table shows what was selected in the picture";
}

TEST(Objects, ButtonsSetTheDisplayOnceAndCanBeUndone) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  open_panel(scene);
  const ImagingParams before = scene.state.params;
  reveal(scene, "reject_background");
  scene.click("reject_background");
  EXPECT_DOUBLE_EQ(scene.state.params.reject_db, -40.0);  // -50 + 2 * 5
  EXPECT_GT(scene.params_changed, 0);
  EXPECT_FALSE(scene.said.empty());
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, before);
  scene.click("fit_window");
  EXPECT_DOUBLE_EQ(scene.state.params.gain_db, 10.0);           // up to -10 dB
  EXPECT_DOUBLE_EQ(scene.state.params.dynamic_range_db, 44.0);  // from -49 - 5
  const ImagingParams fitted = scene.state.params;
  scene.put_structure(kSquare, [](double, double) { return 1; });
  scene.frames(3);
  EXPECT_EQ(scene.state.params, fitted) << "never by itself";
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, before);
}

TEST(Objects, RangeOfDarkOnesKeepsTissueGray) {
  ImagingParams p;
  p.structure = Structure::dark;
  LevelHistogram h{.first_db = -120.0, .step_db = 0.5, .counts = std::vector<std::uint32_t>(320)};
  h.counts[200] = 5;
  const Background b{.median_db = -40.0, .mean_db = -40.5, .sigma_db = 5.0, .pixels = 1000};
  fit_window(p, b, h);
  EXPECT_DOUBLE_EQ(p.gain_db, 19.5);  // the bin from -20 to -19.5 dB
  EXPECT_DOUBLE_EQ(p.gain_db + p.dynamic_range_db, 60.0);
  EXPECT_DOUBLE_EQ(brightest_db({.first_db = -120.0, .step_db = 0.5, .counts = {0, 0}}), -120.0);
  fit_window(p, {.median_db = -200.0, .sigma_db = 1.0, .pixels = 1}, h);
  EXPECT_DOUBLE_EQ(p.dynamic_range_db, 120.0) << "within its limits";
}

TEST(Objects, CsvHasTheTableTheBackgroundAndTheThreshold) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  std::istringstream text(objects_csv(scene.state.structure, "# source: a test\n"));
  std::string line, comments;
  while (std::getline(text, line) && line.starts_with("#")) comments += line + "\n";
  EXPECT_NE(comments.find("# source: a test\n"), std::string::npos);
  EXPECT_NE(comments.find("mean -50 dB, sigma 5 dB"), std::string::npos);
  EXPECT_NE(comments.find("# threshold: above -44 dB"), std::string::npos);
  EXPECT_NE(comments.find("# objects: 3, and 4 too small"), std::string::npos);
  EXPECT_EQ(line, "number,area_mm2,x_mm,z_mm,mean_db,pixels,ix0,ix1,iz0,iz1");
  std::getline(text, line);
  double area = 0, x = 0, z = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "1,%lf,%lf,%lf,-20,546,", &area, &x, &z), 3) << line;
  EXPECT_NEAR(area, 21 * 26 * 0.04, 1e-6);
  EXPECT_NEAR(x, -4.0, 1e-6);
  EXPECT_NEAR(z, 12.5, 1e-6);
}

struct Size {
  int width, height;
  double scale;
};
class ObjectsPanel : public ::testing::TestWithParam<Size> {};

TEST_P(ObjectsPanel, FitsItsColumnAndChangesWhatItSays) {
  const Size size = GetParam();
  ECHO_SCENE(scene, size.width, size.height, size.scale);
  show(scene);
  scene.state.params.structure = Structure::off;
  scene.frames(1);
  open_panel(scene);
  EXPECT_EQ(scene.viewer->control_rect("structure_kappa").width(), 0.0F) << "off: nothing to set";
  scene.click("structure/Dark");
  EXPECT_EQ(scene.state.params.structure, Structure::dark);
  EXPECT_EQ(scene.params_changed, 1);
  EXPECT_EQ(scene.viewer->control_rect("background_plot").width(), 0.0F) << "nothing was found yet";
  scene.put_structure(kSquare, boxes);
  scene.frames(2);
  const Rect column = scene.viewer->control_rect("panel_objects");
  for (const char* id : {"structure_smooth_m", "structure_kappa", "structure_sigmas", "structure_area_m2",
                         "background_plot", "background", "background_kept", "structure_threshold", "reject_background",
                         "fit_window", "objects_made", "objects_age", "object/1", "object/3", "save_objects"}) {
    const Rect r = scene.viewer->control_rect(id);
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
  EXPECT_EQ(scene.saved, std::vector<SaveWhat>{SaveWhat::objects});
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ObjectsPanel,
                         ::testing::Values(Size{1024, 640, 1.0}, Size{1600, 900, 1.0}, Size{3840, 2160, 2.0}));

}  // namespace
}  // namespace echoloop::testing
