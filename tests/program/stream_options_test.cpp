// The stream's options on the built program: pace, injected faults, memory for looking back, and what the report says
// of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/stream_settings.h"
#include "program/run_program.h"

namespace echoloop::stream_options_test {
namespace {

using testing::Ended;
using testing::joined;
using testing::run_program;
using testing::TemporaryFolder;
using testing::Words;

struct Outcome {
  Ended ended;
  nlohmann::json report;
};

// A headless run on the CPU of a phantom with a small image, `words` added.
Outcome run(Words words, int status = 0) {
  const TemporaryFolder folder;
  const std::string report = (folder / "report.json").string();
  words.insert(words.begin(), {"sim:points", "--headless", "--backend", "cpu", "--grid", "-5:5:16,5:25:16"});
  words.insert(words.end(), {"--report", report});
  Outcome run{.ended = testing::run_program(words), .report = {}};
  EXPECT_EQ(run.ended.status, status) << run.ended.err;
  EXPECT_EQ(testing::complaints_of(run.ended).empty(), status == 0) << run.ended.err;
  if (std::filesystem::exists(report)) run.report = nlohmann::json::parse(testing::read_text(report));
  EXPECT_TRUE(run.report.is_object()) << "there is a report also when the stream ended by a fault";
  return run;
}

void expect_sum(const nlohmann::json& frames) {
  const auto count = [&](const char* name) { return frames.at(name).get<std::uint64_t>(); };
  EXPECT_EQ(count("produced"), count("processed") + count("dropped") + count("overrun") + count("in_flight"));
}

TEST(StreamOptions, TheReportHoldsCountsLatenciesAndTimings) {
  const nlohmann::json report = run({"--frames", "30", "--rate", "max"}).report;
  const nlohmann::json& frames = report.at("frames");
  EXPECT_GE(frames.at("copied"), 30);
  EXPECT_EQ(frames.at("duplicates"), 0);
  EXPECT_EQ(frames.at("sequence_gaps"), 0);
  EXPECT_GE(frames.at("slots_peak"), 1);
  EXPECT_LE(frames.at("slots_peak"), report.at("slots"));
  expect_sum(frames);
  for (const char* value : {"p50", "p95", "p99", "max"}) {
    EXPECT_EQ(report.at("latency_shown_ms").at(value), 0.0) << "without a window nothing is shown";
  }
  const nlohmann::json& timing = report.at("timing_ms");
  const auto ms = [&](const char* name) { return timing.at(name).get<double>(); };
  EXPECT_GT(ms("t_p"), 0.0);
  EXPECT_GE(ms("t_t"), 0.0);
  EXPECT_GT(ms("period"), 0.0);
  EXPECT_NEAR(ms("predicted_serial"), ms("t_t") + ms("t_p"), 1e-9);
  EXPECT_NEAR(ms("predicted_overlap"), std::max(ms("t_t"), ms("t_p")), 1e-9);
  EXPECT_GE(timing.at("frames"), 20);
  // The CPU works on one frame after the other: the period cannot be shorter than the work.
  EXPECT_GT(ms("period"), 0.5 * ms("t_p"));
}

TEST(StreamOptions, PaceRestsAfterEachFrame) {
  const nlohmann::json report = run({"--frames", "21", "--rate", "max", "--pace", "20"}).report;
  EXPECT_GE(report.at("seconds").get<double>(), 20 * 0.020);
  EXPECT_EQ(report.at("pace_ms"), 20.0);
}

TEST(StreamOptions, InjectedDuplicatesAndMissingNumbersAreCounted) {
  const nlohmann::json report =
      run({"--frames", "100", "--rate", "max", "--inject", "duplicate_every=10,missing_every=7"}).report;
  const nlohmann::json& frames = report.at("frames");
  // Of the first 70 numbers at least: every seventh is missing, every tenth comes twice (but for 69: missing as well).
  EXPECT_GE(frames.at("sequence_gaps"), 10);
  EXPECT_GE(frames.at("duplicates"), 6);
  EXPECT_EQ(frames.at("processed"), 100);
  expect_sum(frames);
  EXPECT_EQ(parse_injection(report.at("inject")), parse_injection("duplicate_every=10,missing_every=7"));
}

TEST(StreamOptions, InjectedLoadSlowsTheStream) {
  const nlohmann::json report = run({"--frames", "11", "--rate", "max", "--inject", "load_ms=30"}).report;
  EXPECT_GE(report.at("seconds").get<double>(), 11 * 0.030);
  EXPECT_GE(report.at("timing_ms").at("t_p").get<double>(), 29.0);
  EXPECT_GE(report.at("stages").at("load").at("p50_ms").get<double>(), 29.0);
}

TEST(StreamOptions, AnInjectedDeviceErrorEndsWithOneLine) {
  for (const char* fault : {"error_at=7", "lost_at=7"}) {
    const Outcome failed = run({"--frames", "50", "--inject", fault, "--rate", "max"}, 1);
    const std::vector<std::string> complaints = testing::complaints_of(failed.ended);
    ASSERT_EQ(complaints.size(), 1U) << failed.ended.err;
    EXPECT_NE(complaints[0].find("injected"), std::string::npos) << complaints[0];
    EXPECT_NE(complaints[0].find("device"), std::string::npos) << complaints[0];
    const nlohmann::json& frames = failed.report.at("frames");
    EXPECT_EQ(frames.at("errors"), 1);
    EXPECT_LE(frames.at("processed"), 7);  // numbers 0 to 6
    expect_sum(frames);
  }
}

TEST(StreamOptions, ARefusalNamesFrameAndSlotAndHowToGoOn) {
  const Outcome refused =
      run({"--frames", "50", "--policy", "error", "--slots", "2", "--rate", "max", "--inject", "load_ms=1000"}, 1);
  const std::vector<std::string> complaints = testing::complaints_of(refused.ended);
  ASSERT_EQ(complaints.size(), 1U) << refused.ended.err;
  for (const char* part : {"frame ", "slot ", " of 2", "ms old", "stop on overrun", "To continue"}) {
    EXPECT_NE(complaints[0].find(part), std::string::npos) << complaints[0] << " does not say " << part;
  }
  EXPECT_EQ(refused.report.at("frames").at("overrun"), 1);
  EXPECT_EQ(refused.report.at("frames").at("in_flight"), 0);
  expect_sum(refused.report.at("frames"));
}

TEST(StreamOptions, DroppedFramesAreNoGaps) {
  for (const char* policy : {"drop-oldest", "drop-newest"}) {
    const nlohmann::json report =
        run({"--frames", "3", "--policy", policy, "--slots", "2", "--rate", "max", "--inject", "load_ms=800"}).report;
    EXPECT_GT(report.at("frames").at("dropped"), 0);
    EXPECT_EQ(report.at("frames").at("sequence_gaps"), 0);
    expect_sum(report.at("frames"));
  }
}

TEST(StreamOptions, MemoryForLookingBackIsAccepted) {
  for (const char* megabytes : {"0", "1", "12.5"}) run({"--frames", "5", "--history-mb", megabytes});
}

TEST(StreamOptions, BadValuesAreOneLineEach) {
  const std::pair<Words, Words> table[] = {
      {{"--history-mb", "-1"}, {"--history-mb", "-1"}},
      {{"--history-mb", "much"}, {"--history-mb", "much"}},
      {{"--history-mb", "1e9"}, {"--history-mb", "1000000000", "1000000"}},
      {{"--history-mb", "nan"}, {"--history-mb", "nan"}},
      {{"--history-mb", ""}, {"--history-mb"}},
      {{"--pace", "-1"}, {"--pace", "-1", "0 to 10000 ms"}},
      {{"--pace", "10001"}, {"--pace", "10001", "0 to 10000 ms"}},
      {{"--pace", "nan"}, {"--pace"}},
      {{"--pace", "slow"}, {"--pace", "slow"}},
      {{"--inject", "load_ms=2000"}, {"load_ms", "= 2000", "0 to 1000 ms"}},
      {{"--inject", "burst_frames=1.5"}, {"burst_frames", "'1.5'", "whole numbers"}},
      {{"--inject", "gremlins=3"}, {"gremlins=3", "load_ms"}},
      {{"--inject", "load_ms"}, {"load_ms"}},
      {{"--inject", ""}, {"--inject"}},
  };
  for (const auto& [added, naming] : table) {
    SCOPED_TRACE(added[0] + " " + added[1]);
    const Ended ended = testing::run_program(testing::joined({"sim:points", "--headless", "--frames", "1"}, added));
    EXPECT_EQ(ended.status, 2);
    const std::vector<std::string> complaints = testing::complaints_of(ended);
    ASSERT_EQ(complaints.size(), 1U) << ended.err;
    for (const std::string& part : naming) EXPECT_NE(complaints[0].find(part), std::string::npos) << complaints[0];
    EXPECT_TRUE(testing::says_what_is_accepted(complaints[0])) << complaints[0];
  }
}

TEST(StreamOptions, HelpNamesEveryFault) {
  const Ended help = testing::run_program({"--help"});
  for (const char* option : {"--inject", "--pace", "--history-mb"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  for (const InjectionSpec& spec : injection_specs()) {
    EXPECT_NE(help.out.find(spec.key), std::string::npos) << spec.key;
  }
}

// Without a window a recording of one frame is run as often as is asked for, and ends.
TEST(OneFrame, IsProcessedAsOftenAsFramesAreAskedFor) {
  const TemporaryFolder folder;
  const std::string file = (folder / "one.uff").string();
  const Words run = {file, "--headless", "--backend", "cpu", "--rate", "max", "--grid", "-5:5:16,5:25:16"};
  ASSERT_EQ(run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--record", file}).status, 0);
  struct Row {
    Words words;
    const char* text;
  };
  for (const Row& row :
       {Row{{}, ": 1 frame in"}, Row{{"--frames", "3"}, ": 3 frames in"},
        Row{{"--frames", "3", "--loop"}, ": 3 frames in"}, Row{{"--frames", "3", "--no-loop"}, ": 1 frame in"}}) {
    const Ended ended = run_program(joined(run, row.words));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find(row.text), std::string::npos) << ended.out;
  }
}

}  // namespace
}  // namespace echoloop::stream_options_test
