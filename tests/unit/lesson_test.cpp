// Lessons as files: those of the program, checks, answers, and files that are none.
#include "app/lesson.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/options/folders.h"
#include "core/error.h"
#include "support/temporary_folder.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shipped() {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(share_folder() / "assets" / "lessons")) {
    if (is_lesson_file(file.path())) files.push_back(file.path());
  }
  return files;
}

TEST(Lesson, EachOfTheProgramIsValidAndEachSolutionKeepsTheRanges) {
  EXPECT_GE(shipped().size(), 4U);
  for (const fs::path& file : shipped()) {
    const Lesson lesson = read_lesson(file);
    EXPECT_GE(lesson.steps.size(), 3U) << file;
    for (const LessonStep& step : lesson.steps) {
      const StreamSettings given = step.given.applied(lesson.start.applied(StreamSettings()));
      EXPECT_TRUE(!(step.wanted.applied(given) == given) || !step.wanted.settings.empty()) << file << step.name;
      EXPECT_GT(step.text.size(), 40U) << file << step.name;
    }
  }
}

LessonFacts facts_of_a_stream() {
  LessonFacts facts;
  facts.timing = {.t_t_ms = 2.0, .t_p_ms = 6.0, .period_ms = 6.5, .frames = 20};
  facts.counts.dropped = 3;
  facts.stream.policy = RingPolicy::drop_oldest;
  facts.frame_bytes = 4'000'000;
  return facts;
}

LessonVerdict judged(const LessonCheck& check) {
  LessonStep step;
  step.checks = {check};
  return judge(step, facts_of_a_stream()).at(0);
}

TEST(Lesson, ChecksCompareMeasurementsSettingsAndParameters) {
  using How = LessonCheck::How;
  const LessonVerdict overlap = judged({"overlap_percent", How::above, 60.0, {}});
  EXPECT_TRUE(overlap.held);
  EXPECT_EQ(overlap.check, "overlap above 60 %");
  EXPECT_EQ(overlap.found, "75.0 %") << "1.5 of 2 ms are hidden";
  EXPECT_FALSE(judged({"overlap_percent", How::below, 60.0, {}}).held);
  EXPECT_EQ(judged({"copy_gb_per_s", How::above, 1.0, {}}).found, "2.000 GB/s");
  EXPECT_TRUE(judged({"dropped", How::is, 3.0, {}}).held);
  EXPECT_TRUE(judged({"policy", How::is, 0.0, "drop-oldest"}).held);
  EXPECT_FALSE(judged({"policy", How::is, 0.0, "block"}).held);
  EXPECT_TRUE(judged({"flow", How::is, 0.0, "off"}).held);
  EXPECT_TRUE(judged({"wall_order", How::is, 1.0, {}}).held);
  const LessonVerdict unknown = judged({"objects", How::above, 0.0, {}});
  EXPECT_FALSE(unknown.held);
  EXPECT_EQ(unknown.found, "not known yet");
}

class LessonFile : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path write(const std::string& text, const char* name = "l.json") const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  [[nodiscard]] static std::string lesson(const std::string& step) {
    return R"({"echoloop_lesson": 1, "title": "T", "source": "sim:cyst", "steps": [)" + step + "]}";
  }
  // Returns the one line of the refusal.
  template <class Act>
  static std::string refused(Act&& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "accepted";
  }
  testing::TemporaryFolder folder_;
};

constexpr const char* kStep = R"({"name": "a", "title": "A", "text": "B",
  "checks": [{"value": "dropped", "above": 0}]})";

TEST_F(LessonFile, FilesThatAreNoneAreRefusedByTheirFault) {
  const auto line = [&](const std::string& text) { return refused([&] { read_lesson(write(text)); }); };
  EXPECT_EQ(line(lesson(kStep)), "accepted");
  EXPECT_NE(line("{").find("not a JSON object"), std::string::npos);
  EXPECT_NE(line("{}").find("no \"echoloop_lesson\": 1"), std::string::npos);
  EXPECT_NE(line(lesson("")).find("no steps"), std::string::npos);
  EXPECT_NE(line(lesson(std::string(kStep) + "," + kStep)).find("two steps 'a'"), std::string::npos);
  const auto step = [&](const std::string& more) {
    return line(lesson(R"({"name": "a", "title": "A", "text": "B", )" + more + "}"));
  };
  EXPECT_NE(step(R"("checks": [])").find("no checks"), std::string::npos);
  EXPECT_NE(step(R"("checks": [{"value": "speed", "above": 1}])").find("unknown value 'speed'"), std::string::npos);
  EXPECT_NE(step(R"("checks": [{"value": "dropped"}])").find("0 conditions"), std::string::npos);
  const std::string checks = R"("checks": [{"value": "dropped", "above": 0}], )";
  EXPECT_NE(step(checks + R"("wanted": {"stream": {"polity": "block"}})").find("unknown key 'polity'"),
            std::string::npos);
  EXPECT_NE(step(checks + R"("wanted": {"stream": {"slots": 1}})").find("slots"), std::string::npos);
  EXPECT_NE(step(checks + R"("wanted": {"parameters": {"no_such": 1}})").find("no_such"), std::string::npos);
  EXPECT_NE(step(checks + R"("frames": 1)").find("frames"), std::string::npos);
}

TEST_F(LessonFile, AnswersBelongToTheStepsOfTheLesson) {
  const Lesson read = read_lesson(write(lesson(kStep)));
  const auto answers = read_answers(write(R"({"answers": {"a": {"stream": {"slots": 5}}}})", "g.json"), read);
  EXPECT_EQ(answers.at("a").applied(StreamSettings()).slots, 5);
  EXPECT_NE(refused([&] { read_answers(write(R"({"answers": {"b": {}}})", "g.json"), read); }).find("unknown step 'b'"),
            std::string::npos);
  EXPECT_NE(refused([&] { read_answers(write("{}", "g.json"), read); }).find("no object answers"), std::string::npos);
}

}  // namespace
}  // namespace echoloop
