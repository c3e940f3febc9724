// Bad input: exit status 2, exactly one complaint that names what was refused, nothing written.
#include <gtest/gtest.h>

#include "program/run_program.h"

namespace echoloop::bad_input_test {
namespace {

using testing::Ended;
using testing::TemporaryFolder;
using testing::Words;

struct BadInput {
  Words words;
  std::string naming;
};

void expect_refused(const BadInput& bad) {
  std::string line;
  for (const std::string& word : bad.words) line += word + " ";
  SCOPED_TRACE(line);
  const Ended ended = testing::run_program(bad.words);
  EXPECT_EQ(ended.status, 2);
  const std::vector<std::string> complaints = testing::complaints_of(ended);
  ASSERT_EQ(complaints.size(), 1U) << ended.err;
  EXPECT_NE(complaints[0].find(bad.naming), std::string::npos) << complaints[0];
  EXPECT_TRUE(testing::says_what_is_accepted(complaints[0])) << complaints[0];
  EXPECT_EQ(testing::lines_of(ended.err).size(), 1U) << ended.err;
}

// `words` added to a headless run of a phantom that would otherwise succeed.
BadInput headless(Words words, const std::string& naming) {
  words.insert(words.begin(), {"sim:points", "--headless", "--frames", "1"});
  return {words, naming};
}

TEST(BadInput, OnTheCommandLine) {
  const std::vector<BadInput> table = {
      {{"--no-such-option"}, "--no-such-option"},
      {{"sim:points", "second", "--headless"}, "second"},
      headless({"--policy", "sometimes"}, "--policy"),
      headless({"--backend", "abacus"}, "--backend"),
      headless({"--recipe", "secret"}, "recipe"),
      headless({"--rate", "quick"}, "--rate"),
      headless({"--rate", "0"}, "--rate"),
      headless({"--slots", "1"}, "--slots"),
      headless({"--slots", "1000"}, "--slots"),
      headless({"--lanes", "9"}, "--lanes"),
      headless({"--streams", "some"}, "--streams"),
      headless({"--host-memory", "foggy"}, "--host-memory"),
      headless({"--frames", "-1"}, "--frames"),
      headless({"--frames", "1.5"}, "--frames"),
      headless({"--duration", "-1"}, "--duration"),
      headless({"--duration", "soon"}, "--duration"),
      headless({"--video", "a.avi"}, "a.avi"),
      headless({"--video", "/no-such-folder/a.mp4"}, "/no-such-folder"),
      headless({"--dicom", "a.mp4"}, "a.mp4"),
      headless({"--igtl", "0", "--igtl-address", "nowhere"}, "--igtl: host 'nowhere'"),
      {{"sim:points", "--headless", "--frames", "0"}, "--frames"},
      headless({"--kiosk", "0"}, "--kiosk = 0 is"),
      headless({"--history-mb", "1000000.5"}, "1000000.5"),
      headless({"--report", "/tmp"}, "/tmp: a folder"),
      headless({"--csv", "/tmp/" + std::string(300, 'n')}, "a name of 300 bytes"),
      {{"info"}, "info"},
      {{"info", "live:bad_input"}, "live:bad_input: a scanner"},
      {{"send", "sim:points", "--rate", ""}, "--rate: empty"},
      {{"send", "sim:points", "--frames", "0"}, "--frames = 0"},
      {{"bench", "--backend", ""}, "--backend: empty"},
      {{"send", "live:bad_input"}, "live:bad_input: a scanner"},
      {{"live:bad_input", "--find-sound-speed", "/tmp/s.json"}, "live:bad_input: a scanner"},
      {{"bench", "--json", "/no-such-folder/a.json"}, "/no-such-folder"},
      headless({"--json"}, "--json"),
      {{"sim:heart,warp=9", "--headless"}, "sim:heart: unknown setting 'warp'"},
      {{"sim:heart,seed=-1", "--headless"}, "seed"},
  };
  for (const BadInput& bad : table) expect_refused(bad);
}

TEST(BadInput, GridsAndParameters) {
  const std::vector<BadInput> table = {
      headless({"--grid", "nonsense"}, "--grid"),
      headless({"--grid", "5:-5:10,5:20:10"}, "--grid"),
      headless({"--grid", "-5:5:10,5:20:0"}, "--grid"),
      headless({"--grid", "-5:5:100000,5:20:10"}, "--grid"),
      headless({"--grid", "-50000:50000:10,5:20:10"}, "lateral_min_m"),
      headless({"--images-type", "uint8"}, "--images-type: no effect without --images-out"),
      headless({"--figure-dpi", "200"}, "--figure-dpi: no effect without --figure"),
      headless({"--grid", ""}, "--grid"),
      headless({"--set", "f_number"}, "--set"),
      headless({"--set", "f_number=wide"}, "f_number"),
      headless({"--set", "f_number=99"}, "f_number"),
      headless({"--set", "f_number=nan"}, "f_number"),
      headless({"--set", "warp=9"}, "warp"),
      headless({"--set", "apodization=round"}, "apodization"),
      headless({"--set", "band_low_hz=8e6", "--set", "band_high_hz=2e6"}, "band_low_hz"),
      headless({"--set", "band_low_hz=0", "--set", "band_high_hz=50e6"}, "band_high_hz"),
      headless({"--set", "depth_min_m=0.05", "--set", "depth_max_m=0.01"}, "depth_min_m"),
      headless({"--preset", "/no/such/preset.toml"}, "preset.toml"),
  };
  for (const BadInput& bad : table) expect_refused(bad);
}

TEST(BadInput, SourcesAndFiles) {
  const TemporaryFolder folder;
  const std::string text = (folder / "text.npy").string();
  testing::write_text_file(text, "this is no array\n");
  const std::string empty = (folder / "empty.mat").string();
  testing::write_text_file(empty, "");
  const std::string bad_preset = (folder / "bad.toml").string();
  testing::write_text_file(bad_preset, "f_number = {");
  const std::vector<BadInput> table = {
      {{"sim:submarine", "--headless"}, "submarine"},
      {{"sim:", "--headless"}, "expected points, "},
      {{"/no/such/file.mat", "--headless"}, "/no/such/file.mat"},
      {{folder.path().string(), "--headless"}, folder.path().string()},
      {{text, "--headless"}, "text.npy"},
      {{empty, "--headless"}, "empty.mat"},
      {{"info", text}, "text.npy"},
      {{"info", "/no/such/file.mat", "--json"}, "/no/such/file.mat"},
      headless({"--preset", bad_preset}, "bad.toml"),
  };
  for (const BadInput& bad : table) expect_refused(bad);
}

TEST(BadInput, OutputsAreRefusedBeforeTheRun) {
  const TemporaryFolder folder;
  const std::string nowhere = (folder / "none").string();
  const std::vector<BadInput> table = {
      headless({"--report", nowhere + "/r.json"}, "r.json"),
      headless({"--image-out", nowhere + "/i.npy"}, "i.npy"),
      headless({"--png", nowhere + "/i.png"}, "i.png"),
      headless({"--trace", nowhere + "/t.json"}, "t.json"),
      headless({"--image-out", (folder / "image.txt").string()}, "--image-out"),
      headless({"--report", ""}, "--report"),
      headless({"--png", (folder / "i.jpg").string()}, "i.jpg'; expected a file name ending in .png"),
      headless({"--png16", (folder / "i.tif").string()}, "--png16"),
      headless({"--screenshot", (folder / "i.jpg").string()}, "--screenshot"),
  };
  for (const BadInput& bad : table) expect_refused(bad);
  EXPECT_EQ(folder.files(), 0U) << "something was written";
}

TEST(BadInput, EveryOutputHasAFileOfItsOwn) {
  const TemporaryFolder folder;
  const std::string json = (folder / "a.json").string();
  const std::vector<BadInput> table = {
      headless({"--report", json, "--trace", json}, "--trace"),
      headless({"--trace", json, "--image-out", (folder / "a.npy").string()}, "--trace"),
      headless({"--csv", json, "--report", folder.path().string() + "/./a.json"}, "--csv"),
  };
  for (const BadInput& bad : table) expect_refused(bad);
  EXPECT_EQ(folder.files(), 0U) << "something was written";
  const Ended nowhere = testing::run_program(
      {"sim:points", "--headless", "--frames", "1", "--report", "/dev/null", "--trace", "/dev/null"});
  EXPECT_EQ(nowhere.status, 0) << nowhere.err;
}

TEST(BadInput, NothingIsWrittenOverTheRecording) {
  const TemporaryFolder folder;
  const std::string recording = (folder / "a.uff").string();
  ASSERT_EQ(testing::run_program({"sim:points", "--headless", "--frames", "2", "--record", recording}).status, 0);
  const std::string before = testing::read_text(recording);
  for (const char* option : {"--record", "--report", "--png"}) {
    expect_refused({{recording, "--headless", option, recording}, option});
  }
  EXPECT_EQ(testing::read_text(recording), before);
  const std::string array = (folder / "a.npy").string();
  testing::write_text_file(folder / "a.json", "{}");
  expect_refused({{array, "--headless", "--image-out", array}, "--image-out"});
  expect_refused({{array, "--headless", "--report", (folder / "a.json").string()}, "--report"});
}

// A refusal leaves no file behind, also when others of its outputs could have been written.
TEST(BadInput, NothingIsWrittenByHalves) {
  const TemporaryFolder folder;
  expect_refused({{"sim:points", "--headless", "--frames", "1", "--set", "f_number=77", "--image-out",
                   (folder / "i.npy").string(), "--report", (folder / "r.json").string()},
                  "f_number"});
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace echoloop::bad_input_test
