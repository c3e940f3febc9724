#include "formats/mutation/process_size.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace echoloop::testing {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

std::size_t lines(const char* path) {
  std::ifstream file(path);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
}

// Counts children: word 4 of a process's line is its parent; word 2 is a name in brackets with any content.
std::size_t children() {
  std::size_t n = 0;
  const std::string me = std::to_string(::getpid());
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::string line, state, parent;
    std::ifstream file(process.path() / "stat");
    if (!std::getline(file, line)) continue;
    std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
    rest >> state >> parent;
    n += parent == me ? 1 : 0;
  }
  return n;
}

}  // namespace

ProcessSize process_size() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  const struct mallinfo2 heap = ::mallinfo2();
  return {.resident_bytes = resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)),
          .allocated_bytes = heap.uordblks + heap.hblkhd,
          .mapped_regions = lines("/proc/self/maps"),
          .open_files = entries("/proc/self/fd"),
          .threads = entries("/proc/self/task"),
          .children = children()};
}

bool has_grown(const ProcessSize& before, const ProcessSize& after) {
#if defined(ECHO_SANITIZED)
  constexpr std::size_t kMore = std::size_t{512} << 20;  // the address sanitizer keeps freed memory for a while
#else
  constexpr std::size_t kMore = std::size_t{16} << 20;
#endif
  return after.resident_bytes > before.resident_bytes + kMore ||
         after.mapped_regions > before.mapped_regions + before.mapped_regions / 8 ||
         after.open_files > before.open_files || after.threads > before.threads || after.children > before.children;
}

std::string to_text(const ProcessSize& size) {
  return "memory " + std::to_string(size.resident_bytes >> 10) + " kB (" + std::to_string(size.allocated_bytes >> 10) +
         " kB of them allocated) in " + std::to_string(size.mapped_regions) + " regions, open files " +
         std::to_string(size.open_files) + ", threads " + std::to_string(size.threads) + ", child processes " +
         std::to_string(size.children);
}

}  // namespace echoloop::testing
