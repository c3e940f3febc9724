#include "core/free_memory.h"

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
  return std::size_t{1} << 30;
}

}  // namespace echoloop
