// Reset, its undo, and the kiosk: whatever was done to the window, it ends in the image that it began with.
#include <gtest/gtest.h>

#include <cstdlib>

#include "app/window_app.h"
#include "gui/focus.h"
#include "gui/turning.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {
namespace {

class Kiosk : public ::testing::Test {
 protected:
  void open(double idle_s) {
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    Options options;
    options.source = "sim:points";
    options.settings = {"grid_nx=64", "grid_nz=64"};
    options.backend = BackendChoice::cpu;
    options.duration_s = 1e9;  // a script: no tour of the window
    options.width = 1600;
    options.height = 900;
    options.history_bytes = 20'000'000;
    options.kiosk_idle_s = idle_s;
    app_ = std::make_unique<WindowApp>(options, SurfaceKind::offscreen);
    app_->begin();
    ASSERT_TRUE(until([&] { return state().shown > 2; }));
  }
  UiState& state() { return app_->state(); }
  bool until(const std::function<bool()>& holds) { return turn_until(*app_, holds); }
  void inject(const InjectedInput& input, int turns = 2) {
    app_->viewer().inject(input);
    for (int i = 0; i < turns; ++i) app_->turn();
  }
  void press(Key key, bool control = false) {
    InjectedInput input;
    input.keys = {{key, control}};
    inject(input);
    inject({});
  }
  // All that decides what the window looks like, but for live numbers.
  struct Look {
    std::string source;
    ImagingParams params;
    StreamSettings stream;
    std::size_t marks = 0;
    bool fitted = true, live = true, compared = false;
    std::vector<std::pair<std::string, Rect>> controls;
    friend bool operator==(const Look&, const Look&) = default;
  };
  Look look() {
    Look l{.source = state().source.opened_as,
           .params = state().params,
           .stream = state().stream,
           .marks = state().marks.list.size(),
           .fitted = state().pan_zoom.fitted,
           .live = state().run == RunState::live,
           .compared = state().cine.compare,
           .controls = {}};
    for (const FocusStop& stop : app_->viewer().focus().stops()) {
      if (stop.part == WindowPart::left || stop.part == WindowPart::right || stop.part == WindowPart::tools) {
        l.controls.emplace_back(stop.id, stop.rect);
      }
    }
    return l;
  }

  TemporaryFolder folder_;
  std::unique_ptr<WindowApp> app_;
};

TEST_F(Kiosk, ResetOpensTheSourceOfTheStartAndUndoTheOther) {
  open(0.0);
  const Look start = look();
  app_->viewer().inject({});
  state().params.gain_db = 3.0;
  InjectedInput hand;
  const Rect heart = app_->viewer().control_rect("phantom/Heart");
  ASSERT_GT(heart.width(), 0.0F);
  hand.mouse_x = heart.cx();
  hand.mouse_y = heart.cy();
  for (const bool down : {false, true, false}) {
    hand.left = down;
    inject(hand);
  }
  inject({});
  ASSERT_TRUE(until([&] { return state().source.phantom == "heart" && state().shown > 1; }));
  const ImagingParams of_heart = state().params;
  press(Key::f9);
  ASSERT_TRUE(until([&] { return state().source.phantom == "points" && state().shown > 1; }));
  EXPECT_TRUE(until([&] { return look() == start; }));
  press(Key::z, true);
  ASSERT_TRUE(until([&] { return state().source.phantom == "heart" && state().shown > 1; }));
  EXPECT_EQ(state().params, of_heart);
}

TEST_F(Kiosk, RefusesFilesAndTheEnd) {
  open(3600.0);
  const std::size_t files = folder_.files();
  state().messages.clear();
  InjectedInput drop;
  drop.dropped_files = {folder_ / "any.npy"};
  inject(drop);
  ASSERT_EQ(state().messages.size(), 1U) << "one line";
  EXPECT_EQ(state().messages.front().severity, Severity::info);
  EXPECT_EQ(state().messages.front().text, state().kiosk);
  EXPECT_FALSE(state().progress.has_value());
  for (const auto& [key, control] : {std::pair{Key::q, true}, {Key::o, true}, {Key::s, false}, {Key::r, false}}) {
    state().messages.clear();
    press(key, control);
    ASSERT_EQ(state().messages.size(), 1U) << static_cast<int>(key);
    EXPECT_EQ(state().messages.front().text, state().kiosk);
  }
  EXPECT_FALSE(app_->viewer().should_close());
  EXPECT_FALSE(state().recording.on);
  EXPECT_EQ(app_->viewer().control_rect("open_file").width(), 0.0F) << "no dialog";
  EXPECT_EQ(folder_.files(), files);
}

}  // namespace
}  // namespace echoloop::testing
