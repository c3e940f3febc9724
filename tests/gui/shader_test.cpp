// Shaders are read again when they change on disk; one that does not compile leaves the last good one in place.
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "gui/scene.h"
#include "test_paths.h"

namespace echoloop::testing::shader_test {
namespace {

namespace fs = std::filesystem;

void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::string changed = text.str();
  const std::size_t at = changed.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  changed.replace(at, from.size(), to);
  std::ofstream(file) << changed;
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
}

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("echoloop_shader_test_" + std::to_string(::getpid()))) {
    fs::create_directories(path);
    for (const char* name : {"image.vert", "image.frag", "flow.vert", "flow.frag"}) {
      fs::copy_file(fs::path(ECHO_SOURCE_DIR) / "shaders" / name, path / name, fs::copy_options::overwrite_existing);
    }
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

// The frame looks at the files only now and then.
void wait_for_message(Viewer& viewer, WindowState& state, std::size_t count) {
  for (int i = 0; i < 100 && state.notices.messages.list().size() < count; ++i) {
    viewer.frame(state);
    viewer.wait_events(0.02);
  }
  ASSERT_EQ(state.notices.messages.list().size(), count);
}

TEST(Shader, IsReloadedAndABadOneIsReported) {
  const Folder folder;
  Commands commands;
  LiveImages live;
  std::unique_ptr<Viewer> viewer;
  try {
    viewer = std::make_unique<Viewer>(
        ViewerOptions{.surface = SurfaceKind::offscreen, .interop = Interop::off, .shader_dir = folder.path}, commands,
        live);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  WindowState state = plausible_state();
  state.notices.messages.clear();
  std::vector<float> pixels(4, -30.0F);
  Image& image = live.images.back();
  image.number = 1;
  image.grid = {-5e-3, 5e-3, 0, 10e-3, 2, 2};
  image.params = state.params;
  image.host_db = pixels.data();
  live.images.publish();
  viewer->frame(state);
  const auto middle = [&] {
    const Rect r = viewer->screen().picture();
    const RgbImage shot = viewer->screenshot();
    return static_cast<int>(shot.rgb[(static_cast<std::size_t>(r.cy()) * static_cast<std::size_t>(shot.width) +
                                      static_cast<std::size_t>(r.cx())) *
                                     3]);
  };
  EXPECT_NEAR(middle(), 128, 2);
  replace_in(folder.path / "image.frag", "gray_ramp.x + gray_ramp.y * t", "0.25");
  wait_for_message(*viewer, state, 1);
  viewer->frame(state);
  EXPECT_NEAR(middle(), 64, 2);
  replace_in(folder.path / "image.frag", "0.25", "nonsense");
  wait_for_message(*viewer, state, 2);
  EXPECT_NE(state.notices.messages.list().front().text.find("nonsense"), std::string::npos)
      << state.notices.messages.list().front().text;
  viewer->frame(state);
  EXPECT_NEAR(middle(), 64, 2);
}

TEST(Shader, MissingFolderIsOneReadableLine) {
  Commands commands;
  LiveImages live;
  try {
    Viewer viewer({.surface = SurfaceKind::offscreen, .shader_dir = "/nowhere"}, commands, live);
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    if (text.find("EGL") != std::string::npos) GTEST_SKIP() << text;
    EXPECT_NE(text.find("/nowhere"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace echoloop::testing::shader_test
