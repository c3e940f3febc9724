// The dock below the image: opening, splitter, what its plots show and where; nothing is wanted while it is closed.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/docks/docks.h"
#include "gui/inspector_scene.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::inspector_test {
namespace {

void show(Scene& scene) {
  scene.put_image(kSquare, [](double x, double) { return static_cast<float>(-x); });
  scene.state.view.inspected = PlanePoint{1e-3, 15e-3};
  scene.state.image.inspector.pixel = wire();
  scene.state.image.inspector.pictures.resize(11);
}

TEST(Inspector, TransmitsAreToldApartInNarrowPictures) {
  Acquisition a = *scene_acquisition();
  ASSERT_GE(a.n_transmits(), 2);
  a.transmits[0].kind = TransmitKind::diverging;
  a.transmits[0].source_x_m = 5e-3;
  a.transmits[0].source_z_m = -12e-3;
  EXPECT_EQ(transmit_labels(&a, 0), (std::array<std::string, 3>{"source x 5.0 mm", "x 5.0 mm", "1"}));
  a.transmits[1].kind = TransmitKind::plane;
  a.transmits[1].angle_rad = 0.0;
  const auto plane = transmit_labels(&a, 1);
  EXPECT_EQ(plane[0], plane[1]);
  EXPECT_NE(plane[0].find("°"), std::string::npos);
  EXPECT_EQ(plane[2], "2");
}

TEST(Inspector, OpensAndClosesByKeyAndButtonAndWantsNothingWhenClosed) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.frames(2);
  EXPECT_FALSE(scene.state.view.inspector.wanted);
  const float whole = scene.viewer->screen().picture().height();
  scene.tap(Key::n);
  EXPECT_TRUE(scene.state.view.inspector.wanted);
  EXPECT_LT(scene.viewer->screen().picture().height(), whole);
  EXPECT_GT(scene.rect("raw_map").width(), 100.0F);
  scene.press(Key::escape);
  scene.frames(1);
  EXPECT_TRUE(scene.state.view.inspector.wanted) << "Esc does not close it";
  scene.tap(Key::f5);
  EXPECT_FALSE(scene.state.view.inspector.wanted) << "not seen in presentation";
  scene.tap(Key::f5);
  EXPECT_TRUE(scene.state.view.inspector.wanted);
  scene.click("close_dock");
  EXPECT_FALSE(scene.state.view.inspector.wanted);
  EXPECT_EQ(scene.viewer->screen().picture().height(), whole);
  EXPECT_EQ(scene.gl_error(), 0);
}

// The wire's pixel as one of `method`, with values of -10 .. 10 or 1 .. 21.
std::shared_ptr<const Inspection> wire_of(Adaptive method) {
  Inspection made = *wire();
  MethodView& view = made.method;
  view.method = method;
  view.phasors.assign(21, {1.0F, 0.5F});
  view.mean = {0.5F, 0.1F};
  view.factor = 0.3F;
  view.curve.assign(21, 0.05F);
  view.curve_first = method == Adaptive::generalized ? -10 : 1;
  view.pattern_db.assign(21, -20.0F);
  view.equal_pattern_db.assign(21, -30.0F);
  view.pattern_reach = 0.5;
  return std::make_shared<const Inspection>(std::move(made));
}

TEST(Inspector, ShowsWhatTheMethodCompares) {
  ECHO_SCENE(scene, 3840, 2160);
  show(scene);
  scene.tap(Key::n);
  EXPECT_EQ(scene.rect("method_phasors").width(), 0.0F) << "no method";
  const std::pair<Adaptive, std::vector<const char*>> cases[] = {
      {Adaptive::coherence, {"method_phasors"}}, {Adaptive::phase, {"method_phasors"}},
      {Adaptive::p_das, {"method_phasors"}},     {Adaptive::generalized, {"method_phasors", "method_spectrum"}},
      {Adaptive::slsc, {"method_correlation"}},  {Adaptive::minimum_variance, {"method_weights", "method_pattern"}}};
  for (const auto& [method, plots] : cases) {
    scene.state.image.inspector.pixel = wire_of(method);
    scene.frames(2);
    for (const char* plot : plots) EXPECT_GT(scene.rect(plot).width(), 100.0F) << plot;
    EXPECT_GT(scene.rect("spectrum").width(), 100.0F);
  }
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(Inspector, ADragSetsTheFrequenciesAndLagsThatCount) {
  ECHO_SCENE(scene, 3840, 2160);
  show(scene);
  scene.tap(Key::n);
  scene.state.image.inspector.pixel = wire_of(Adaptive::generalized);
  scene.frames(2);
  scene.drag("method_spectrum", 0.5F, 0.5F + 5.0F / 21.0F);
  EXPECT_EQ(scene.state.params.formation.adaptive_bins, 5);
  scene.state.image.inspector.pixel = wire_of(Adaptive::slsc);
  scene.frames(2);
  scene.drag("method_correlation", 0.5F, 6.5F / 21.0F);
  EXPECT_EQ(scene.state.params.formation.adaptive_lags, 7);
}

TEST(Inspector, ANarrowDockHasAPageForTheMethod) {
  ECHO_SCENE(scene, 1024, 768);
  show(scene);
  scene.state.image.inspector.pixel = wire_of(Adaptive::generalized);
  scene.tap(Key::n);
  scene.frames(2);
  EXPECT_EQ(scene.rect("method_spectrum").width(), 0.0F) << "another page";
  scene.click("inspector_page/Method");
  scene.frames(2);
  EXPECT_GT(scene.rect("method_spectrum").width(), 100.0F);
}

TEST(Inspector, ItsHeightFollowsTheSplitterAndARightClickResetsIt) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.tap(Key::n);
  const Rect before = scene.rect("splitter_dock");
  scene.drag({before.cx(), before.cy()}, {before.cx(), before.cy() - 60});
  EXPECT_NEAR(scene.rect("splitter_dock").cy(), before.cy() - 60, 6.0F);
  scene.click("splitter_dock", true);
  EXPECT_NEAR(scene.rect("splitter_dock").cy(), before.cy(), 1.0F);
}

// The curve is drawn in accent where the echo is: on the map's own axes.
TEST(Inspector, TheCurveLiesOnTheEcho) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  const auto pixels = [&](double offset) {
    scene.state.image.inspector.pixel = wire(offset);
    scene.move(1, 1);
    scene.frames(2);
    return scene.shot();
  };
  scene.tap(Key::n);
  const Rect map = scene.rect("raw_map");
  ASSERT_GT(map.height(), 50.0F);
  const RgbImage on = pixels(0.0);
  const RgbImage off = pixels(100.0);
  for (const int e : {15, 30, 45}) {
    const double sample = 420.0 + 0.1 * (e - 30.0) * (e - 30.0);
    const float x = map.x0 + map.width() * (static_cast<float>(e) + 0.5F) / kElements;
    const float y = map.y0 + map.height() * static_cast<float>((sample + 0.5 - 300.0) / kSamples);
    const auto within = [x](const RgbImage& shot, float middle, const auto& looks) {
      bool found = false;
      for (float d = -2; d <= 2; d += 1) found = found || looks(pixel(shot, x, middle + d));
      return found;
    };
    const auto accent = [](Rgb c) { return c.b > c.r + 80 && c.g > c.r + 60; };
    const auto light = [](Rgb c) { return c.r > 140; };  // positive
    const float below = y + map.height() * 100.0F / kSamples;
    EXPECT_TRUE(within(on, y, accent)) << "no curve at element " << e;
    EXPECT_TRUE(within(off, y, light)) << "no echo at element " << e;
    EXPECT_FALSE(within(off, y, accent)) << "the curve follows its samples";
    EXPECT_TRUE(within(off, below, accent)) << "the curve follows its samples";
  }
}

TEST(Inspector, HoveringNamesElementAndSample) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.tap(Key::n);
  const Rect map = scene.rect("raw_map");
  scene.move(1, 1);
  const RgbImage before = scene.shot();
  scene.move(map.cx(), map.cy());
  const RgbImage after = scene.shot();
  int changed = 0;  // in the title's row
  for (float x = map.x0; x < map.x1; x += 1) {
    for (float y = map.y0 - 17; y < map.y0 - 1; y += 1) changed += pixel(before, x, y) == pixel(after, x, y) ? 0 : 1;
  }
  EXPECT_GT(changed, 100);
}

TEST(Inspector, ArrowsStepThroughTheTransmitsOfThePixel) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.tap(Key::n);
  scene.click("transmit_next");
  EXPECT_EQ(scene.state.view.inspector.transmit, 6);
  scene.click("transmit_before");
  EXPECT_EQ(scene.state.view.inspector.transmit, 4);
}

TEST(Inspector, PicturesInViewAreWantedAndAClickChoosesOne) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  auto picture = std::make_shared<TransmitImage>();
  picture->transmit = 4;
  picture->grid = {-10e-3, 10e-3, 5e-3, 25e-3, 16, 16};
  picture->db.assign(256, 0.0F);
  scene.state.image.inspector.pictures[4] = picture;
  scene.press(Key::n);
  scene.frames(3);
  ASSERT_GE(scene.state.view.inspector.pictures_seen.size(), 2U);
  EXPECT_EQ(scene.state.view.inspector.pictures_seen[0], 4) << "in the row of the chosen one";
  const Rect list = scene.rect("transmit_pictures");
  const RgbImage shot = scene.shot();
  int white = 0;
  float x = 0, y = 0;
  for (float py = list.y0; py < list.y1; py += 2) {
    for (float px = list.x0; px < list.x1; px += 2) {
      if (pixel(shot, px, py) == Rgb{255, 255, 255}) ++white, x = px, y = py;
    }
  }
  ASSERT_GT(white, 50) << "the picture of 0 dB is white";
  InjectedInput input;
  input.mouse_x = x;
  input.mouse_y = y;
  for (const bool down : {false, true, false}) {
    input.left = down;
    scene.inject(input);
  }
  EXPECT_EQ(scene.state.view.inspector.transmit, 4);
}

TEST(Inspector, APictureThatIsNotComputedYetIsNotBlack) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.press(Key::n);
  scene.frames(2);
  const Rect list = scene.rect("transmit_pictures");
  const RgbImage shot = scene.shot();
  for (float y = list.y0 + 2; y < list.y1; y += 2) {
    for (float x = list.x0; x < list.x1; x += 2) EXPECT_NE(pixel(shot, x, y), (Rgb{0, 0, 0})) << x << ", " << y;
  }
}

TEST(Inspector, AChosenTransmitOfManyComesIntoView) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  InspectorView& view = scene.state.image.inspector;
  view.pictures.resize(200);
  scene.press(Key::n);
  for (const int transmit : {199, 0, 100}) {
    auto pixel = std::make_shared<Inspection>(*wire());
    pixel->transmit = transmit;
    view.pixel = pixel;
    scene.frames(2);
    EXPECT_LT(scene.state.view.inspector.pictures_seen.size(), 200U);
    EXPECT_EQ(std::ranges::count(scene.state.view.inspector.pictures_seen, transmit), 1) << transmit;
  }
}

TEST(Inspector, InASmallWindowItComesInPages) {
  ECHO_SCENE(scene, 1024, 640);
  show(scene);
  scene.tap(Key::n);
  EXPECT_GT(scene.rect("raw_map").width(), 100.0F);
  EXPECT_EQ(scene.rect("spectrum").width(), 0.0F);
  scene.click("transmit_next");
  EXPECT_EQ(scene.state.view.inspector.transmit, 6);
  EXPECT_GT(scene.rect("inspector_sum").width(), 100.0F);
  scene.click("inspector_page/Line");
  EXPECT_GT(scene.rect("spectrum").width(), 100.0F);
  EXPECT_EQ(scene.rect("raw_map").width(), 0.0F);
  EXPECT_GT(scene.viewer->screen().picture().height(), 80.0F);
}

}  // namespace
}  // namespace echoloop::testing::inspector_test
