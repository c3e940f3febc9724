#include "app/free_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace echoloop {

std::size_t free_host_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::size_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t default_history_bytes() {
  constexpr std::size_t kMost = 4'000'000'000;
  return std::min(free_host_memory() / 4, kMost);
}

}  // namespace echoloop
