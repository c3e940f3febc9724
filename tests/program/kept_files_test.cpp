// What a run reads is still there after it, and one output that cannot be written does not cost the others.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "program/run_program.h"

namespace echoloop::kept_files_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

// A recording of raw bytes; of a folder, its only frame.
struct Described {
  TemporaryFolder folder;
  Described() {
    fs::create_directory(folder / "frames");
    write_text_file(folder / "scan.bin", std::string(sizeof(std::int16_t) * 8 * 400, '\1'));
    fs::copy_file(folder / "scan.bin", folder / "frames/a.bin");
    const std::string keys =
        R"("dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6, "pitch_m": 0.3e-3, "tx_angles_rad": [0], "t_zero": "origin", "t0_s": 0)";
    write_text_file(folder / "scan.json", R"({"shape": [8, 400], "axes": ["element", "time"], )" + keys + "}");
    write_text_file(folder / "frames.json",
                    R"({"shape": [0, 8, 400], "axes": ["frame", "element", "time"], )" + keys + "}");
    write_text_file(folder / "p.toml", "f_number = 2\n");
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder / name).string(); }
  [[nodiscard]] Ended run(const char* source, Words words) const {
    words.insert(words.begin(), {path(source), "--headless", "--backend", "cpu"});
    return run_program(words);
  }
};

TEST(KeptFiles, NoOutputReplacesWhatTheRunReads) {
  const Described d;
  ASSERT_EQ(d.run("scan.bin", {"--image-out", d.path("other.npy")}).status, 0);
  ASSERT_EQ(d.run("frames", {"--image-out", d.path("other.npy")}).status, 0);  // and once more
  struct Case {
    const char* source;
    Words output;
    const char* kept;
  };
  for (const Case& c : {Case{"scan.bin", {"--image-out", d.path("scan.npy")}, "scan.json"},
                        {"scan.bin", {"--images-out", d.path("scan.npy")}, "scan.json"},
                        {"scan.bin", {"--report", d.path("scan.json")}, "scan.json"},
                        {"frames", {"--image-out", d.path("frames.npy")}, "frames.json"},
                        {"frames", {"--report", d.path("frames/a.bin")}, "frames/a.bin"},
                        {"scan.bin", {"--preset", d.path("p.toml"), "--report", d.path("p.toml")}, "p.toml"}}) {
    SCOPED_TRACE(c.output.back());
    const std::string before = read_text(d.path(c.kept));
    const Ended ended = d.run(c.source, c.output);
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("expected a separate file"), std::string::npos) << ended.err;
    EXPECT_EQ(read_text(d.path(c.kept)), before);
  }
}

// What the program itself wrote beside a recording describes an image, not the recording.
TEST(KeptFiles, AnImageBesideItsRecordingIsWrittenAgain) {
  const TemporaryFolder folder;
  const std::string film = (folder / "a.uff").string(), image = (folder / "a.npy").string();
  ASSERT_EQ(run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--record", film}).status, 0);
  for (int i = 0; i < 2; ++i) {
    const Ended ended = run_program({film, "--headless", "--backend", "cpu", "--image-out", image});
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
}

TEST(KeptFiles, OneRefusedOutputLeavesTheOthers) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const Ended ended = run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "2", "--flow-out",
                                   path("f.npy"), "--set", "flow=power", "--image-out", path("i.npy"), "--csv",
                                   path("c.csv"), "--report", path("r.json")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(complaints_of(ended).size(), 1U) << ended.err;
  for (const char* name : {"i.npy", "i.json", "c.csv"}) EXPECT_TRUE(fs::exists(folder / name)) << name;
  EXPECT_FALSE(fs::exists(folder / "f.npy"));
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "r.json"));
  EXPECT_EQ(report["frames"]["processed"], 2);
  EXPECT_EQ(report["frames"]["errors"], 1);
}

TEST(KeptFiles, CommandsRefuseOptionsThatTheyDoNotUse) {
  const TemporaryFolder folder;
  const std::string report = (folder / "r.json").string(), found = (folder / "s.json").string();
  for (const Words& words : {Words{"info", "sim:points"}, Words{"describe", "x"}, Words{"repair", "x"},
                             Words{"sim:points", "--find-sound-speed", found}}) {
    SCOPED_TRACE(words.front());
    Words all = words;
    all.insert(all.end(), {"--report", report});
    const Ended ended = run_program(all);
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("found --report"), std::string::npos) << ended.err;
    EXPECT_FALSE(fs::exists(found));
  }
  for (const char* command : {"info", "describe", "repair"}) {
    for (const Words& unused :
         {Words{"--frames", "3"}, Words{"--policy", "error"}, Words{"--rate", "5"}, Words{"--set", "f_number=1"}}) {
      Words all = {command, "sim:points"};
      all.insert(all.end(), unused.begin(), unused.end());
      const Ended ended = run_program(all);
      EXPECT_EQ(ended.status, 2) << command << " " << unused.front();
      EXPECT_NE(ended.err.find("found " + unused.front()), std::string::npos) << ended.err;
    }
  }
}

}  // namespace
}  // namespace echoloop::kept_files_test
