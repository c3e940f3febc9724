// Output of all printed lines: file names and texts of recordings may contain control characters, which a terminal
// would execute. Any thread.
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

// Prints the error that ended a run. Returns the exit status: 2 for refused input, 1 for a fault of the run.
inline int say_what_ended(const std::exception& error) {
  print_error("echoloop: {}\n", line_of(error, "memory"));
  const bool refused = dynamic_cast<const Error*>(&error) != nullptr && dynamic_cast<const Fault*>(&error) == nullptr;
  return refused ? 2 : 1;
}

// Signals that end the program: Ctrl-C, a request to terminate, a closed terminal. Any thread.

// Makes such a signal, also a held one, end the program with one line and exit status 1. For commands whose only result
// is at their end.
void end_at_interrupts();

// Holds such signals until the program that replaces this one (exec) handles them.
void hold_interrupts();

// Notes such signals from now on: the run stops as at its limit and writes its output. A closed terminal may be
// ignored, as nohup requests.
void watch_interrupts();

[[nodiscard]] bool interrupted();

}  // namespace echoloop
