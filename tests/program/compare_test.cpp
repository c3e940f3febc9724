// --compare and --compare-set: A is what a run of its own makes, files have both, and what cannot be is refused; the
// table of render, doubts of a run, a preset for another probe.
#include <nlohmann/json.hpp>

#include "program/run_program.h"
#include "support/recorded_data.h"

namespace echoloop::compare_test {
namespace {

using nlohmann::json;
using namespace testing;

constexpr const char* kMarks =
    R"({"marks": [{"number": 1, "kind": "circle", "points_mm": [[0, 18], [0, 20]], "role": "target", "pair": 1},
                  {"number": 2, "kind": "rectangle", "points_mm": [[5, 15], [9, 21]], "role": "background", "pair": 1},
                  {"number": 5, "kind": "distance", "points_mm": [[0, 10], [3, 14]]}]})";
const Words kOneFrame = {"--headless", "--backend", "cpu", "--frames", "1"};

json json_of(const std::filesystem::path& file) { return json::parse(read_text(file), nullptr, false); }

struct Files {
  Files() { write_text_file(folder / "marks.json", kMarks); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] Ended run(const Words& words) const { return run_program(joined(words, kOneFrame)); }
  [[nodiscard]] json values(const Words& words) const {
    const Ended ended = run(joined(words, {"--marks", *this / "marks.json", "--measurements", *this / "v.json"}));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json_of(folder / "v.json");
  }
  TemporaryFolder folder;
};

// Without what says where they are from.
json numbers(const json& measured) {
  json only;
  for (const char* key : {"regions", "pairs", "points", "lines"}) only[key] = measured.at(key);
  return only;
}

TEST(Compare, AIsTheImageOfARunWithItsSettings) {
  const Files files;
  const json a = files.values({"sim:cyst", "--set", "reference_db=100,f_number=3"}),
             b = files.values({"sim:cyst", "--set", "reference_db=100,f_number=1.2"});
  const json both = files.values({"sim:cyst", "--set", "reference_db=100,f_number=1.2", "--compare-set",
                                  "f_number=3,gain_db=2", "--figure", files / "ab.png"});
  EXPECT_EQ(numbers(both["a"]), numbers(a));
  EXPECT_EQ(both["pairs"], b["pairs"]);
  const json beside = json_of(files.folder / "ab.json");
  EXPECT_EQ(numbers(beside["values"]), numbers(b));
  EXPECT_EQ(numbers(beside["a"]["values"]), numbers(a));
  EXPECT_EQ(beside["parameters"]["f_number"], 1.2);
  EXPECT_EQ(beside["a"]["parameters"]["f_number"], 3.0);
  EXPECT_EQ(beside["a"]["parameters"]["gain_db"], 2.0);
  EXPECT_NE(beside["command"].get<std::string>().find(" --compare-set f_number=3 "), std::string::npos)
      << beside["command"];
}

TEST(Compare, TheTableHasBothAndTheirDifference) {
  const Files files;
  const Ended ended = files.run(
      {"sim:cyst", "--compare-set", "f_number=3", "--marks", files / "marks.json", "--measurements", files / "v.csv"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string csv = read_text(files.folder / "v.csv");
  for (const char* row : {"# compared: ", "\nnow,pair 1,gCNR", "\nA,pair 1,gCNR", "\nB-A,pair 1,gCNR"})
    EXPECT_NE(csv.find(row), std::string::npos) << row;
}

TEST(Compare, ALineCanDivideTheFigureAndTheCommandSaysSo) {
  const Files files;
  const Words pair = {"sim:cyst", "--compare-set", "f_number=3"};
  const auto drawn = [&](const std::string& layout, const std::string& name) {
    const Ended ended = files.run(joined(pair, {"--compare-layout", layout, "--figure", files / name}));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return read_text(files.folder / name);
  };
  const std::string middle = drawn("wipe", "m.png"), left = drawn("wipe=-1.5", "l.png");
  EXPECT_NE(middle, left);
  EXPECT_NE(middle, drawn("side-by-side", "s.png"));
  const auto command = [&](const char* name) { return json_of(files.folder / name)["command"].get<std::string>(); };
  EXPECT_NE(command("m.json").find(" --compare-layout wipe --figure m.png"), std::string::npos) << command("m.json");
  EXPECT_NE(command("l.json").find(" --compare-layout wipe=-1.5 --"), std::string::npos) << command("l.json");
  EXPECT_EQ(command("s.json").find("--compare-layout"), std::string::npos) << command("s.json");
}

TEST(Compare, APresetAndAnotherPhantomAreTakenForA) {
  const Files files;
  write_text_file(files.folder / "p.toml", "name = \"Wide\"\n[parameters]\nf_number = 4\n");
  ASSERT_EQ(files.run({"sim:cyst", "--compare", files / "p.toml", "--figure", files / "p.svg"}).status, 0);
  EXPECT_EQ(json_of(files.folder / "p.json")["a"]["parameters"]["f_number"], 4.0);
  const Ended other = files.run(
      {"sim:cyst", "--compare", "sim:points", "--compare-frame", "3", "--match-levels", "--figure", files / "o.svg"});
  ASSERT_EQ(other.status, 0) << other.err;
  const json json = json_of(files.folder / "o.json");
  EXPECT_EQ(json["a"]["source"], "sim:points");
  EXPECT_EQ(json["a"]["frame"]["source_index"], 2);
  EXPECT_TRUE(json.contains("levels_matched_to"));
  EXPECT_NE(json["command"].get<std::string>().find(" --compare sim:points --compare-frame 3 "), std::string::npos)
      << json["command"];
  EXPECT_NE(read_text(files.folder / "o.svg").find("levels matched to A"), std::string::npos);
}

TEST(Compare, WhatCannotBeComparedIsRefusedBeforeAnythingIsWritten) {
  const Files files;
  const std::size_t before = files.folder.files();
  const Words figure = {"--figure", files / "f.png", "--report", files / "r.json"};
  struct Bad {
    Words words;
    std::string said;
  };
  for (const Bad& bad :
       {Bad{{"sim:cyst", "--compare", files / "none.uff"}, "none.uff"},
        Bad{{"sim:cyst", "--compare", "live:"}, "live:"}, Bad{{"sim:cyst", "--compare-set", "f_number=99"}, "f_number"},
        Bad{{"sim:cyst", "--compare-set", "no_such=1"}, "no_such"},
        Bad{{"sim:cyst", "--compare-set", "f_number=3", "--compare-layout", "above"}, "above"},
        Bad{{"sim:cyst", "--compare-layout", "wipe"}, "--compare-layout"},
        Bad{{"sim:cyst", "--compare", "sim:nothing"}, "nothing"}}) {
    const Ended ended = files.run(joined(bad.words, figure));
    EXPECT_EQ(ended.status, 2) << bad.said << ended.err;
    EXPECT_EQ(complaints_of(ended).size(), 1U) << ended.err;
    EXPECT_NE(ended.err.find(bad.said), std::string::npos) << ended.err;
    EXPECT_EQ(files.folder.files(), before) << bad.said;
  }
}

TEST(PresetOption, LeavesOutWhatIsForAnotherProbeAndSaysSo) {
  const Files files;
  write_text_file(files.folder / "p.toml",
                  "name = \"Heart\"\n[parameters]\nf_number = 2\n[probe]\nkind = \"phased\"\n"
                  "[probe.parameters]\ndepth_max_m = 0.012\n");
  const Ended ended = files.run({"sim:cyst", "--preset", files / "p.toml", "--report", files / "r.json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.err.find("Preset Heart: [probe.parameters] not applied (depth_max_m): the preset is for phased"),
            std::string::npos)
      << ended.err;
  const json report = json_of(files.folder / "r.json");
  EXPECT_EQ(report["parameters"]["f_number"], 2.0);
  EXPECT_NE(report["parameters"]["depth_max_m"], 0.012);
  EXPECT_TRUE(report["preset"].get<std::string>().starts_with("Preset Heart")) << report["preset"];
}

// The centre frequency that the file lacks is assumed, and its echoes lie elsewhere.
TEST(Doubts, AreSaidWhereImagesAreMade) {
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  const Files files;
  const auto original = data_folder() / "fk_gammex_nylon" / "RFdata1.mat";
  std::filesystem::copy_file(original, files.folder / "RFdata1.mat");  // without the description beside it
  const std::string file = files / "RFdata1.mat";
  const Ended ended = files.run({file, "--image-out", files / "i.npy", "--images-out", files / "all.npy", "--report",
                                 files / "r.json", "--compare-set", "f_number=3", "--figure", files / "f.png"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.err.find("echoloop: RFdata1.mat: doubt: The centre frequency of 5 MHz is assumed"), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("--set center_hz=4.24e+06"), std::string::npos) << ended.err;
  for (const char* name : {"i.json", "all.json", "r.json", "f.json"}) {
    const json written = json_of(files.folder / name);
    ASSERT_EQ(written["doubts"].size(), 1U) << name << written["doubts"];
    EXPECT_EQ(written["doubts"][0]["cure"], "--set center_hz=4.24e+06") << name;
  }
  const Ended cured = files.run({file, "--set", "center_hz=4.24e6", "--report", files / "r.json"});
  EXPECT_EQ(cured.err.find("doubt"), std::string::npos) << cured.err;
  EXPECT_EQ(json_of(files.folder / "r.json")["doubts"], json::array());
  EXPECT_EQ(files.run({file, "--strict", "--report", files / "r.json"}).status, 3);
  const Ended untested = files.run({file, "--no-doubts", "--strict", "--report", files / "r.json"});
  EXPECT_EQ(untested.status, 0) << untested.err;
  EXPECT_EQ(json_of(files.folder / "r.json")["doubts"], json::array());
  const Ended rendered = run_program({"render", file, "--out", files / "out", "--backend", "cpu"});
  ASSERT_EQ(rendered.status, 0) << rendered.err;
  EXPECT_NE(rendered.err.find("echoloop: RFdata1.mat: doubt: The centre frequency"), std::string::npos) << rendered.err;
  EXPECT_EQ(json_of(files.folder / "out" / "RFdata1.json")["doubts"].size(), 1U);
}

TEST(Render, GivesOneTableOfTheMarksOnAllRecordings) {
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  const Files files;
  const std::string wires = (data_folder() / "fk_gammex_nylon" / "RFdata1.mat").string(), table = files / "t.csv";
  const auto render = [&](const std::string& to, const Words& more = {}) {
    return run_program(joined({"render", wires, "sim:cyst", "--out", files / "out", "--backend", "cpu", "--frames", "1",
                               "--marks", files / "marks.json", "--measurements", to},
                              more));
  };
  const Ended ended = render(table);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Words lines = lines_of(read_text(table));
  ASSERT_EQ(lines.size(), 1U + 2U * 3U) << read_text(table);
  EXPECT_TRUE(lines[0].starts_with("recording,mark,kind,role,pair,area_mm2,")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with(wires + ",1,circle,target,1,")) << lines[1];
  EXPECT_TRUE(lines[6].starts_with("sim:cyst,5,distance,,,")) << lines[6];
  const json alone = files.values({"sim:cyst"});
  const Ended again = render(files / "t.json");  // without rendering again
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("2 already there"), std::string::npos) << again.out;
  const json rows = json_of(files.folder / "t.json");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[3]["recording"], "sim:cyst");
  EXPECT_EQ(rows[3]["gcnr"], alone["pairs"][0]["gcnr"]);
  EXPECT_EQ(rows[3]["mean_db"], alone["regions"][0]["mean_db"]);
  EXPECT_EQ(rows[4]["role"], "background");
  EXPECT_DOUBLE_EQ(rows[5]["length_mm"].get<double>(), 5.0);
  // Other marks: not the images of that run.
  write_text_file(files.folder / "marks.json", R"({"marks": [{"number": 1, "kind": "point", "points_mm": [[0, 9]]}]})");
  const std::string before = read_text(table);
  const Ended refused = render(table);
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_EQ(complaints_of(refused).size(), 2U) << "one of each recording: " << refused.err;
  EXPECT_EQ(read_text(table), before) << "no values of the marks before under the new ones";
}

TEST(Render, RefusesATableWithoutMarksOrOfAnotherKind) {
  const Files files;
  const Words render = {"render", "sim:cyst", "--out", files / "out", "--backend", "cpu", "--frames", "1"};
  for (const Words& bad : {Words{"--measurements", files / "t.csv"},
                           Words{"--marks", files / "none.json", "--measurements", files / "t.csv"},
                           Words{"--marks", files / "marks.json", "--measurements", files / "t.xls"}}) {
    const Ended ended = run_program(joined(render, bad));
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(complaints_of(ended).size(), 1U) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(files.folder / "out"));
  }
}

}  // namespace
}  // namespace echoloop::compare_test
