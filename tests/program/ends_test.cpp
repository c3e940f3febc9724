// How a run ends: by a signal it still writes what was asked for, without standard streams it runs all the same, and
// its seconds are those of the stream.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "program/run_program.h"
#include "program/started_program.h"
#include "test_paths.h"
#include "transport/file_descriptor.h"

namespace echoloop::ends_test {
namespace {

using namespace testing;

int exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// The exit status of the program, sent `number` as soon as it runs; its report is in `folder`.
int status_after(int number, const TemporaryFolder& folder) {
  const std::string report = (folder / "r.json").string(), film = (folder / "a.uff").string();
  testing::StartedProgram program({"sim:points", "--headless", "--report", report, "--record", film}, folder);
  const auto frames_are_written = [&] {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(film + ".partial", missing);
    return !missing && bytes > 1'000'000;
  };
  EXPECT_TRUE(program.waits_for(frames_are_written));
  program.send(number);
  return program.end();
}

TEST(Ends, ASignalLeavesReportAndRecording) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    SCOPED_TRACE(::strsignal(number));
    const TemporaryFolder folder;
    ASSERT_EQ(status_after(number, folder), 0);
    const nlohmann::json report = nlohmann::json::parse(read_text(folder / "r.json"));
    EXPECT_GT(report.at("frames").at("processed"), 0);
    EXPECT_TRUE(std::filesystem::exists(folder / "a.uff"));
  }
}

constexpr const char* kBeforeTheEnd = "echoloop: ended by a signal before the run was complete\n";

// Their only result comes at the end: there is nothing to finish.
TEST(Ends, ASignalEndsBenchAndTheSearchForTheSpeedOfSound) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.json").string();
  const std::vector<Words> commands = {
      {"bench", "flow", "--backend", "cpu", "--seconds", "60", "--json", out},
      {"sim:points", "--find-sound-speed", out, "--backend", "cpu", "--grid", "-15:15:2000,2:40:2000"},
  };
  for (const Words& command : commands) {
    SCOPED_TRACE(command[0]);
    for (const int number : {SIGINT, SIGTERM}) {
      testing::StartedProgram program(command, folder);
      ASSERT_TRUE(program.waits_for([&] { return program.catches(number); }));
      program.send(number);
      EXPECT_EQ(program.end(), 1);
      EXPECT_TRUE(program.errors().ends_with(kBeforeTheEnd)) << program.errors();
      EXPECT_FALSE(std::filesystem::exists(out));
    }
  }
}

TEST(Ends, ASignalInTheFirstMoments) {
  const TemporaryFolder folder;
  const std::string report = (folder / "r.json").string();
  testing::StartedProgram program({"sim:heart", "--headless", "--report", report}, folder);
  ASSERT_TRUE(program.waits_for([&] { return program.catches(SIGTERM); }));
  program.send(SIGTERM);
  const int status = program.end();
  EXPECT_LE(status, 1);
  EXPECT_EQ(status == 0, std::filesystem::exists(report)) << "the run had begun";
  EXPECT_EQ(status == 1, program.errors().find("echoloop: ") != std::string::npos) << program.errors();
}

// Of the programs that have ended.
double computed_by_children_s() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Tables and each frame of a large image take seconds here.
TEST(Ends, ASignalInTheMiddleOfALargeFrame) {
  for (const double computed_s : {1.0, 8.0}) {  // among the tables, in the frame
    const TemporaryFolder folder;
    testing::StartedProgram program({"sim:points", "--headless", "--backend", "cpu", "--grid", "-15:15:5000,2:40:5000",
                                     "--frames", "1000", "--report", (folder / "r.json").string()},
                                    folder);
    ASSERT_TRUE(program.waits_for([&] { return program.cpu_seconds() > computed_s; }));
    const double before_s = computed_by_children_s(), at_signal_s = program.cpu_seconds();
    program.send(SIGINT);
    const int status = program.end();
    const double n_cores = std::max(2U, std::thread::hardware_concurrency());
    EXPECT_LT(computed_by_children_s() - before_s - at_signal_s, 2.5 * n_cores);  // a fraction of it at rest
    if (status == 1) {
      EXPECT_NE(program.errors().find("stopped, as the program ends"), std::string::npos) << program.errors();
      continue;
    }
    EXPECT_EQ(status, 0) << program.errors();
    const nlohmann::json report = nlohmann::json::parse(read_text(folder / "r.json"));
    const nlohmann::json& frames = report.at("frames");
    EXPECT_LT(frames.at("processed"), 1000);
    EXPECT_EQ(frames.at("produced").get<int>(), frames.at("processed").get<int>() + frames.at("dropped").get<int>() +
                                                    frames.at("overrun").get<int>() +
                                                    frames.at("in_flight").get<int>());
  }
}

// A run with its image in a pipe, and a report.
class PipeRun {
 public:
  PipeRun()
      : pipe(make_pipe(folder)),
        program({"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--grid", "-8:8:200,5:35:200",
                 "--image-out", pipe, "--report", (folder / "r.json").string()},
                folder) {}

  // The lines that begin with the program's name; the report is there.
  [[nodiscard]] std::string complaint() const {
    EXPECT_TRUE(std::filesystem::exists(folder / "r.json"));
    std::string found;
    for (const std::string& line : testing::lines_of(program.errors())) {
      if (line.starts_with("echoloop:")) found += line;
    }
    return found;
  }

  TemporaryFolder folder;
  std::string pipe;
  testing::StartedProgram program;

 private:
  static std::string make_pipe(const TemporaryFolder& in) {
    const std::string name = (in / "a.npy").string();
    EXPECT_EQ(::mkfifo(name.c_str(), 0600), 0);
    return name;
  }
};

TEST(Ends, ASignalEndsTheWaitForAReader) {
  PipeRun run;
  ASSERT_TRUE(run.program.waits_for(
      [&] { return run.program.errors().find("Waiting for a program that reads " + run.pipe) != std::string::npos; }));
  run.program.send(SIGTERM);
  EXPECT_EQ(run.program.end(), 1);
  EXPECT_EQ(run.complaint(), "echoloop: " + run.pipe +
                                 ": cannot be written: no program reads this pipe; expected a device with room, or "
                                 "a pipe with a reader");
}

TEST(Ends, ASignalEndsAPipeThatIsNotRead) {
  PipeRun run;
  const FileDescriptor reader(::open(run.pipe.c_str(), O_RDONLY | O_CLOEXEC));
  const auto is_full = [&] {
    int bytes = 0;
    return ::ioctl(reader.get(), FIONREAD, &bytes) == 0 && bytes >= 1 << 16;
  };
  ASSERT_TRUE(run.program.waits_for(is_full));
  run.program.send(SIGTERM);
  EXPECT_EQ(run.program.end(), 1);
  EXPECT_NE(run.complaint().find("the program that reads this pipe takes no more"), std::string::npos);
}

TEST(Ends, AReaderThatGoesIsAFault) {
  PipeRun run;
  { const FileDescriptor reader(::open(run.pipe.c_str(), O_RDONLY | O_CLOEXEC)); }
  EXPECT_EQ(run.program.end(), 1);
  EXPECT_NE(run.complaint().find("Broken pipe"), std::string::npos) << run.program.errors();
}

TEST(Ends, WithoutStandardStreams) {
  const std::string program = ECHO_PROGRAM;
  const auto status_of = [&](const std::string& words) { return exit_status(std::system((program + words).c_str())); };
  EXPECT_EQ(status_of(" sim:points --headless --frames 1 <&- >&- 2>&-"), 0);
  EXPECT_EQ(status_of(" --list-params >&- 2>&-"), 0);
  EXPECT_EQ(status_of(" info sim:points >/dev/full 2>&-"), 1);
  EXPECT_EQ(status_of(" --help >/dev/full 2>&-"), 1);  // longer than the buffer of the stream
}

// Frames that are finished after the time allowed count, and so does their time.
TEST(Ends, SecondsReachToTheLastFrame) {
  const TemporaryFolder folder;
  const Ended ended = testing::run_program({"sim:points", "--headless", "--backend", "cpu", "--duration", "0.2",
                                            "--inject", "load_ms=400", "--report", (folder / "r.json").string()});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "r.json"));
  EXPECT_GE(report.at("frames").at("processed"), 1);
  EXPECT_GE(report.at("seconds").get<double>() * 1e3, report.at("latency_ms").at("max").get<double>());
}

// From the start of the source to the end: not from some moment in between.
TEST(Ends, OneFrameTakesItsTime) {
  for (int i = 0; i < 5; ++i) {
    const TemporaryFolder folder;
    const Ended ended = testing::run_program(
        {"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--report", (folder / "r.json").string()});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const nlohmann::json report = nlohmann::json::parse(read_text(folder / "r.json"));
    const double seconds = report.at("seconds").get<double>();
    EXPECT_GE(seconds * 1e3, report.at("latency_ms").at("max").get<double>());
    EXPECT_NEAR(report.at("frames_per_second").get<double>() * seconds, 1.0, 1e-9);
  }
}

}  // namespace
}  // namespace echoloop::ends_test
