// What a run leaves on disk: films, 16 bit PNG, timings, and the command that makes an image again.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "history/film.h"
#include "program/run_program.h"
#include "support/film_file.h"

namespace echoloop::files_test {
namespace {

using namespace testing;

Words small_run(const Words& more) {
  return joined({"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--grid", "-8:8:65,5:35:121"}, more);
}

TEST(Files, TheCommandOfAPictureMakesItAgain) {
  const TemporaryFolder folder;
  const std::string first = (folder / "first.npy").string(), again = (folder / "again.npy").string();
  const Ended ended = run_program(small_run({"--frames", "3", "--set", "f_number=2.1", "--set", "apodization=hann",
                                             "--set", "sound_speed_m_s=1512.25", "--image-out", first}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = nlohmann::json::parse(read_text(folder / "first.json"));
  EXPECT_EQ(json["acquisition"]["elements"], 64);
  EXPECT_GT(json["acquisition"]["frame_rate_hz"].get<double>(), 0.0);
  EXPECT_EQ(json["frame"]["sequence"], 2);
  EXPECT_EQ(json["source"], "sim:points");
  EXPECT_FALSE(json["device"].get<std::string>().empty());
  std::istringstream command(json["command"].get<std::string>());
  Words words;
  for (std::string word; command >> word;) words.push_back(word);
  ASSERT_GT(words.size(), 4U);
  EXPECT_EQ(words.front(), "echoloop");
  words.erase(words.begin());
  words.back() = again;
  const Ended second = run_program(words);
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(read_text(first), read_text(again));
}

TEST(Files, LevelsAndTimings) {
  const TemporaryFolder folder;
  const Ended ended = run_program(
      small_run({"--frames", "4", "--png16", (folder / "a.png").string(), "--csv", (folder / "a.csv").string()}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string png = read_text(folder / "a.png");
  ASSERT_GT(png.size(), 100U);
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x41\0\0\0\x79", 8));  // 65 x 121
  EXPECT_EQ(png[24], 16);                                                // bits
  EXPECT_NE(png.find("--set"), std::string::npos);
  const auto lines = testing::lines_of(read_text(folder / "a.csv"));
  ASSERT_GT(lines.size(), 4U * 5U);
  EXPECT_EQ(lines.front(), "frame,stage,lane,start_ns,end_ns");
  EXPECT_EQ(folder.files(), 2U);
}

TEST(Files, AFilmHoldsEveryPicture) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  for (const char* name : {"a.mp4", "a.webm"}) {
    const TemporaryFolder folder;
    const std::string film = (folder / name).string(), report = (folder / "r.json").string();
    const Ended ended = run_program(small_run({"--frames", "12", "--video", film, "--report", report}));
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find(name), std::string::npos) << ended.out;
    const nlohmann::json video = nlohmann::json::parse(read_text(report)).at("video");
    EXPECT_EQ(video["path"], film);
    EXPECT_EQ(video["frames"], 12);
    EXPECT_FALSE(video["codec"].get<std::string>().empty());
    const testing::FilmFile read = testing::read_film(film);
    EXPECT_EQ(read.luma.size(), 12U);
    EXPECT_LE(read.height, 1080);
    EXPECT_GT(read.height, 1000);
    EXPECT_NEAR(read.rate_hz, video["rate_hz"].get<double>(), 0.01);
    EXPECT_NE(read.comment.find("echoloop sim:points"), std::string::npos) << read.comment;
    EXPECT_EQ(folder.files(), 2U);
  }
}

// Frames that a policy drops do not make a video shorter: the image before is held.
TEST(Files, AFilmIsAsLongAsTheAcquisition) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder folder;
  const std::string film = (folder / "a.mp4").string(), report = (folder / "r.json").string();
  const Ended ended = run_program({"sim:points,angles_deg=0", "--headless", "--backend", "cpu", "--grid",
                                   "-8:8:65,5:35:121", "--policy", "drop-oldest", "--slots", "2", "--inject",
                                   "load_ms=300", "--frames", "8", "--video", film, "--report", report});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = nlohmann::json::parse(read_text(report));
  const nlohmann::json& video = json.at("video");
  const int held = video["held"];
  EXPECT_GT(held, 5) << "of 15 frames 14 are dropped, fewer where the source is slow";
  EXPECT_LE(held, json["frames"]["dropped"].get<int>());
  EXPECT_EQ(video["frames"].get<int>(), 8 + held);
  const testing::FilmFile read = testing::read_film(film);
  EXPECT_EQ(static_cast<int>(read.luma.size()), 8 + held);
  EXPECT_NEAR(read.rate_hz, 50.0, 0.01);
}

// What was asked for, one file at a time, in so many bytes: one line that names the file, and nothing of it.
TEST(Files, AFullDiskIsOneLineAndLeavesNothing) {
  std::vector<Words> cases = {{"--png", "a.png"},   {"--png16", "a.png"},  {"--image-out", "a.npy"},
                              {"--csv", "a.csv"},   {"--trace", "a.json"}, {"--report", "a.json"},
                              {"--record", "a.uff"}};
#if defined(ECHO_HAVE_GUI)
  cases.push_back({"--screenshot", "a.png"});
#endif
  if (why_no_films().empty()) {
    for (const char* film : {"a.mp4", "a.webm", "a.mkv"}) cases.push_back({"--video", film});
  }
  for (const Words& words : cases) {
    for (const rlim_t bytes : {rlim_t{700}, rlim_t{30'000}}) {  // the complaint itself goes to a file as well
      if (bytes > 700 && words[1] != "a.mp4") continue;         // and what an encoder writes later
      const TemporaryFolder folder;
      Ended ended;
      {
        std::optional<testing::LeaksOfDriversIgnored> ignored;
        if (words[0] == "--screenshot") ignored.emplace();
        const testing::ResourceLimit limit(RLIMIT_FSIZE, bytes);
        ended = run_program(small_run({"--frames", "20", words[0], (folder / words[1]).string()}));
      }
      EXPECT_EQ(ended.status, 1) << words[0];
      const auto complaints = testing::complaints_of(ended);
      ASSERT_EQ(complaints.size(), 1U) << words[0] << ": " << ended.err;
      EXPECT_NE(complaints[0].find(words[1]), std::string::npos) << complaints[0];
      EXPECT_EQ(folder.files(), 0U) << words[0];
    }
  }
}

TEST(Files, AFullDiskThatIsReallyFull) {
  const TemporaryFolder folder;
  const std::string disk = (folder / "disk").string();
  std::filesystem::create_directory(disk);
  if (std::system(("mount -t tmpfs -o size=8k none " + disk + " 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no disk of 8 kB can be mounted here: that takes root";
  }
  for (const Words& words : {Words{"--image-out", "a.npy"}, Words{"--png", "a.png"}, Words{"--csv", "a.csv"}}) {
    const Ended ended = run_program(small_run({"--frames", "200", words[0], disk + "/" + words[1]}));
    EXPECT_EQ(ended.status, 1) << words[0];
    EXPECT_NE(ended.err.find("the disk is full"), std::string::npos) << ended.err;
    EXPECT_TRUE(std::filesystem::is_empty(disk)) << words[0];
  }
  EXPECT_EQ(std::system(("umount " + disk).c_str()), 0);
}

}  // namespace
}  // namespace echoloop::files_test
