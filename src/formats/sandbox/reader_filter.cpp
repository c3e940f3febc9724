#include "formats/sandbox/reader_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/sandbox/reader_settings.h"

namespace echoloop {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr std::uint32_t kX32Bit = 0x40000000;  // x86-64: the same calls by other numbers

constexpr int kAllowed[] = {
    // what is open already
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
    // itself
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
    // how a sanitizer asks whether memory can be read, and writes its report
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

// Calls that depend on an argument: allowed when none of `refused` bits is set in argument `argument`.
struct Conditional {
  int call;
  unsigned argument;
  std::uint32_t refused;
};
constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_DIRECTORY | O_PATH;
const Conditional kConditional[] = {
    {SYS_openat, 2, kWriting},
    {SYS_fcntl, 1, ~std::uint32_t{7}},  // locks and flags; not who gets signals, not seals
    {SYS_prctl, 0, ~std::uint32_t{PR_SET_PDEATHSIG}},
    {SYS_mmap, 2, PROT_EXEC},
    {SYS_mprotect, 2, PROT_EXEC},
#if defined(__x86_64__)
    {SYS_open, 1, kWriting},
#endif
};

constexpr std::uint32_t argument_at(unsigned index) {  // its low half, little-endian
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}

std::vector<sock_filter> make_filter(std::uint32_t self, LifeWithParent life) {
  std::vector<sock_filter> filter;
  const auto load = [&](std::size_t offset) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  };
  const auto end = [&](std::uint32_t action) { filter.push_back(BPF_STMT(BPF_RET | BPF_K, action)); };
  const auto unless = [&](std::uint16_t test, std::uint32_t value, std::uint8_t skip) {  // skips when the test fails
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
  // Signals and limits: only its own. Talk: only with the viewer; words of a failing library: only to the error output.
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

}  // namespace

bool install_reader_filter(LifeWithParent life) {
  if (kArchitecture == 0) return false;
  std::vector<sock_filter> filter = make_filter(static_cast<std::uint32_t>(::getpid()), life);
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace echoloop
