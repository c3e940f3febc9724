// Every line that the program prints goes through here: names of files and texts of recordings may contain control
// characters, which a terminal would execute. Any thread.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"

namespace echoloop {

template <class... Args>
void print_to(std::FILE* file, fmt::format_string<Args...> text, Args&&... args) {
  const std::string plain = plain_text(fmt::format(text, std::forward<Args>(args)...));
  std::fwrite(plain.data(), 1, plain.size(), file);
}

template <class... Args>
void print_out(fmt::format_string<Args...> text, Args&&... args) {
  print_to(stdout, text, std::forward<Args>(args)...);
}

template <class... Args>
void print_error(fmt::format_string<Args...> text, Args&&... args) {
  print_to(stderr, text, std::forward<Args>(args)...);
}

// What ended a run, as its line. The exit status: 2 for input that is refused, 1 for a fault of the run.
inline int say_what_ended(const std::exception& error) {
  print_error("echoloop: {}\n", line_of(error, "memory"));
  const bool refused = dynamic_cast<const Error*>(&error) != nullptr && dynamic_cast<const Fault*>(&error) == nullptr;
  return refused ? 2 : 1;
}

// The ends that come from outside: Ctrl-C, a request to terminate, a terminal that is gone. Any thread.

// From here on such a signal ends the program with one line and exit status 1: there is nothing to finish. Commands
// whose only result is at their end need no more.
void end_at_interrupts();

// From here on these signals are noted: the run stops as if its limit had been reached and writes what it was asked
// for. A terminal that goes may be ignored, as nohup asks.
void watch_interrupts();

[[nodiscard]] bool interrupted();

}  // namespace echoloop
