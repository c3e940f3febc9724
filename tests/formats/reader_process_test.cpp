// The reader process: frames by each of its ways, and every manner in which it can fail the viewer.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <thread>

#include "formats/fake_reader.h"
#include "formats/file_outline.h"
#include "formats/open_recording.h"
#include "formats/sandbox/reader_child.h"
#include "support/one_line.h"

namespace echoloop::reader_process_test {
namespace {

using namespace test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kTooLate = "did not answer in time";

std::size_t open_files() {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

// What is left when nothing of it shall be left.
class Nothing {
 public:
  ~Nothing() {
    EXPECT_FALSE(has_children()) << "a reader process was left, or a zombie";
    EXPECT_EQ(open_files(), before_);
  }

 private:
  std::size_t before_ = open_files();
};

TEST(ReaderProcess, LendsFramesWhereTheyLieInTheFile) {
  const FakeReader fake;
  const Nothing left;
  const Recording recording = open_recording(fake.file("in-place"));
  EXPECT_FALSE(has_children());
  EXPECT_TRUE(recording.memory.empty());
  EXPECT_EQ(recording.format, "made up");
  EXPECT_EQ(recording.name, "in-place");
  ASSERT_EQ(recording.acquisition->assumptions.size(), 1U);
  EXPECT_EQ(recording.acquisition->assumptions[0].text, "nothing");
  ASSERT_EQ(recording.frame_count, kFakeFrames);
  for (std::uint64_t k = 0; k < kFakeFrames; ++k) EXPECT_TRUE(is_frame(recording.frame(k), k)) << k;
}

TEST(ReaderProcess, ReadsWhatFitsIntoMemory) {
  const FakeReader fake;
  const Nothing left;
  const Recording recording = open_recording(fake.file("in-memory"));
  EXPECT_FALSE(has_children());
  EXPECT_EQ(recording.memory.size(), kFakeFrames * recording.acquisition->frame_bytes());
  for (std::uint64_t k = 0; k < kFakeFrames; ++k) EXPECT_TRUE(is_frame(recording.frame(k), k)) << k;
}

TEST(ReaderProcess, CountsTheFramesThatTheDiskReturns) {
  const FakeReader fake;
  const Nothing left;
  const Recording recording = open_recording(fake.file("bad-sector-5"));
  ASSERT_EQ(recording.frame_count, 5U);
  EXPECT_EQ(recording.memory.size(), 5 * recording.acquisition->frame_bytes());
  for (std::uint64_t k = 0; k < 5; ++k) EXPECT_TRUE(is_frame(recording.frame(k), k)) << k;
  EXPECT_EQ(recording.acquisition->assumptions.back().text,
            "only the first 5 of 20 frames can be read: the disk returns an error");
}

// Frames in a run of slots: one, three (the last run is shorter), all.
class Streamed : public ::testing::TestWithParam<std::size_t> {
 public:
  void SetUp() override {
    reader_settings().memory_budget = 10'000;
    reader_settings().run_bytes = GetParam() * 2 * kFakeSamples * sizeof(float);
  }
  const FakeReader fake;
  const Nothing left;
};

TEST_P(Streamed, WhatDoesNotFitInAnyOrder) {
  const Recording recording = open_recording(fake.file("streamed"));
  EXPECT_FALSE(recording.frame);
  EXPECT_TRUE(has_children());
  for (std::uint64_t k = 0; k < 2 * kFakeFrames; ++k) {
    EXPECT_TRUE(is_frame(read_frame(recording, k % kFakeFrames), k % kFakeFrames)) << k;
  }
  std::uint64_t index = 0;
  for (int k = 0; k < 300; ++k) {
    index = (index * 7 + 3) % kFakeFrames;
    ASSERT_TRUE(is_frame(read_frame(recording, index), index)) << index;
  }
  for (std::uint64_t k = kFakeFrames; k-- > 0;) ASSERT_TRUE(is_frame(read_frame(recording, k), k)) << k;
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(is_frame(read_frame(recording, 7), 7));
}

TEST_P(Streamed, OneDamagedFrameIsNotTheEnd) {
  const Recording recording = open_recording(fake.file("refuse-frame-5"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(is_frame(read_frame(recording, 4), 4));
    EXPECT_TRUE(contains(testing::refusal_of([&] { read_frame(recording, 5); }), "frame 5: damaged"));
    EXPECT_TRUE(is_frame(read_frame(recording, 6), 6));
    for (std::uint64_t k = 6; k < kFakeFrames; ++k) EXPECT_TRUE(is_frame(read_frame(recording, k), k)) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(FramesInARun, Streamed, ::testing::Values(1U, 3U, 50U));

TEST(ReaderProcess, GoesOnAfterTheThreadThatOpenedIt) {
  const FakeReader fake;
  const Nothing left;
  reader_settings().memory_budget = 10'000;
  Recording recording;
  pid_t opener = 0;
  std::thread([&] {
    opener = ::gettid();
    recording = open_recording(fake.file("streamed"));
  }).join();
  const std::string task = "/proc/self/task/" + std::to_string(opener);
  ASSERT_TRUE(echoloop::testing::wait_until([&] { return !std::filesystem::exists(task); }));
  for (std::uint64_t k = 0; k < kFakeFrames; ++k) EXPECT_TRUE(is_frame(read_frame(recording, k), k)) << k;
}

struct Failure {
  const char* role;
  const char* naming;
};
class ReaderFails : public ::testing::TestWithParam<Failure> {};

// Each is one line that names the file and what happened, not that it was waited for in vain; nothing is left of it.
TEST_P(ReaderFails, InOneLine) {
  const FakeReader fake;
  const Nothing left;
  const bool waits = std::string_view(GetParam().naming) == kTooLate;
  if (waits) reader_settings().opening_patience = milliseconds(300);
  const std::string line = refusal(fake.file(GetParam().role));
  EXPECT_TRUE(contains(line, GetParam().naming));
  EXPECT_LT(line.size(), 2300U);
  EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](unsigned char c) { return c >= 0x20; }));
}

INSTANTIATE_TEST_SUITE_P(WhileOpening, ReaderFails,
                         ::testing::Values(Failure{"crash-opening", "stopped (signal 11: an invalid memory access)"},
                                           Failure{"exit-opening", "stopped (exit status 3)"},
                                           Failure{"hang-opening", kTooLate},
                                           Failure{"crash-frame-5", "stopped (signal 11: an invalid memory access)"},
                                           Failure{"hang-frame-5", kTooLate}, Failure{"refuse-frame-5", "damaged"},
                                           Failure{"no-memory", "more memory"},
                                           Failure{"takes-real-time", "stopped (signal 14: too much time)"},
                                           Failure{"takes-computing-time", "signal 24: too much computing time"},
                                           Failure{"aborts-opening", "signal 6: aborted by a library"}),
                         [](const auto& info) {
                           std::string name = info.param.role;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ReaderProcess, FailsWhileStreamingAndStaysFailed) {
  const FakeReader fake;
  const Nothing left;
  reader_settings().memory_budget = 10'000;
  for (const auto& [role, naming] : {std::pair{"crash-frame-5", "signal 11"}, std::pair{"hang-frame-5", "in time"}}) {
    const auto file = fake.file(role);
    const Recording recording = open_recording(file);
    for (std::uint64_t k = 0; k < 5; ++k) EXPECT_TRUE(is_frame(read_frame(recording, k), k));
    const std::string line = testing::refusal_of([&] { read_frame(recording, 5); });
    EXPECT_TRUE(line.starts_with(file.string())) << line;
    EXPECT_TRUE(contains(line, naming));
    EXPECT_FALSE(has_children());
    const std::string later = testing::refusal_of([&] { read_frame(recording, 6); });
    EXPECT_TRUE(contains(later, "stopped earlier") && contains(later, naming)) << later;
  }
}

// One that computes for ever, and one that would answer if the system let it run, which takes longer than the patience.
TEST(ReaderProcess, IsNotGivenUpBeforeItHadItsTurn) {
  const FakeReader fake;
  const Nothing left;
  reader_settings().opening_patience = milliseconds(250);  // more than its start on a busy machine
  const auto begin = steady_clock::now();
  EXPECT_EQ(open_recording(fake.file("busy-for-300-ms")).frame_count, kFakeFrames);
  EXPECT_TRUE(contains(refusal(fake.file("busy-for-ever")), kTooLate));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(1300));
}

TEST(ReaderProcess, KilledFromOutside) {
  const FakeReader fake;
  const Nothing left;
  reader_settings().memory_budget = 10'000;
  const Recording recording = open_recording(fake.file("streamed"));
  siginfo_t info{};
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
  }
  ::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(contains(testing::refusal_of([&] {
                         for (std::uint64_t k = 0; k < kFakeFrames; ++k) read_frame(recording, k);
                       }),
                       "signal 9"));
}

// Long before the viewer's own patience ends.
TEST(ReaderProcess, AListingThatNeverEndsIsStopped) {
  const FakeReader fake;
  const Nothing left;
  reader_settings().opening_patience = std::chrono::minutes(1);
  const auto file = fake.file("lists-for-ever");
  const std::string line = testing::refusal_of([&] { outline_file(file); });
  EXPECT_TRUE(line.starts_with(file.string())) << line;
  EXPECT_TRUE(contains(line, "signal 24: too much computing time"));
}

pid_t child_of(pid_t process, const std::filesystem::path& task) {
  std::ifstream children("/proc" / std::filesystem::path(std::to_string(process)) / "task" / task / "children");
  pid_t child = -1;
  children >> child;
  return child;
}

bool is_gone(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  return !std::getline(file, line) || line.find(") Z ") != std::string::npos || line.find(") X ") != std::string::npos;
}

// Where it has process numbers of its own, the process that reads is a child of the one that was started.
TEST(ReaderProcess, TheOneThatReadsEndsWithTheOneThatWaits) {
  const FakeReader fake;
  const Nothing left;
  reader_settings().memory_budget = 10'000;
  std::optional<Recording> recording = open_recording(fake.file("streamed"));
  const pid_t started = child_of(::getpid(), std::to_string(::gettid()));
  ASSERT_GT(started, 0);
  const pid_t reads = child_of(started, std::to_string(started));
  if (sandbox_text().find("pid namespace") == std::string::npos) GTEST_SKIP() << "no process numbers of its own here";
  ASSERT_GT(reads, 0);
  EXPECT_TRUE(is_frame(read_frame(*recording, 1), 1));
  recording.reset();
  const auto limit = steady_clock::now() + std::chrono::seconds(20);
  while (!is_gone(reads) && steady_clock::now() < limit) std::this_thread::yield();
  EXPECT_TRUE(is_gone(reads));
}

TEST(ReaderProcess, ProgressIsReportedAndOpeningCanBeStopped) {
  const FakeReader fake;
  const Nothing left;
  std::vector<double> fractions;
  std::stop_source stop;
  const auto file = fake.file("slow");
  open_recording(file, [&](double fraction) { fractions.push_back(fraction); });
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GE(fractions.size(), 6U);
  EXPECT_EQ(fractions.back(), 1.0);
  const std::string line = testing::refusal_of([&] {
    open_recording(
        file,
        [&](double fraction) {
          if (fraction > 0.4) stop.request_stop();
        },
        stop.get_token());
  });
  EXPECT_TRUE(contains(line, "was stopped"));
  stop = {};
  const std::jthread later([&, opener = ::gettid()] {
    wait_for_standstill(opener);
    stop.request_stop();
  });
  EXPECT_TRUE(contains(testing::refusal_of([&] { open_recording(fake.file("hang-opening"), {}, stop.get_token()); }),
                       "stopped"));
}

TEST(ReaderProcess, CannotGetOut) {
#if defined(ECHO_SANITIZED)
  GTEST_SKIP() << "a sanitizer's own calls are not those of the filter";
#endif
  const FakeReader fake;
  const std::string line = refusal(fake.file("escape"));
  const bool filtered = line.find("socket=EPERM") != std::string::npos;
  EXPECT_TRUE(contains(line, "this_file=done"));
  if (!filtered) GTEST_SKIP() << "no seccomp here: " << line;
  for (const char* const call :
       {"create",       "write",          "unlink", "rename",       "stat",  "stat_empty", "statx",   "access",
        "readlink",     "getcwd",         "folder", "path",         "chdir", "chroot",     "mount",   "socket",
        "local_socket", "execve",         "fork",   "ptrace",       "kill",  "tgkill",     "unshare", "read_memory",
        "dumpable",     "send_elsewhere", "code",   "write_socket", "seal",  "grow",       "time",    "memory"}) {
    EXPECT_TRUE(contains(line, " " + std::string(call) + "=EPERM")) << call << " in " << line;
  }
  EXPECT_TRUE(contains(line, "open_calls=none"));
  EXPECT_TRUE(contains(line, "time_limit=closed"));
  EXPECT_TRUE(contains(line, "environment=empty"));
  const std::string parts = sandbox_text();
  if (parts.find("namespaces") != std::string::npos) {
    EXPECT_TRUE(contains(line, "other_file=ENOENT"));
  } else if (parts.find("Landlock") != std::string::npos) {
    EXPECT_TRUE(contains(line, "other_file=EACCES"));
  }
}

TEST(ReaderProcess, NothingIsLeftOfTwoHundredOpenings) {
  const FakeReader fake;
  const Nothing left;
  const auto good = fake.file("in-memory"), bad = fake.file("crash-opening");
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(open_recording(good).frame_count, kFakeFrames);
    EXPECT_NE(refusal(bad), "");
  }
}

TEST(ReaderProcess, AProgramThatIsNoneIsSaid) {
  const FakeReader fake;
  const Nothing left;
  reader_settings().program = "/no/such/program";
  EXPECT_TRUE(contains(refusal(fake.file("in-memory")), "cannot be started: No such file"));
  reader_settings().program = "/bin/true";
  EXPECT_TRUE(contains(refusal(fake.file("in-memory")), "stopped (exit status 0)"));
}

TEST(ReaderProcess, ALimitOfOpenFilesIsNamed) {
  const FakeReader fake;
  const auto file = fake.file("in-memory");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 16;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::string line = refusal(file);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(contains(line, "at most 16 files may be open at once") && contains(line, "ulimit -n")) << line;
}

}  // namespace
}  // namespace echoloop::reader_process_test
