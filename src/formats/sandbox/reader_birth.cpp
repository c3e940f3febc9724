#include "formats/sandbox/reader_birth.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace echoloop {
namespace {

pid_t viewer = -1, child = -1;  // of the old process
int parent_end = -1;            // of a pipe: the new process sees its end when the old one is gone

void take(int signal, void (*act)(int)) {
  struct sigaction action {};
  action.sa_handler = act;
  ::sigaction(signal, &action, nullptr);
}

void say_signal(int signal) { ::_exit(kDiedOf + signal); }

// A thread of the viewer that ends sends the signal as well: the viewer itself lives on then.
void end_without_viewer(int /*signal*/) {
  if (::getppid() != viewer) ::_exit(1);
}

// The viewer ends both. The new process is collected here, by wait_for_child().
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
  ::close_range(STDERR_FILENO + 2, ~0U, 0);  // the socket and the files are the new process's
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end_as(status);
}

}  // namespace

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

void end_without_parent() {
  char byte = 0;
  if (parent_end >= 0 && ::read(parent_end, &byte, 1) == 0) ::_exit(1);
  ::close(parent_end);
}

}  // namespace echoloop
