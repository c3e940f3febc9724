// The comparison in the program's own window: the numbers of A and B are those of two runs without a window, and A may
// be another recording.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/window/window_app.h"
#include "gui/turning.h"
#include "gui/view/marks_view.h"
#include "support/recorded_data.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::compare_app_test {
namespace {

constexpr const char* kDiverging = "simus_p42v_diverging/simus_p42v_diverging.uff";
constexpr const char* kConvex = "simus_c52v_convex/rf.npy";

struct Compared : ScriptedWindow {
  explicit Compared(const std::string& source) {
    Options options = script_options(source);
    options.width = 1024;
    options.height = 640;
    options.settings = {"grid_nx=61", "grid_nz=81"};
    begin(options);
  }
  // As a user does: from the side's list, by the dialog.
  void choose(const std::string& side, const std::filesystem::path& file) const {
    click("compare/" + side);
    click("compare/" + side + "/1");
    ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of("open_file").width() > 0.0F; }));
    turn(*app_, 3);
    InjectedInput input;
    input.text = file.string();
    inject(*app_, input, 3);
    click("open_file");
  }
};

// The numbers of a run without a window.
PairStats headless(const std::string& source, const Image& image, const Marks& marks) {
  const auto index = static_cast<std::size_t>(image.stamp.source_index);
  const auto run = process({.source = open_source(source).source, .params = image.params, .frames = index + 1});
  const Picture& picture = run.back();
  const LevelImage levels{.db = picture.db, .grid = picture.grid, .number = 1};
  return compare_regions(levels, pixels_in(region_of(marks.list[0]), picture.grid),
                         pixels_in(region_of(marks.list[1]), picture.grid));
}

void expect_equal(const Measured& window, const PairStats& run) {
  ASSERT_EQ(window.pairs.size(), 1U);
  const PairStats& pair = window.pairs[0].stats;
  EXPECT_GT(run.target.pixels, 50U);
  EXPECT_EQ(pair.contrast_db, run.contrast_db);
  EXPECT_EQ(pair.cnr, run.cnr);
  EXPECT_EQ(pair.gcnr, run.gcnr);
  for (const auto& [mine, other] : {std::pair{pair.target, run.target}, {pair.background, run.background}}) {
    EXPECT_EQ(mine.pixels, other.pixels);
    EXPECT_EQ(mine.area_m2, other.area_m2);
    EXPECT_EQ(mine.mean_db, other.mean_db);
    EXPECT_EQ(mine.std_db, other.std_db);
    EXPECT_EQ(mine.mean_amplitude, other.mean_amplitude);
    EXPECT_EQ(mine.std_amplitude, other.std_amplitude);
  }
}

Marks two_regions() {
  Marks marks;
  marks.list = {{.number = 1,
                 .kind = MarkKind::rectangle,
                 .points = {{-15e-3, 45e-3}, {-5e-3, 55e-3}},
                 .role = RegionRole::target,
                 .pair = 1},
                {.number = 2,
                 .kind = MarkKind::rectangle,
                 .points = {{5e-3, 45e-3}, {15e-3, 55e-3}},
                 .role = RegionRole::background,
                 .pair = 1}};
  return marks;
}

TEST(ComparedNumbers, AreThoseOfTwoRunsWithoutAWindow) {
  ECHO_NEED_DATA(kDiverging);
  const std::string file = (data_folder() / kDiverging).string();
  const Compared window(file);
  WindowState& state = window.state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 2; }));
  window.press(Key::space);
  ASSERT_TRUE(window.until([&] { return state.run == RunState::frozen; }));
  window.press(Key::x);
  state.params.formation.f_number = 3.25;
  state.marks = two_regions();
  const auto settled = [&] {
    const Image& a = state.measured_a.image;
    const Image& b = state.measured.image;
    return a.number != 0 && b.number != 0 && b.params.formation.f_number == 3.25 &&
           a.params.formation.f_number != 3.25 && a.stamp.sequence == b.stamp.sequence;
  };
  ASSERT_TRUE(window.until(settled));
  expect_equal(state.measured, headless(file, state.measured.image, state.marks));
  expect_equal(state.measured_a, headless(file, state.measured_a.image, state.marks));
  EXPECT_NE(state.measured.pairs[0].stats.gcnr, state.measured_a.pairs[0].stats.gcnr);
}

TEST(ComparedLive, BothSidesAreOfOneFrameThatMovesOn) {
  const Compared window("sim:cyst");
  WindowState& state = window.state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 1 && state.kept.frames > 0; }));
  window.press(Key::x);
  ASSERT_TRUE(state.cine.compare);
  ASSERT_TRUE(window.until([&] { return window.app().viewer().compared_image() != nullptr; }));
  const std::uint64_t first = window.app().viewer().compared_image()->stamp.sequence;
  EXPECT_EQ(state.run, RunState::live);
  EXPECT_TRUE(window.until([&] {
    const Image* a = window.app().viewer().compared_image();
    return a->stamp.sequence > first + 3 && a->stamp.sequence == window.app().viewer().shown_image().stamp.sequence;
  }));
  window.press(Key::x);
  EXPECT_TRUE(window.until([&] { return window.app().viewer().compared_image() == nullptr; }));
  const std::uint64_t last = window.app().viewer().shown_image().stamp.sequence;
  EXPECT_TRUE(window.until([&] { return window.app().viewer().shown_image().stamp.sequence > last; })) << "live again";
}

TEST(TwoRecordings, AIsWhatItIsAloneAndSwapExchangesThem) {
  ECHO_NEED_DATA(kDiverging);
  ECHO_NEED_DATA(kConvex);
  const std::string b_file = (data_folder() / kDiverging).string(), a_file = (data_folder() / kConvex).string();
  const Compared window(b_file);
  WindowState& state = window.state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 2; }));
  window.press(Key::x);
  state.marks = two_regions();
  window.choose("a", a_file);
  const auto a_is = [&](const AcquisitionPtr& acquisition) {
    const Image* a = window.app().viewer().compared_image();
    return a != nullptr && acquisition != nullptr && a->acquisition == acquisition;
  };
  ASSERT_TRUE(window.until([&] { return a_is(state.kept.a_recording.acquisition); }))
      << state.notices.messages.list().front().text;
  const Image a = *window.app().viewer().compared_image();
  EXPECT_NE(a.acquisition->n_elements(), 0);
  const auto alone =
      process({.source = open_source(a_file).source, .params = a.params, .frames = a.stamp.source_index + 1});
  EXPECT_EQ(window.app().viewer().compared_db(), alone.back().db);
  const AcquisitionPtr acquisition_of_b = state.source.acquisition;
  window.click("swap");
  ASSERT_TRUE(window.until([&] { return state.source.opened_as == a_file && a_is(acquisition_of_b); }));
  EXPECT_EQ(state.marks.list.size(), 2U) << "regions stay, by their place";
  EXPECT_TRUE(state.cine.compare);
  window.press(Key::x);
  ASSERT_TRUE(window.until([&] { return state.kept.a_recording.name.empty(); }));
}

// The frames in the history are B's: a frame of that number is not A's.
TEST(TwoRecordings, PointsOfAHaveTheNumbersOfItsPixelsAndSaySo) {
  ECHO_NEED_DATA(kDiverging);
  const std::string file = (data_folder() / kDiverging).string();
  const Compared window(file);
  WindowState& state = window.state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 2; }));
  window.press(Key::space);
  ASSERT_TRUE(window.until([&] { return state.run == RunState::frozen; }));
  window.press(Key::x);
  state.marks.list = {{.number = 1, .kind = MarkKind::point, .points = {{0.0, 90e-3}}}};
  window.choose("a", file);
  const auto noted = [&](const Measured& m, PointSource from) {
    return m.points.size() == 1 && m.points[0].from == from && m.fine.size() == 1;
  };
  ASSERT_TRUE(window.until([&] {
    return !state.kept.a_recording.name.empty() && state.measured_a.image.acquisition != nullptr &&
           state.measured_a.image.acquisition == state.kept.a_recording.acquisition;
  }));
  EXPECT_TRUE(window.until([&] { return noted(state.measured, PointSource::fine_grid); }))
      << state.measured.points.size() << ' ' << state.measured.fine.size();
  EXPECT_TRUE(window.until([&] {
    return noted(state.measured_a, PointSource::image) &&
           state.measured_a.points[0].note.find("A is another recording") != std::string::npos;
  })) << state.measured_a.points.size()
      << ' ' << state.measured_a.fine.size();
}

TEST(TwoRecordings, OneThatIsRefusedLeavesHeldSettings) {
  const Compared window("sim:cyst");
  WindowState& state = window.state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 1 && state.kept.frames > 0; }));
  window.press(Key::x);
  write_text_file(window.folder() / "notes.txt", "not a recording");
  state.notices.messages.clear();
  window.choose("a", window.folder() / "notes.txt");
  ASSERT_TRUE(window.until([&] { return !state.notices.messages.list().empty(); }));
  EXPECT_EQ(state.notices.messages.list().front().severity, Severity::error);
  EXPECT_TRUE(state.cine.compare);
  EXPECT_TRUE(state.kept.a_recording.name.empty());
}

TEST(TwoRecordings, BIsOpenedAndWhatWasBBecomesA) {
  ECHO_NEED_DATA(kDiverging);
  const Compared window("sim:cyst");
  WindowState& state = window.state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 1 && state.kept.frames > 0; }));
  window.press(Key::x);
  const std::string name = state.source.name;
  window.choose("b", data_folder() / kDiverging);
  ASSERT_TRUE(window.until([&] { return state.source.phantom.empty(); })) << state.notices.messages.list().front().text;
  EXPECT_EQ(state.kept.a_recording.name, name);
  EXPECT_TRUE(window.until([&] {
    const Image* a = window.app().viewer().compared_image();
    return a != nullptr && a->acquisition == state.kept.a_recording.acquisition;
  }));
}

}  // namespace
}  // namespace echoloop::testing::compare_app_test
