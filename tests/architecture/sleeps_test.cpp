// No test waits for time: it waits for a condition with a limit (support/waiting.h). Work whose length is simulated (of
// a device, a disk, a source, a user) takes it by take_time() alone, in the files listed here with the reason.
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "architecture/source_files.h"

namespace echoloop::architecture::sleeps_test {
namespace {

struct Pace {
  const char* file;
  const char* reason;
};

constexpr auto kPaces = std::to_array<Pace>({
    {"bench/live_soak.py", "the pace of senders that are killed"},
    {"bench/method_soak.py", "the pace of a sender; between two looks at a condition"},
    {"concurrency/flow_worker_test.cpp", "work of a device; the pace of a source"},
    {"concurrency/ring_stress_test.cpp", "the pace of what changes the policy, at random"},
    {"formats/stand_in/lies.cpp", "the pace of a hostile reader process"},
    {"formats/stand_in/main.cpp", "work of a slow reader process"},
    {"gui/program_window.cpp", "the pace of a user; between two looks at the whole display"},
    {"pipeline/stream_configuration_test.cpp", "work of a device"},
    {"pipeline/parameters_test.cpp", "the pace of a user"},
    {"pipeline/recording_test.cpp", "work of a slow disk"},
    {"pipeline/superseded_test.cpp", "work of a device"},
    {"scripts/broken_methods.py", "a file that vanishes; between two looks at a condition"},
    {"scripts/readme_pictures.sh", "the pace of a user"},
    {"source/live_network_test.cpp", "the pace of a sender that drips"},
    {"source/live_storm_test.cpp", "the pace of a sender that is stopped at random"},
    {"support/fake_backend.h", "work of a device"},
    {"support/switching.h", "work of a device; the pace of a window"},
    {"support/take_time.h", "take_time() itself"},
    {"support/waiting.h", "between two looks at a condition"},
});

// Calls that let time pass, as they stand in a line of C++, Python or a shell.
std::vector<std::string> sleeps_in(const std::string& text) {
  static const std::regex sleeps(
      R"(\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|time\.sleep) *\(|(^|[^.>\w])sleep *\(|)"
      R"(\bsleep +["'$\d.]|"sleep", *"|select\( *\[ *\], *\[ *\], *\[ *\])");
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, sleeps)) found.push_back(line);
  }
  return found;
}

bool takes_time(const std::string& text) { return text.find("take_time(") != text.npos; }

TEST(Sleeps, AreFound) {
  for (const char* line :
       {"std::this_thread::sleep_for(a);", "usleep(5);", "  time.sleep(0.01)", "until x; do sleep 0.1; done",
        "::sleep(1);", "hands({\"sleep\", \"2\"})", "sleep \"$1\"", "select.select([], [], [], 0.1)"}) {
    EXPECT_EQ(sleeps_in(line).size(), 1U) << line;
  }
  for (const char* line :
       {"SYS_nanosleep,", "// sleeps", "watch.sleep(kStart)", "no_sleep_here", "select.select([socket], [], [], 1)"}) {
    EXPECT_TRUE(sleeps_in(line).empty()) << line;
  }
}

TEST(Sleeps, OnlyWhereWorkIsSimulated) {
  std::set<std::string> listed, seen;
  for (const Pace& pace : kPaces) listed.insert(pace.file);
  for (const auto& [name, text] : files_in("tests", {".h", ".cpp", ".cu", ".py", ".sh"})) {
    if (name == "architecture/sleeps_test.cpp" || name.starts_with("bench/program/")) continue;  // it measures a pace
    const std::vector<std::string> sleeps = sleeps_in(text);
    const bool defines = name == "support/take_time.h" || name == "bench/live_soak.py" ||
                         name == "scripts/broken_methods.py" || name == "scripts/readme_pictures.sh";
    EXPECT_EQ(sleeps.size(), defines ? 1U : 0U) << name << ": " << (sleeps.empty() ? "" : sleeps.back());
    if (takes_time(text)) seen.insert(name);
  }
  EXPECT_EQ(seen, listed) << "files with take_time(), and those listed here with the reason";
}

}  // namespace
}  // namespace echoloop::architecture::sleeps_test
