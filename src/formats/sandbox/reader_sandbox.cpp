#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/sandbox/reader_child.h"
#include "formats/sandbox/reader_main.h"

namespace echoloop {
namespace {

// System calls that the reader process may still make: reading, memory, time, messages over its socket. All others fail
// with EPERM: no path lookup, no new socket, no program, no process or thread, no opening for writing, no renaming or
// removing, no access to other processes, no executable memory. Uses the kernel's headers only; x86-64 and 64-bit ARM,
// no filter elsewhere or on a kernel without seccomp.

// Permission to lose the parent-death signal: a thread of the viewer ends before the viewer, a process that waits for
// this one does not.
enum class LifeWithParent { always, until_it_streams };

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr std::uint32_t kX32Bit = 0x40000000;  // x86-64: the same calls with other numbers

constexpr int kAllowed[] = {
    // files already open
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_preadv,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_fadvise64,
    SYS_ppoll,
    // memory
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_mlock,
    SYS_munlock,
    // the process itself
    SYS_futex,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrusage,
    SYS_getrandom,
    SYS_setitimer,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sysinfo,
    SYS_uname,
    // time
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
#if defined(ECHO_SANITIZED)
    // sanitizers: memory checks and reports
    SYS_pipe2,
    SYS_write,
    SYS_newfstatat,
    SYS_readlinkat,
    SYS_getcwd,
#if defined(__x86_64__)
    SYS_pipe,
    SYS_stat,
    SYS_readlink,
#endif
#endif
#if defined(__x86_64__)
    SYS_poll,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_alarm,
    SYS_time,
#endif
};

// Calls that depend on an argument: allowed if none of the `refused` bits is set in argument `argument`.
struct Conditional {
  int call;
  unsigned argument;
  std::uint32_t refused;
};
constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_DIRECTORY | O_PATH;
const Conditional kConditional[] = {
    {SYS_openat, 2, kWriting},
    {SYS_fcntl, 1, ~std::uint32_t{7}},  // locks and flags; no signal owner, no seals
    {SYS_prctl, 0, ~std::uint32_t{PR_SET_PDEATHSIG}},
    {SYS_mmap, 2, PROT_EXEC},
    {SYS_mprotect, 2, PROT_EXEC},
#if defined(__x86_64__)
    {SYS_open, 1, kWriting},
#endif
};

constexpr std::uint32_t argument_at(unsigned index) {  // lower half, little-endian
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}

std::vector<sock_filter> make_filter(std::uint32_t self, LifeWithParent life) {
  std::vector<sock_filter> filter;
  const auto load = [&](std::size_t offset) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  };
  const auto end = [&](std::uint32_t action) { filter.push_back(BPF_STMT(BPF_RET | BPF_K, action)); };
  const auto unless = [&](std::uint16_t test, std::uint32_t value, std::uint8_t skip) {  // skips if the test fails
    filter.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 0, skip));
  };
  constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
  load(offsetof(seccomp_data, arch));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  end(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(seccomp_data, nr));
  unless(BPF_JGE, kX32Bit, 1);
  end(kRefuse);
  for (const int call : kAllowed) {
    unless(BPF_JEQ, static_cast<std::uint32_t>(call), 1);
    end(SECCOMP_RET_ALLOW);
  }
  for (const Conditional& c : kConditional) {
    if (c.call == SYS_prctl && life == LifeWithParent::always) continue;
    unless(BPF_JEQ, static_cast<std::uint32_t>(c.call), 4);
    load(argument_at(c.argument));
    unless(BPF_JSET, c.refused, 1);
    end(kRefuse);
    end(SECCOMP_RET_ALLOW);
  }
  // Signals and limits: only its own. Messages: only to the viewer; output of a failing library: only to stderr.
  const auto only_for = [&](int call, std::uint32_t pid, std::uint32_t or_pid) {
    unless(BPF_JEQ, static_cast<std::uint32_t>(call), 5);
    load(argument_at(0));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, pid, 1, 0));
    unless(BPF_JEQ, or_pid, 1);
    end(SECCOMP_RET_ALLOW);
    end(kRefuse);
  };
  only_for(SYS_tgkill, self, self);
  only_for(SYS_prlimit64, 0, self);
  for (const int call : {SYS_sendto, SYS_recvfrom}) only_for(call, kReaderSocket, kReaderSocket);
  for (const int call : {SYS_write, SYS_writev}) only_for(call, STDERR_FILENO, STDERR_FILENO);
  end(kRefuse);
  return filter;
}

// Returns false if the filter is not available. Requires PR_SET_NO_NEW_PRIVS.
bool install_reader_filter(LifeWithParent life) {
  if (kArchitecture == 0) return false;
  std::vector<sock_filter> filter = make_filter(static_cast<std::uint32_t>(::getpid()), life);
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// The reader process as number 1 of its own PID namespace, so that it sees no other process. The process started by the
// viewer keeps nothing, waits for it and exits with its status: for the viewer the two are one.

pid_t viewer = -1, child = -1;  // used by the waiting process
int parent_end = -1;            // read end of a pipe: closed when the waiting process is gone

void take(int signal, void (*act)(int)) {
  struct sigaction action {};
  action.sa_handler = act;
  ::sigaction(signal, &action, nullptr);
}

void say_signal(int signal) { ::_exit(kDiedOf + signal); }

// Exits if the viewer is gone: a thread of the viewer that ends sends the signal as well.
void end_without_viewer(int /*signal*/) {
  if (::getppid() != viewer) ::_exit(1);
}

// Kills the new process on the viewer's SIGTERM; wait_for_child() reaps it.
void end_child(int /*signal*/) {
  if (child < 0) ::_exit(1);
  ::kill(child, SIGKILL);
}

[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) < kDiedOf) ::_exit(WEXITSTATUS(status));
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - kDiedOf;
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
  take(signal, SIG_DFL);
  ::kill(::getpid(), signal);
  ::_exit(1);
}

[[noreturn]] void wait_for_child(int kept) {
  take(SIGUSR1, end_without_viewer);
  ::prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
  end_without_viewer(SIGUSR1);
  ::dup2(kept, STDERR_FILENO + 1);
  ::close_range(STDERR_FILENO + 2, ~0U, 0);  // the socket and the files belong to the new process
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end_as(status);
}

// Call after unshare(CLONE_NEWPID), in a process of one thread. Returns true in the new process, and does not return in
// the old one; false if no process could be started.
bool become_first_process() {
  viewer = ::getppid();
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  take(SIGTERM, end_child);
  child = ::fork();
  if (child > 0) wait_for_child(ends[1]);
  take(SIGTERM, SIG_DFL);
  ::close(ends[1]);
  parent_end = ends[0];
  for (const int signal : {SIGALRM, SIGXCPU, SIGABRT}) take(signal, say_signal);
  return child == 0;
}

// Ends the new process if the old one is gone already; call after PR_SET_PDEATHSIG, which covers a later end.
void end_without_parent() {
  char byte = 0;
  if (parent_end >= 0 && ::read(parent_end, &byte, 1) == 0) ::_exit(1);
  ::close(parent_end);
}

constexpr unsigned kAlarmSeconds = 90;  // longer than any wait of the viewer
// Minimum time between two settings of a deadline, as frames arrive by the thousand per second.
constexpr auto kSoon = std::chrono::seconds(1);
std::chrono::steady_clock::time_point real_time_begun, computing_begun;  // process of one thread

constexpr rlim_t kMostComputing = 7 * 24 * 3600;  // seconds, for a recording played continuously

void limit(int resource, rlim_t most) {
  const rlimit value{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &value);
}

void limit_resources(const SandboxLimits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 64 + limits.files.size());
  limit(RLIMIT_CPU, kMostComputing);  // hard limit; start_reader_alarm() sets a lower one
#if !defined(ECHO_SANITIZED)          // a sanitizer's shadow uses terabytes of addresses, and it has its own thread
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_DATA, limits.memory_bytes);
  limit(RLIMIT_AS, limits.memory_bytes + limits.mapped_bytes + (std::size_t{1} << 30));  // for the program itself
#else
  (void)limits;
#endif
}

// Landlock call numbers: the build's headers may be older than the running kernel.
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

// Restricts opening to the recording (folder: its files): not the user's keys, not another process's memory. No TCP,
// and no signal or abstract socket to a process outside.
bool restrict_files(const std::vector<int>& files) {
  constexpr std::uint64_t kReadFile = 1U << 2;
  constexpr int kAskVersion = 1, kPathBeneath = 1;
  // File rights per version of the interface: 13, then REFER, TRUNCATE and (since version 5) IOCTL_DEV.
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

// Drops all capabilities except root's right to read files, which may be needed to reopen the recording.
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

// Enters own user, network, IPC, UTS and PID namespaces, if the user may create them; then the root is the folder of
// the open files of this process. Returns in another process if that has its own PID namespace.
void leave_system(SandboxParts& parts) {
#if defined(ECHO_SANITIZED)
  static_cast<void>(parts);  // a sanitizer reads /proc/self
#else
  const int users = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;  // root in a user namespace cannot read others' files
  const int apart = users | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  const bool with_numbers = ::unshare(apart | CLONE_NEWPID) == 0;
  if (!with_numbers && ::unshare(apart) != 0) return;
  parts.processes = with_numbers && become_first_process();
  parts.namespaces = ::chdir("/proc/self/fd") == 0 && ::chroot(".") == 0;
#endif
}

// Lets the system end this process first if memory runs out.
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

// Limits real time and CPU time: an infinite loop, and an infinite wait.
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
