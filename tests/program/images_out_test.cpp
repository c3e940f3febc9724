// --images-out and `echoloop render`: all images of a run, and of many recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "program/started_program.h"
#include "support/npy_file.h"
#include "support/temporary_folder.h"

namespace echoloop::images_out_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

constexpr int kNx = 33, kNz = 61, kFrames = 4;
constexpr std::size_t kPixels = std::size_t{kNx} * kNz;

Ended run_points(const Words& more) {
  return run_program(
      joined({"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--grid", "-8:8:33,5:35:61"}, more));
}

// The values behind the head, which is as long as it says.
std::string values_of(const fs::path& file, const std::string& type, const std::string& shape) {
  const std::string text = read_text(file);
  EXPECT_NE(text.find("'descr': '" + type + "'"), std::string::npos) << file;
  EXPECT_NE(text.find("'shape': (" + shape + ")"), std::string::npos) << text.substr(0, 200);
  return text.substr(text.find('\n') + 1);
}

// Its own options, not those of the viewer.
TEST(Render, HelpIsItsOwn) {
  const Ended ended = run_program({"render", "--help"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.out.find("echoloop render"), std::string::npos) << ended.out;
  for (const char* const option : {"--out", "--set", "--grid", "--images-type", "--frames"})
    EXPECT_NE(ended.out.find(option), std::string::npos) << option;
  for (const char* const option : {"--kiosk", "--screenshot", "--policy", "sim:heart", "Commands:"})
    EXPECT_EQ(ended.out.find(option), std::string::npos) << option;
}

TEST(ImagesOut, HoldsEveryImageOfTheRun) {
  const TemporaryFolder folder;
  for (int frames = 1; frames <= kFrames; ++frames) {
    const std::string last = (folder / ("last" + std::to_string(frames) + ".npy")).string();
    ASSERT_EQ(run_points({"--frames", std::to_string(frames), "--image-out", last}).status, 0);
  }
  const Ended ended = run_points(
      {"--frames", "4", "--images-out", (folder / "all.npy").string(), "--report", (folder / "report.json").string()});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string values = values_of(folder / "all.npy", "<f4", "4, 61, 33");
  ASSERT_EQ(values.size(), kFrames * kPixels * sizeof(float));
  for (int frame = 0; frame < kFrames; ++frame) {
    const NpyImage last = testing::read_npy_image(folder / ("last" + std::to_string(frame + 1) + ".npy"));
    const std::size_t at = static_cast<std::size_t>(frame) * kPixels * sizeof(float);
    EXPECT_EQ(std::memcmp(values.data() + at, last.values.data(), kPixels * sizeof(float)), 0) << frame;
  }
  const nlohmann::json about = nlohmann::json::parse(read_text(folder / "all.json"));
  EXPECT_EQ(about["frames"]["count"], kFrames);
  EXPECT_EQ(about["frames"]["last"]["sequence"], kFrames - 1);
  EXPECT_EQ(about["grid"]["nx"], kNx);
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "report.json"));
  EXPECT_EQ(report["images_out"]["frames"], kFrames);
  EXPECT_EQ(report["images_out"]["not_recorded"], 0);
}

TEST(ImagesOut, BytesSpanTheDynamicRange) {
  const TemporaryFolder folder;
  const Words range = {"--frames", "2", "--set", "dynamic_range_db=40"};
  Words as_db = range, as_bytes = range;
  as_db.insert(as_db.end(), {"--images-out", (folder / "db.npy").string()});
  as_bytes.insert(as_bytes.end(), {"--images-out", (folder / "bytes.npy").string(), "--images-type", "uint8"});
  ASSERT_EQ(run_points(as_db).status, 0);
  ASSERT_EQ(run_points(as_bytes).status, 0);
  const std::string db = values_of(folder / "db.npy", "<f4", "2, 61, 33");
  const std::string bytes = values_of(folder / "bytes.npy", "|u1", "2, 61, 33");
  ASSERT_EQ(bytes.size(), 2 * kPixels);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    float level_db = 0.0f;
    std::memcpy(&level_db, db.data() + i * sizeof level_db, sizeof level_db);
    const double expected = 255.0 * std::min(1.0, std::max(0.0, 1.0 + static_cast<double>(level_db) / 40.0));
    ASSERT_NEAR(static_cast<unsigned char>(bytes[i]), expected, 0.51) << i;
  }
}

TEST(ImagesOut, RefusesInOneLine) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.npy").string();
  EXPECT_EQ(run_points({"--images-out", file, "--images-type", "int8"}).status, 2);
  EXPECT_EQ(run_points({"--images-out", (folder / "a.raw").string()}).status, 2);
  EXPECT_EQ(run_points({"--images-out", file, "--image-out", file}).status, 2);
  EXPECT_FALSE(fs::exists(file));
}

struct Recordings {
  TemporaryFolder folder;
  Recordings() {
    fs::create_directories(folder / "in/more");
    for (const char* name : {"in/b.uff", "in/more/a.uff", "in/more/b.uff"}) {
      EXPECT_EQ(run_points({"--frames", "3", "--record", (folder / name).string()}).status, 0);
    }
    testing::write_text_file(folder / "in/broken.uff", "no recording");
    testing::write_text_file(folder / "in/notes.txt", "no recording either");
  }
  Ended render(const Words& more = {}) const {
    return run_program(joined({"render", (folder / "in").string(), "--out", (folder / "out").string(), "--backend",
                               "cpu", "--grid", "-8:8:33,5:35:61"},
                              more));
  }
};

TEST(Render, WritesTheImagesOfAFolderAndGoesOnAfterABadFile) {
  const Recordings r;
  const Ended ended = r.render();
  EXPECT_EQ(ended.status, 2);
  const std::size_t said = ended.err.find("broken.uff");  // once, though it is tried again without the others
  EXPECT_NE(said, std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.find("broken.uff", ended.err.find('\n', said)), std::string::npos) << ended.err;
  EXPECT_NE(ended.out.find("Rendered 3 of 4 recordings"), std::string::npos) << ended.out;
  ASSERT_EQ(run_points({"--frames", "3", "--images-out", (r.folder / "direct.npy").string()}).status, 0);
  const std::string direct = read_text(r.folder / "direct.npy");
  for (const char* name : {"a.npy", "in_b.uff.npy", "more_b.uff.npy"}) {
    EXPECT_EQ(read_text(r.folder / "out" / name), direct) << name;
  }
}

TEST(Render, LeavesOutWhatIsComplete) {
  const Recordings r;
  ASSERT_EQ(r.render().status, 2);
  const fs::path made = r.folder / "out/a.npy", again = r.folder / "out/in_b.uff.npy";
  const auto before = fs::last_write_time(made);
  const std::string image = read_text(again);
  testing::write_text_file(again, "as a run leaves it that was interrupted");
  fs::remove(r.folder / "out/in_b.uff.report.json");
  fs::remove(r.folder / "in/broken.uff");
  const Ended ended = r.render();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("Rendered 1 of 3 recordings"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("2 already there"), std::string::npos) << ended.out;
  EXPECT_EQ(fs::last_write_time(made), before);
  EXPECT_EQ(read_text(again), image);
}

TEST(Render, GoesOnAfterItWasKilled) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_points({"--frames", "100", "--record", (folder / "a.uff").string()}).status, 0);
  const fs::path out = folder / "out", images = out / "a.npy";
  const auto words = [&](const fs::path& to) {
    return Words{"render", (folder / "a.uff").string(), "--out", to.string(), "--backend", "cpu"};
  };
  ASSERT_EQ(run_program(words(folder / "whole")).status, 0);
  for (int kills = 0; kills < 2; ++kills) {
    testing::StartedProgram program(words(out), folder);
    ASSERT_TRUE(program.waits_for([&] { return fs::exists(out / "a.npy.partial"); }));
    program.send(SIGKILL);
    (void)program.end();
  }
  EXPECT_TRUE(fs::exists(out / "a.json"));  // says of the images, which could be complete, whose they are
  EXPECT_FALSE(fs::exists(out / "a.report.json"));
  const Ended ended = run_program(words(out));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(read_text(images), read_text(folder / "whole/a.npy"));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(out)) left.push_back(entry.path().filename());
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"a.incomplete.npy", "a.json", "a.npy", "a.report.json"}));
}

TEST(Render, NeverTakesImagesOfOtherSettingsForComplete) {
  const TemporaryFolder folder;
  const std::string in = (folder / "a.uff").string();
  ASSERT_EQ(run_points({"--frames", "2", "--record", in}).status, 0);
  const auto render = [&](const Words& more) {
    return run_program(joined({"render", in, "--out", (folder / "images").string(), "--backend", "cpu"}, more));
  };
  ASSERT_EQ(render({"--set", "f_number=1"}).status, 0);
  const std::string before = read_text(folder / "images/a.npy");
  for (const Words& other : {Words{}, Words{"--set", "f_number=2"}, Words{"--set", "f_number=1", "--frames", "1"},
                             Words{"--set", "f_number=1", "--images-type", "uint8"}}) {
    const Ended ended = render(other);
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("made with other settings"), std::string::npos) << ended.err;
    EXPECT_EQ(read_text(folder / "images/a.npy"), before);
  }
  EXPECT_EQ(render({"--set", "f_number=1"}).status, 0);
}

TEST(Render, TakesNoImageForARecording) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_points({"--frames", "2", "--record", (folder / "a.uff").string()}).status, 0);
  const Words words = {"render", folder.path().string(), "--out", (folder / "images").string(), "--backend", "cpu"};
  ASSERT_EQ(run_program(words).status, 0);
  const Ended again = run_program(words);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("Rendered 0 of 1 recording "), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("1 already there"), std::string::npos) << again.out;
}

// DIR/NAME.npy may be the recording itself, or another file that no run of render has made.
TEST(Render, LeavesFilesThatItDidNotMake) {
  const TemporaryFolder folder;
  const std::string in = (folder / "a.uff").string(), raw = (folder / "a.npy").string();
  ASSERT_EQ(run_points({"--frames", "2", "--record", in, "--raw-out", raw}).status, 0);
  const std::string before = read_text(raw);
  for (const std::string& source : {raw, in}) {
    const Ended ended = run_program({"render", source, "--out", folder.path().string(), "--backend", "cpu"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("a.npy"), std::string::npos) << ended.err;
    EXPECT_EQ(read_text(raw), before);
  }
  fs::remove(raw);
  write_text_file(folder / "a.json", "other text");
  EXPECT_EQ(run_program({"render", in, "--out", folder.path().string(), "--backend", "cpu"}).status, 2);
  EXPECT_EQ(read_text(folder / "a.json"), "other text");
}

TEST(Render, RefusesInOneLine) {
  const Recordings r;
  const std::string out = (r.folder / "x").string(), file = (r.folder / "in/b.uff").string();
  for (const Words& words :
       {Words{"render", "--out", out}, Words{"render", file}, Words{"render", file, file, "--out", out},
        Words{"render", out, "--out", (r.folder / "in/b.uff/y").string()},
        Words{"render", file, "--out", out, "--png", (r.folder / "p.png").string()},
        Words{"render", file, "--out", out, "--policy", "error"}, Words{"render", file, "--out", out, "--rate", "5"},
        Words{"render", file, "--out", out, "--loop"}, Words{"render", file, "--out", out, "--kiosk"}}) {
    const Ended ended = run_program(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err.find("echoloop: "), 0U) << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << ended.err;
  }
}

}  // namespace
}  // namespace echoloop::images_out_test
