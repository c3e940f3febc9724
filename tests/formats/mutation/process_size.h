// What this process holds: grows when something leaks.
#pragma once

#include <cstddef>
#include <string>

namespace echoloop::testing {

struct ProcessSize {
  std::size_t resident_bytes = 0;
  std::size_t allocated_bytes = 0;  // by malloc, in use; 0 under a sanitizer
  std::size_t mapped_regions = 0;
  std::size_t open_files = 0;
  std::size_t threads = 0;
  std::size_t children = 0;  // also those that have ended and that nobody has waited for
};

ProcessSize process_size();
// More than what comes and goes: of memory 16 MiB, of mapped regions (whose number threads' heaps change) an eighth.
bool has_grown(const ProcessSize& before, const ProcessSize& after);
std::string to_text(const ProcessSize& size);

}  // namespace echoloop::testing
