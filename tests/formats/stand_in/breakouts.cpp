#include "formats/stand_in/breakouts.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "core/error.h"
#include "formats/sandbox/reader_child.h"

extern char** environ;

namespace echoloop::test {
namespace {

std::string outcome(const char* name, long result) {
  return std::string(name) + "=" + (result < 0 ? ::strerrorname_np(errno) : "done") + " ";
}

std::string network_and_processes() {
  char* const words[] = {nullptr};
  std::string line;
  line += outcome("socket", ::socket(AF_INET, SOCK_STREAM, 0));
  line += outcome("local_socket", ::socket(AF_UNIX, SOCK_STREAM, 0));
  line += outcome("execve", ::execve("/bin/true", words, words));
  line += outcome("fork", ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  line += outcome("ptrace", ::ptrace(PTRACE_ATTACH, ::getppid(), 0, 0));
  line += outcome("kill", ::kill(::getppid(), 0));
  line += outcome("tgkill", ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0));
  char byte = 0;
  const iovec here{&byte, 1}, there{&byte, 1};
  line += outcome("read_memory", ::process_vm_readv(::getppid(), &here, 1, &there, 1, 0));
  line += outcome("unshare", ::syscall(SYS_unshare, 0x10000000));
  line += outcome("send_elsewhere", ::sendto(kReaderMemory, &byte, 1, 0, nullptr, 0));
  line += outcome("write_socket", ::write(kReaderSocket, &byte, 1));
  line += outcome("dumpable", ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
  return line;
}

std::string files(const std::string& own) {
  std::string line;
  char text[256];
  struct stat info {};
  line += outcome("create", ::open("/tmp/echoloop-escaped", O_CREAT | O_WRONLY, 0600));
  line += outcome("write", ::open(own.c_str(), O_RDWR));
  line += outcome("unlink", ::unlink("/tmp/echoloop-no-such-file"));
  line += outcome("rename", ::rename("/tmp/echoloop-no-such-file", "/tmp/echoloop-escaped"));
  line += outcome("stat", ::syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &info, 0));
  line += outcome("stat_empty", ::syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &info, AT_EMPTY_PATH));
  line += outcome("statx", ::syscall(SYS_statx, AT_FDCWD, "/etc/passwd", 0, 0, text));
  line += outcome("access", ::access("/etc/passwd", R_OK));
  line += outcome("readlink", ::readlink("/proc/self/exe", text, sizeof text));
  line += outcome("getcwd", ::syscall(SYS_getcwd, text, sizeof text));
  line += outcome("folder", ::open("/", O_RDONLY | O_DIRECTORY));
  line += outcome("path", ::open("/etc/passwd", O_PATH));
  line += outcome("chdir", ::chdir("/"));
  line += outcome("chroot", ::chroot("/"));
  line += outcome("mount", ::syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, nullptr));
  return line;
}

std::string memory_and_time() {
  std::string line;
  const auto map = [](int protection) {
    return ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
  };
  line += outcome("code", map(PROT_READ | PROT_EXEC));
  line += outcome("seal", ::fcntl(kReaderMemory, F_ADD_SEALS, F_SEAL_WRITE));
  line += outcome("grow", ::ftruncate(kReaderMemory, 1 << 20));
  const rlimit endless{RLIM_INFINITY, RLIM_INFINITY};
  line += outcome("time", ::setrlimit(RLIMIT_CPU, &endless));
  line += outcome("memory", ::setrlimit(RLIMIT_DATA, &endless));
  rlimit time{};
  ::getrlimit(RLIMIT_CPU, &time);
  line += std::string("time_limit=") + (time.rlim_max == RLIM_INFINITY ? "none " : "closed ");
  line += std::string("environment=") + (*environ == nullptr ? "empty " : "given ");
  return line;
}

// Tries every other system call: each must be refused. Skips those that reading needs.
std::string all_calls() {
  constexpr long kUsed[] = {
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_preadv,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_fadvise64,
    SYS_ppoll,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_mlock,
    SYS_munlock,
    SYS_futex,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
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
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_restart_syscall,
    // by their arguments
    SYS_openat,
    SYS_fcntl,
    SYS_prctl,
    SYS_mmap,
    SYS_mprotect,
    SYS_tgkill,
    SYS_prlimit64,
    SYS_sendto,
    SYS_recvfrom,
    SYS_write,
    SYS_writev,
#if defined(__x86_64__)
    SYS_poll,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_alarm,
    SYS_time,
    SYS_open,
#endif
  };
  constexpr long kBeyondTheLast = 480, kUretprobe = 335, kUprobe = 336;  // x86-64: these two end the caller
  std::string open_calls;
  int refused = 0;
  for (long call = 0; call < kBeyondTheLast; ++call) {
    const bool used = std::find(std::begin(kUsed), std::end(kUsed), call) != std::end(kUsed);
    if (used || call == kUretprobe || call == kUprobe) continue;
    if (::syscall(call, 0, 0, 0, 0, 0, 0) == -1 && errno == EPERM) {
      ++refused;
    } else {
      open_calls += std::to_string(call) + ",";
    }
  }
  return "refused_calls=" + std::to_string(refused) +
         " open_calls=" + (open_calls.empty() ? "none " : open_calls + " ");
}

}  // namespace

void try_to_get_out(const OpenRequest& request) {
  const std::string own = request.path_to_open.string();
  std::string line = files(own) + network_and_processes() + memory_and_time();
  line += outcome("other_file", ::open("/etc/passwd", O_RDONLY));
  line += outcome("this_file", ::open(own.c_str(), O_RDONLY));
  throw Error(request.what(), all_calls() + line, "nothing of it");
}

}  // namespace echoloop::test
