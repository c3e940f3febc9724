// System without seccomp and Landlock, for tests: a filter makes both fail in a thread and in its child processes, as
// on a kernel without them.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <thread>

namespace echoloop::testing {

// Applies to the calling thread, permanently. Returns false if this system has no filters: nothing to hide.
inline bool hide_sandbox() {
  constexpr unsigned kCreateRuleset = 444;  // landlock_create_ruleset, on every architecture
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kCreateRuleset, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kRefuse | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = static_cast<unsigned short>(std::size(filter)), .filter = filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// Runs `act` in a thread of its own without a sandbox.
template <class Act>
void without_sandbox(const Act& act) {
  std::thread([&] {
    hide_sandbox();
    act();
  }).join();
}

}  // namespace echoloop::testing
