#include "app/interrupts.h"

#include <csignal>
#include <initializer_list>

#include "core/long_work.h"
#include "formats/open_recording.h"

namespace echoloop {
namespace {

volatile std::sig_atomic_t noted = 0;

}  // namespace

void watch_interrupts() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(number, [](int) {
      noted = 1;
      end_long_work();
    });
    if (number == SIGHUP && before == SIG_IGN) std::signal(number, SIG_IGN);
  }
  stop_reading_when(interrupted);
}

bool interrupted() { return noted != 0; }

}  // namespace echoloop
