#include "core/mapped_files.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "core/error.h"

namespace echoloop {
namespace {

struct Entry {
  std::atomic<std::uintptr_t> begin{0};  // 0: the entry is free, or not complete yet
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uintptr_t> lost_begin{UINTPTR_MAX};  // from the first lost page to the last one
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
  for (const Entry& entry : table) {
    if (holds(entry, address(memory.data()))) return true;
  }
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
