// Marks and sessions as files: read back they are the same, and files that are none are refused in a line.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "app/outputs/measured_values.h"
#include "app/session_file.h"
#include "core/param_table.h"
#include "gui/overlay/mark_drawing.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::marks_json_test {
namespace {

Marks one_of_each_kind() {
  Marks marks;
  const auto add = [&](MarkKind kind, std::vector<PlanePoint> points, RegionRole role = RegionRole::none,
                       int pair = 0) {
    marks.list.push_back(
        {.number = ++marks.last_number, .kind = kind, .points = std::move(points), .role = role, .pair = pair});
  };
  add(MarkKind::distance, {{-1.0 / 3e3, 5e-3}, {7.123456789012e-3, 0.02}});
  add(MarkKind::angle, {{0, 0.01}, {1e-3, 0.02}, {2e-3, 0.011}});
  add(MarkKind::ellipse, {{-2e-3, 0.01}, {2e-3, 0.01}, {0, 0.0123}}, RegionRole::target, 1);
  add(MarkKind::rectangle, {{-2e-3, 0.02}, {2e-3, 0.024}}, RegionRole::background, 1);
  add(MarkKind::circle, {{1e-3, 0.015}, {2e-3, 0.015}}, RegionRole::target, 2);
  add(MarkKind::outline, {{0, 0.01}, {1e-3, 0.02}, {2e-3, 0.011}, {1e-3, 0.009}});
  add(MarkKind::profile, {{-5e-3, 0.02}, {5e-3, 0.021}});
  add(MarkKind::point, {{1.0 / 7e2, 0.02}});
  return marks;
}

void expect_same(const Marks& read, const Marks& written) {
  ASSERT_EQ(read.list.size(), written.list.size());
  EXPECT_EQ(read.last_number, written.last_number);
  for (std::size_t i = 0; i < written.list.size(); ++i) {
    const Mark a = read.list[i], b = to_nanometres(written.list[i]);
    EXPECT_EQ(a.number, b.number);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.role, b.role);
    EXPECT_EQ(a.pair, b.pair);
    EXPECT_EQ(a.points, b.points) << "to the last digit";
  }
}

TEST(MarksFile, ReadBackIsWhatWasDrawn) {
  const TemporaryFolder folder;
  const Marks marks = one_of_each_kind();
  write_text_file(folder / "marks.json", nlohmann::json{{"marks", marks_json(marks)}, {"other", 1}}.dump(2));
  expect_same(read_marks(folder / "marks.json"), marks);
}

TEST(MarksFile, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& text, const std::string& naming) {
    write_text_file(folder / "m.json", text);
    const std::string why = refusal_of([&] { static_cast<void>(read_marks(folder / "m.json")); });
    EXPECT_NE(why.find("m.json"), std::string::npos) << why;
    EXPECT_NE(why.find(naming), std::string::npos) << why;
    EXPECT_LT(why.size(), 400U) << why;
  };
  refuses("", "not JSON");
  refuses("\x89PNG", "not JSON");
  refuses("[1, 2]", "an array");
  refuses("{}", "no marks");
  refuses(R"({"marks": 3})", "marks = 3");
  refuses(R"({"marks": [3]})", "mark 1");
  refuses(R"({"marks": [{"kind": "point", "points_mm": [[0, 20]]}]})", "no number");
  refuses(R"({"marks": [{"number": 1e300, "kind": "point", "points_mm": [[0, 20]]}]})", "number");
  refuses(R"({"marks": [{"number": -1, "kind": "point", "points_mm": [[0, 20]]}]})", "number = -1");
  refuses(R"({"marks": [{"number": 1, "kind": "star", "points_mm": [[0, 20]]}]})", "star");
  refuses(R"({"marks": [{"number": 1, "kind": "point", "points_mm": [[0, 20], [1, 1]]}]})", "2 points");
  refuses(R"({"marks": [{"number": 1, "kind": "point", "points_mm": [[0, "a"]]}]})", "point");
  refuses(R"({"marks": [{"number": 1, "kind": "point", "points_mm": [[0, 1e99]]}]})", "1e+99");
  refuses(R"({"marks": [{"number": 1, "kind": "point", "points_mm": [[0, 1]]},
                        {"number": 1, "kind": "point", "points_mm": [[0, 1]]}]})",
          "second time");
  refuses(R"({"marks": [{"number": 1, "kind": "circle", "points_mm": [[0, 9], [1, 9]], "role": "x", "pair": 1}]})",
          "role");
  refuses(R"({"marks": [{"number": 1, "kind": "circle", "points_mm": [[0, 9], [1, 9]], "role": "target"}]})",
          "no pair");
  refuses(R"({"marks": [{"number": 1, "kind": "point", "points_mm": [[0, 9]], "role": "target", "pair": 1}]})",
          "regions");
  refuses("{\"marks\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}", "an array");
  refuses("{\"marks\": [{\"number\": 1, \"kind\": \"" + std::string(100'000, 'x') + "\"}]}", "xxx");
  expect_refusal([&] { static_cast<void>(read_marks(folder.path())); }, "is a folder");
  expect_refusal([&] { static_cast<void>(read_marks(folder / "none.json")); }, "cannot be opened");
  ASSERT_EQ(mkfifo((folder / "pipe.json").c_str(), 0600), 0);  // to which nothing is written
  expect_refusal([&] { static_cast<void>(read_marks(folder / "pipe.json")); }, "not a regular file");
}

SavedSession some_session() {
  SavedSession s{.source = "sim:points,angles_deg=0",
                 .facts = {{"center_hz", 4.2e6}},
                 .settings = {},
                 .stream = {},
                 .marks = one_of_each_kind(),
                 .pan_zoom = {},
                 .layout = {{"dock", "m_mode"}, {"panel_stream", "folded"}}};
  s.settings = {"f_number=1.7000000000000002", "apodization=hann"};
  s.stream.policy = RingPolicy::drop_oldest;
  s.stream.rate_hz = kRateMax;
  s.stream.slots = 5;
  s.stream.inject.jitter_ms = 2.0;
  s.pan_zoom = {.fitted = false, .centre = {1.0 / 3e2, 0.02}, .logical_px_per_m = 12345.678};
  s.frame = 77;
  s.moment = SavedMoment::frozen;
  s.held_reference_db = -12.345678901234567;
  s.map = {.name = "sos_map", .opacity = 0.25, .least = 1450.5, .on = MapOn::b_side, .frame = 3};
  return s;
}

TEST(SessionFile, ReadBackIsWhatWasSaved) {
  const TemporaryFolder folder;
  const auto file = folder / "a.echoloop.json";
  const SavedSession s = some_session();
  write_text_file(file, session_json(s, file).dump());
  ASSERT_TRUE(is_session_file(file));
  const SavedSession read = read_session(file);
  EXPECT_EQ(read.source, s.source);
  EXPECT_EQ(read.facts, s.facts);
  EXPECT_EQ(read.map, s.map);
  EXPECT_EQ(read.layout, s.layout);
  EXPECT_EQ(read.stream, s.stream);
  EXPECT_EQ(read.frame, s.frame);
  EXPECT_EQ(read.moment, s.moment);
  EXPECT_EQ(read.held_reference_db, s.held_reference_db);
  EXPECT_EQ(read.pan_zoom.centre, s.pan_zoom.centre);
  EXPECT_EQ(read.pan_zoom.logical_px_per_m, s.pan_zoom.logical_px_per_m);
  expect_same(read.marks, s.marks);
  ImagingParams params;
  for (const std::string& setting : read.settings) set_from_text(params, setting);
  EXPECT_EQ(params.formation.f_number, 1.7000000000000002);
  EXPECT_EQ(params.formation.apodization, Apodization::hann);
  expect_same(read_marks(file), s.marks);  // --marks SESSION
}

TEST(SessionFile, NamesARecordingBesideItByItsRelativePath) {
  const TemporaryFolder folder, other;
  std::filesystem::create_directory(folder / "data");
  write_text_file(folder / "data/rf.npy", "x");
  SavedSession s = some_session();
  s.source = (folder / "data/rf.npy").string();
  const auto file = folder / "a.echoloop.json";
  EXPECT_EQ(session_json(s, file)["source"]["name"], "data/rf.npy");
  write_text_file(file, session_json(s, file).dump());
  EXPECT_EQ(read_session(file).source, s.source);
  EXPECT_EQ(session_json(s, other / "b.echoloop.json")["source"]["name"], s.source) << "elsewhere: the whole path";
  std::filesystem::remove(folder / "data/rf.npy");
  expect_refusal([&] { static_cast<void>(read_session(file)); }, "rf.npy is missing");
}

// Sessions without a mode of the window are of the time when L64 was the probe of every phantom.
TEST(SessionFile, AnOlderOneOfTheHeartHasTheLinearProbe) {
  const TemporaryFolder folder;
  const auto file = folder / "a.echoloop.json";
  SavedSession s = some_session();
  s.source = "sim:heart";
  s.layout.erase("mode");
  write_text_file(file, session_json(s, file).dump());
  EXPECT_EQ(read_session(file).source, "sim:heart,probe=L64");
  s.layout["mode"] = "view";
  write_text_file(file, session_json(s, file).dump());
  EXPECT_EQ(read_session(file).source, "sim:heart");
}

TEST(SessionFile, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  const auto file = folder / "a.echoloop.json";
  const nlohmann::json whole = session_json(some_session(), file);
  const auto refuses = [&](const nlohmann::json& json, const std::string& naming) {
    write_text_file(file, json.dump());
    expect_refusal([&] { static_cast<void>(read_session(file)); }, naming);
  };
  for (const char* part : {"source", "parameters", "stream", "view", "frame"}) {
    nlohmann::json without = whole;
    without.erase(part);
    refuses(without, part);
    without[part] = 3;
    refuses(without, part);
  }
  const auto with = [&](const char* part, const char* key, const nlohmann::json& value) {
    nlohmann::json changed = whole;
    changed[part][key] = value;
    return changed;
  };
  refuses(with("stream", "slots", 1e9), "stream.slots");
  refuses(with("stream", "policy", "none"), "stream.policy");
  refuses(with("parameters", "f_number", "many"), "f_number");
  refuses(with("parameters", "no_such", 1), "no_such");
  refuses(with("view", "fitted", 1), "view.fitted");
  refuses(with("frame", "source_index", -1), "frame.source_index");
  nlohmann::json newer = whole;
  newer["echoloop_session"] = 2;
  refuses(newer, "form 1");
  write_text_file(folder / "other.json", "{\"a\": 1}");
  EXPECT_FALSE(is_session_file(folder / "other.json"));
  EXPECT_FALSE(is_session_file(folder / "rf.npy"));
}

}  // namespace
}  // namespace echoloop::testing::marks_json_test
