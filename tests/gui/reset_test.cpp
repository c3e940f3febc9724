// F9 is the start: every field of the state is that of a program that has just been started, and a recording that is
// opened after it gets what it would get there.
#include <gtest/gtest.h>

#include <string>

#include "app/window/window_app.h"
#include "app/window/window_stream.h"
#include "gui/turning.h"
#include "history/hdf5_recording.h"
#include "support/acquisitions.h"
#include "support/each_member.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::reset_test {
namespace {

// All of the state but what time, the machine and use have made of it: measured numbers, images, counts.
MemberTexts texts_of(WindowState s) {
  StreamNumbers& n = s.numbers;
  n.processed_fps = n.shown_fps = n.bytes_per_second = n.producer_wait_share = n.dropped_share = n.frame_budget_ms = 0;
  n.shown = 0;
  n.latency = n.shown_latency = {};
  n.occupancy.clear();
  n.pace = {};
  n.timing = {};
  n.spans.clear();
  n.stages = {};
  n.frame_total = {};
  RingCounts& c = n.counts;
  c.produced = c.copied = c.processed = c.dropped = c.in_flight = c.next_sequence = 0;
  c.slots_ready = c.slots_reading = c.slots_writing = c.slots_peak = 0;
  c.producer_waited_ns = 0;
  s.device.memory = {};
  s.kept.frames = s.kept.bytes = 0;
  s.kept.seconds = 0;
  s.image.work = {};
  s.measured.image = s.measured_a.image = {};
  s.saving.place = {};
  s.reset = {};
  MemberTexts texts;
  for (const Message& message : s.notices.messages.list()) texts["message " + message.text];
  s.notices.messages.clear();
  put_members(texts, "", static_cast<const Model&>(s));
  put_members(texts, "", static_cast<const Edits&>(s));
  return texts;
}

class Reset : public WindowTest {
 protected:
  void open() {
    Options options = script_options("sim:points");
    options.settings = {"grid_nx=64", "grid_nz=64"};
    options.history_bytes = 20'000'000;
    begin(options);
    ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
    turn(*app_, 20);
  }
  void reset() {
    const std::uint64_t before = state().reset.count;
    testing::press(*app_, {Key::f9}, 2);
    ASSERT_TRUE(until([&] { return state().reset.count >= before + 2 && state().numbers.shown > 2; }));
    turn(*app_, 20);
  }
};

TEST_F(Reset, EveryFieldIsThatOfTheStart) {
  open();
  MemberTexts start = texts_of(state());
  const ViewSettings view = app_->viewer().settings();
  const std::uint64_t first_run = state().numbers.counts.produced;

  WindowState& s = state();
  s.params.display.gain_db = 6.0;
  s.params.display.mirrored = Mirrored::on;
  s.params.formation.f_number = 3.0;
  s.stream.policy = RingPolicy::error;
  s.stream.slots = 5;
  s.stream.rate_hz = 3.0;
  s.stream.inject.load_ms = 1.0;
  s.marks.list = {{.number = 4, .kind = MarkKind::rectangle, .points = {{-1e-3, 5e-3}, {1e-3, 7e-3}}}};
  s.marks.last_number = s.marks.selected = 4;
  s.view.inspected = PlanePoint{0.0, 0.01};
  s.view.pan_zoom = {.fitted = false, .centre = {0, 0.02}, .logical_px_per_m = 30'000};
  s.cine.keep_acquiring = !s.cine.keep_acquiring;
  s.cine.speed = 0.25;
  s.cine.match_levels = true;
  s.cine.compare_look = CompareLook::side_by_side;
  s.save.film = {.range = FilmRange::all, .speed = 0.1, .container = FilmContainer::mkv};
  s.saving.last = "Saved a.png";
  s.numbers.errors = 3;
  s.notices.messages.post({Severity::error, "12:00:01", "The disk is full.", "recording"});
  press(Key::m);
  press(Key::x);
  turn(*app_, 10);
  EXPECT_NE(texts_of(s), start);
  reset();

  MemberTexts now = texts_of(s);
  EXPECT_EQ(now.erase("message Settings, view and marks reset (Ctrl+Z to undo)"), 1U);
  // Those about the program itself are said once.
  std::erase_if(start,
                [&](const auto& value) { return value.first.starts_with("message ") && !now.contains(value.first); });
  EXPECT_EQ(now, start);
  EXPECT_EQ(app_->viewer().settings(), view);
  EXPECT_LT(s.numbers.counts.produced, first_run + 1000);
  EXPECT_EQ(s.numbers.counts.first_sequence, 0U) << "counted from the start";
}

TEST_F(Reset, ForgetsTheFramesOfTheVisitorBefore) {
  open();
  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
  const std::size_t kept = state().kept.frames;
  ASSERT_GT(kept, 1U);
  reset();
  EXPECT_EQ(state().run, RunState::live);
  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
  EXPECT_LE(state().kept.frames, state().numbers.counts.processed) << "only those since the reset";
}

TEST_F(Reset, ARecordingOpenedAfterItGetsAQueueOfItsOwn) {
  const std::filesystem::path recording = folder_ / "recording.uff";
  Hdf5Writer writer(recording, share(linear_acquisition()), {.version = "test"});
  const std::vector<std::byte> samples(linear_acquisition().frame_bytes());
  for (std::uint64_t k = 0; k < 3; ++k) writer.append({.stamp = {.sequence = k}, .samples = samples});
  writer.finish();
  open();
  const StreamSettings of_phantom = state().stream;
  const auto open_recording = [&] {
    drop(recording);
    EXPECT_TRUE(until([&] { return state().source.opened_as == recording.string() && state().numbers.shown > 1; }));
    EXPECT_EQ(state().stream.policy, RingPolicy::block);
    EXPECT_EQ(state().stream.slots, StreamSettings().slots);
  };
  open_recording();
  reset();
  EXPECT_EQ(state().stream, of_phantom);
  open_recording();
}

TEST(FreshState, KeepsOnlyWhatIsKnownOfTheSurroundings) {
  WindowState used;
  used.source.name = used.device.name = used.no_effect.lanes = used.presets.probe = used.opening.host = "kept";
  used.reset.count = 3;
  used.notices.messages.post({.text = "kept"});
  used.saving.recording.file = "kept";
  used.saving.last = used.notices.formation_warning = used.kept.why_not = "of before";
  used.numbers.errors = 7;
  used.facts.given["c"] = 1.0;
  used.notices.fault.emplace();
  used.analyses.of<SoundSpeedView>().found.emplace();
  const WindowState fresh = fresh_state(used);
  for (const std::string& kept : {fresh.source.name, fresh.device.name, fresh.no_effect.lanes, fresh.presets.probe,
                                  fresh.opening.host, fresh.saving.recording.file}) {
    EXPECT_EQ(kept, "kept");
  }
  EXPECT_EQ(fresh.reset.count, 3U);
  EXPECT_EQ(fresh.notices.messages.list().size(), 1U);
  EXPECT_EQ(fresh.saving.last + fresh.notices.formation_warning + fresh.kept.why_not, "");
  EXPECT_EQ(fresh.numbers.errors, 0U);
  EXPECT_TRUE(fresh.facts.given.empty());
  EXPECT_FALSE(fresh.notices.fault.has_value());
  EXPECT_FALSE(fresh.analyses.of<SoundSpeedView>().found.has_value());
}

// What a double click opens: nobody sees the terminal, so the window says why, over the default source.
TEST_F(Reset, AFileThatIsRefusedAtTheStartIsNamedInTheWindow) {
  const std::filesystem::path file = folder_ / "cut.uff";
  write_text_file(file, "\x89HDF\r\n\x1a\n" + std::string(200, '.'));
  Options options = script_options(file.string());
  options.duration_s = 0.0;
  options.settings = {"grid_nx=64", "grid_nz=64"};
  begin(options);
  ASSERT_TRUE(until([&] { return state().numbers.shown > 1; }));
  EXPECT_EQ(state().source.opened_as, default_source());
  const std::vector<Message>& messages = state().notices.messages.list();
  const auto stands = standing(messages);
  ASSERT_TRUE(stands.has_value());
  EXPECT_EQ(messages[*stands].severity, Severity::error);
  EXPECT_TRUE(messages[*stands].text.starts_with(file.string())) << messages[*stands].text;
  EXPECT_EQ(state().params.formation.grid_nx, 0) << "settings of the command line are for its file";
}

TEST_F(Reset, AFileThatIsRefusedEndsARunOfAScript) {
  const std::filesystem::path file = folder_ / "cut.uff";
  write_text_file(file, "\x89HDF\r\n\x1a\n" + std::string(200, '.'));
  begin(script_options(file.string()));
  EXPECT_THROW((void)until([&] { return state().numbers.shown > 0; }), Error);
}

}  // namespace
}  // namespace echoloop::testing::reset_test
