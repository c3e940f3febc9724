#include "app/options/terminal.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>
#include <mutex>
#include <string_view>

#include "core/error.h"
#include "formats/open_recording.h"

namespace echoloop {
namespace {

constexpr std::initializer_list<int> kInterrupts = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t noted = 0;

void set_mask_of_interrupts(int how) {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  for (const int number : kInterrupts) sigaddset(&interrupts, number);
  pthread_sigmask(how, &interrupts, nullptr);
}

void at_interrupts(void (*handler)(int)) {
  for (const int number : kInterrupts) {
    const auto before = std::signal(number, handler);
    if (number == SIGHUP && before == SIG_IGN) std::signal(number, SIG_IGN);
  }
  set_mask_of_interrupts(SIG_UNBLOCK);
}

}  // namespace

void end_at_interrupts() {
  at_interrupts([](int) {
    constexpr std::string_view kLine = "echoloop: ended by a signal before the run was complete\n";
    static_cast<void>(::write(STDERR_FILENO, kLine.data(), kLine.size()));
    ::_exit(1);
  });
}

void watch_interrupts() {
  static std::once_flag watched;  // runs of several threads call it
  std::call_once(watched, [] {
    at_interrupts([](int) {
      noted = 1;
      end_long_work();
    });
    stop_reading_when(interrupted);
  });
}

void hold_interrupts() { set_mask_of_interrupts(SIG_BLOCK); }

bool interrupted() { return noted != 0; }

}  // namespace echoloop
