#include "app/options/terminal.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>
#include <mutex>
#include <string_view>

#include "core/long_work.h"
#include "formats/open_recording.h"

namespace echoloop {
namespace {

volatile std::sig_atomic_t noted = 0;

void at_interrupts(void (*handler)(int)) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(number, handler);
    if (number == SIGHUP && before == SIG_IGN) std::signal(number, SIG_IGN);
  }
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

bool interrupted() { return noted != 0; }

}  // namespace echoloop
