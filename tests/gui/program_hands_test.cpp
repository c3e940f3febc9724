// What a researcher does, by mouse and keyboard in the program's own window: measure between two wires at every zoom,
// open a file, tune, freeze, look back, keep the parameters, save.
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

#include "gui/program_window.h"
#include "gui/stream_scene.h"

namespace echoloop::testing::program_hands_test {
namespace {

std::vector<std::filesystem::path> files_of(const ProgramWindow& window, const std::string& end) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(window.folder().path())) {
    if (file.path().filename().string().ends_with(end)) files.push_back(file.path());
  }
  return files;
}

struct Spot {
  double x = 0, y = 0;
};

// Where it is brightest within `radius` pixels, as an eye would point at it.
Spot wire_near(const ProgramWindow& window, double x, double y, double radius) {
  const Rect r{std::round(static_cast<float>(x - radius)), std::round(static_cast<float>(y - radius)),
               std::round(static_cast<float>(x + radius)), std::round(static_cast<float>(y + radius))};
  const std::vector<std::uint8_t> rgb = window.pixels(r);
  const auto width = static_cast<std::size_t>(std::lround(r.x1) - std::lround(r.x0));
  double sum = 0, sx = 0, sy = 0;
  for (std::size_t i = 0; 3 * i < rgb.size(); ++i) {
    const double weight = std::pow(rgb[3 * i] / 255.0, 8);
    sum += weight;
    sx += weight * (static_cast<double>(i % width) + 0.5);
    sy += weight * (static_cast<double>(i / width) + 0.5);
  }
  return {static_cast<double>(r.x0) + sx / sum, static_cast<double>(r.y0) + sy / sum};
}

// Each at the pace of a user after the one before.
void one_by_one(ProgramWindow& window, const std::vector<std::vector<std::string>>& steps) {
  for (const auto& step : steps) window.hands(step);
}

// Of the middle of the image.
class Middle {
 public:
  Middle(const ProgramWindow& window, const Scene& scene)
      : window_(window),
        at_(scene.viewer->screen().picture().cx() - 100, scene.viewer->screen().picture().cy() - 100,
            scene.viewer->screen().picture().cx() + 100, scene.viewer->screen().picture().cy() + 100) {}

  [[nodiscard]] const Rect& where() const { return at_; }
  [[nodiscard]] std::vector<std::uint8_t> look() const { return window_.pixels(at_); }
  [[nodiscard]] double brightness() const {
    const std::vector<std::uint8_t> seen = look();
    return std::accumulate(seen.begin(), seen.end(), 0.0) / static_cast<double>(seen.size());
  }
  [[nodiscard]] bool comes() const {
    return eventually([&] {
      const std::vector<std::uint8_t> seen = look();
      return !seen.empty() &&
             std::count(seen.begin(), seen.end(), seen.front()) < static_cast<std::ptrdiff_t>(seen.size() / 2);
    });
  }
  // So many times another image: frames that can be looked back to.
  [[nodiscard]] bool moves(int times) const {
    std::vector<std::uint8_t> last = look();
    return eventually([&] {
      std::vector<std::uint8_t> now = look();
      times -= now != last ? 1 : 0;
      last = std::move(now);
      return times <= 0;
    });
  }
  // Frozen, and with all that was changed of it.
  [[nodiscard]] bool rests() const {
    constexpr int kAlike = 15;  // looks: longer than an image takes
    std::vector<std::uint8_t> last;
    int alike = 0;
    return eventually([&] {
      std::vector<std::uint8_t> now = look();
      alike = now == last ? alike + 1 : 0;
      last = std::move(now);
      return alike == kAlike;
    });
  }
  // Of the heart, which beats: the first look may be of an image that is just being drawn.
  [[nodiscard]] double brightest() const {
    double most = 0.0, last = 0.0;
    int changes = 0;
    EXPECT_TRUE(eventually([&] {
      const double now = brightness();
      most = std::max(most, now);
      changes += std::exchange(last, now) != now ? 1 : 0;
      return changes == 20;
    }));
    return most;
  }

 private:
  const ProgramWindow& window_;
  Rect at_;
};

// Until what is at `place` has changed.
template <class Act>
void act_and_see(const ProgramWindow& window, const Rect& place, const char* what, Act&& act) {
  const std::vector<std::uint8_t> before = window.pixels(place);
  act();
  EXPECT_TRUE(eventually([&] { return window.pixels(place) != before; })) << what;
}

constexpr Rect kTitle{8, 4, 150, 36};  // the name of the source

void freeze(ProgramWindow& window, Scene& scene) {
  act_and_see(window, scene.rect("freeze"), "the stream was not frozen", [&] { window.key("space"); });
}

class Caliper {
 public:
  Caliper(ProgramWindow& window, Scene& scene) : window_(window), scene_(scene) {}

  // Between the wires at 10 and 30 mm depth, each pointed at where `notches` of the wheel have made it large.
  double length_mm(int notches) {
    window_.hands({"key", "c"});
    point(notches, 10e-3);
    point(notches, 30e-3);
    window_.hands({"mousemove", "400", "20", "key", "s"});
    nlohmann::json marks;
    const auto saved = [&] {
      for (const auto& file : files_of(window_, ".json")) {
        const std::string text = read_text(file);
        if (!nlohmann::json::accept(text)) continue;  // still being written
        marks = nlohmann::json::parse(text)["marks"];
        std::filesystem::remove(file);
        return true;
      }
      return false;
    };
    if (!eventually(saved) || marks.size() != 1) return NAN;
    for (const char* key : {"Delete", "Escape", "f"}) window_.key(key);
    return marks[0]["length_mm"];
  }

 private:
  void point(int notches, double z_m) {
    scene_.press(Key::f);
    scene_.frames(2);
    const ImageLayout& l = scene_.viewer->screen().image_layout();
    const float x = std::round(l.x_px(0)), y = std::round(l.z_px(z_m));
    const std::string at_x = std::to_string(static_cast<int>(x)), at_y = std::to_string(static_cast<int>(y));
    one_by_one(window_, {{"key", "f"}, {"mousemove", at_x, at_y}});
    if (notches > 0) window_.hands({"click", "--repeat", std::to_string(notches), "--delay", "50", "4"});
    window_.hands({"mousemove", "400", "20"});  // its cross is bright, too
    for (int i = 0; i < notches; ++i) turn_wheel(scene_, x, y, 1);
    const ImageLayout& zoomed = scene_.viewer->screen().image_layout();
    const double radius = 1.2 * zoomed.px_per_mm();
    const Rect& r = zoomed.image;
    const double cx = static_cast<double>(zoomed.x_px(0)), cy = static_cast<double>(zoomed.z_px(z_m));
    const double room = std::min({radius, cy - static_cast<double>(r.y0) - 2, static_cast<double>(r.y1) - cy - 2});
    const Spot wire = wire_near(window_, cx, cy, room);
    EXPECT_LT(std::hypot(wire.x - cx, wire.y - cy), 0.5 * zoomed.px_per_mm()) << "the wire is where the rulers say";
    one_by_one(window_, {{"mousemove", std::to_string(std::lround(wire.x)), std::to_string(std::lround(wire.y))},
                         {"mousedown", "1"},
                         {"mouseup", "1"}});
  }

  ProgramWindow& window_;
  Scene& scene_;
};

class WindowOf : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(WindowOf, ACaliperBetweenTwoWiresReadsTwentyMillimetresAtEveryZoom) {
  if (const std::string why = why_no_program_window(); !why.empty()) GTEST_SKIP() << why;
  ECHO_SCENE(scene, GetParam().first, GetParam().second);
  look_like_the_program(scene, "points");
  ProgramWindow window({"sim:points", "--rate", "10", "--backend", "cpu", "--duration", "120"}, scene);
  const ImageLayout& l = scene.viewer->screen().image_layout();
  ASSERT_TRUE(eventually([&] {
    const std::vector<std::uint8_t> rgb =
        window.pixels({l.x_px(0) - 2, l.z_px(30e-3) - 2, l.x_px(0) + 2, l.z_px(30e-3) + 2});
    return !rgb.empty() && rgb[0] > 100;
  })) << "no picture came";
  window.hands({"mousemove", "400", "20", "key", "space"});
  Caliper caliper(window, scene);
  for (const int notches : {0, 3, 9}) {
    const double length = caliper.length_mm(notches);
    EXPECT_NEAR(length, 20.0, 0.1) << "zoom " << std::pow(1.25, notches);
    std::printf("%d x %d, zoom %.2f: %.3f mm\n", GetParam().first, GetParam().second, std::pow(1.25, notches), length);
  }
  EXPECT_EQ(window.close(), 0);
}

INSTANTIATE_TEST_SUITE_P(Aspects, WindowOf, ::testing::Values(std::pair{1600, 900}, std::pair{1100, 1000}));

// key = value of a preset's parameters.
std::map<std::string, std::string> parameters_of(const std::filesystem::path& toml) {
  std::map<std::string, std::string> found;
  std::istringstream text(read_text(toml));
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("[")) inside = line == "[parameters]";
    const std::size_t equals = line.find(" = ");
    if (inside && equals != std::string::npos) found[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return found;
}

std::string as_toml(const nlohmann::json& value) { return value.dump(); }

bool same(const std::string& toml, const nlohmann::json& value) {
  if (value.is_string()) return toml == as_toml(value);
  return std::abs(std::stod(toml) - value.get<double>()) <= 1e-9 * std::abs(value.get<double>());
}

TEST(Hands, OpenTuneFreezeScrubKeepAndSave) {
  if (const std::string why = why_no_program_window(); !why.empty()) GTEST_SKIP() << why;
  ECHO_SCENE(scene, ProgramWindow::kWidth, ProgramWindow::kHeight);
  look_like_the_program(scene, "heart");
  ProgramWindow window(
      {"sim:heart", "--rate", "10", "--backend", "cpu", "--duration", "240", "--report", "report.json"}, scene);
  ASSERT_EQ(
      window.run_aside({"sim:points", "--headless", "--backend", "cpu", "--frames", "30", "--record", "wires.uff"}), 0);
  const Middle picture(window, scene);
  ASSERT_TRUE(picture.comes());
  // Open by dialog: the path is typed.
  window.rest();
  freeze(window, scene);  // so that nothing but the dialog changes the image
  act_and_see(window, picture.where(), "no dialog", [&] { window.key("ctrl+o"); });
  window.key("ctrl+a");
  window.type((window.folder() / "wires.uff").string());
  act_and_see(window, kTitle, "the file was not opened", [&] {
    one_by_one(window, {{"keydown", "Return"}, {"keyup", "Return"}});
  });
  scene.state.source.phantom = "";  // its panel has fewer rows
  scene.frames(2);
  // Tune, freeze, look back.
  window.drag("f_number", 0.3F, 0.6F);
  window.drag("gain_db", 0.5F, 0.6F);
  window.rest();
  window.key("bracketright");
  EXPECT_TRUE(picture.moves(5));
  freeze(window, scene);
  window.key("Home");  // may look like the newest one: the recording repeats
  EXPECT_TRUE(picture.rests());
  act_and_see(window, picture.where(), "the circling wire", [&] { window.key("Right"); });
  // Keep the parameters, spoil them, have them again.
  scene.click("preset_menu");
  const Rect save = scene.rect("preset_save");
  scene.press(Key::escape);
  act_and_see(window, save, "no field for the name", [&] { window.click("preset_menu"); });
  window.key("End");
  act_and_see(window, save, "a name cannot be saved", [&] { window.type("Bench"); });
  one_by_one(window, {{"keydown", "Return"}, {"keyup", "Return"}});
  const auto preset = window.folder() / "config/echoloop/presets/bench.toml";
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(preset); }));
  const auto kept = parameters_of(preset);
  EXPECT_GT(kept.size(), 20U);
  scene.press(Key::escape);
  for (const char* key : {"minus", "minus", "bracketleft", "2", "9"}) window.key(key);
  // Save the image, its numbers and what was measured.
  window.key("s");
  scene.freeze(30, 10);
  scene.frames(2);
  EXPECT_TRUE(picture.rests());
  window.choose("save_menu", "save/data");
  for (int i = 0; i < 2; ++i) window.key("Escape");
  scene.press(Key::escape);
  scene.press(Key::escape);
  // A region: what it measures opens by itself.
  const Rect& middle = picture.where();
  const std::string x0 = std::to_string(std::lround(middle.x0)), y0 = std::to_string(std::lround(middle.y0));
  const std::string x1 = std::to_string(std::lround(middle.x1)), y1 = std::to_string(std::lround(middle.y1));
  one_by_one(window, {{"key", "a"},
                      {"mousemove", x0, y0},
                      {"mousedown", "1"},
                      {"mousemove", x1, y1},
                      {"mouseup", "1"},
                      {"key", "Escape"}});
  const ImageLayout& l = scene.viewer->screen().image_layout();
  scene.state.marks.list = {{.number = 1,
                             .kind = MarkKind::rectangle,
                             .points = {l.point(middle.x0, middle.y0), l.point(middle.x1, middle.y1)},
                             .role = RegionRole::target,
                             .pair = 1}};
  scene.state.marks.selected = 1;
  for (int i = 0; i < 20; ++i) scene.frames(1);
  window.click("save_measurements");
  for (const char* end : {".png", ".npy", "measurements.csv"}) {
    EXPECT_TRUE(eventually([&] { return !files_of(window, end).empty(); })) << end;
  }
  const nlohmann::json report = report_of(window);
  EXPECT_NE(report["source"].get<std::string>().find("wires.uff"), std::string::npos);
  EXPECT_NE(report["parameters"]["f_number"], 1.5);
  EXPECT_NE(report["parameters"]["gain_db"], 0.0);
  for (const auto& [key, value] : kept) EXPECT_TRUE(same(value, report["parameters"][key])) << key << " " << value;
}

TEST(Hands, DropAFileAndLookBackWithTheMouse) {
  if (const std::string why = why_no_drop(); !why.empty()) GTEST_SKIP() << why;
  ECHO_SCENE(scene, ProgramWindow::kWidth, ProgramWindow::kHeight);
  look_like_the_program(scene, "heart");
  ProgramWindow window(
      {"sim:heart", "--rate", "10", "--backend", "cpu", "--duration", "120", "--report", "report.json"}, scene);
  ASSERT_EQ(
      window.run_aside({"sim:points", "--headless", "--backend", "cpu", "--frames", "30", "--record", "my wires.uff"}),
      0);
  const Middle picture(window, scene);
  ASSERT_TRUE(picture.comes());
  const double heart = picture.brightest();
  ASSERT_TRUE(window.drop(window.folder() / "my wires.uff"));
  EXPECT_TRUE(eventually([&] { return picture.brightness() < 0.6 * heart; }));  // dark between the wires
  EXPECT_TRUE(picture.moves(5));
  freeze(window, scene);
  scene.freeze(30, 10);
  scene.frames(2);
  window.drag("cine_track", 0.95F, 0.3F);
  window.rest();
  EXPECT_TRUE(picture.rests());
  act_and_see(window, picture.where(), "no later frame", [&] { window.key("Right"); });  // the circling wire
  EXPECT_NE(report_of(window)["source"].get<std::string>().find("my wires.uff"), std::string::npos);
}

}  // namespace
}  // namespace echoloop::testing::program_hands_test
