// Lessons without a window: solutions hold, answers are marked, faults are one line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program/run_program.h"
#include "test_paths.h"

namespace echoloop::lesson_program_test {
namespace {

using namespace testing;
namespace fs = std::filesystem;

fs::path lesson(const std::string& name) { return fs::path(ECHO_SOURCE_DIR) / "assets" / "lessons" / name; }

// Those whose checks do not depend on the speed of the machine.
TEST(LessonProgram, TheSolutionsOfAnalysesHold) {
  for (const char* name : {"objects.json", "svd.json"}) {
    const Ended ended = run_program({"--headless", "--backend", "cpu", "--lesson", lesson(name).string()});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_NE(ended.out.find("3 of 3 steps held"), std::string::npos) << ended.out;
  }
}

TEST(LessonProgram, ParametersOfAnOwnMethodAreMarked) {
  const fs::path methods = fs::path(ECHO_SOURCE_DIR) / "assets" / "methods";
  const Words words = {"--headless", "--backend", "cpu", "--lesson", (methods / "late.json").string()};
  Words with_method = words;
  with_method.insert(with_method.end(), {"--method", (methods / "late.h").string()});
  const Ended ended = run_program(with_method);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("own.late is 0"), std::string::npos) << ended.out;
  const Ended without = run_program(words);
  EXPECT_EQ(without.status, 2) << without.out;
  EXPECT_NE(without.err.find("--method FILE"), std::string::npos) << without.err;
}

TEST(LessonProgram, PoliciesAreMarkedByTheirCounts) {
  const TemporaryFolder folder;
  const fs::path answers = folder / "g.json", report = folder / "f.json";
  std::ofstream(answers)
      << R"({"answers": {"error": {"stream": {"policy": "error"}}, "lock": {"stream": {"policy": "error"}},
                               "overwrite": {"stream": {"inject": "load_ms=120"}}}})";
  const Ended ended = run_program({"--headless", "--backend", "cpu", "--lesson", lesson("buffers.json").string(),
                                   "--answers", answers.string(), "--report", report.string()});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  const auto json = nlohmann::json::parse(std::ifstream(report));
  EXPECT_EQ(json["held"], false);
  const auto held = [&](std::size_t step) { return json["steps"][step]["held"].get<bool>(); };
  EXPECT_TRUE(held(0)) << ended.out;
  EXPECT_TRUE(held(1)) << ended.out;
  EXPECT_FALSE(held(2)) << "stopped in place of waiting";
  EXPECT_FALSE(held(4)) << "no answer: one lane in series";
  EXPECT_NE(ended.out.find("(no answer)"), std::string::npos);
}

TEST(LessonProgram, BadInputIsOneLine) {
  const auto refused = [](const Words& words, const std::string& naming) {
    const Ended ended = run_program(words);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_NE(ended.err.find(naming), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  refused({"--headless", "--lesson", "no-such.json"}, "no-such.json");
  refused({"sim:cyst", "--headless", "--lesson", lesson("svd.json").string()}, "one of the two");
  refused({"--headless", "--answers", "g.json"}, "--answers");
  refused({"--headless", "--lesson", lesson("svd.json").string(), "--answers", lesson("svd.json").string()}, "answers");
}

TEST(LessonProgram, ATornImageSaysSoAndHasNoCommand) {
  const TemporaryFolder folder;
  const fs::path image = folder / "i.npy";
  // A copy of 2 s begins with each frame: the kernels always come before its end.
  const Ended ended = run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "2", "--rate", "1",
                                   "--grid", "-10:10:32,10:40:32", "--inject", "missing_event=1", "--copy",
                                   "bus_gbps=0.0003", "--image-out", image.string()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto json = nlohmann::json::parse(std::ifstream(folder / "i.json"));
  EXPECT_NE(json.value("command_missing", "").find("torn"), std::string::npos) << json.dump();
}

}  // namespace
}  // namespace echoloop::lesson_program_test
