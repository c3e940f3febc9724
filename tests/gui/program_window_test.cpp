// The program itself, by mouse and keyboard: what is changed in its panels is what its report says, and the image
// follows.
#include "gui/program_window.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "history/film.h"
#include "support/film_file.h"
#include "support/uff_file.h"
#include "test_paths.h"

namespace echoloop::testing::program_window_test {
namespace {

using Pixels = std::vector<std::uint8_t>;

constexpr Part kMiddle{.x0 = 0.1F, .y0 = 0.2F, .x1 = 0.9F, .y1 = 0.6F};
constexpr Part kLeft{.x0 = 0.1F, .y0 = 0.2F, .x1 = 0.4F, .y1 = 0.6F};
constexpr Part kRight{.x0 = 0.6F, .y0 = 0.2F, .x1 = 0.9F, .y1 = 0.6F};

// Share of the values that are not nearly the same.
double difference(const Pixels& a, const Pixels& b) {
  if (a.size() != b.size() || a.empty()) return 1.0;
  std::size_t other = 0;
  for (std::size_t i = 0; i < a.size(); ++i) other += std::abs(a[i] - b[i]) > 8 ? 1 : 0;
  return static_cast<double>(other) / static_cast<double>(a.size());
}

// The same for longer than an image takes on a busy machine.
Pixels at_rest(const std::function<Pixels()>& look) {
  Pixels before, now;
  int alike = 0;
  EXPECT_TRUE(eventually([&] {
    before = std::exchange(now, look());
    alike = !before.empty() && before == now ? alike + 1 : 0;
    return alike == 8;
  }));
  return now;
}
Pixels at_rest(const ProgramWindow& window, const Part& part) {
  return at_rest([&] { return window.picture(part); });
}

// Until so many different images have been seen.
bool sees_images(const ProgramWindow& window, const Part& part, int count) {
  Pixels last;
  return eventually([&] {
    Pixels now = window.picture(part);
    if (!now.empty() && now != last) --count;
    last = std::move(now);
    return count <= 0;
  });
}

constexpr auto kWidePx = static_cast<float>(ProgramWindow::kWidth);
constexpr auto kHighPx = static_cast<float>(ProgramWindow::kHeight);
constexpr Rect kTopBar{0.0F, 0.0F, kWidePx, 40.0F};
constexpr Rect kPanels{0.0F, 40.0F, 296.0F, kHighPx - 32.0F};
constexpr Rect kMessageLine{0.0F, kHighPx - 32.0F, kWidePx, kHighPx};

std::size_t red_pixels(const ProgramWindow& window, const Rect& part) {
  const Pixels line = window.pixels(part);
  std::size_t red = 0;
  for (std::size_t i = 0; i + 2 < line.size(); i += 3) {
    red += line[i] > 180 && line[i + 1] < 140 && line[i + 2] < 140 ? 1 : 0;
  }
  return red;
}

#define ECHO_PROGRAM_WINDOW(name, ...)                                                                                 \
  if (const std::string why = why_no_program_window(); !why.empty()) GTEST_SKIP() << why;                              \
  ECHO_SCENE(name##_scene, ProgramWindow::kWidth, ProgramWindow::kHeight);                                             \
  look_like_the_program(name##_scene, "heart");                                                                        \
  ProgramWindow name({__VA_ARGS__, "--backend", "cpu", "--duration", "240", "--report", "report.json"}, name##_scene); \
  ASSERT_TRUE(eventually([&] {                                                                                         \
    const Pixels p = name.picture(kMiddle);                                                                            \
    return difference(p, Pixels(p.size(), p.empty() ? 0 : p.front())) > 0.2;                                           \
  })) << "no picture came"

TEST(ProgramWindow, AStreamThatIsTooSlowDropsAsItIsTold) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "15");
  ASSERT_TRUE(eventually([&] { return window.looks_like_its_scene("gain_db"); })) << "other rows than the scene";
  window.click("policy/Drop oldest");
  window.choose("slots", "slots/1");
  window.click("panel_formation");  // makes room
  window.click("panel_faults");
  ASSERT_TRUE(eventually([&] { return window.looks_like_its_scene("load_ms"); }));
  window.type_into("load_ms", "400");  // slower than the source on a busy machine, too
  EXPECT_TRUE(eventually([&] { return red_pixels(window, kTopBar) > 20; })) << "the number of lost frames";
  window.right_click("load_ms");
  window.click("panel_faults");
  window.click("panel_formation");
  window.click("panel_timings");  // makes room
  window.click("save_csv");
  bool saved = false;
  EXPECT_TRUE(eventually([&] {
    for (const auto& file : std::filesystem::directory_iterator(window.folder().path())) {
      saved = saved || (file.path().extension() == ".csv" && read_text(file.path()).starts_with("frame,stage,"));
    }
    return saved;
  }));
  const nlohmann::json report = report_of(window);
  EXPECT_EQ(report["policy"], "drop-oldest");
  EXPECT_EQ(report["slots"], 3);
  EXPECT_GT(report["frames"]["dropped"].get<int>(), 0);
  EXPECT_EQ(report["frames"]["errors"], 0);
  EXPECT_EQ(report["inject"], "");
}

TEST(ProgramWindow, LooksBackComparesAndGoesLive) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "5");
  ASSERT_TRUE(sees_images(window, kMiddle, 8));
  window.rest();
  ASSERT_TRUE(eventually([&] { return window.looks_like_its_scene("gain_db"); })) << "other rows than the scene";
  window.key("space");  // the frame that was seen, which need not be the newest that is kept
  window.key("End");
  const Pixels newest = at_rest(window, kMiddle);
  window.key("Home");
  const Pixels oldest = at_rest(window, kMiddle);
  EXPECT_GT(difference(newest, oldest), 0.02);
  window.key("End");
  EXPECT_LT(difference(newest, at_rest(window, kMiddle)), 0.001);
  window.drag("f_number", 0.3F, 0.8F);
  window.rest();
  const Pixels blurred = at_rest(window, kMiddle);
  EXPECT_GT(difference(newest, blurred), 0.05);
  window.key("x");  // its bar makes the image smaller
  const Pixels left = at_rest(window, kLeft), right = at_rest(window, kRight);
  window.right_click("f_number");
  window.rest();
  EXPECT_LT(difference(left, at_rest(window, kLeft)), 0.001);   // A, as it was
  EXPECT_GT(difference(right, at_rest(window, kRight)), 0.05);  // B, by the panels
  window.key("x");
  EXPECT_LT(difference(newest, at_rest(window, kMiddle)), 0.001);  // the same parameters, the same image
  window.key("space");
  Pixels live = window.picture(kMiddle);
  EXPECT_TRUE(eventually([&] { return difference(window.picture(kMiddle), live) > 0.01; }));
  const nlohmann::json report = report_of(window);
  EXPECT_GE(report["display"]["review_frames"]["count"].get<int>(), 5);
  EXPECT_EQ(report["frames"]["dropped"], 0);
  EXPECT_EQ(report["frames"]["errors"], 0);
}

TEST(ProgramWindow, SavesAFilmAndNumbersOfKeptFrames) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "5");
  ASSERT_TRUE(sees_images(window, kMiddle, 12));
  window.rest();
  window.key("space");
  (void)at_rest(window, kMiddle);
  window_scene.freeze(20, 5);
  window_scene.put_past(0, kSquare, [](double, double) { return -20.0F; });
  window_scene.frames(2);
  window.choose("save_menu", "save/data");
  window.click("save/film");
  std::filesystem::path film, numbers;
  const auto saved = [&] {
    for (const auto& file : std::filesystem::directory_iterator(window.folder().path())) {
      if (file.path().extension() == ".mp4") film = file.path();
      if (file.path().extension() == ".npy") numbers = file.path();
    }
    return !film.empty() && !numbers.empty();
  };
  ASSERT_TRUE(eventually(saved) || eventually(saved) || eventually(saved));  // encoding gives way to whatever else runs
  const FilmFile read = read_film(film);
  EXPECT_GE(read.luma.size(), 5U);
  EXPECT_LE(read.height, 1080);
  const auto about = nlohmann::json::parse(read_text(numbers.replace_extension(".json")));
  EXPECT_EQ(about["source"], "sim:heart");
  const nlohmann::json report = report_of(window);
  EXPECT_EQ(report["frames"]["errors"], 0);
  EXPECT_EQ(report["frames"]["dropped"], 0);
}
// Ended recordings in the folder where the program runs.
std::vector<std::filesystem::path> recordings_of(const ProgramWindow& window) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(window.folder().path())) {
    if (file.path().extension() == ".uff") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_numbers_without_holes(const std::filesystem::path& path) {
  const UffFile file(path);
  ASSERT_TRUE(file.is_open());
  const std::vector<std::uint64_t> numbers = file.sequence();
  ASSERT_GT(numbers.size(), 5U);
  for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], numbers[i - 1] + 1);
}

constexpr std::uintmax_t kTenFrames = 5'000'000;  // of the heart phantom

// Of the recording that is being written.
std::uintmax_t bytes_on_disk(const ProgramWindow& window) {
  for (const auto& entry : std::filesystem::directory_iterator(window.folder().path())) {
    std::error_code gone;
    const std::uintmax_t bytes = entry.path().extension() == ".partial" ? entry.file_size(gone) : 0;
    if (!gone && bytes > 0) return bytes;
  }
  return 0;
}

TEST(ProgramWindow, RecordsByKeyAndByButtonAndThroughItsEnd) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "20");
  window.rest();
  window.key("r");
  ASSERT_TRUE(eventually([&] { return bytes_on_disk(window) > kTenFrames; }));
  window.key("r");
  ASSERT_TRUE(eventually([&] { return recordings_of(window).size() == 1; }));
  expect_numbers_without_holes(recordings_of(window)[0]);
  window.click("record");
  ASSERT_TRUE(eventually([&] { return bytes_on_disk(window) > kTenFrames; }));
  report_of(window);  // closes it: the recording ends as it should
  ASSERT_EQ(recordings_of(window).size(), 2U);
  expect_numbers_without_holes(recordings_of(window)[1]);
}

TEST(ProgramWindow, AFullDiskIsALineAndItGoesOn) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "20");
  const std::string folder = window.folder().path().string();
  if (std::system(("mount -t tmpfs -o size=8k none " + folder + " 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no disk of 8 kB can be mounted here: that takes root";
  }
  const auto left_files = [&] {
    const std::filesystem::directory_iterator files(folder);
    return std::count_if(begin(files), end(files),
                         [](const auto& file) { return file.path().filename().string().starts_with("heart_phantom"); });
  };
  window.rest();
  Pixels message;
  for (const char* key : {"s", "r"}) {
    window.key(key);
    EXPECT_TRUE(eventually([&] {
      return red_pixels(window, kMessageLine) > 100 && difference(window.pixels(kMessageLine), message) > 0.0;
    }));
    message = window.pixels(kMessageLine);
    EXPECT_TRUE(eventually([&] { return left_files() == 0; }));
  }
  EXPECT_EQ(std::system(("umount " + folder).c_str()), 0);
  const Pixels then = window.picture(kMiddle);
  EXPECT_TRUE(eventually([&] { return difference(window.picture(kMiddle), then) > 0.02; }));
  report_of(window);
}

TEST(ProgramWindow, AfterARefusedFrameItGoesOn) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "500", "--policy", "error");
  const Pixels stopped = at_rest(window, kMiddle);
  window.rest();
  // The banner's buttons are where the same banner has them.
  Scene& scene = window_scene;
  scene.state.run = RunState::fault;
  scene.state.stream.policy = RingPolicy::error;
  RingRefusal refusal{};
  refusal.counts.slots = 8;
  scene.state.notices.fault =
      FaultNotice{.title = "Stopped", .detail = "", .advice = "Restart.", .can_restart = true, .refusal = refusal};
  scene.frames(2);
  window.click("cure/Restart with Drop oldest");
  EXPECT_TRUE(eventually([&] { return difference(window.picture(kMiddle), stopped) > 0.02; }));
  EXPECT_TRUE(eventually([&] { return red_pixels(window, kTopBar) > 20; })) << "the number of lost frames";
  const nlohmann::json report = report_of(window);
  EXPECT_EQ(report["policy"], "drop-oldest");
  EXPECT_EQ(report["frames"]["errors"], 1);
  EXPECT_GT(report["frames"]["dropped"].get<int>(), 0);
}

TEST(ProgramWindow, ClosedAfterAFaultItsExitStatusIsOne) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "500", "--policy", "error");
  (void)at_rest(window, kMiddle);
  EXPECT_EQ(window.close(), 1);
}

// Of a program that recorded a.uff until it lost its display: whole files, and one line with `why`.
void expect_complete_files(const ProgramWindow& window, const std::string& why) {
  expect_numbers_without_holes(window.folder() / "a.uff");
  const nlohmann::json report = nlohmann::json::parse(read_text(window.folder() / "report.json"));
  EXPECT_EQ(report["recording"]["frames"], UffFile(window.folder() / "a.uff").frames());
  const std::string errors = window.errors();
  EXPECT_NE(errors.find("echoloop: " + why), std::string::npos) << errors;
  EXPECT_EQ(errors.find("X connection"), std::string::npos) << errors;
  EXPECT_EQ(errors.find("X Error"), std::string::npos) << errors;
}

// The server of the display is killed, as when a session ends or a connection breaks.
TEST(ProgramWindow, WithoutItsDisplayItCompletesItsFiles) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "20", "--record", "a.uff");
  ASSERT_TRUE(eventually([&] { return bytes_on_disk(window) > kTenFrames; }));
  EXPECT_EQ(window.lose_display(), 1);
  expect_complete_files(window, "the connection to the display was lost");
}

// Another program destroys the window.
TEST(ProgramWindow, AfterARefusedRequestItCompletesItsFiles) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "20", "--record", "a.uff");
  ASSERT_TRUE(eventually([&] { return bytes_on_disk(window) > kTenFrames; }));
  EXPECT_EQ(window.destroy_window(), 1);
  expect_complete_files(window, "the display server refused a request of the window");
}

// Its file is cut while it plays, is recorded and is looked back at.
TEST(ProgramWindow, ARecordingThatBecomesShorterIsAFault) {
  const TemporaryFolder folder;
  const std::filesystem::path played = folder / "played.uff";
  const std::string making = " sim:heart --headless --backend cpu --frames 40 --rate max --record ";
  ASSERT_EQ(std::system((ECHO_PROGRAM + making + played.string() + " > /dev/null 2>&1").c_str()), 0);
  ECHO_PROGRAM_WINDOW(window, played.string(), "--rate", "20", "--record", "a.uff");
  const auto recorded = [&] {
    std::error_code error;
    return std::filesystem::exists(window.folder() / "a.uff", error);
  };
  ASSERT_TRUE(eventually([&] { return bytes_on_disk(window) > 3 * kTenFrames; }));
  std::filesystem::resize_file(played, std::filesystem::file_size(played) / 3);
  ASSERT_TRUE(eventually(recorded));  // the fault has ended it
  window.rest();
  window.key("space");
  window.key("Home");
  window.key("End");
  (void)at_rest(window, kMiddle);
  EXPECT_EQ(window.close(), 1);
  const UffFile file(window.folder() / "a.uff");
  ASSERT_TRUE(file.is_open());
  EXPECT_GT(file.frames(), 0U);
  EXPECT_NE(window.errors().find("played.uff"), std::string::npos) << window.errors();
}

// Nothing reads the pipe; the window is closed all the same, with a line.
TEST(ProgramWindow, APipeWithoutAReaderDoesNotKeepTheWindow) {
  const TemporaryFolder folder;
  const std::string pipe = (folder / "window.png").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ECHO_PROGRAM_WINDOW(window, "sim:points", "--screenshot", pipe);
  EXPECT_EQ(window.close(), 1);
  EXPECT_NE(window.errors().find("no program reads this pipe"), std::string::npos) << window.errors();
}

// Loads, undoes, saves nothing by halves, and follows what somebody writes into a preset's file meanwhile.
TEST(ProgramWindow, PresetsByKeyAndByFile) {
  ECHO_PROGRAM_WINDOW(window, "sim:heart", "--rate", "10");
  window.rest();
  const auto panels = [&] { return window.pixels(kPanels); };
  Pixels before = panels();
  const auto changed = [&] {  // presets and parameters as the panels show them
    const bool came = eventually([&] { return difference(panels(), before) > 0.0; });
    before = at_rest(panels);
    return came;
  };
  for (const char* key : {"1", "2", "ctrl+z"}) {  // Detail, Smooth
    window.key(key);
    EXPECT_TRUE(changed()) << key;
  }
  const auto own = window.folder() / "config/echoloop/presets";
  std::filesystem::create_directories(own);
  write_text_file(own / "mine.toml", "name = \"Mine\"\nslot = 9\n[parameters]\ngain_db = 7\nsound_speed_m_s = 1500\n");
  EXPECT_TRUE(changed()) << "one preset more";
  window.key("9");
  EXPECT_TRUE(changed());
  write_text_file(own / "mine.toml", "name = \"Mine\"\nslot = 9\n[parameters]\ngain_db = -11\n");
  EXPECT_TRUE(changed());
  write_text_file(own / "mine.toml", "gain_db = ");
  EXPECT_TRUE(eventually([&] { return red_pixels(window, kMessageLine) > 100; }));
  const nlohmann::json report = report_of(window);
  const nlohmann::json& p = report["parameters"];
  EXPECT_EQ(p["f_number"], 1.0);  // Detail's: Smooth was undone
  EXPECT_EQ(p["apodization"], "boxcar");
  EXPECT_EQ(p["sound_speed_m_s"], 1500.0);
  EXPECT_EQ(p["gain_db"], -11.0);
  EXPECT_EQ(report["frames"]["errors"], 0);
}

}  // namespace
}  // namespace echoloop::testing::program_window_test
