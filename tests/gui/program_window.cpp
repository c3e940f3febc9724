#include "gui/program_window.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "support/waiting.h"
#include "test_paths.h"

extern char** environ;

namespace echoloop::testing {
namespace {

// Returns the pace of a user: longer than a window frame, also on an overloaded machine.
std::chrono::milliseconds step() {
  constexpr std::chrono::milliseconds kQuiet(200);
  double of_last_minute = 0.0;
  if (::getloadavg(&of_last_minute, 1) != 1) return kQuiet;
  const double waiting = of_last_minute / std::max(1U, std::thread::hardware_concurrency());
  return std::chrono::duration_cast<std::chrono::milliseconds>(kQuiet * std::clamp(0.5 * waiting, 1.0, 4.0));
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string read_line(int fd) {
  std::string line;
  for (char c = 0; ::read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t word) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes.at(4 * word + i));
  return value;
}

}  // namespace

std::string why_no_program_window() {
  if (!is_installed("Xvfb")) return "there is no Xvfb to show a window on";
  if (!is_installed("xdotool")) return "there is no xdotool to press keys with";
  return {};
}

std::string why_no_drop() {
#if defined(ECHO_DROP)
  return why_no_program_window();
#else
  return "it was built without Xlib (libx11-dev)";
#endif
}

bool eventually(const std::function<bool()>& holds) {
  constexpr std::chrono::milliseconds kBetweenLooks(100);  // each poll reads the whole display
  return holds_within(std::chrono::seconds(30), [&] {
    if (holds()) return true;
    take_time(kBetweenLooks);
    return false;
  });
}

ProgramWindow::ProgramWindow(std::vector<std::string> arguments, Scene& scene) : scene_(scene) {
  const RgbImage look = scene.shot();
  width_ = look.width;
  height_ = look.height;
  std::filesystem::create_directories(folder_ / "config" / "echoloop");
  write_text_file(folder_ / "config" / "echoloop" / "window",
                  "mode = " + layout_text(scene.viewer->settings()).at("mode") + "\n");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  server_ =
      start({"Xvfb", "-displayfd", "3", "-screen", "0", std::to_string(width_) + "x" + std::to_string(height_) + "x24",
             "-fbdir", screen_.path().string(), "-nolisten", "tcp", "+extension", "GLX"},
            ends[1]);
  ::close(ends[1]);
  display_ = ":" + read_line(ends[0]);
  ::close(ends[0]);
  for (const char* word : {"--width", "--height", "--scale"}) arguments.emplace_back(word);
  arguments.insert(arguments.end() - 2, std::to_string(width_));
  arguments.insert(arguments.end() - 1, std::to_string(height_));
  arguments.emplace_back("1");
  arguments.insert(arguments.begin(), ECHO_PROGRAM);
  program_ = start(arguments, -1);
}

ProgramWindow::~ProgramWindow() {
  for (const pid_t child : {program_, server_}) {
    if (child <= 0) continue;
    ::kill(child, SIGTERM);
    (void)end_of(child);
  }
}

// `passed_fd` becomes the child's number 3.
pid_t ProgramWindow::start(std::vector<std::string> words, int passed_fd) const {
  std::vector<std::string> variables = {"DISPLAY=" + display_, "XDG_CONFIG_HOME=" + (folder_ / "config").string(),
                                        "XDG_SESSION_TYPE=x11"};
  for (const char* kind : {"PICTURES", "VIDEOS", "DOCUMENTS"}) {  // its save folders
    variables.push_back(std::string("XDG_") + kind + "_DIR=" + folder_.path().string());
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!text.starts_with("DISPLAY=") && !text.starts_with("XDG_") && !text.starts_with("WAYLAND")) {
      variables.push_back(text);
    }
  }
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addchdir_np(&files, folder_.path().c_str());
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, (words[0] == "Xvfb" ? "server.txt" : "program.txt"),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (passed_fd >= 0) posix_spawn_file_actions_adddup2(&files, passed_fd, 3);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) ADD_FAILURE() << "cannot start " << words[0];
  return failed == 0 ? child : 0;
}

void ProgramWindow::hands(std::vector<std::string> words) const {
  words.insert(words.begin(), "xdotool");
  const pid_t child = start(words, -1);
  EXPECT_EQ(child > 0 ? end_of(child) : -1, 0) << words[1];
  take_time(step());
}

void ProgramWindow::point_at(const Rect& r, float x_share) {
  hands({"mousemove", std::to_string(std::lround(r.x0 + x_share * r.width())), std::to_string(std::lround(r.cy()))});
}

void ProgramWindow::click(const std::string& control) {
  const Rect r = scene_.viewer->screen().ui().rect_of(control);
  ASSERT_GT(r.width(), 0.0F) << control;
  point_at(r, 0.5F);
  hands({"mousedown", "1"});
  hands({"mouseup", "1"});
  scene_.click(control);
}

void ProgramWindow::choose(const std::string& menu, const std::string& item) {
  const Rect opener = scene_.viewer->screen().ui().rect_of(menu);
  scene_.click(menu);
  const Rect place = scene_.viewer->screen().ui().rect_of(item);
  ASSERT_GT(place.width(), 0.0F) << item;
  const std::vector<std::uint8_t> before = pixels(place);
  point_at(opener, 0.5F);
  hands({"mousedown", "1"});
  hands({"mouseup", "1"});
  EXPECT_TRUE(eventually([&] { return pixels(place) != before; })) << menu << " did not open";
  click(item);
}

void ProgramWindow::right_click(const std::string& control) {
  point_at(scene_.viewer->screen().ui().rect_of(control), 0.5F);
  hands({"mousedown", "3"});
  hands({"mouseup", "3"});
}

void ProgramWindow::drag(const std::string& control, float from_share, float to_share) {
  const Rect r = scene_.viewer->screen().ui().rect_of(control);
  ASSERT_GT(r.width(), 0.0F) << control;
  point_at(r, from_share);
  hands({"mousedown", "1"});
  point_at(r, 0.5F * (from_share + to_share));
  point_at(r, to_share);
  hands({"mouseup", "1"});
}

void ProgramWindow::type_into(const std::string& control, const std::string& text) {
  point_at(scene_.viewer->screen().ui().rect_of(control), 0.5F);
  hands({"keydown", "ctrl"});
  hands({"mousedown", "1"});
  hands({"mouseup", "1"});
  hands({"keyup", "ctrl"});
  hands({"key", "ctrl+a"});
  hands({"type", "--delay", "100", text});
  hands({"keydown", "Return"});  // a key released before the next window frame would be missed
  hands({"keyup", "Return"});
}

void ProgramWindow::key(const std::string& name) { hands({"key", name}); }

void ProgramWindow::type(const std::string& text) { hands({"type", "--delay", "100", text}); }

int ProgramWindow::run_aside(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), ECHO_PROGRAM);
  const pid_t child = start(arguments, -1);
  return child > 0 ? end_of(child) : -1;
}

bool ProgramWindow::drop([[maybe_unused]] const std::filesystem::path& file) const {
#if defined(ECHO_DROP)
  std::string uri = "file://";
  for (const char c : file.string()) uri += c == ' ' ? "%20" : std::string(1, c);
  const Rect r = scene_.viewer->screen().picture();
  const pid_t child =
      start({ECHO_DROP, std::to_string(std::lround(r.cx())), std::to_string(std::lround(r.cy())), uri}, -1);
  return child > 0 && end_of(child) == 0;
#else
  return false;
#endif
}

bool ProgramWindow::looks_like_its_scene(const std::string& control) const {
  const Rect r = scene_.viewer->screen().ui().rect_of(control);
  const RgbImage whole = scene_.shot();
  const std::vector<std::uint8_t> now = pixels(r);
  std::size_t i = 0, other = 0;
  for (long y = std::lround(r.y0); y < std::lround(r.y1); ++y) {
    for (long x = std::lround(r.x0); x < std::lround(r.x1); ++x) {
      const std::size_t at =
          3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(whole.width) + static_cast<std::size_t>(x));
      for (std::size_t channel = 0; channel < 3; ++channel, ++i) {
        other += i >= now.size() || std::abs(now[i] - whole.rgb[at + channel]) > 8 ? 1 : 0;
      }
    }
  }
  return i > 0 && other * 20 < i;  // a twentieth, as the pointer may cover it
}

void ProgramWindow::rest() { hands({"mousemove", std::to_string(width_ / 2), "20"}); }

std::vector<std::uint8_t> ProgramWindow::picture(const Part& part) const {
  const Rect r = scene_.viewer->screen().picture();
  return pixels({r.x0 + part.x0 * r.width(), r.y0 + part.y0 * r.height(), r.x0 + part.x1 * r.width(),
                 r.y0 + part.y1 * r.height()});
}

// Reads the display's memory, a file: X window dump, its header in big-endian words, four bytes per pixel.
std::vector<std::uint8_t> ProgramWindow::pixels(const Rect& r) const {
  const std::string dump = read_text(screen_ / "Xvfb_screen0");
  if (dump.size() < 100) return {};
  const std::size_t first = big_endian(dump, 0) + 12 * static_cast<std::size_t>(big_endian(dump, 19));
  const std::size_t row = big_endian(dump, 12);
  std::vector<std::uint8_t> rgb;
  const auto whole = [](float v) { return static_cast<std::size_t>(std::lround(v)); };
  for (std::size_t y = whole(r.y0); y < whole(r.y1); ++y) {
    for (std::size_t x = whole(r.x0); x < whole(r.x1); ++x) {
      for (const std::size_t channel : {2U, 1U, 0U}) {
        rgb.push_back(static_cast<std::uint8_t>(dump.at(first + y * row + 4 * x + channel)));
      }
    }
  }
  return rgb;
}

int ProgramWindow::close() {
  if (program_ > 0) ::kill(program_, SIGTERM);
  return wait_for_end();
}

int ProgramWindow::lose_display() {
  ::kill(server_, SIGKILL);
  (void)end_of(std::exchange(server_, 0));
  return wait_for_end();
}

int ProgramWindow::destroy_window() {
  hands({"search", "--onlyvisible", "--name", "choloop", "windowclose"});
  return wait_for_end();
}

std::string ProgramWindow::errors() const { return read_text(folder_ / "program.txt"); }

int ProgramWindow::wait_for_end() {
  const pid_t child = std::exchange(program_, 0);
  if (child <= 0) return -1;
  int status = 0;
  if (!eventually([&] { return ::waitpid(child, &status, WNOHANG) == child; })) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Makes the scene look as the program's window with a phantom on the CPU.
void look_like_the_program(Scene& scene, const std::string& phantom) {
  scene.state.source.phantom = phantom;
  scene.state.source.opened_as = "sim:" + phantom;  // for its Settings row
  scene.state.device.backend = "CPU";
  for (const char* name : {"Detail", "Smooth", "Deep", "Course", "Coherence", "Wiener", "Capon", "Focused beams"}) {
    PresetView preset;
    preset.name = name;
    preset.slot = static_cast<int>(scene.state.presets.list.size()) + 1;
    scene.state.presets.list.push_back(preset);
  }
  scene.state.no_effect = {.host_memory = "Why.", .streams = "Why.", .lanes = "Why.", .reference = {}};
  scene.put_image({.x0_m = -9.6e-3, .x1_m = 9.6e-3, .z0_m = 2e-3, .z1_m = 37.8e-3, .nx = 188, .nz = 350},
                  [](double, double) { return -20.0F; });
  scene.frames(2);
}

nlohmann::json report_of(ProgramWindow& window) {
  EXPECT_EQ(window.close(), 0);
  const nlohmann::json report = nlohmann::json::parse(read_text(window.folder() / "report.json"));
  const nlohmann::json& n = report["frames"];
  EXPECT_EQ(n["produced"].get<int>(),
            n["processed"].get<int>() + n["dropped"].get<int>() + n["overrun"].get<int>() + n["in_flight"].get<int>());
  return report;
}

}  // namespace echoloop::testing
