#include "formats/base/lost_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

#include "core/mapped_files.h"

namespace echoloop {
namespace {

struct sigaction before;
std::size_t page_bytes = 0;

// Runs in the thread that reads; calls nothing but system calls and lock-free atomics. The note comes first: who finds
// the empty page finds the note as well.
void on_bus_error(int /*number*/, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  auto* const page = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(info->si_addr) & ~(page_bytes - 1));
  const bool replaced =
      note_lost_page(page, page_bytes) &&
      ::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  if (!replaced) ::sigaction(SIGBUS, &before, nullptr);  // the access is repeated, and ends the program
  errno = error;
}

}  // namespace

void survive_lost_pages() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &before);
  });
}

}  // namespace echoloop
