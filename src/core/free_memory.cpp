#include "core/free_memory.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <new>
#include <optional>

namespace echoloop {
namespace {

// The number behind `key` in a file of /proc; nothing where it is a word, or not there.
std::optional<std::size_t> number_in(const char* name, const std::string& key) {
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t digits = line.find_first_not_of(" \t", key.size());
    std::size_t number = 0;
    if (digits == std::string::npos) break;
    const char* const end = line.data() + line.size();
    if (std::from_chars(line.data() + digits, end, number).ec == std::errc()) return number;
    break;
  }
  return std::nullopt;
}

// What `ulimit -v` leaves.
std::size_t free_address_space() {
  const auto limit = number_in("/proc/self/limits", "Max address space");
  const auto used = number_in("/proc/self/status", "VmSize:");
  if (!limit.has_value() || !used.has_value()) return ~std::size_t{0};
  return *limit - std::min(*limit, *used * 1024);
}

}  // namespace

std::size_t free_host_memory() {
  constexpr std::size_t kUnknown = std::size_t{1} << 20;
  return std::min(number_in("/proc/meminfo", "MemAvailable:").value_or(kUnknown) * 1024, free_address_space());
}

Error no_memory_for(const std::string& what) {
  char free[60];
  std::snprintf(free, sizeof free, "at most %.0f MB, which are free", static_cast<double>(free_host_memory()) * 1e-6);
  return {what, "not enough memory", free};
}

std::string line_of(const std::exception& error, const std::string& what) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? no_memory_for(what).what() : error.what();
}

}  // namespace echoloop
