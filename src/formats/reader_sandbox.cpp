#include "formats/reader_sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "formats/reader_filter.h"

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define ECHO_LANDLOCK
#endif

namespace echoloop {
namespace {

constexpr unsigned kAlarmSeconds = 90;  // longer than the viewer ever waits
// Frames come by the thousand a second: what was begun so lately is not begun anew.
constexpr auto kSoon = std::chrono::seconds(1);
std::chrono::steady_clock::time_point real_time_begun, computing_begun;  // of a process of one thread

void limit(int resource, rlim_t most) {
  const rlimit value{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &value);
}

void limit_resources(const SandboxLimits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 64);
#if !defined(ECHO_SANITIZED)  // a sanitizer's shadow takes terabytes of addresses, and it has a thread of its own
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_DATA, limits.memory_bytes);
  limit(RLIMIT_AS, limits.memory_bytes + limits.mapped_bytes + (std::size_t{1} << 30));  // and the program itself
#else
  (void)limits;
#endif
}

// No file can be opened but the recording: not the user's keys, not another process's memory.
void restrict_files([[maybe_unused]] int file) {
#if defined(ECHO_LANDLOCK)
  landlock_ruleset_attr rules{};
  rules.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // all of the first version: every kernel has these
  const auto ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0));
  if (ruleset < 0) return;
  landlock_path_beneath_attr allowed{};
  allowed.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  allowed.parent_fd = file;
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &allowed, 0) == 0) {
    ::syscall(SYS_landlock_restrict_self, ruleset, 0);
  }
  ::close(ruleset);
#endif
}

// Where memory runs out, the system ends this process first.
void die_first() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(::write(file, "1000", 4) == 4);
  ::close(file);
}

}  // namespace

void enter_reader_sandbox(const SandboxLimits& limits) {
  die_first();
  limit_resources(limits);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  restrict_files(limits.file);
  install_reader_filter();
}

// Real time and computing time: a loop that never ends, and a wait that never ends.
void start_reader_alarm() {
  const auto now = std::chrono::steady_clock::now();
  if (now - real_time_begun > kSoon) {
    ::alarm(kAlarmSeconds);
    real_time_begun = now;
  }
  rusage used{};
  rlimit computing{};
  if (now - computing_begun <= kSoon) return;
  computing_begun = now;
  if (::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &computing) != 0) return;
  const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + kAlarmSeconds;
  computing.rlim_cur = std::min(computing.rlim_max, seconds);
  ::setrlimit(RLIMIT_CPU, &computing);
}

void stop_reader_alarm() {
  ::alarm(0);
  real_time_begun = {};
}

}  // namespace echoloop
