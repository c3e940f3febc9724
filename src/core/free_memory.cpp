#include "core/free_memory.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <limits>
#include <new>
#include <optional>

namespace echoloop {
namespace {

using Path = std::filesystem::path;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// The number behind `key` in a file; nothing where it is a word, or not there.
std::optional<std::size_t> number_in(const Path& name, const std::string& key = {}) {
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
std::size_t free_address_space(const Path& proc) {
  const auto limit = number_in(proc / "self/limits", "Max address space");
  const auto used = number_in(proc / "self/status", "VmSize:");
  if (!limit.has_value() || !used.has_value()) return kNoLimit;
  return *limit - std::min(*limit, *used * 1024);
}

struct GroupFiles {
  const char *limit, *used, *inactive, *active;  // the latter two: keys of memory.stat
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ",
                               "total_active_file "};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file ", "active_file "};

// What one group leaves; a folder that is not there has no limit.
std::size_t free_in_group(const Path& group, const GroupFiles& files) {
  const auto limit = number_in(group / files.limit), used = number_in(group / files.used);
  if (!limit.has_value() || !used.has_value()) return kNoLimit;
  const std::size_t pages = number_in(group / "memory.stat", files.inactive).value_or(0) +
                            number_in(group / "memory.stat", files.active).value_or(0);
  return *limit - std::min(*limit, *used - std::min(*used, pages));
}

// A limit holds for all groups below, too. In a container the folder of groups may be the container's own group.
std::size_t free_in_groups(const Path& root) {
  std::size_t free = kNoLimit;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/a/b" of version 2, "4:cpu,memory:/a/b" of version 1
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string kinds = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool version2 = kinds == ",,";
    if (!version2 && kinds.find(",memory,") == std::string::npos) continue;
    const Path all = root / (version2 ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
    for (Path group = Path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      free = std::min(free, free_in_group(all / group, version2 ? kVersion2 : kVersion1));
      if (group.empty()) break;
    }
  }
  return free;
}

}  // namespace

std::size_t free_host_memory(const Path& root) {
  constexpr std::size_t kUnknown = std::size_t{1} << 20;
  const std::size_t machine = number_in(root / "proc/meminfo", "MemAvailable:").value_or(kUnknown) * 1024;
  return std::min({machine, free_address_space(root / "proc"), free_in_groups(root)});
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
