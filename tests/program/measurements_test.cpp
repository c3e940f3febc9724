// --marks and --measurements: numbers of a run without a window, against a ten times finer grid, and what is refused.
#include <nlohmann/json.hpp>

#include "app/session_file.h"
#include "program/run_program.h"
#include "support/recorded_data.h"

namespace echoloop::measurements_test {
namespace {

using nlohmann::json;
using namespace testing;

std::string point_mark(double x_mm, double z_mm) {
  return json{{"marks", {{{"number", 1}, {"kind", "point"}, {"points_mm", {{x_mm, z_mm}}}}}}}.dump();
}

json measured(const TemporaryFolder& folder, Words words, const std::string& marks) {
  write_text_file(folder / "marks.json", marks);
  words.insert(words.end(), {"--headless", "--backend", "cpu", "--frames", "1", "--marks",
                             (folder / "marks.json").string(), "--measurements", (folder / "values.json").string()});
  const Ended ended = run_program(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return json::parse(read_text(folder / "values.json"), nullptr, false);
}

// `grid`: ten times finer than the image's own, about the echo.
void expect_width_of_a_finer_grid(const std::string& source, const std::string& grid, double x_mm, double z_mm) {
  const TemporaryFolder folder;
  const json image = measured(folder, {source}, point_mark(x_mm + 0.3, z_mm - 0.2))["points"][0];
  ASSERT_EQ(image["widths_of"], "fine grid") << image;
  // With an image filter that does nothing to see, the finer image's own pixels are what is measured.
  const json finer =
      measured(folder, {source, "--grid=" + grid, "--set", "smooth_axial_m=1e-7"}, point_mark(x_mm, z_mm))["points"][0];
  ASSERT_EQ(finer["widths_of"], "image") << finer;
  for (const char* width : {"lateral_fwhm_mm", "axial_fwhm_mm"}) {
    const double fine = finer[width].get<double>();
    EXPECT_NEAR(image[width].get<double>(), fine, 0.01 * fine) << width;
  }
}

TEST(Measurements, WidthsAreThoseOfATenTimesFinerGrid) {
  expect_width_of_a_finer_grid("sim:points", "-5.03:-1.03:401,5:7:401", -3.03, 6.0);
  expect_width_of_a_finer_grid("sim:points", "2.98:6.98:401,14.03:16.03:401", 4.98, 15.03);
}

// A real recording of nylon wires, and points in a sector: on the axis, where a beam runs along z.
TEST(Measurements, WidthsInRecordingsAndSectorsAreThoseOfATenTimesFinerGrid) {
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  ECHO_NEED_DATA("simus_p42v_diverging/simus_p42v_diverging.uff");
  const auto wires = testing::data_folder() / "fk_gammex_nylon" / "RFdata1.mat";
  const auto sector = testing::data_folder() / "simus_p42v_diverging" / "simus_p42v_diverging.uff";
  expect_width_of_a_finer_grid(wires.string(), "-0.25:3.75:401,21.58:23.58:401", 1.75, 22.58);
  expect_width_of_a_finer_grid(wires.string(), "-0.1:3.9:401,41.2:43.2:401", 1.93, 42.23);
  expect_width_of_a_finer_grid(wires.string(), "0:4:401,80.2:82.2:401", 2.03, 81.26);
  expect_width_of_a_finer_grid(sector.string(), "-6:6:401,88:92:401", 0.0, 90.0);
}

TEST(Measurements, OffAPeakThereIsNoWidth) {
  const TemporaryFolder folder;
  const json point = measured(folder, {"sim:points"}, point_mark(8.5, 16.4))["points"][0];
  EXPECT_TRUE(point["lateral_fwhm_mm"].is_null()) << point;
  EXPECT_TRUE(point["x_mm"].is_null());
  EXPECT_TRUE(point["note"].get<std::string>().starts_with("No peak here")) << point;
}

TEST(Measurements, WhereAFrameCannotBeBeamformedAgainTheReasonIsGiven) {
  const TemporaryFolder folder;
  const json point = measured(folder, {"sim:points", "--recipe", "course"}, point_mark(0.05, 24.98))["points"][0];
  EXPECT_EQ(point["widths_of"], "image") << point;
  EXPECT_NE(point["note"].get<std::string>().find("course recipe"), std::string::npos) << point;
}

TEST(Measurements, SayWhatShareOfARegionHasAnEcho) {
  const TemporaryFolder folder;
  const std::string marks = R"({"marks": [{"number": 7, "kind": "rectangle", "points_mm": [[-9.5, 2.1], [-7, 8]]}]})";
  const json all = measured(folder, {"sim:cyst"}, marks)["regions"][0];
  EXPECT_EQ(all["number"], 7);
  EXPECT_EQ(all["share_with_echo"], 1.0);
  const json some = measured(folder, {"sim:cyst,angles_deg=-15", "--set", "f_number=8"}, marks)["regions"][0];
  EXPECT_DOUBLE_EQ(some["area_mm2"].get<double>(), all["area_mm2"].get<double>());
  EXPECT_LE(some["pixels"].get<int>(), all["pixels"].get<int>());
  EXPECT_NEAR(some["share_with_echo"].get<double>(), some["pixels"].get<double>() / all["pixels"].get<double>(), 1e-12);
}

TEST(Measurements, CsvHasTheSameNumbers) {
  const TemporaryFolder folder;
  write_text_file(folder / "m.json", point_mark(0.05, 24.98));
  const std::string csv = (folder / "v.csv").string();
  const Ended ended = run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--marks",
                                   (folder / "m.json").string(), "--measurements", csv});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(read_text(csv).find("now,point 1,axial width at -6 dB,mm,,,"), std::string::npos);
}

// One line, status 2, nothing written: neither the measurements nor the image that was asked for as well.
TEST(Measurements, BadMarksAreRefusedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  write_text_file(folder / "bad.json", R"({"marks": [{"number": 1, "kind": "star", "points_mm": []}]})");
  write_text_file(folder / "good.json", point_mark(0, 20));
  const auto refused = [&](const Words& more, const std::string& naming) {
    const Ended ended = run_program(joined(
        {"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--image-out", (folder / "i.npy").string()},
        more));
    EXPECT_EQ(ended.status, 2) << naming;
    EXPECT_EQ(testing::lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_NE(ended.err.find(naming), std::string::npos) << ended.err;
    EXPECT_EQ(folder.files(), 2U) << "something was written: " << naming;
  };
  const std::string bad = (folder / "bad.json").string(), good = (folder / "good.json").string();
  const std::string out = (folder / "v.json").string();
  refused({"--marks", bad, "--measurements", out}, "star");
  refused({"--marks", (folder / "none.json").string(), "--measurements", out}, "none.json");
  refused({"--marks", good, "--measurements", (folder / "v.txt").string()}, ".csv or .json");
  refused({"--marks", good, "--measurements", good}, "good.json");
  refused({"--measurements", out}, "--marks");
}

TEST(Session, WithoutAWindowGivesItsFrameAndItsMarks) {
  const TemporaryFolder folder;
  SavedSession saved{.source = "sim:points,angles_deg=0",
                     .facts = {},
                     .settings = {"f_number=2"},
                     .stream = {},
                     .marks = {},
                     .pan_zoom = {},
                     .layout = {},
                     .frame = 4};
  saved.marks.list = {{.number = 1, .kind = MarkKind::point, .points = {{0.05e-3, 24.98e-3}}}};
  saved.held_reference_db = -20.0;
  const auto file = folder / "a.echoloop.json";
  write_text_file(file, session_json(saved, file).dump());
  const Words both = {"--headless", "--backend", "cpu", "--set", "reference_db=-20", "--image-out"};
  Words session = {file.string()}, plain = {"sim:points,angles_deg=0", "--set", "f_number=2", "--frames", "5"};
  session.insert(session.end(), both.begin(), both.end());
  plain.insert(plain.end(), both.begin(), both.end());
  session.insert(session.end(), {(folder / "s.npy").string(), "--measurements", (folder / "v.json").string()});
  plain.push_back((folder / "p.npy").string());
  ASSERT_EQ(run_program(session).status, 0);
  ASSERT_EQ(run_program(plain).status, 0);
  EXPECT_TRUE(read_text(folder / "s.npy") == read_text(folder / "p.npy")) << "the same image";
  EXPECT_EQ(json::parse(read_text(folder / "v.json"))["points"].size(), 1U);
}

TEST(Session, WhoseRecordingIsMissingIsRefusedInOneLine) {
  const TemporaryFolder folder;
  SavedSession saved;
  saved.source = (folder / "gone.npy").string();
  const auto file = folder / "a.echoloop.json";
  write_text_file(file, session_json(saved, file).dump());
  const Ended ended = run_program({file.string(), "--headless"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(testing::lines_of(ended.err).size(), 1U) << ended.err;
  EXPECT_NE(ended.err.find("gone.npy is missing"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace echoloop::measurements_test
