// Figures: rulers are true, labels never collide, text can be read at the printed size, and SVG and PDF hold text.
#include "gui/figure/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "core/error.h"
#include "gui/overlay/mark_drawing.h"
#include "history/page_canvas.h"
#include "render/canvas.h"
#include "support/recording_canvas.h"
#include "support/temporary_folder.h"

namespace echoloop::figure_test {
namespace {

using testing::RecordingCanvas;

constexpr Grid kTall{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 2e-3, .z1_m = 40e-3, .nx = 188, .nz = 350};
constexpr Grid kWide{.x0_m = -40e-3, .x1_m = 40e-3, .z0_m = 5e-3, .z1_m = 45e-3, .nx = 400, .nz = 200};
Grid sector() {
  return polar_grid({.apex_z_m = 0.0, .angle0_rad = -0.6, .angle1_rad = 0.6, .r0_m = 5e-3, .r1_m = 80e-3}, 100, 300);
}

struct Shown {
  explicit Shown(const Grid& grid) : db(grid.pixels(), -30.0F) {
    image.grid = grid;
    image.number = 1;
    image.stamp.source_index = 1233;
    image.host_db = db.data();
  }
  std::vector<float> db;
  Image image;
};

FlowImage flow_on(const Grid& grid) {
  FlowImage flow;
  flow.number = 1;
  flow.grid = grid;
  flow.aliasing_m_s = 0.38;
  flow.frames = 64;
  flow.power_db.assign(grid.pixels(), -10.0F);
  flow.velocity_m_s.assign(grid.pixels(), 0.1F);
  find_flow_mask(flow);
  return flow;
}

Mark circle(int number, double x_mm, double z_mm, double r_mm) {
  return {.number = number,
          .kind = MarkKind::circle,
          .points = {{x_mm * 1e-3, z_mm * 1e-3}, {(x_mm + r_mm) * 1e-3, z_mm * 1e-3}}};
}

// Twelve marks of all kinds within a few millimetres.
Marks crowd(double x_mm, double z_mm) {
  Marks marks;
  for (int i = 0; i < 6; ++i) marks.list.push_back(circle(i + 1, x_mm + 0.3 * i, z_mm + 0.2 * (i % 3), 0.8 + 0.1 * i));
  for (int i = 6; i < 9; ++i) {
    const double dx = 0.4 * i;
    marks.list.push_back({.number = i + 1,
                          .kind = MarkKind::distance,
                          .points = {{(x_mm - dx) * 1e-3, z_mm * 1e-3}, {(x_mm + 1) * 1e-3, (z_mm + 1) * 1e-3}}});
  }
  for (int i = 9; i < 12; ++i) {
    marks.list.push_back(
        {.number = i + 1, .kind = MarkKind::point, .points = {{(x_mm + 0.2 * i) * 1e-3, (z_mm + 1) * 1e-3}}});
  }
  return marks;
}

// Levels rise to the right; a caliper at both ends of the axes.
FigureStrip strip_of(const std::string& title) {
  FigureStrip s{.title = title,
                .facts = {"line at x 1.30 mm", "peak +32 cm/s", "limit 50 cm/s", "PRF 4 000 Hz", "at x 3.1, z 12.0 mm"},
                .x = {-4.0, 0.0, "s"},
                .y = {2.0, 40.0, "mm"},
                .columns = 100,
                .rows = 20,
                .levels_db = std::vector<float>(2000, -30.0F)};
  for (int i = 0; i < 2; ++i) {
    s.calipers.push_back(
        {.from = {-3.9 + i, 5.0}, .to = {-0.1, 6.0}, .lengths = "4.20 mm   310 ms", .rates = "13 mm/s"});
  }
  s.calipers.push_back({.from = {-9.0, 5.0}, .to = {-8.0, 6.0}, .lengths = "out of sight", .rates = ""});
  s.m_mode_line = PlanePoint{0.0, 10e-3};
  return s;
}

Figure figure_of(const Grid& grid, Shown& shown, int images = 1) {
  Figure f;
  for (int i = 0; i < images; ++i) f.images.push_back({.image = shown.image, .display = {}, .title = "F-number 1.50"});
  f.caption = figure_caption(f.images, "Heart phantom", "Echoloop 0.1.0.");
  f.marks = crowd(0.5 * (grid.x0_m + grid.x1_m) * 1e3, 0.5 * (grid.z0_m + grid.z1_m) * 1e3);
  f.key = figure_key(f.marks, {});
  return f;
}

RecordingCanvas& drawn(RecordingCanvas& canvas, const Figure& f, FigureLayout& layout, TextRasterizer& rasterizer) {
  layout = lay_out(f, rasterizer, canvas.pixels_per_unit());
  draw_figure(canvas, f, layout);
  return canvas;
}

constexpr double kCoarse = 100.0 / 72.0;  // pixels a point: places do not depend on it, the image takes less time

void expect_nothing_collides(const Figure& f, const std::string& about) {
  TextRasterizer rasterizer;
  RecordingCanvas canvas(rasterizer, kCoarse);
  FigureLayout layout;
  drawn(canvas, f, layout, rasterizer);
  const CanvasRect page{0.0, 0.0, layout.width, layout.height};
  for (std::size_t i = 0; i < canvas.texts.size(); ++i) {
    const auto& [box, text, em] = canvas.texts[i];
    EXPECT_GE(em, 7.0) << about << text;
    EXPECT_TRUE(page.contains({box.x0, box.y0}) && page.contains({box.x1, box.y1})) << about << text;
    for (std::size_t k = i + 1; k < canvas.texts.size(); ++k) {
      EXPECT_FALSE(box.grown(-0.3).overlaps(canvas.texts[k].box)) << about << text << " over " << canvas.texts[k].text;
    }
  }
  ASSERT_EQ(canvas.discs.size(), f.marks.list.size() * f.images.size()) << about;
  for (std::size_t i = 0; i < canvas.discs.size(); ++i) {
    const CanvasRect& a = canvas.discs[i];
    const std::size_t image = i / f.marks.list.size();
    EXPECT_TRUE(layout.images[image].grown(0.1).contains({a.x0, a.y0})) << about << i;
    EXPECT_TRUE(layout.images[image].grown(0.1).contains({a.x1, a.y1})) << about << i;
    for (std::size_t k = i + 1; k < canvas.discs.size(); ++k) {
      const CanvasRect& b = canvas.discs[k];
      const double away = std::hypot(a.x0 + a.x1 - b.x0 - b.x1, a.y0 + a.y1 - b.y0 - b.y1) / 2.0;
      EXPECT_GE(away, a.width()) << about << i << " over " << k;
    }
  }
}

TEST(Figure, LabelsNeverCollideWithTwelveMarksCrowdedTogether) {
  for (const Grid& grid : {kTall, kWide, sector()}) {
    Shown shown(grid);
    const FlowImage flow = flow_on(grid);
    for (const int images : {1, 2}) {
      for (const bool with_flow : {false, true}) {
        Figure f = figure_of(grid, shown, images);
        f.images.back().display.color_flow.mode = with_flow ? FlowMode::velocity : FlowMode::off;
        f.images.back().over.flow = with_flow ? &flow : nullptr;
        for (const FigureSize size : {FigureSize{FigureSizing::width, 120.0, 300.0},
                                      {FigureSizing::width, 170.0, 300.0},
                                      {FigureSizing::factor, 2.0, kScreenDpi},
                                      {FigureSizing::scale, 20.0, 300.0}}) {
          f.size = size;
          expect_nothing_collides(f, std::to_string(grid.nx) + " " + std::to_string(images) + " " +
                                         std::to_string(size.value) + (with_flow ? " flow " : " "));
        }
      }
    }
  }
}

TEST(Figure, StripsLieBelowTheImagesAndCollideWithNothing) {
  for (const Grid& grid : {kTall, kWide, sector()}) {
    Shown shown(grid);
    for (const int images : {1, 2}) {
      for (const FigureSize size : {FigureSize{FigureSizing::width, 85.0 * images, 300.0},
                                    {FigureSizing::width, 170.0, 300.0},
                                    {FigureSizing::factor, 1.0, kScreenDpi},
                                    {FigureSizing::scale, 20.0, 300.0}}) {
        Figure f = figure_of(grid, shown, images);
        f.strips = {strip_of("M-mode"), strip_of("Spectral Doppler")};
        f.size = size;
        const std::string about =
            std::to_string(grid.nx) + " " + std::to_string(images) + " " + std::to_string(size.value) + " ";
        expect_nothing_collides(f, about);
        TextRasterizer rasterizer;
        const FigureLayout l = lay_out(f, rasterizer, 300.0 / 72.0);
        ASSERT_EQ(l.strips.size(), 2U);
        EXPECT_GT(l.strips[0].y0, l.images.back().y1) << about;
        EXPECT_GT(l.strips[1].y0, l.strips[0].y1) << about;
        EXPECT_GT(l.caption.y, l.strips[1].y1) << about;
        EXPECT_LT(l.strips[0].x1, l.width) << about;
        if (size.by != FigureSizing::width) continue;
        f.marks = {};
        f.key.clear();
        EXPECT_LT(lay_out(f, rasterizer, 300.0 / 72.0).height, 297.0 * 72.0 / 25.4) << about << "a page";
      }
    }
  }
}

TEST(Figure, AStripsTicksAreTrueAndWhatIsOutOfSightIsLeftOut) {
  Shown shown(kTall);
  Figure f = figure_of(kTall, shown);
  f.strips = {strip_of("M-mode")};
  TextRasterizer rasterizer;
  RecordingCanvas canvas(rasterizer, kCoarse);
  FigureLayout layout;
  drawn(canvas, f, layout, rasterizer);
  const CanvasRect& box = layout.strips[0];
  int times = 0;
  for (const auto& text : canvas.texts) {
    EXPECT_NE(text.text, "out of sight");
    const double x = 0.5 * (text.box.x0 + text.box.x1);
    if (text.box.y0 < box.y1 || text.box.y1 > box.y1 + 16.0 || x > box.x1 + 4.0 || x < box.x0 - 4.0) continue;
    std::string number = text.text;
    if (const auto minus = number.find("\u2212"); minus != std::string::npos) number.replace(minus, 3, "-");
    EXPECT_NEAR(x, box.x0 + (std::stod(number) + 4.0) / 4.0 * box.width(), 0.005 * box.width()) << text.text;
    ++times;
  }
  EXPECT_GE(times, 4);
}

// The longest values that a key can have.
TEST(Figure, TheKeyOfAAndBStaysOnThePage) {
  Shown shown(kTall);
  Figure f = figure_of(kTall, shown, 2);
  Measured a;
  for (const Mark& mark : f.marks.list) {
    a.regions.push_back({mark, "", {.pixels = 50, .pixels_all = 50, .share_with_echo = 1.0, .mean_amplitude = 0.1}});
    a.points.push_back({});
    a.points.back().mark = mark.number;
    a.points.back().spread.emplace();
    a.points.back().spread->axial.fwhm_m = a.points.back().spread->lateral.fwhm_m = 10.55e-3;
  }
  f.key = figure_key(f.marks, {&a, &a});
  for (const double width_mm : {120.0, 170.0}) {
    f.size = {FigureSizing::width, width_mm, 300.0};
    expect_nothing_collides(f, std::to_string(width_mm) + " ");
  }
}

TEST(Figure, NumbersOfMarksAtOnePlaceFormARosette) {
  const std::vector<LabelledMark> marks(
      12, {.lines = {{{50, 50}, {51, 51}}}, .centre = {50, 50}, .radius = 1.0, .half = {6, 6}});
  const auto placed = place_labels(marks, {0, 0, 100, 100}, {}, {.gap = 2, .leader_from = 9});
  EXPECT_TRUE(std::any_of(placed.begin(), placed.end(), [](const PlacedLabel& n) { return n.leader; }));
  EXPECT_FALSE(placed.front().leader) << "the first has room beside its mark";
  for (std::size_t i = 0; i < placed.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_GE(std::hypot(placed[i].at.x - placed[k].at.x, placed[i].at.y - placed[k].at.y), 12.0);
    }
  }
}

TEST(Figure, NumbersStandInRowsWhereCirclesLeaveNoRoom) {
  const std::vector<LabelledMark> marks(
      12, {.lines = {{{25, 20}, {26, 21}}}, .centre = {25, 20}, .radius = 1.0, .half = {6, 6}});
  const CanvasRect within{0, 0, 50, 40};  // room for 4 by 3 discs and no more
  const auto placed = place_labels(marks, within, {}, {.gap = 2.5, .leader_from = 9});
  for (std::size_t i = 0; i < placed.size(); ++i) {
    EXPECT_TRUE(within.grown(-5.9).contains(placed[i].at)) << i;
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_GE(std::hypot(placed[i].at.x - placed[k].at.x, placed[i].at.y - placed[k].at.y), 12.0) << i << " " << k;
    }
  }
}

TEST(FigureKey, SaysWhatShareOfARegionHasAnEcho) {
  Marks marks;
  marks.list.push_back(circle(1, 0.0, 20.0, 2.0));
  Measured a, b;
  a.regions.push_back(
      {marks.list[0], "region 1", {.pixels = 40, .pixels_all = 50, .share_with_echo = 0.8, .mean_amplitude = 0.1}});
  b.regions.push_back(
      {marks.list[0], "region 1", {.pixels = 50, .pixels_all = 50, .share_with_echo = 1.0, .mean_amplitude = 0.1}});
  EXPECT_EQ(figure_key(marks, {&a})[0].value, "−20.0 dB, echo in 80 %");
  EXPECT_EQ(figure_key(marks, {&a, &b})[0].value, "A  −20.0 dB, echo in 80 %");
  EXPECT_EQ(figure_key(marks, {&a, &b})[0].value_b, "B  −20.0 dB, echo in 100 %");
}

// The labelled ticks of the rulers, and the length of the scale bar, against the image's printed millimetres.
TEST(Figure, RulersAreTrue) {
  for (const Grid& grid : {kTall, kWide, sector()}) {
    Shown shown(grid);
    Figure f = figure_of(grid, shown);
    f.marks = {};
    f.key.clear();
    TextRasterizer rasterizer;
    RecordingCanvas canvas(rasterizer, 300.0 / 72.0);
    FigureLayout layout;
    drawn(canvas, f, layout, rasterizer);
    const CanvasRect image = layout.images[0];
    const double pt_per_mm = image.width() / (1e3 * (grid.x1_m - grid.x0_m));
    EXPECT_NEAR(image.height() / (1e3 * (grid.z1_m - grid.z0_m)) / pt_per_mm, 1.0, 0.005);
    std::vector<double> at;
    for (const auto& fill : canvas.fills) {  // long ticks above the image
      if (fill.box.y1 <= image.y0 && fill.box.height() > 4.0 && fill.box.width() < 2.0)
        at.push_back(0.5 * (fill.box.x0 + fill.box.x1));
    }
    std::vector<double> mm;
    for (const auto& text : canvas.texts) {
      if (text.box.y1 > image.y0 || text.box.y0 < image.y0 - 18.0 || text.text == "dB") continue;
      std::string number = text.text;
      if (const auto minus = number.find("\u2212"); minus != std::string::npos) number.replace(minus, 3, "-");
      mm.push_back(std::stod(number));
    }
    ASSERT_GE(at.size(), 3U);
    ASSERT_EQ(at.size(), mm.size());
    EXPECT_NEAR((at.back() - at.front()) / (mm.back() - mm.front()) / pt_per_mm, 1.0, 0.005);
    EXPECT_NEAR(at.front(), image.x0 + (mm.front() - 1e3 * grid.x0_m) * pt_per_mm, 0.005 * image.width());
    const auto bar = std::find_if(canvas.texts.begin(), canvas.texts.end(),
                                  [](const auto& text) { return text.text.ends_with(" mm"); });
    ASSERT_NE(bar, canvas.texts.end());
    EXPECT_NEAR(canvas.fills.empty() ? 0.0 : [&] {
      for (const auto& fill : canvas.fills) {
        if (fill.ink.color == Rgb{255, 255, 255} && fill.box.y0 > bar->box.y0 && fill.box.height() < 4.0 &&
            image.contains({fill.box.x0, fill.box.y0}))
          return fill.box.width() / (std::stod(bar->text) * pt_per_mm);
      }
      return 0.0;
    }(), 1.0, 0.005);
  }
}

TEST(Figure, IsAsWideAsAskedFor) {
  Shown shown(kWide);
  Figure f = figure_of(kWide, shown);
  TextRasterizer rasterizer;
  f.size = {FigureSizing::width, 170.0, 300.0};
  EXPECT_NEAR(lay_out(f, rasterizer, 300.0 / 72.0).width * 25.4 / 72.0, 170.0, 0.2);
  f.size = {FigureSizing::scale, 15.0, 300.0};  // 15 mm of paper a centimetre
  EXPECT_NEAR(lay_out(f, rasterizer, 300.0 / 72.0).images[0].width() * 25.4 / 72.0, 8.0 * 15.0, 0.2);
  f.size = {FigureSizing::factor, 3.0, kScreenDpi};
  EXPECT_NEAR(lay_out(f, rasterizer, kScreenDpi / 72.0).images[0].width() * kScreenDpi / 72.0, 3.0 * 399.0, 1.0);
  f.images.push_back(f.images[0]);
  f.size = {FigureSizing::width, 65.0, 300.0};
  EXPECT_THROW((void)lay_out(f, rasterizer, 300.0 / 72.0), Error) << "no room for the images";
  f.size = {FigureSizing::width, 1000.0, 1200.0};
  EXPECT_THROW((void)lay_out(f, rasterizer, 1200.0 / 72.0), Error);
}

// Of A half as wide as B and white, B black: A's pixels left of the line, at its own millimetres.
TEST(Figure, AWipeDrawsALeftOfTheLineAndBRightOfIt) {
  Shown b(kWide);
  Shown a({.x0_m = -20e-3, .x1_m = 20e-3, .z0_m = 5e-3, .z1_m = 45e-3, .nx = 50, .nz = 50});
  std::ranges::fill(a.db, 0.0F);
  std::ranges::fill(b.db, -60.0F);
  Figure f = figure_of(kWide, b, 2);
  f.images[0].image = a.image;
  f.marks = {};
  f.key.clear();
  f.size.wipe_mm = 10.0;
  expect_nothing_collides(f, "wipe");
  TextRasterizer rasterizer;
  const FigureLayout l = lay_out(f, rasterizer, kCoarse);
  ASSERT_EQ(l.images.size(), 1U);
  RgbImage page{
      .width = static_cast<int>(l.width * kCoarse), .height = static_cast<int>(l.height * kCoarse), .rgb = {}};
  page.rgb.resize(3 * static_cast<std::size_t>(page.width * page.height));
  RasterCanvas canvas(page, rasterizer, kCoarse);
  draw_figure(canvas, f, l);
  const auto bright = [&](double x_mm) {
    const CanvasRect& r = l.images[0];
    const auto x = static_cast<int>((r.x0 + (x_mm + 40.0) / 80.0 * r.width()) * kCoarse);
    const auto y = static_cast<int>(0.5 * (r.y0 + r.y1) * kCoarse);
    return page.rgb[3 * static_cast<std::size_t>(y * page.width + x)] > 200;
  };
  for (const double x_mm : {-18.0, 0.0, 8.0}) EXPECT_TRUE(bright(x_mm)) << x_mm;
  for (const double x_mm : {-38.0, -22.0, 12.0, 18.0, 38.0}) EXPECT_FALSE(bright(x_mm)) << x_mm;
}

TEST(FigureCaption, OfAAndBSaysCommonSettingsOnce) {
  Shown a(kTall), b(kTall);
  b.image.params.formation.f_number = 3.0;
  std::vector<FigureImage> images = {{.image = a.image, .display = {}}, {.image = b.image, .display = {}}};
  std::string text = figure_caption(images, "Heart phantom", "");
  EXPECT_NE(text.find("F" + std::string(kNoBreak) + "3.00"), std::string::npos) << "a value stays with its name";
  for (auto at = text.find(kNoBreak); at != std::string::npos; at = text.find(kNoBreak)) text.replace(at, 2, " ");
  EXPECT_TRUE(text.starts_with("Heart phantom, frame 1\u202F234, ")) << text;
  EXPECT_NE(text.find(" A: F 1.50. B: F 3.00."), std::string::npos) << text;
  EXPECT_EQ(text.find("m/s"), text.rfind("m/s")) << "once: " << text;
  title_images(images);
  EXPECT_EQ(images[0].title, "F-number 1.50");
  EXPECT_EQ(images[1].title, "F-number 3.00");
}

TEST(FigureFile, SvgHoldsTextAndVectors) {
  const testing::TemporaryFolder folder;
  Shown shown(kTall);
  const Figure f = figure_of(kTall, shown);
  write_figure(folder / "a.svg", f, {.title = "A < B", .texts = {}});
  const std::string svg = testing::read_text(folder / "a.svg");
  EXPECT_NE(svg.find("<title>A &lt; B</title>"), std::string::npos);
  for (const char* text : {">Heart phantom, frame", ">x, mm<", ">z, mm<", ">dB<", ">Marks<", ">12<", ">Distance<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_NE(svg.find("<path d="), std::string::npos);
  EXPECT_NE(svg.find("data:image/png;base64,iVBOR"), std::string::npos);
  const std::regex size("font-size=\"([0-9.]+)\"");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), size); it != std::sregex_iterator(); ++it) {
    EXPECT_GE(std::stod((*it)[1]), 7.0);
  }
}

TEST(FigureFile, PdfIsOneOrSaysWhyNot) {
  const testing::TemporaryFolder folder;
  Shown shown(kTall);
  const Figure f = figure_of(kTall, shown);
  if (!why_no_pdf().empty()) {
    EXPECT_THROW(write_figure(folder / "a.pdf", f, {.title = "A", .texts = {}}), Error);
    return;
  }
  write_figure(folder / "a.pdf", f, {.title = "A", .texts = {}});
  const std::string pdf = testing::read_text(folder / "a.pdf");
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_NE(pdf.find("/ToUnicode"), std::string::npos) << "text that can be selected";
}

TEST(FigureFile, OtherEndingsAreRefused) {
  EXPECT_EQ(figure_format("a.png"), FigureFormat::png);
  EXPECT_EQ(figure_format("a.svg"), FigureFormat::svg);
  for (const char* name : {"a.eps", "a", "a.PNG.txt"}) EXPECT_THROW(figure_format(name), Error) << name;
}

TEST(Figure, MirroredItHasTheSamePixelsFromRightToLeft) {
  for (const Grid& grid : {kTall, kWide, sector()}) {
    Shown shown(grid);
    FlowImage flow = flow_on(grid);
    for (std::size_t i = 0; i < shown.db.size(); ++i) {
      const auto across = static_cast<float>(i % static_cast<std::size_t>(grid.nx)) / static_cast<float>(grid.nx);
      shown.db[i] = -50.0F + 40.0F * across;
      flow.velocity_m_s[i] = 0.3F * across - 0.1F;
    }
    TextRasterizer rasterizer;
    CanvasRect area;
    const auto drawn = [&](Mirrored mirrored) {
      Figure f{.images = {{.image = shown.image, .display = {}, .over = {.flow = &flow}}}, .caption = ""};
      f.images[0].display.display.mirrored = mirrored;
      f.images[0].display.color_flow.mode = FlowMode::velocity;
      const bool named = figure_caption(f.images, "", "").find("mirrored") != std::string::npos;
      EXPECT_EQ(named, mirrored == Mirrored::on);
      const FigureLayout l = lay_out(f, rasterizer, 2.0);
      area = l.images[0];
      RgbImage page{.width = static_cast<int>(l.width * 2), .height = static_cast<int>(l.height * 2), .rgb = {}};
      page.rgb.resize(3 * static_cast<std::size_t>(page.width * page.height));
      RasterCanvas canvas(page, rasterizer, 2.0);
      draw_figure(canvas, f, l);
      return page;
    };
    const RgbImage plain = drawn(Mirrored::off), mirrored = drawn(Mirrored::on);
    const auto left = static_cast<int>(2 * area.x0), right = static_cast<int>(2 * area.x1);
    int different = 0;
    for (auto y = static_cast<int>(2 * area.y0); y < static_cast<int>(area.y0 + area.y1); ++y) {  // above the scale bar
      for (int x = left; x < right; ++x) {
        const auto at = [&](const RgbImage& p, int column) {
          return &p.rgb[3 * static_cast<std::size_t>(y * p.width + column)];
        };
        EXPECT_TRUE(std::equal(at(plain, x), at(plain, x) + 3, at(mirrored, left + right - 1 - x))) << x << " " << y;
        different += std::equal(at(plain, x), at(plain, x) + 3, at(mirrored, x)) ? 0 : 1;
      }
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(different, 1000);
    const ImagePlace place{area, grid, Mirrored::on};
    EXPECT_DOUBLE_EQ(place.at({grid.x0_m, grid.z0_m}).x, area.x1);
    EXPECT_DOUBLE_EQ(place.at({grid.x1_m, grid.z1_m}).x, area.x0);
  }
}

}  // namespace
}  // namespace echoloop::figure_test
