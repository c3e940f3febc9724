// The mirrored image: a click on the mark of element 1 mirrors pixels, rulers, marks and pointer together; strips stay.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "app/session_file.h"
#include "gui/scene.h"
#include "support/picture_pixels.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::mirrored_test {
namespace {

float rising(double x, double z) { return static_cast<float>(-30.0 + 2.0 * x - 0.2 * z); }

bool is_mirrored(const Scene& scene) { return scene.state.params.display.mirrored == Mirrored::on; }

// Returns the share of pixels of a box that are those of the other picture, from right to left.
double alike(const RgbImage& p, const RgbImage& q, const Rect& r, bool from_right) {
  double same = 0.0, all = 0.0;
  for (float y = r.y0; y < r.y1; ++y) {
    for (float x = r.x0; x < r.x1; ++x, ++all) {
      same += distance(pixel(p, x, y), pixel(q, from_right ? r.x0 + r.x1 - 1 - x : x, y)) <= 2 ? 1.0 : 0.0;
    }
  }
  return same / all;
}

TEST(Mirrored, AClickOnTheMarkMirrorsTheImage) {
  for (const Grid& grid : {kSquare, polar_grid({0.0, -0.6, 0.6, 5e-3, 40e-3}, 101, 201)}) {
    ECHO_SCENE(scene, 1600, 900);
    scene.viewer->apply_layout({{"mode", "view"}});
    scene.put_image(grid, rising);
    scene.frames(3);
    scene.move(0, 0);
    const Rect r = scene.viewer->screen().picture(), mark = scene.rect("orientation");
    const Rect middle{r.x0 + 2, r.cy() - 40, r.x1 - 2, r.cy() + 40};
    const RgbImage plain = scene.shot();
    EXPECT_LT(alike(plain, plain, middle, true), 0.5);
    const int changed = scene.params_changed;
    scene.click("orientation");
    scene.move(0, 0);
    ASSERT_TRUE(is_mirrored(scene));
    EXPECT_GT(scene.params_changed, changed);
    EXPECT_EQ(scene.viewer->screen().picture(), r);
    EXPECT_NEAR(scene.rect("orientation").cx(), r.x0 + r.x1 - mark.cx(), 1.0F);
    EXPECT_GT(alike(scene.shot(), plain, middle, true), 0.97);
    scene.click("orientation");
    scene.move(0, 0);
    EXPECT_FALSE(is_mirrored(scene));
    EXPECT_GT(alike(scene.shot(), plain, middle, false), 0.999);
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

TEST(Mirrored, MarksArePointedAtWhereTheyAreDrawn) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.display.mirrored = Mirrored::on;
  scene.put_image(kSquare, rising);
  scene.frames(3);
  const ImageLayout& l = scene.viewer->screen().image_layout();
  const auto at = [&l](double x_mm, double z_mm) { return WindowPoint{l.x_px(x_mm * 1e-3), l.z_px(z_mm * 1e-3)}; };
  EXPECT_LT(l.x_px(6e-3), l.image.cx()) << "right of the probe is left on screen";
  scene.click("tool/distance");
  scene.drag(at(3, 12), at(6, 12));
  Marks& marks = scene.state.marks;
  ASSERT_EQ(marks.list.size(), 1U);
  EXPECT_NEAR(marks.list[0].points[0].x_m, 3e-3, 0.1e-3);
  EXPECT_NEAR(marks.list[0].points[1].x_m, 6e-3, 0.1e-3);
  scene.press(Key::escape);
  marks.selected = 0;
  scene.drag(at(4.5, 12), at(5.5, 14));
  EXPECT_EQ(marks.selected, 1);
  EXPECT_NEAR(marks.list[0].points[0].x_m, 4e-3, 0.15e-3);
  EXPECT_NEAR(marks.list[0].points[0].z_m, 14e-3, 0.15e-3);
  scene.move(0, 0);
  const auto p = at(5.5, 14);
  const Rgb line = pixel(scene.shot(), p.x, p.y);
  EXPECT_GT(line.b, line.r + 60);
}

TEST(Mirrored, BothSidesOfAComparisonAre) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(100, 50);
  scene.put_past(0, kSquare, rising, 100);
  scene.frames(2);
  scene.press(Key::x);
  scene.put_past(1, kSquare, rising, 100);
  scene.frames(2);
  scene.click("compare_look/Side by side");
  scene.state.params.display.mirrored = Mirrored::on;
  scene.frames(2);
  scene.move(0, 0);
  EXPECT_EQ(scene.state.cine.a.display.mirrored, Mirrored::on);
  const Rect a = scene.viewer->screen().side_a_layout().image, b = scene.viewer->screen().picture();
  const RgbImage shot = scene.shot();
  for (const Rect& r : {a, b}) {
    EXPECT_GT(gray_at(shot, r.x0 + 20, r.cy()), gray_at(shot, r.x1 - 20, r.cy()) + 40);
  }
}

TEST(Mirrored, StripsGoOnFromLeftToRight) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.doppler.gate = Gate::on;
  scene.put_image(kSquare, rising);
  scene.put_spectrogram(500, [](double ago_s, double v) { return std::abs(v - 0.1 * ago_s) < 0.05 ? -20.0F : -90.0F; });
  scene.frames(3);
  scene.move(0, 0);
  const Rect strip = scene.viewer->screen().strips().spectrogram;
  ASSERT_GT(strip.width(), 300.0F);
  const RgbImage before = scene.shot();
  scene.state.params.display.mirrored = Mirrored::on;
  scene.frames(3);
  EXPECT_EQ(alike(scene.shot(), before, strip, false), 1.0);
}

TEST(Mirrored, ASessionKeepsIt) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "mirrored.echoloop.json";
  SavedSession saved;
  saved.source = "sim:cyst";
  saved.settings = {"mirrored=on"};
  std::ofstream(file) << session_json(saved, file);
  EXPECT_EQ(read_session(file).settings, saved.settings);
}

}  // namespace
}  // namespace echoloop::testing::mirrored_test
