// Marks in the program's window and without a window: the same numbers to the last digit; sessions bring both back.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "app/commands.h"
#include "app/outputs/measured_values.h"
#include "app/window/window_app.h"
#include "core/param_table.h"
#include "gui/turning.h"
#include "source/phantom_text.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::marked_window_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Of every shape, two pairs, one alone; a point, a profile, a distance, an angle, about a place where an echo is.
Marks every_kind_about(PlanePoint at) {
  Marks marks;
  const auto add = [&](MarkKind kind, std::vector<PlanePoint> points, RegionRole role = RegionRole::none,
                       int pair = 0) {
    for (PlanePoint& p : points) p = {at.x_m + p.x_m, at.z_m + p.z_m};
    const int number = ++marks.last_number;
    marks.list.push_back({.number = number, .kind = kind, .points = std::move(points), .role = role, .pair = pair});
  };
  add(MarkKind::point, {{0.2e-3, 0.1e-3}});
  add(MarkKind::rectangle, {{-4.0123e-3, -3e-3}, {-1e-3, 3.0071e-3}}, RegionRole::target, 1);
  add(MarkKind::circle, {{3e-3, 0}, {4.2e-3, 0.1e-3}}, RegionRole::background, 1);
  add(MarkKind::ellipse, {{-4e-3, 4e-3}, {-1e-3, 4.5e-3}, {-2.5e-3, 5.1e-3}}, RegionRole::target, 2);
  add(MarkKind::outline, {{1e-3, 3e-3}, {4e-3, 3.3e-3}, {3e-3, 6e-3}, {1.5e-3, 5e-3}}, RegionRole::background, 2);
  add(MarkKind::rectangle, {{-1e-3, -4e-3}, {2e-3, -2e-3}});
  add(MarkKind::profile, {{-3.3e-3, 0.1e-3}, {3.1e-3, -0.2e-3}});
  add(MarkKind::distance, {{-1e-3, 0}, {1.0 / 3e3, 2e-3}});
  add(MarkKind::angle, {{0, -2e-3}, {0, 0}, {2e-3, 1e-3}});
  return marks;
}

// What is on screen.
struct Saved {
  std::uint64_t frame = 0;
  std::vector<float> pixels;
  json values;
  ImagingParams params;
};

class MarkedWindow : public ScriptedWindow {
 public:
  explicit MarkedWindow(Options options) {
    ::setenv("HOME", folder_.path().c_str(), 1);
    options.backend = BackendChoice::cpu;
    options.duration_s = 1e9;  // a script: no tour of the window
    options.width = 1600;
    options.height = 900;
    begin(options);
  }
  [[nodiscard]] const Image& shown() { return app_->viewer().shown_image(); }
  void press(const KeyPress& key) {
    testing::press(*app_, key);
    inject(*app_, {});
  }
  // Frozen on the frame whose numbers the panel has, those of points from the fine grid.
  bool freeze_and_measure(const Marks& marks) {
    if (state().run != RunState::frozen) press({.key = Key::space});
    state().marks = marks;
    return measured();
  }
  bool measured() {
    return until([&] {
      const Measured& m = state().measured;
      const bool fine = std::all_of(m.points.begin(), m.points.end(), [&](const MeasuredPoint& p) {
        return p.from == PointSource::fine_grid && p.frame == shown().stamp.sequence;
      });
      return state().run == RunState::frozen && !m.points.empty() && fine &&
             m.image.stamp.sequence == shown().stamp.sequence && m.image.ready_ns == shown().ready_ns;
    });
  }
  json values() { return measurements_json(state().measured, state().marks); }
  Saved saved() { return {shown().stamp.source_index, app_->viewer().shown_db(), values(), state().params}; }
  // The file of the newest message "Saved ..." that ends so; empty: none.
  fs::path newest(const std::string& ending) {
    EXPECT_TRUE(until([&] { return !state().saving.writing; }));
    const std::string saved = "Saved ";
    for (const Message& message : state().notices.messages.list()) {
      if (message.text.starts_with(saved) && message.text.ends_with(ending)) return message.text.substr(saved.size());
    }
    return {};
  }
};

std::vector<std::string> settings_of(const ImagingParams& params) {
  std::vector<std::string> settings;
  for (const ParamSpec& spec : param_table()) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", get_number(params, spec));
    settings.push_back(std::string(spec.key) + "=" + (spec.choices.empty() ? number : get_text(params, spec)));
  }
  return settings;
}

// Frame number, without "frame": the window counts those of its stream.
json without_frames(const json& values) {
  json numbers;  // without where they are from
  for (const char* key : {"regions", "pairs", "points", "lines"}) numbers[key] = values.at(key);
  for (json& point : numbers["points"]) point.erase("frame");
  return numbers;
}

// The numbers of a run without a window, of the frame and parameters of the window's image.
json headless_values(const Image& image, const std::string& source, const Marks& marks) {
  const TemporaryFolder folder;
  Options options;
  options.source = source;
  options.headless = true;
  options.backend = BackendChoice::cpu;
  options.stream.rate_hz = kRateMax;
  options.frames = image.stamp.source_index + 1;
  options.settings = settings_of(image.params);
  options.marks = folder / "marks.json";
  options.files["--measurements"] = folder / "values.json";
  write_text_file(options.marks, json{{"marks", marks_json(marks)}}.dump());
  EXPECT_EQ(run_headless(options), 0);
  return json::parse(read_text(options.files["--measurements"]));
}

void expect_equal_numbers(const std::string& source, PlanePoint echo) {
  Options options;
  options.source = source;
  MarkedWindow window(options);
  ASSERT_TRUE(window.until([&] {  // a recording of one frame is processed once
    return window.state().numbers.shown > 2 || window.state().run == RunState::frozen;
  }));
  const Marks marks = every_kind_about(echo);
  ASSERT_TRUE(window.freeze_and_measure(marks));
  const json values = window.values();
  ASSERT_EQ(values["regions"].size(), 5U);
  ASSERT_EQ(values["pairs"].size(), 2U);
  ASSERT_EQ(values["points"].size(), 1U);
  ASSERT_EQ(values["lines"].size(), 3U);
  EXPECT_TRUE(values["points"][0]["lateral_fwhm_mm"].is_number()) << values["points"];
  EXPECT_EQ(without_frames(values), without_frames(headless_values(window.shown(), source, marks)));
}

TEST(MarksWithoutAWindow, OnAPhantomHaveTheWindowsNumbers) {
  expect_equal_numbers("sim:points,angles_deg=0,rate_hz=20", points_phantom_wires({.name = "points"}).front());
}

TEST(MarksWithoutAWindow, OnARecordingHaveTheWindowsNumbers) {
  ECHO_NEED_DATA("pybf_field2_pw3/rf_dataset.hdf5");
  expect_equal_numbers((data_folder() / "pybf_field2_pw3/rf_dataset.hdf5").string(), {0.0, 45.885e-3});
}

// Saved frozen, opened by the command line's way: the same frame, pixel for pixel, and the same numbers.
TEST(Session, OpenedAgainHasTheSameImageAndNumbers) {
  Options options;
  options.source = "sim:points,angles_deg=0,rate_hz=20";
  options.settings = {"f_number=2.25"};
  const TemporaryFolder folder;
  const fs::path file = folder / "session.echoloop.json";
  Saved saved;
  {  // one window at a time
    MarkedWindow window(options);
    ASSERT_TRUE(window.until([&] { return window.state().numbers.shown > 4; }));
    window.state().params.formation.apodization = Apodization::hann;
    window.press({.key = Key::right_bracket});  // any key that tells that parameters changed
    ASSERT_TRUE(window.until([&] { return window.shown().params.formation.apodization == Apodization::hann; }));
    ASSERT_TRUE(window.freeze_and_measure(every_kind_about(points_phantom_wires({.name = "points"}).front())));
    window.press({.key = Key::s, .control = true, .shift = true});
    ASSERT_FALSE(window.newest(std::string(kSessionEnding)).empty());
    fs::copy(window.newest(std::string(kSessionEnding)), file);
    saved = window.saved();
  }
  std::string program = "echoloop", name = file.string();
  char* words[] = {program.data(), name.data()};
  MarkedWindow again(parse_command_line(2, words));
  ASSERT_TRUE(again.until([&] { return again.state().run == RunState::frozen; }));
  ASSERT_TRUE(again.measured());
  const Saved now = again.saved();
  EXPECT_EQ(now.frame, saved.frame);
  EXPECT_EQ(now.pixels, saved.pixels);
  EXPECT_EQ(without_frames(now.values), without_frames(saved.values));
  EXPECT_EQ(now.params, saved.params);
}

// Its parameters are its own: the chip of the preset that was in force goes out.
TEST(Session, OpenedInAWindowLeavesThePresetBehind) {
  Options options;
  options.source = "sim:points,angles_deg=0,rate_hz=20";
  options.settings = {"grid_nx=64", "grid_nz=64"};
  MarkedWindow window(options);
  ASSERT_TRUE(window.until([&] { return window.state().numbers.shown > 2; }));
  window.press({.key = Key::space});
  ASSERT_TRUE(window.until([&] { return window.state().run == RunState::frozen; }));
  window.press({.key = Key::s, .control = true, .shift = true});
  const fs::path file = window.newest(std::string(kSessionEnding));
  ASSERT_FALSE(file.empty());
  window.press({.key = Key::space});
  ASSERT_TRUE(window.until([&] { return window.state().run == RunState::live; }));
  window.press({.key = Key::digit2});
  ASSERT_TRUE(window.until([&] { return window.state().presets.active >= 0; }));
  window.drop(file);
  ASSERT_TRUE(window.until([&] { return window.state().run == RunState::frozen; }));
  EXPECT_EQ(window.state().presets.active, -1);
}

}  // namespace
}  // namespace echoloop::testing::marked_window_test
