// F9 is the start: every field of the state is that of a program that has just been started, and a recording that is
// opened after it gets what it would get there.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "app/window/window_app.h"
#include "app/window/window_reset.h"
#include "core/param_table.h"
#include "gui/turning.h"
#include "history/uff_writer.h"
#include "support/acquisitions.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::reset_test {
namespace {

using Values = std::map<std::string, std::string>;

template <class T>
void put(Values& to, const std::string& name, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    to[name] = std::to_string(static_cast<int>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    to[name] = std::to_string(value);
  } else {
    to[name] = value;
  }
}

void put_params(Values& to, const std::string& name, const ImagingParams& params) {
  for (const ParamSpec& spec : param_table()) to[name + "/" + std::string(spec.key)] = get_text(params, spec);
}

// The bindings name every field: a new one does not compile until it is here.
void put_stream(Values& to, const StreamSettings& s) {
  const auto& [policy, slots, lanes, streams, memory, wait, rate_hz, pace_ms, loop, paused, inject] = s;
  put(to, "policy", policy);
  put(to, "slots", slots);
  put(to, "lanes", lanes);
  put(to, "streams", streams);
  put(to, "memory", memory);
  put(to, "wait", wait);
  put(to, "rate", rate_hz);
  put(to, "pace", pace_ms);
  put(to, "loop", loop);
  put(to, "paused", paused);
  put(to, "inject", to_text(inject));
}

// frames, seconds, bytes: of what was kept until now.
void put_cine(Values& to, const Cine& c) {
  const auto& [index, playing, speed, mark_in, mark_out, keep_acquiring, compare, look, match, a, wipe, frames, seconds,
               times_s, frame_rate_hz, bytes, budget_bytes, why_no_flow, why_not, a_recording] = c;
  put(to, "index", index);
  put(to, "playing", playing);
  put(to, "speed", speed);
  put(to, "mark in", mark_in);
  put(to, "mark out", mark_out);
  put(to, "keep acquiring", keep_acquiring);
  put(to, "compare", compare);
  put(to, "look", look);
  put(to, "match", match);
  put_params(to, "a", a);
  put(to, "wipe", wipe);
  put(to, "times", times_s.size());
  put(to, "history rate", frame_rate_hz);
  put(to, "budget", budget_bytes);
  put(to, "why no flow", why_no_flow);
  put(to, "why not", why_not);
  put(to, "a recording", a_recording.name);
  (void)frames, (void)seconds, (void)bytes;
}

void put_saving(Values& to, const Saving& s) {
  const auto& [film, place, seen, ask, why_no_film, writing, why_no_iq, busy, recording, last, failed] = s;
  const auto& [range, speed, container] = film;
  put(to, "film range", range);
  put(to, "film speed", speed);
  put(to, "film container", container);
  put(to, "ask", ask);
  put(to, "why no film", why_no_film);
  put(to, "writing", writing);
  put(to, "why no iq", why_no_iq);
  put(to, "busy", busy);
  put(to, "recording", recording.on);
  put(to, "last saved", last);
  put(to, "save failed", failed);
  (void)place, (void)seen;  // while the panel is seen
}

// latencies, rates and spans: measured.
void put_numbers(Values& to, const StreamNumbers& n) {
  put(to, "idle", n.idle);
  put(to, "errors", n.errors);
  put(to, "refused", n.counts.refused);
  put(to, "gaps", n.counts.sequence_gaps);
  put(to, "first", n.counts.first_sequence);
  put(to, "ring", n.counts.slots);
}

void put_image(Values& to, const ImageState& i) {
  const auto& [pan_zoom, inspected, inspector, m_mode, awaited, work, measured, measured_a] = i;
  put(to, "awaited", awaited.has_value());
  (void)work;  // time
  put(to, "fitted", pan_zoom.fitted);
  put(to, "inspected", inspected.has_value());
  put(to, "inspector", inspector.wanted);
  put(to, "inspected transmit", inspector.transmit);
  put(to, "m-mode", m_mode.wanted);
  put(to, "calipers", m_mode.calipers.size());
  put(to, "pairs", measured.pairs.size());
  put(to, "pairs of a", measured_a.pairs.size());
}

void put_analyses(Values& to, const AnalysisViews& a) {
  const auto& [flow, objects, spectrogram, sound_speed] = a;
  put(to, "flow", flow.image != nullptr);
  put(to, "object", objects.selected);
  put(to, "objects", objects.image != nullptr);
  put(to, "spectrogram", spectrogram.shown != nullptr);
  put(to, "speed found", sound_speed.found.has_value());
}

Values values_of(const UiState& state) {
  const auto& [params, stream, marks, image, facts, defaults, source, scanner, device, run, numbers, cine, saving,
               presets, analyses, import, opening, notices, no_effect, reset] = state;
  Values all;
  put_params(all, "params", params);
  put_params(all, "defaults", defaults);
  put_stream(all, stream);
  put(all, "marks", marks.list.size());
  put(all, "selected", marks.selected);
  put(all, "last number", marks.last_number);
  put(all, "tool", marks.tool);
  put_image(all, image);
  put(all, "facts", facts.given.size());
  put(all, "facts assumed", facts.assumed.size());
  put(all, "source", source.opened_as);
  put(all, "scanner", scanner.has_value());
  put(all, "backend", device.backend);
  put(all, "run", run);
  put_numbers(all, numbers);
  put_cine(all, cine);
  put_saving(all, saving);
  put(all, "preset", presets.active);
  put(all, "preset changed", presets.changed);
  put_analyses(all, analyses);
  put(all, "import", import.open);
  put(all, "doubts", opening.doubts.size());
  put(all, "opening", opening.progress.has_value());
  put(all, "fault", notices.fault.has_value());
  put(all, "warning", notices.formation_warning);
  for (const Message& message : notices.messages.list()) all["message " + message.text] = message.text;
  put(all, "why no memory", no_effect.host_memory);
  (void)reset;  // counts them
  return all;
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
  Values start = values_of(state());
  const ViewSettings view = app_->viewer().settings();
  const std::uint64_t first_run = state().numbers.counts.produced;

  UiState& s = state();
  s.params.display.gain_db = 6.0;
  s.params.formation.f_number = 3.0;
  s.stream.policy = RingPolicy::error;
  s.stream.slots = 5;
  s.stream.rate_hz = 3.0;
  s.stream.inject.load_ms = 1.0;
  s.marks.list = {{.number = 4, .kind = MarkKind::rectangle, .points = {{-1e-3, 5e-3}, {1e-3, 7e-3}}}};
  s.marks.last_number = s.marks.selected = 4;
  s.image.inspected = PlanePoint{0.0, 0.01};
  s.image.pan_zoom = {.fitted = false, .centre = {0, 0.02}, .logical_px_per_m = 30'000};
  s.cine.keep_acquiring = !s.cine.keep_acquiring;
  s.cine.speed = 0.25;
  s.cine.match_levels = true;
  s.cine.compare_look = CompareLook::side_by_side;
  s.saving.film = {.range = FilmRange::all, .speed = 0.1, .container = FilmContainer::mkv};
  s.saving.last = "Saved a.png";
  s.numbers.errors = 3;
  s.notices.messages.post({Severity::error, "12:00:01", "The disk is full.", "recording"});
  press(Key::m);
  press(Key::x);
  turn(*app_, 10);
  EXPECT_NE(values_of(s), start);
  reset();

  Values now = values_of(s);
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
  const std::size_t kept = state().cine.frames;
  ASSERT_GT(kept, 1U);
  reset();
  EXPECT_EQ(state().run, RunState::live);
  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
  EXPECT_LE(state().cine.frames, state().numbers.counts.processed) << "only those since the reset";
}

TEST_F(Reset, ARecordingOpenedAfterItGetsAQueueOfItsOwn) {
  const std::filesystem::path recording = folder_ / "recording.uff";
  UffWriter writer(recording, share(linear_acquisition()), {.version = "test"});
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
  UiState used;
  used.source.name = used.device.name = used.no_effect.lanes = used.presets.probe = used.opening.host = "kept";
  used.reset.count = 3;
  used.notices.messages.post({.text = "kept"});
  used.saving.recording.file = "kept";
  used.saving.last = used.notices.formation_warning = used.cine.why_not = "of before";
  used.numbers.errors = 7;
  used.facts.given["c"] = 1.0;
  used.notices.fault.emplace();
  used.analyses.sound_speed.found.emplace();
  const UiState fresh = fresh_state(used);
  for (const std::string& kept : {fresh.source.name, fresh.device.name, fresh.no_effect.lanes, fresh.presets.probe,
                                  fresh.opening.host, fresh.saving.recording.file}) {
    EXPECT_EQ(kept, "kept");
  }
  EXPECT_EQ(fresh.reset.count, 3U);
  EXPECT_EQ(fresh.notices.messages.list().size(), 1U);
  EXPECT_EQ(fresh.saving.last + fresh.notices.formation_warning + fresh.cine.why_not, "");
  EXPECT_EQ(fresh.numbers.errors, 0U);
  EXPECT_TRUE(fresh.facts.given.empty());
  EXPECT_FALSE(fresh.notices.fault.has_value());
  EXPECT_FALSE(fresh.analyses.sound_speed.found.has_value());
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
