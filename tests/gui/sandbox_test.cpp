// The window where the system offers neither seccomp nor Landlock: it asks before a recording is opened. And what the
// About panel says of the sandbox.
#include <gtest/gtest.h>

#include <cstdlib>

#include "app/window/window_app.h"
#include "core/error.h"
#include "formats/sandbox/reader_child.h"
#include "gui/turning.h"
#include "history/hdf5_recording.h"
#include "support/acquisitions.h"
#include "support/environment_variable.h"
#include "support/no_sandbox.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::sandbox_test {
namespace {

namespace fs = std::filesystem;

enum class Script { none, frames };

class AskedWindow : public ScriptedWindow {
 public:
  AskedWindow() : kept_(reader_settings()) {
    Hdf5Writer writer(recording, share(linear_acquisition()), {.version = "test"});
    const std::vector<std::byte> samples = to_bytes(noise(linear_acquisition().frame_bytes() / sizeof(float), 1));
    for (std::uint64_t k = 0; k < 3; ++k) writer.append({.stamp = {.sequence = k}, .samples = samples});
    writer.finish();
  }
  ~AskedWindow() { reader_settings() = kept_; }
  AskedWindow(const AskedWindow&) = delete;
  AskedWindow& operator=(const AskedWindow&) = delete;

  void begin(const std::string& source, Script script = Script::none) {
    Options options = script_options(source);
    if (script == Script::frames) options.frames = 2;
    options.width = 1280;
    options.height = 800;
    ScriptedWindow::begin(options);
  }
  [[nodiscard]] bool asks() const {
    return state().opening.unsandboxed.has_value() &&
           app_->viewer().screen().ui().rect_of("sandbox_cancel").width() > 0.0F;
  }
  void click(const std::string& id) const { testing::click(*app_, id, 1); }

 private:
  ReaderSettings kept_;

 public:
  const fs::path recording = folder_ / "recording.uff";
};

TEST(WithoutSandbox, TheRecordingNamedAtTheStartOpensWhenTheUserAllowsIt) {
  without_sandbox([] {
    AskedWindow window;
    window.begin(window.recording.string());
    ASSERT_TRUE(window.until([&] { return window.asks(); }));
    EXPECT_EQ(*window.state().opening.unsandboxed, window.recording.string());
    window.click("sandbox_open");
    EXPECT_TRUE(window.until([&] { return window.state().numbers.shown > 3; }));
    EXPECT_FALSE(window.state().opening.unsandboxed.has_value());
    EXPECT_EQ(window.state().source.opened_as, window.recording.string());
  });
}

TEST(WithoutSandbox, TheRefusalOfTheOneNamedAtTheStartEndsTheProgram) {
  without_sandbox([] {
    AskedWindow window;
    window.begin(window.recording.string());
    ASSERT_TRUE(window.until([&] { return window.asks(); }));
    window.click("sandbox_cancel");
    const auto two_turns = [&] {
      window.app().turn();
      window.app().turn();
    };
    expect_refusal(two_turns, "--unsandboxed");
  });
}

TEST(WithoutSandbox, ARefusalLeavesTheSourceBeforeAndAnAnswerHolds) {
  without_sandbox([] {
    AskedWindow window;
    window.begin("sim:points");
    ASSERT_TRUE(window.until([&] { return window.state().numbers.shown > 3; }));
    window.drop(window.recording);
    ASSERT_TRUE(window.until([&] { return window.asks(); }));
    InjectedInput input;
    input.keys = {{.key = Key::escape}};
    window.app().viewer().inject(input);
    ASSERT_TRUE(window.until([&] { return !window.state().opening.unsandboxed.has_value(); }));
    EXPECT_EQ(window.state().source.phantom, "points");
    ASSERT_FALSE(window.state().notices.messages.list().empty());
    EXPECT_NE(window.state().notices.messages.list().front().text.find("neither seccomp nor Landlock"),
              std::string::npos);
    const std::uint64_t shown = window.state().numbers.shown;
    EXPECT_TRUE(window.until([&] { return window.state().numbers.shown > shown; }));
    window.drop(window.recording);
    ASSERT_TRUE(window.until([&] { return window.asks(); }));
    window.click("sandbox_open");
    EXPECT_TRUE(window.until([&] { return window.state().source.opened_as == window.recording.string(); }));
    const fs::path again = window.recording.parent_path() / "again.uff";
    fs::copy_file(window.recording, again);
    window.drop(again);
    EXPECT_TRUE(window.until([&] { return window.state().source.opened_as == again.string(); })) << "not asked again";
  });
}

// No user answers there, and the frames that are counted would never come.
TEST(WithoutSandbox, AScriptIsRefused) {
  without_sandbox([] {
    AskedWindow window;
    window.begin(window.recording.string(), Script::frames);
    EXPECT_THROW(static_cast<void>(window.until([&] { return window.asks(); })), Error);
  });
}

TEST(About, NamesVersionAndSandbox) {
  AskedWindow window;
  window.begin("sim:points");
  ASSERT_TRUE(window.until([&] { return window.state().numbers.shown > 1; }));
  InjectedInput input;
  input.keys = {{.key = Key::f1}};
  window.app().viewer().inject(input);
  for (int k = 0; k < 3; ++k) window.app().turn();
  window.click("about_program");
  for (int k = 0; k < 3; ++k) window.app().turn();
  EXPECT_GT(window.app().viewer().screen().ui().rect_of("about/Reader process").width(), 0.0F);
  window.click("close_about");
  for (int k = 0; k < 3; ++k) window.app().turn();
  EXPECT_EQ(window.app().viewer().screen().ui().rect_of("close_about").width(), 0.0F);
}

TEST(Keys, OfferTheManual) {
  const TemporaryFolder empty;
  const Variable path("PATH", empty.path().string());  // without xdg-open
  AskedWindow window;
  window.begin("sim:points");
  ASSERT_TRUE(window.until([&] { return window.state().numbers.shown > 1; }));
  InjectedInput input;
  input.keys = {{.key = Key::f1}};
  window.app().viewer().inject(input);
  ASSERT_TRUE(window.until([&] { return window.app().viewer().screen().ui().rect_of("open_manual").width() > 0.0F; }));
  window.click("open_manual");
  ASSERT_TRUE(window.until([&] { return !window.state().notices.messages.list().empty(); }));
  EXPECT_NE(window.state().notices.messages.list().front().text.find("assets/manual"), std::string::npos)
      << window.state().notices.messages.list().front().text;
  EXPECT_TRUE(window.until([&] { return window.app().viewer().screen().ui().rect_of("open_manual").width() == 0.0F; }));
}

}  // namespace
}  // namespace echoloop::testing::sandbox_test
