#include "formats/sandbox/reader_sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "formats/sandbox/reader_birth.h"
#include "formats/sandbox/reader_filter.h"

namespace echoloop {
namespace {

constexpr unsigned kAlarmSeconds = 90;  // longer than the viewer ever waits
// Frames come by the thousand a second: a deadline that was set this recently is not set again.
constexpr auto kSoon = std::chrono::seconds(1);
std::chrono::steady_clock::time_point real_time_begun, computing_begun;  // of a process of one thread

constexpr rlim_t kMostComputing = 7 * 24 * 3600;  // seconds, of a recording that is played all the time

void limit(int resource, rlim_t most) {
  const rlimit value{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &value);
}

void limit_resources(const SandboxLimits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 64 + limits.files.size());
  limit(RLIMIT_CPU, kMostComputing);  // closed; start_reader_alarm() asks for less
#if !defined(ECHO_SANITIZED)  // a sanitizer's shadow takes terabytes of addresses, and it has a thread of its own
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_DATA, limits.memory_bytes);
  limit(RLIMIT_AS, limits.memory_bytes + limits.mapped_bytes + (std::size_t{1} << 30));  // and the program itself
#else
  (void)limits;
#endif
}

// Landlock by numbers: the headers of a build may be older than the kernel that the program runs on.
#if !defined(SYS_landlock_create_ruleset)
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
struct LandlockRules {
  std::uint64_t files = 0, network = 0, scopes = 0;
};
struct [[gnu::packed]] LandlockPath {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

// No file can be opened but the recording (of a folder: its files): not the user's keys, not another process's memory.
// No TCP, and no signal or abstract socket to a process outside.
bool restrict_files(const std::vector<int>& files) {
  constexpr std::uint64_t kReadFile = 1U << 2;
  constexpr int kAskVersion = 1, kPathBeneath = 1;
  // Rights to files that each version of the interface knows: 13, then REFER, TRUNCATE and (since version 5) IOCTL_DEV.
  constexpr std::array<unsigned, 6> kFileRights{0, 13, 14, 15, 15, 16};
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  LandlockRules rules{.files = (1U << kFileRights[static_cast<std::size_t>(std::min(version, 5L))]) - 1};
  if (version >= 4) rules.network = 3;
  if (version >= 6) rules.scopes = 3;
  const std::size_t size = sizeof(std::uint64_t) * (version >= 6 ? 3 : version >= 4 ? 2 : 1);
  const auto ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  if (ruleset < 0) return false;
  const bool ruled = std::ranges::all_of(files, [&](int file) {
    const LandlockPath allowed{.allowed = kReadFile, .parent = file};
    return ::syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &allowed, 0) == 0;
  });
  const bool done = ruled && ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  ::close(ruleset);
  return done;
}

// All but the right to read files, which root has and which opening the recording again may need.
bool drop_capabilities() {
  constexpr std::uint32_t kReading = (1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return false;
  const std::uint32_t kept = ::geteuid() == 0 ? sets[0].permitted & kReading : 0;
  sets[0] = {.effective = kept, .permitted = kept, .inheritable = 0};
  sets[1] = {};
  return ::syscall(SYS_capset, &header, sets) == 0;
}

// Users, network, messages and process numbers of its own, where a user may make such; then no root but the folder of
// the open files of this process. Returns in another process when that has numbers of its own.
void leave_system(SandboxParts& parts) {
#if defined(ECHO_SANITIZED)
  static_cast<void>(parts);  // a sanitizer reads /proc/self
#else
  const int users = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;  // root in a name space of users cannot read others' files
  const int apart = users | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  const bool with_numbers = ::unshare(apart | CLONE_NEWPID) == 0;
  if (!with_numbers && ::unshare(apart) != 0) return;
  parts.processes = with_numbers && become_first_process();
  parts.namespaces = ::chdir("/proc/self/fd") == 0 && ::chroot(".") == 0;
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

SandboxParts enter_reader_sandbox(const SandboxLimits& limits) {
  SandboxParts parts;
  die_first();
  leave_system(parts);
  parts.namespaces = drop_capabilities() && parts.namespaces;
  limit_resources(limits);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (parts.processes) end_without_parent();
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  parts.landlock = restrict_files(limits.files);
  parts.seccomp = install_reader_filter(parts.processes ? LifeWithParent::always : LifeWithParent::until_it_streams);
  return parts;
}

std::string path_in_sandbox(int file, const SandboxParts& parts) {
  return (parts.namespaces ? "/" : "/proc/self/fd/") + std::to_string(file);
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

void limit_computing(std::size_t seconds) {
  rusage used{};
  rlimit computing{};
  if (::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &computing) != 0) return;
  computing.rlim_cur = std::min(computing.rlim_max, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                                                        static_cast<rlim_t>(seconds));
  ::setrlimit(RLIMIT_CPU, &computing);
}

void stop_reader_alarm() {
  ::alarm(0);
  real_time_begun = {};
}

}  // namespace echoloop
