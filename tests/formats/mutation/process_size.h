// Resources of this process, which grow with leaks.
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
  std::size_t children = 0;  // including those that have ended without a wait
};

ProcessSize process_size();
// Returns true for growth beyond variation: of memory 16 MiB, of mapped regions (those of threads' heaps) an eighth.
bool has_grown(const ProcessSize& before, const ProcessSize& after);
std::string to_text(const ProcessSize& size);

}  // namespace echoloop::testing
