// Every control is clicked, in windows of many widths and scales with the columns at their limits: the one under the
// pointer acts and no other, it does what it does in a wide window, and no two places that take the mouse overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/param_table.h"
#include "gui/bare_screen.h"
#include "gui/scene.h"
#include "gui/stream_scene.h"
#include "gui/toolkit/theme.h"
#include "support/acquisitions.h"

namespace echoloop::testing::clicks_test {
namespace {

WindowState live() {
  WindowState s = plausible_state();
  fill_stream(s);
  s.params.formation.depth_min_m += 5e-3;  // the middle of the track is nearer to one thumb
  s.kept.frames = 200;
  s.kept.seconds = 4.0;
  for (const auto& [name, slot] : {std::pair{"Course", 1}, std::pair{"Sharp lateral", 2}}) {
    PresetView preset;
    preset.name = name;
    preset.slot = slot;
    s.presets.list.push_back(std::move(preset));
  }
  return s;
}

WindowState frozen_with_marks() {
  WindowState s = live();
  s.run = RunState::frozen;
  s.cine.index = s.cine.mark_out = 150;
  s.cine.mark_in = 20;
  s.marks.list = {{.number = 1, .kind = MarkKind::distance, .points = {{-5e-3, 20e-3}, {5e-3, 20e-3}}},
                  {.number = 2,
                   .kind = MarkKind::circle,
                   .points = {{0, 30e-3}, {2e-3, 30e-3}},
                   .role = RegionRole::target,
                   .pair = 1}};
  s.marks.last_number = 2;
  s.view.inspected = PlanePoint{0, 20e-3};
  s.saving.recording.on = true;
  return s;
}

WindowState faulty() {
  WindowState s = live();
  s.run = RunState::fault;
  s.notices.fault = FaultNotice{
      .title = "Stream stopped", .detail = "A frame found no slot.", .can_restart = true, .can_use_cpu = true};
  s.opening.progress = Progress{.text = "Opening a file", .fraction = 0.4};
  return s;
}

// Held back, so that the status bar says so.
WindowState compared() {
  WindowState s = live();
  s.numbers.pace = {
      .held_back = HeldBack::by_processing, .made_hz = 23.4, .rate_hz = 50.0, .slower = true, .speed = 0.46};
  s.cine.compare = true;
  return s;
}

WindowState compared_beside() {
  WindowState s = compared();
  s.cine.compare_look = CompareLook::side_by_side;
  s.kept.a_recording.name = "a recording with a long name.uff";
  return s;
}

enum class Tried { every_column, widest };  // which leaves the least room between the columns

struct Situation {
  const char* name;
  WindowState (*state)();
  Dock dock;
  bool measure;
  Tried columns = Tried::every_column;
  WindowMode mode = WindowMode::engineer;
};
constexpr WindowMode kView = WindowMode::view;
constexpr std::array<Situation, 8> kSituations = {
    {{"live", live, Dock::none, false},
     {"frozen", frozen_with_marks, Dock::m_mode, true},
     {"fault", faulty, Dock::spectrogram, false},
     {"compared", compared, Dock::none, true, Tried::widest},
     {"beside", compared_beside, Dock::inspector, false, Tried::widest},
     {"view", live, Dock::none, false, Tried::every_column, kView},
     {"view, frozen", frozen_with_marks, Dock::m_mode, true, Tried::widest, kView},
     {"view, fault", faulty, Dock::spectrogram, false, Tried::widest, kView}}};

struct Columns {
  const char* name;
  ColumnWidths widths;
};
constexpr std::array<Columns, 3> kColumns = {{{"default", {0, 0}}, {"narrowest", {1, 1}}, {"widest", {9999, 9999}}}};

// What a click has changed, in words that do not depend on where things lie.
std::set<std::string> effect_of(const WindowState& before, ViewSettings view_before, const BareScreen& after,
                                bool compact) {
  std::set<std::string> what(after.commands.begin(), after.commands.end());
  const WindowState& now = after.state;
  for (const ParamSpec& spec : param_table()) {
    if (get_number(before.params, spec) != get_number(now.params, spec)) what.insert(std::string(spec.key));
  }
  ViewSettings view = after.screen->settings();
  for (const PanelRow& panel : panels()) {
    if (view.mode == view_before.mode && view.is_open(panel.key, compact) != view_before.is_open(panel.key, compact)) {
      what.insert("panel " + std::string(panel.key));
    }
  }
  const auto note = [&](bool changed, const char* name) {
    if (changed) what.insert(name);
  };
  note(view.dock != view_before.dock, "dock");
  note(view.mode != view_before.mode, "mode");
  note(view.try_closed != view_before.try_closed, "try");
  note(view.histogram != view_before.histogram, "histogram");
  note(view.timeline_frames != view_before.timeline_frames, "timeline frames");
  note(before.marks.tool != now.marks.tool, "tool");
  note(before.marks.list.size() != now.marks.list.size(), "marks");
  note(before.view.pan_zoom.fitted != now.view.pan_zoom.fitted, "zoom");
  note(before.cine.compare != now.cine.compare, "compare");
  note(before.cine.compare_look != now.cine.compare_look, "look of the comparison");
  note(before.cine.match_levels != now.cine.match_levels, "match levels");
  note(before.cine.playing != now.cine.playing, "playing");
  note(before.cine.index != now.cine.index, "frame");
  note(before.cine.keep_acquiring != now.cine.keep_acquiring, "keep acquiring");
  note(!(before.stream == now.stream), "stream");
  note(after.screen->presenting(), "presentation");
  return what;
}

std::string joined(const std::set<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all.empty() ? "nothing" : all;
}

// What lies on the image lies on it on purpose: there the smaller one takes the mouse.
bool lies_on_image(const std::string& a, const std::string& b) {
  const std::set<std::string> on = {"wipe", "wipe_handle", "swap", "picture", "orientation"};
  return on.contains(a) && on.contains(b);
}

struct Tally {
  int layouts = 0, areas = 0, clicks = 0, overlaps = 0, wrong = 0;
  std::set<std::string> kinds;  // of faults, each told once
};

class Clicks {
 public:
  Clicks(const Situation& situation, Tally& tally) : situation_(situation), tally_(tally) {}

  void look_at(const BareWindow& window, const std::string& where) {
    where_ = where;
    window_ = window;
    window_.scale = static_cast<double>(fitting_scale(
        static_cast<float>(window.scale), static_cast<float>(window.width), static_cast<float>(window.height)));
    window_.view.dock = situation_.dock;
    window_.view.mode = situation_.mode;
    compact_ = static_cast<double>(window.width) / window_.scale < static_cast<double>(theme::kCompactBelow);
    window_.view.is_open("measure", compact_) = situation_.measure;
    BareScreen settled(window_, situation_.state(), image_);
    for (int i = 0; i < 3; ++i) settled.frame();
    ++tally_.layouts;
    std::vector<std::pair<std::string, Rect>> seen;
    for (const auto& [id, area] : settled.screen->ui().hit_areas()) {
      if (area.seen.width() >= 3 && area.seen.height() >= 3) seen.emplace_back(id, area.seen);
    }
    tally_.areas += static_cast<int>(seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      for (std::size_t k = i + 1; k < seen.size(); ++k) require_apart(seen[i], seen[k]);
    }
    for (const auto& [id, area] : seen) {
      if (is_new_place(id, area)) click(id, area);
    }
  }

 private:
  // Places are counted from the nearer sides of the window: columns of one width in larger windows are no new ones.
  bool is_new_place(const std::string& id, const Rect& area) {
    const auto from_side = [](float at, float middle, int size) {
      return std::lround(2.0F * middle < static_cast<float>(size) ? at : at - static_cast<float>(size));
    };
    const float cx = area.cx(), cy = area.cy();
    return clicked_
        .emplace(id, window_.scale, compact_,
                 std::array{from_side(area.x0, cx, window_.width), from_side(area.x1, cx, window_.width),
                            from_side(area.y0, cy, window_.height), from_side(area.y1, cy, window_.height)})
        .second;
  }

  void require_apart(const std::pair<std::string, Rect>& a, const std::pair<std::string, Rect>& b) {
    const Rect both = a.second.common(b.second);
    if (!a.second.overlaps(b.second) || both.width() < 0.5F || both.height() < 0.5F) return;
    if (lies_on_image(a.first, b.first)) return;
    ++tally_.overlaps;
    complain(a.first + " overlaps " + b.first);
  }

  void click(const std::string& id, const Rect& area) {
    BareScreen window(window_, situation_.state(), image_);
    for (int i = 0; i < 3; ++i) window.frame();
    const WindowState before = window.state;
    const ViewSettings view = window.screen->settings();
    window.clicked.clear();
    window.commands.clear();
    window.click(area.cx(), area.cy());
    ++tally_.clicks;
    if (window.clicked != std::vector<std::string>{id}) {
      ++tally_.wrong;
      std::string others;
      for (const std::string& other : window.clicked) others += " " + other;
      return complain("a click on " + id + " goes to" + (others.empty() ? " nothing" : others));
    }
    const std::set<std::string> effect = effect_of(before, view, window, compact_);
    std::set<std::string>& known = effects_[id];  // empty: a slider's middle may be the value that it has
    if (known.empty()) known = effect;
    if (effect.empty() || known == effect) return;
    ++tally_.wrong;
    complain("a click on " + id + " does: " + joined(effect) + "; elsewhere: " + joined(known));
  }

  void complain(const std::string& fault) {
    if (tally_.kinds.insert(fault).second)
      std::printf("  %s, %s: %s\n", situation_.name, where_.c_str(), fault.c_str());
  }

  const Situation& situation_;
  Tally& tally_;
  const Image image_ = test_image();
  BareWindow window_;
  bool compact_ = false;
  std::string where_;
  std::map<std::string, std::set<std::string>> effects_;  // of each control, where it was clicked first
  std::set<std::tuple<std::string, double, bool, std::array<long, 4>>> clicked_;
};

const std::vector<int> kWidths = {3840, 2560, 1920, 1600, 1440, 1320, 1280, 1024, 800, 640};
const std::vector<int> kLargeWidths = {3840, 1920, 1440, 1280, 1024, 640};  // above scale 1

class ClickTest : public ::testing::TestWithParam<double> {};

TEST_P(ClickTest, ActsOnWhatIsUnderThePointer) {
  Tally tally;
  for (const Situation& situation : kSituations) {
    Clicks clicks(situation, tally);
    for (const int width : GetParam() > 1.0 ? kLargeWidths : kWidths) {
      if (width < 1024 && situation.mode == WindowMode::engineer) continue;
      for (const Columns& columns : kColumns) {
        if (situation.columns == Tried::widest && &columns != &kColumns.back()) continue;
        BareWindow window{.width = width, .height = std::max(640, width * 9 / 16), .scale = GetParam()};
        window.view.widths = columns.widths;
        clicks.look_at(window, std::to_string(width) + " wide, " + columns.name + " columns");
      }
    }
  }
  std::printf("scale %g: %d layouts, %d places, %d clicks: %d overlaps, %d wrong\n", GetParam(), tally.layouts,
              tally.areas, tally.clicks, tally.overlaps, tally.wrong);
  EXPECT_EQ(tally.overlaps, 0);
  EXPECT_EQ(tally.wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Scales, ClickTest, ::testing::Values(1.0, 1.5, 2.0));

// TGC, transmits and the filters of the image in the panels: what a mouse does to them, and when they say no.

constexpr int kTall = 1800;  // all rows without scrolling

TEST(TgcRows, OpenSetAndGoFlat) {
  ECHO_SCENE(scene, 1600, kTall);
  scene.frames(2);
  EXPECT_EQ(scene.rect("tgc_1_db").width(), 0.0F);
  scene.click("tgc");
  scene.frames(1);
  ASSERT_GT(scene.rect("tgc_8_db").y0, scene.rect("tgc_1_db").y0);
  EXPECT_EQ(scene.rect("tgc_flat").width(), 0.0F) << "it is flat";
  scene.drag("tgc_3_db", 0.5F, 0.7F);
  EXPECT_GT(scene.state.params.display.tgc_db[2], 5.0);
  EXPECT_EQ(scene.state.params.display.tgc_db[1], 0.0);
  EXPECT_GT(scene.params_changed, 0);
  scene.frames(1);
  scene.click("tgc_flat");
  EXPECT_TRUE(is_flat(scene.state.params.display.tgc_db));
  scene.frames(1);
  scene.click("tgc");  // as it was
}

TEST(TransmitRows, SelectARangeAndSayNoToScanLines) {
  ECHO_SCENE(scene, 1600, kTall);
  scene.state.source.acquisition = share(linear_acquisition(16, 256, {-10, -5, 0, 5, 10}));
  scene.frames(2);
  if (scene.rect("transmits").width() == 0.0F) scene.click("more_formation");
  scene.frames(1);
  ASSERT_GT(scene.rect("transmits").width(), 0.0F);
  scene.drag("transmits", 0.0F, 0.5F);
  EXPECT_EQ(scene.state.params.transmits.first, 3);
  EXPECT_EQ(scene.state.params.transmits.last, 0) << "the last one, of any recording";
  const int changed = scene.params_changed;
  scene.state.source.acquisition = share(scan_line_acquisition());
  scene.frames(1);
  scene.drag("transmits", 1.0F, 0.5F);
  EXPECT_EQ(scene.params_changed, changed);
}

TEST(RefineRows, SetWhatTheySay) {
  ECHO_SCENE(scene, 1600, kTall);
  scene.frames(2);
  if (scene.rect("median").width() == 0.0F) scene.click("more_display");
  scene.frames(1);
  scene.drag("persistence_s", 0.0F, 0.5F);
  EXPECT_NEAR(scene.state.params.refine.persistence_s, 1.0, 0.1);
  scene.drag("smooth_axial_m", 0.0F, 0.5F);
  EXPECT_NEAR(scene.state.params.refine.smooth_axial_m, 1e-3, 0.1e-3);
  scene.state.params.refine.persistence_s = 0.0;
  scene.freeze(20, 50.0);
  scene.frames(2);
  scene.drag("persistence_s", 0.0F, 0.5F);
  EXPECT_EQ(scene.state.params.refine.persistence_s, 0.0) << "a frozen frame stands alone";
}

}  // namespace
}  // namespace echoloop::testing::clicks_test
