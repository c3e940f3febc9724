// Reset, its undo, and the kiosk: whatever was done to the window, it ends in the image that it began with.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "app/window/window_app.h"
#include "core/param_table.h"
#include "gui/state/focus.h"
#include "gui/turning.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::kiosk_test {
namespace {

class Kiosk : public WindowTest {
 protected:
  void open(double idle_s, int width = 1600, int height = 900) {
    Options options = script_options("sim:points");
    options.settings = {"grid_nx=64", "grid_nz=64"};
    options.width = width;
    options.height = height;
    options.history_bytes = 20'000'000;
    options.kiosk_idle_s = idle_s;
    begin(options);
    ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  }
  void inject(const InjectedInput& input, int turns = 2) { testing::inject(*app_, input, turns); }
  void press(Key key, bool control = false) {
    testing::press(*app_, {key, control}, 2);
    inject({});
  }
  // All that decides what the window looks like, but for live numbers.
  struct Look {
    std::string source;
    ImagingParams params;
    StreamSettings stream;
    std::size_t marks = 0;
    bool fitted = true, live = true, compared = false, presented = false;
    std::vector<std::pair<std::string, Rect>> controls;
    friend bool operator==(const Look&, const Look&) = default;
    friend void PrintTo(const Look& l, std::ostream* out) {
      *out << l.source << ", policy " << static_cast<int>(l.stream.policy) << ", " << l.marks << " marks, fitted "
           << l.fitted << ", live " << l.live << ", compared " << l.compared << ", presented " << l.presented;
      for (const ParamSpec& spec : param_table()) *out << ", " << get_text(l.params, spec);
      for (const auto& [id, r] : l.controls) *out << "\n  " << id << " at " << r.x0 << ", " << r.y0 << " to " << r.y1;
    }
  };
  Look look() {
    Look l{.source = state().source.opened_as,
           .params = state().params,
           .stream = state().stream,
           .marks = state().marks.list.size(),
           .fitted = state().view.pan_zoom.fitted,
           .live = state().run == RunState::live,
           .compared = state().cine.compare,
           .presented = app_->viewer().screen().presenting(),
           .controls = {}};
    for (const FocusStop& stop : app_->viewer().screen().ui().focus().stops()) {
      if (stop.part == WindowPart::left || stop.part == WindowPart::right || stop.part == WindowPart::tools) {
        l.controls.emplace_back(stop.id, stop.rect);
      }
    }
    return l;
  }

  // A panel that is opened comes into view by and by: the look that many frames leave as it is.
  Look settled() {
    constexpr int kSame = 12;
    Look now = look();
    int same = 0;
    EXPECT_TRUE(until([&] {
      app_->turn();
      same = look() == now ? same + 1 : 0;
      now = look();
      return same >= kSame;
    }));
    return now;
  }
};

// Everything by one key, and all of it back by undo.
TEST_F(Kiosk, ResetTakesEverythingBackAndCanBeUndone) {
  open(0.0);
  const Look start = settled();
  const ViewSettings view = app_->viewer().settings();
  state().params.display.gain_db = 6.0;
  state().params.display.tgc_db[2] = -4.0;
  state().stream.policy = RingPolicy::drop_newest;
  state().marks.list = {{.number = 1, .kind = MarkKind::distance, .points = {{0, 0.01}, {0, 0.02}}}};
  state().view.pan_zoom = {.fitted = false, .centre = {0, 0.02}, .logical_px_per_m = 30'000};
  press(Key::m);
  press(Key::equal, true);
  ASSERT_TRUE(until([&] { return app_->viewer().settings().dock == Dock::m_mode; }));
  const Look changed = settled();
  const ViewSettings changed_view = app_->viewer().settings();
  ASSERT_NE(changed, start);
  press(Key::f9);
  ASSERT_TRUE(until([&] { return state().reset.count == 2; }));
  EXPECT_EQ(settled(), start);
  EXPECT_EQ(app_->viewer().settings(), view);
  press(Key::z, true);
  ASSERT_TRUE(until([&] { return state().reset.count == 4; }));
  EXPECT_EQ(state().params.display.gain_db, 6.0);
  EXPECT_EQ(state().params.display.tgc_db[2], -4.0);
  EXPECT_EQ(settled(), changed);
  EXPECT_EQ(app_->viewer().settings(), changed_view);
  EXPECT_FALSE(state().reset.undoable);
}

TEST_F(Kiosk, ResetOpensTheSourceOfTheStartAndUndoTheOther) {
  open(0.0);
  const Look start = look();
  app_->viewer().inject({});
  state().params.display.gain_db = 3.0;
  testing::click(*app_, "phantom/Heart", 2);
  inject({});
  ASSERT_TRUE(until([&] { return state().source.phantom == "heart" && state().numbers.shown > 1; }));
  const ImagingParams of_heart = state().params;
  state().marks.list = {{.number = 1, .kind = MarkKind::distance, .points = {{0, 0.01}, {0, 0.02}}}};
  inject({});
  ViewSettings folded = app_->viewer().settings();  // by the user, with the mark
  folded.is_open("measure", false) = false;
  app_->viewer().restore_view(folded);
  inject({});
  press(Key::f9);
  ASSERT_TRUE(until([&] { return state().source.phantom == "points" && state().numbers.shown > 1; }));
  EXPECT_TRUE(until([&] { return look() == start; }));
  press(Key::z, true);
  ASSERT_TRUE(until([&] { return state().source.phantom == "heart" && state().numbers.shown > 1; }));
  EXPECT_EQ(state().params, of_heart);
  inject({}, 5);
  EXPECT_EQ(state().marks.list.size(), 1U);
  ViewSettings now = app_->viewer().settings();
  EXPECT_FALSE(now.is_open("measure", false)) << "as it was";
}

TEST_F(Kiosk, IsThePresentationFromTheStartAndAfterTheIdleReset) {
  open(0.5);
  EXPECT_TRUE(app_->viewer().screen().presenting());
  press(Key::escape);
  EXPECT_FALSE(app_->viewer().screen().presenting());
  ASSERT_TRUE(until([&] { return state().reset.count >= 2; }));
  EXPECT_TRUE(app_->viewer().screen().presenting());
}

// Nothing of the last visitor's stream remains: counters, latencies, history, undo.
TEST_F(Kiosk, TheIdleResetClearsCountersAndHistory) {
  open(1.0);
  state().stream.policy = RingPolicy::drop_oldest;
  state().stream.slots = 2;
  state().stream.inject.load_ms = 30.0;
  state().stream.rate_hz = 200.0;
  app_->viewer().screen().commands().send(command::StreamChanged{});
  InjectedInput visitor;
  const auto lost_frames = [&] {
    visitor.mouse_x = visitor.mouse_x > 5 ? 5 : 6;  // a visitor who stays
    app_->viewer().inject(visitor);
    return state().numbers.counts.dropped > 20 && state().kept.frames > 5 &&
           state().numbers.latency.since_start.count > 5;
  };
  ASSERT_TRUE(until(lost_frames));
  state().numbers.errors = 3;
  state().params.display.gain_db = 6.0;
  inject({});
  const StreamNumbers before = state().numbers;
  const std::size_t kept = state().kept.frames;
  const std::uint64_t resets = state().reset.count;
  ASSERT_TRUE(until([&] { return state().reset.count >= resets + 2 && state().numbers.counts.processed > 0; }));
  const StreamNumbers& now = state().numbers;
  EXPECT_LT(now.counts.dropped, before.counts.dropped) << "a busy machine drops some again";
  EXPECT_EQ(now.errors, 0U);
  EXPECT_LT(now.counts.produced, before.counts.produced);
  EXPECT_LT(state().kept.frames, kept);
  EXPECT_LT(now.latency.since_start.count, before.latency.since_start.count);
  press(Key::z, true);
  EXPECT_EQ(state().params.display.gain_db, 0.0) << "no undo into the last visit";
}

// Those of the visitor before are gone, errors too: the stream is another one.
TEST_F(Kiosk, TheIdleResetForgetsMessages) {
  open(0.3);
  state().notices.messages.post({Severity::info, "12:00:00", "Saved a file"});
  state().notices.messages.post({Severity::error, "12:00:01", "The disk is full.", "recording"});
  const std::uint64_t before = state().reset.count;
  InjectedInput visitor;
  visitor.mouse_x = visitor.mouse_y = 5;
  inject(visitor);
  ASSERT_TRUE(until([&] { return state().reset.count > before; }));
  const auto has = [&](const std::string& text) {
    return std::ranges::any_of(state().notices.messages.list(), [&](const Message& m) { return m.text == text; });
  };
  EXPECT_FALSE(has("Saved a file"));
  EXPECT_FALSE(has("The disk is full."));
}

TEST_F(Kiosk, RefusesFilesAndTheEnd) {
  open(3600.0);
  const std::size_t files = folder_.files();
  state().notices.messages.clear();
  InjectedInput drop;
  drop.dropped_files = {folder_ / "any.npy"};
  inject(drop);
  ASSERT_EQ(state().notices.messages.list().size(), 1U) << "one line";
  EXPECT_EQ(state().notices.messages.list().front().severity, Severity::info);
  EXPECT_EQ(state().notices.messages.list().front().text, state().no_effect.files);
  EXPECT_FALSE(state().opening.progress.has_value());
  for (const auto& [key, control] : {std::pair{Key::q, true}, {Key::o, true}, {Key::s, false}, {Key::r, false}}) {
    state().notices.messages.clear();
    press(key, control);
    ASSERT_EQ(state().notices.messages.list().size(), 1U) << static_cast<int>(key);
    EXPECT_EQ(state().notices.messages.list().front().text, state().no_effect.files);
  }
  EXPECT_FALSE(app_->viewer().should_close());
  EXPECT_FALSE(state().saving.recording.on);
  EXPECT_EQ(app_->viewer().screen().ui().rect_of("open_file").width(), 0.0F) << "no dialog";
  EXPECT_EQ(folder_.files(), files);
}

// Clicks, drags, wheel and keys anywhere, a few of them in a frame. The seed makes a failure one that comes again.
class RandomInput {
 public:
  RandomInput(unsigned seed, float width, float height) : random_(seed), width_(width), height_(height) {}

  [[nodiscard]] int events() const { return events_; }

  InjectedInput next() {
    InjectedInput input;
    const int count = between(1, 4);
    for (int i = 0; i < count; ++i) add(input);
    events_ += count;
    input.mouse_x = x_;
    input.mouse_y = y_;
    input.left = button_ == Button::left;
    input.right = button_ == Button::right;
    return input;
  }

 private:
  enum class Button { none, left, right };

  int between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  float real(float least, float most) { return std::uniform_real_distribution<float>(least, most)(random_); }

  void add(InjectedInput& input) {
    switch (between(0, 5)) {
      case 0:
        button_ = Button::none;
        x_ = real(0, width_);
        y_ = real(0, height_);
        break;
      case 1:  // a drag, if the button is down
        x_ = std::clamp(x_ + real(-80, 80), 0.0F, width_ - 1);
        y_ = std::clamp(y_ + real(-80, 80), 0.0F, height_ - 1);
        break;
      case 2:
        button_ = button_ != Button::none ? Button::none : between(1, 8) == 8 ? Button::right : Button::left;
        break;
      case 3:
        input.wheel = real(-3, 3);
        break;
      default:
        input.keys.push_back(
            {static_cast<Key>(between(0, static_cast<int>(Key::z))), between(1, 4) == 1, between(1, 4) == 1});
    }
  }

  std::mt19937 random_;
  float width_, height_, x_ = 1, y_ = 1;
  Button button_ = Button::none;
  int events_ = 0;
};

class RandomEvents : public Kiosk, public ::testing::WithParamInterface<unsigned> {};

TEST_P(RandomEvents, EndInTheStartImage) {
  constexpr std::pair<int, int> kSizes[] = {{1024, 640}, {1280, 720}, {1600, 900}};
  const auto [width, height] = kSizes[GetParam() % std::size(kSizes)];
  open(2.0, width, height);
  const Look start = settled();
  const ViewSettings view = app_->viewer().settings();
  const std::size_t files = folder_.files();
  RandomInput random(GetParam(), static_cast<float>(width), static_cast<float>(height));
  while (random.events() < 1000) {
    inject(random.next(), 1);
    ASSERT_FALSE(app_->viewer().should_close()) << random.events();
  }
  inject({});
  const std::uint64_t resets = state().reset.count;
  ASSERT_TRUE(until([&] { return state().reset.count > resets + 1; })) << "after 2 s without input";
  EXPECT_TRUE(until([&] { return state().run == RunState::live; }));
  EXPECT_EQ(settled(), start);
  EXPECT_EQ(app_->viewer().settings(), view);
  EXPECT_FALSE(state().notices.fault.has_value());
  EXPECT_FALSE(state().saving.recording.on);
  EXPECT_FALSE(app_->viewer().should_close());
  EXPECT_EQ(folder_.files(), files) << "nothing was written";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomEvents, ::testing::Values(1U, 2U, 9U));

TEST_F(Kiosk, DoesNotOfferTheManual) {
  ASSERT_NO_FATAL_FAILURE(open(60));
  press(Key::f1);
  ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of("about_program").width() > 0.0F; }));
  EXPECT_EQ(app_->viewer().screen().ui().rect_of("open_manual").width(), 0.0F);
}

}  // namespace
}  // namespace echoloop::testing::kiosk_test
