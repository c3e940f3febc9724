#include "core/process_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace echoloop {
namespace {

using Path = std::filesystem::path;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Returns the number after `key` in a file; nullopt if it is a word or missing.
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

// Returns the address space left by `ulimit -v`.
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

// Returns the memory left by one group; a missing folder has no limit.
std::size_t free_in_group(const Path& group, const GroupFiles& files) {
  const auto limit = number_in(group / files.limit), used = number_in(group / files.used);
  if (!limit.has_value() || !used.has_value()) return kNoLimit;
  const std::size_t pages = number_in(group / "memory.stat", files.inactive).value_or(0) +
                            number_in(group / "memory.stat", files.active).value_or(0);
  return *limit - std::min(*limit, *used - std::min(*used, pages));
}

// Returns the memory left by the process's groups and those above. In a container the folder may be its own group.
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

namespace {

struct Entry {
  std::atomic<std::uintptr_t> begin{0};  // 0: free, or incomplete
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uintptr_t> lost_begin{UINTPTR_MAX};  // from the first to the last lost page
  std::atomic<std::uintptr_t> lost_end{0};
  bool taken = false;  // under table_mutex
  std::string file;    // under table_mutex
};

std::array<Entry, MappingEntry::kMost> table;
std::atomic<bool> any_lost{false};
std::mutex table_mutex;

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

std::uintptr_t address(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); }

bool holds(const Entry& entry, std::uintptr_t at) {
  const std::uintptr_t begin = entry.begin;
  return begin != 0 && at >= begin && at < entry.end;
}

void lower_to(std::atomic<std::uintptr_t>& value, std::uintptr_t least) {
  std::uintptr_t now = value;
  while (least < now && !value.compare_exchange_weak(now, least)) {
  }
}

void raise_to(std::atomic<std::uintptr_t>& value, std::uintptr_t most) {
  std::uintptr_t now = value;
  while (most > now && !value.compare_exchange_weak(now, most)) {
  }
}

}  // namespace

MappingEntry::MappingEntry(std::string file, std::span<const std::byte> mapping) {
  const std::scoped_lock lock(table_mutex);
  while (index_ < table.size() && table[index_].taken) ++index_;
  if (index_ == table.size()) throw Error(file, "too many open files", "at most " + std::to_string(kMost));
  Entry& entry = table[index_];
  entry.taken = true;
  entry.file = std::move(file);
  entry.lost_begin = UINTPTR_MAX;
  entry.lost_end = 0;
  entry.end = address(mapping.data()) + mapping.size();
  entry.begin = address(mapping.data());
}

MappingEntry::~MappingEntry() {
  const std::scoped_lock lock(table_mutex);
  table[index_].begin = 0;
  table[index_].taken = false;
}

bool in_mapped_file(std::span<const std::byte> memory) {
  for (const Entry& entry : table)
    if (holds(entry, address(memory.data()))) return true;
  return false;
}

void require_readable(std::span<const std::byte> memory) {
  if (!any_lost) return;
  const std::uintptr_t begin = address(memory.data());
  for (const Entry& entry : table) {
    if (!holds(entry, begin) || entry.lost_begin >= begin + memory.size() || entry.lost_end <= begin) continue;
    const std::scoped_lock lock(table_mutex);
    throw Error(entry.file, "a part of the file cannot be read: it became shorter, or its disk failed or was removed",
                "a file that does not change while open", "open the file again");
  }
}

void note_shorter_file() { any_lost = true; }

bool files_were_lost() { return any_lost; }

bool note_lost_page(const std::byte* page, std::size_t bytes) {
  for (Entry& entry : table) {
    if (!holds(entry, address(page))) continue;
    lower_to(entry.lost_begin, address(page));
    raise_to(entry.lost_end, address(page) + bytes);
    any_lost = true;
    return true;
  }
  return false;
}

}  // namespace echoloop
