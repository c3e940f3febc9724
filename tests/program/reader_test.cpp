// The program and its reader process: found beside it, missed in one line, and never waited for when the program is to
// end.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "program/run_program.h"
#include "support/no_sandbox.h"
#include "test_paths.h"

namespace echoloop::reader_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using testing::Ended;
using testing::TemporaryFolder;

// A copy of the program in a folder of its own, with `reader` (if any) as its reader.
fs::path copy_program(const TemporaryFolder& folder, const fs::path& reader) {
  const fs::path program = folder / "echoloop";
  fs::copy_file(ECHO_PROGRAM, program);
  if (!reader.empty()) fs::copy_file(reader, folder / "echoloop-reader");
  return program;
}

fs::path hdf5_file(const TemporaryFolder& folder, const std::string& name) {
  std::string content = "\x89HDF\r\n\x1a\n";
  content.resize(1024, '.');
  testing::write_text_file(folder / name, content);
  return folder / name;
}

// One of its threads is in send(), as /proc says by the number of the system call, and stays there.
bool waits_for_room(pid_t program) {
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(program) + "/task", ignored)) {
    std::ifstream file(task.path() / "syscall");
    long call = -1;
    if (file >> call && call == SYS_sendto) return true;
  }
  return false;
}

TEST(ReaderProgram, TheVersionNamesTheSandbox) {
#if defined(ECHO_SANITIZED)
  GTEST_SKIP() << "a sanitized reader has no whole sandbox to name";
#endif
  const Ended ended = testing::run_program({"--version"});
  EXPECT_NE(ended.out.find("reader"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("no reader program"), std::string::npos) << ended.out;
}

TEST(ReaderProgram, MissingIsOneLine) {
  const TemporaryFolder folder;
  const std::string program = copy_program(folder, {}), err = folder / "err";
  const std::string command = program + " info " + hdf5_file(folder, "a.h5").string() + " 2>" + err;
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  const std::string line = testing::read_text(err);
  EXPECT_NE(line.find("echoloop-reader cannot be started: No such file or directory"), std::string::npos) << line;
  EXPECT_EQ(testing::lines_of(line).size(), 1U) << line;
}

// Where the system offers neither seccomp nor Landlock.
TEST(ReaderProgram, WithoutSandboxARecordingOpensOnlyWhenAllowed) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.uff").string();
  ASSERT_EQ(testing::run_program(
                {"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--frames", "2", "--record", file})
                .status,
            0);
  testing::without_sandbox([&] {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"info", file}, {file, "--headless", "--backend", "cpu", "--frames", "1"}}) {
      const Ended refused = testing::run_program(words);
      EXPECT_EQ(refused.status, 2) << refused.err;
      EXPECT_EQ(testing::lines_of(refused.err).size(), 1U) << refused.err;
      EXPECT_NE(refused.err.find(file + ": neither seccomp nor Landlock"), std::string::npos) << refused.err;
      EXPECT_NE(refused.err.find("--unsandboxed"), std::string::npos) << refused.err;
    }
    const Ended opened = testing::run_program(
        {file, "--headless", "--backend", "cpu", "--frames", "1", "--rate", "max", "--unsandboxed"});
    EXPECT_EQ(opened.status, 0) << opened.err;
    const Ended version = testing::run_program({"--version"});
    EXPECT_EQ(version.out.find("seccomp"), std::string::npos) << version.out;
    EXPECT_EQ(version.out.find("Landlock"), std::string::npos) << version.out;
  });
}

TEST(ReaderProgram, AFrameThatTheDiskDoesNotGiveIsAFaultOfTheRun) {
  const TemporaryFolder folder;
  const std::string program = copy_program(folder, ECHO_READER), err = folder / "err";
  const std::string file = hdf5_file(folder, "bad-sector-of-many");
  const std::string command = program + " " + file + " --headless --backend cpu --grid -1:1:4,10:12:4 2>" + err;
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  const std::string line = testing::read_text(err);
  EXPECT_NE(line.find("frame 5: unreadable; expected a sound disk\n"), std::string::npos) << line;
}

// A reader that says that each frame is there, and reads none of the questions.
TEST(ReaderProgram, ASignalEndsTheWaitForOneThatLies) {
  for (const int number : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    const std::string program = copy_program(folder, ECHO_READER), file = hdf5_file(folder, "answers-without-reading");
    // Few pixels: the thousands of questions that fill a socket come soon.
    std::array<const char*, 9> words = {program.c_str(), file.c_str(), "--headless", "--backend",     "cpu",
                                        "--rate",        "max",        "--grid",     "-1:1:4,10:12:4"};
    std::vector<char*> argv;
    for (const char* word : words) argv.push_back(const_cast<char*>(word));
    argv.push_back(nullptr);
    const std::string err = folder / "err";
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    ASSERT_EQ(posix_spawn(&child, program.c_str(), &files, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&files);
    const auto limit = steady_clock::now() + std::chrono::seconds(120);
    while (!waits_for_room(child) && steady_clock::now() < limit) std::this_thread::yield();
    ASSERT_TRUE(waits_for_room(child)) << "its socket is full then, and it would be waited for";
    ::kill(child, number);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    const std::string said = testing::read_text(err);  // of the wait that ends by itself
    EXPECT_EQ(said.find("did not read in time"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace echoloop::reader_test
