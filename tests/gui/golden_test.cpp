// Every panel and state of the window at 1600 x 900, some at 1024 and 3840, as stored in tests/gui/golden; and that the
// comparison sees what a researcher would see. Overlap and clipping at all widths: the tests of the layout.
#include "gui/golden.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/golden_modes.h"
#include "gui/inspector_scene.h"
#include "gui/stream_scene.h"

namespace echoloop::testing::golden_test {
namespace {

struct Size {
  const char* name;
  int width, height;
  double scale;
  int factor;
};
constexpr Size kSizes[] = {{"1024x640", 1024, 640, 1.0, 2},
                           {"1280x720", 1280, 720, 1.0, 2},
                           {"1600x900", 1600, 900, 1.0, 3},
                           {"4k", 3840, 2160, 2.0, 5}};

// A wire every 5 mm in front of something that falls with depth.
float wires(double x, double z) {
  const double dx = x - 5.0 * std::round(x / 5.0), dz = z - 5.0 * std::round(z / 5.0);
  return static_cast<float>(std::max(-3.0 - 40.0 * (dx * dx + 4.0 * dz * dz), -20.0 - 1.2 * z));
}

void show_wires(Scene& s) {
  s.put_image(kSquare, wires);
  s.frames(2);
}

void freeze(Scene& s) {
  show_wires(s);
  s.freeze(200, 50);
  s.put_past(0, kSquare, wires, 120);
  s.state.cine.index = 120;
  s.state.kept.bytes = 400'000'000;
  s.frames(2);
}

void fault(Scene& s) {
  show_wires(s);
  s.state.run = RunState::fault;
  s.state.stream.policy = RingPolicy::error;
  s.state.numbers.counts.refused = 1;
  RingRefusal refusal{};
  refusal.counts.slots = 8;
  s.state.notices.fault = FaultNotice{.title = "Stopped: a frame found no slot",
                                      .detail = "Frame 24 721 came while all 8 slots were in use.",
                                      .can_restart = true,
                                      .refusal = refusal};
}

void marks(Scene& s) {
  show_wires(s);
  s.state.marks.list = {
      {.number = 1, .kind = MarkKind::distance, .points = {{-5e-3, 10e-3}, {5e-3, 10e-3}}},
      {.number = 2, .kind = MarkKind::angle, .points = {{-8e-3, 7e-3}, {-8e-3, 12e-3}, {-4e-3, 13e-3}}},
      {.number = 3,
       .kind = MarkKind::rectangle,
       .points = {{1e-3, 16e-3}, {4e-3, 19e-3}},
       .role = RegionRole::target,
       .pair = 1},
      {.number = 4,
       .kind = MarkKind::circle,
       .points = {{-3e-3, 18e-3}, {-1.5e-3, 18e-3}},
       .role = RegionRole::background,
       .pair = 1},
      {.number = 5, .kind = MarkKind::point, .points = {{0, 20e-3}}},
      {.number = 6, .kind = MarkKind::profile, .points = {{-9e-3, 23e-3}, {9e-3, 23e-3}}}};
  s.state.marks.selected = 1;
  for (const std::int64_t end = now_ns() + 150'000'000; now_ns() < end;) s.frames(1);  // 20 measurements a second
}

void show_sector(Scene& s) {
  const double degree = kRadiansPerDegree;
  s.put_image(polar_grid({0.0, -40 * degree, 40 * degree, 10e-3, 90e-3}, 81, 201),
              [](double x, double z) { return wires(x / 4, z / 4); });
}

void show_view(Scene& s) {
  s.viewer->apply_layout({{"mode", "view"}});
  show_wires(s);
}

void put_presets(WindowState& state) {
  for (const char* name : {"Detail", "Smooth", "Deep", "Course"}) {
    PresetView preset;
    preset.name = name;
    preset.slot = static_cast<int>(state.presets.list.size()) + 1;
    state.presets.list.push_back(preset);
  }
}

void presets(Scene& s) {
  show_wires(s);
  s.state.presets.active = 1;
  s.state.presets.changed = true;
  s.frames(2);
  s.click("preset_menu");
}

void formation(Scene& s) {
  show_wires(s);
  s.click("panel_source");  // makes room: open at first in wide windows only
  if (s.viewer->screen().ui().rect_of("phantom/Points").width() > 0) s.click("panel_source");
  s.click("more_formation");
}

void display(Scene& s) {
  show_wires(s);
  s.click("panel_formation");
  s.click("more_display");
  s.state.params.display.tgc_db[0] = -12;
  s.state.params.display.tgc_db[3] = 8;
  s.state.params.display.color_map = ColorMap::hot;
  s.frames(2);
  s.click("tgc");
}

void faults(Scene& s) {
  show_wires(s);
  s.click("panel_formation");
  s.click("panel_display");
  s.click("panel_faults");
}

void timings(Scene& s) {
  show_wires(s);
  s.click("panel_stream");
  for (const char* panel : {"panel_timings", "panel_timeline"}) {
    const char* inside = panel == std::string("panel_timings") ? "frame_total" : "timeline";
    if (s.viewer->screen().ui().rect_of(inside).width() == 0) s.click(panel);
  }
}

void inspector(Scene& s) {
  show_wires(s);
  s.state.view.inspected = PlanePoint{1e-3, 15e-3};
  s.state.image.inspector.pixel = wire();
  s.state.image.inspector.pictures.resize(11);
  s.press(Key::n);
}

void m_mode(Scene& s) {
  s.state.view.inspected = PlanePoint{0, 15e-3};
  show_wires(s);
  s.press(Key::m);
  for (int i = 0; i < 100; ++i) {
    s.put_image(
        kSquare, [i](double x, double z) { return wires(x, z + std::sin(0.1 * i)); },
        static_cast<std::uint64_t>(100 + i));
    s.frames(1);
  }
}

// All are kept at 1600 x 900.
// 1024 where the layout differs, 3840 for a few, 1280 for the mode View.
enum class AlsoAt { nowhere, narrow, large, both, all };

struct State {
  const char* name;
  void (*arrange)(Scene&);
  AlsoAt also = AlsoAt::nowhere;
};

bool kept(const State& state, const Size& size) {
  if (size.width == 1600 || state.also == AlsoAt::all) return true;
  if (size.width == 1280) return false;
  if (state.also == AlsoAt::both) return true;
  return state.also == (size.width < 1600 ? AlsoAt::narrow : AlsoAt::large);
}
const State kStates[] = {
    {"live", show_wires, AlsoAt::large},
    {"frozen", freeze, AlsoAt::narrow},
    {"replay",
     [](Scene& s) {
       s.state.run = RunState::replay;
       s.state.source.phantom = "";
       s.state.source.name = "wires.hdf5";
       s.state.source.frame_count = 240;
       show_wires(s);
     }},
    {"fault", fault},
    {"nothing",
     [](Scene& s) {
       s.state.run = RunState::idle;
       s.state.source = {};
       s.state.numbers.counts = {};
     }},
    {"waiting",
     [](Scene& s) {
       s.state.run = RunState::idle;
       s.state.source = {};
       s.state.numbers.counts = {};
       LiveStatus& scanner = s.state.scanner.emplace();
       scanner.address = "live:default";
       scanner.reach = "Only programs of the same user on this machine can connect.";
     }},
    {"opening",
     [](Scene& s) {
       show_wires(s), s.state.opening.progress = Progress{.text = "Opening wires.hdf5", .fraction = 0.4};
     }},
    {"sector", show_sector},
    {"compare",
     [](Scene& s) {
       freeze(s);
       s.press(Key::x);
       s.state.params.display.gain_db = 6;
       s.put_past(0, kSquare, wires, 121);
       s.put_past(1, kSquare, wires, 121);
     },
     AlsoAt::both},
    {"view", show_view, AlsoAt::all},
    {"view_sector",
     [](Scene& s) {
       s.viewer->apply_layout({{"mode", "view"}});
       show_sector(s);
     }},
    {"marks", marks},
    {"presets", presets},
    {"formation", formation, AlsoAt::narrow},
    {"display", display},
    {"faults", faults},
    {"timings", timings, AlsoAt::large},
    {"inspector", inspector, AlsoAt::narrow},
    {"m_mode", m_mode, AlsoAt::narrow},
    {"velocity", show_velocity, AlsoAt::narrow},
    {"sonogram", show_spectrogram},
    {"objects", show_objects},
    {"dialog", show_open_dialog},
    {"keys", [](Scene& s) { show_wires(s), s.press(Key::f1); }, AlsoAt::narrow},
    {"tour",
     [](Scene& s) { show_wires(s), s.press(Key::f1), s.frames(2), s.click("tour_again"), s.click("tour_next"); }},
    {"presentation", [](Scene& s) { show_wires(s), s.press(Key::f5); }},
    {"save",
     [](Scene& s) {
       freeze(s);
       s.click("save_menu");
     },
     AlsoAt::narrow},
};

class Golden : public ::testing::TestWithParam<Size> {};

TEST_P(Golden, EveryPanelAndStateLooksAsStored) {
  if (const std::string why = why_no_golden(); !why.empty()) GTEST_SKIP() << why;
  const Size size = GetParam();
  for (const State& state : kStates) {
    if (!kept(state, size)) continue;
    ECHO_SCENE(scene, size.width, size.height, size.scale);
    fill_stream(scene.state);
    put_presets(scene.state);
    scene.frames(1);
    state.arrange(scene);
    scene.move(0, 0);  // no tooltip, nothing under the pointer
    scene.frames(2);
    const std::string difference = against_golden(std::string(state.name) + "_" + size.name, scene.shot(), size.factor);
    EXPECT_TRUE(difference.empty()) << state.name << " at " << size.name << ": " << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Golden, ::testing::ValuesIn(kSizes),
                         [](const auto& info) { return std::string("At") + info.param.name; });

// Moves what is in `area` down, and fills with the ground on its left.
void shift(RgbImage& p, const Rect& area, int by) {
  const RgbImage before = p;
  const auto index = [&](int x, int y) {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x));
  };
  for (int y = static_cast<int>(area.y0) - by; y < static_cast<int>(area.y1) + by; ++y) {
    for (int x = static_cast<int>(area.x0); x < static_cast<int>(area.x1); ++x) {
      const bool moved = y - by >= static_cast<int>(area.y0) && y - by < static_cast<int>(area.y1);
      const std::size_t from = moved ? index(x, y - by) : index(static_cast<int>(area.x0) - 4, y);
      std::copy_n(&before.rgb[from], 3, &p.rgb[index(x, y)]);
    }
  }
}

class GoldenComparison : public ::testing::TestWithParam<Size> {};

TEST_P(GoldenComparison, SeesWhatMovedAndNotHowEdgesAreDrawn) {
  const Size size = GetParam();
  ECHO_SCENE(scene, size.width, size.height, size.scale);
  fill_stream(scene.state);
  show_wires(scene);
  const RgbImage shot = scene.shot();
  const RgbImage golden = reduced(shot, size.factor);
  EXPECT_EQ(compare(golden, golden).words, "");
  const int pixels = static_cast<int>(4 * size.scale);
  for (const char* id :
       {"open", "f_number", "gain_db", "tool/circle", "freeze", "slots", "policy/Block", "count/Errors"}) {
    RgbImage moved = shot;
    shift(moved, scene.rect(id).width() > 0 ? scene.rect(id) : scene.rect("recipe/Course"), pixels);
    EXPECT_NE(compare(golden, reduced(moved, size.factor)).words, "") << id << " moved at " << size.name;
  }
  // One slider elsewhere, one number, one word.
  scene.state.params.formation.f_number += 0.25;
  scene.frames(2);
  EXPECT_GT(compare(golden, reduced(scene.shot(), size.factor)).tiles, 0);
  // Other edges: each pixel takes an eighth of its right neighbour, and other rounding.
  RgbImage soft = shot;
  for (std::size_t i = 0; i + 3 < soft.rgb.size(); ++i) {
    const int mixed = (7 * shot.rgb[i] + shot.rgb[i + 3] + 4) / 8 + static_cast<int>(i * 7 % 5) - 2;
    soft.rgb[i] = static_cast<std::uint8_t>(std::clamp(mixed, 0, 255));
  }
  const GoldenDifference d = compare(golden, reduced(soft, size.factor));
  EXPECT_EQ(d.words, "");
  std::printf("softer edges: %.1f of 255 in the worst tile\n", d.worst);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GoldenComparison, ::testing::ValuesIn(kSizes),
                         [](const auto& info) { return std::string("At") + info.param.name; });

}  // namespace
}  // namespace echoloop::testing::golden_test
