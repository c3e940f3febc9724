#include "pipeline/allocation_counter.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ECHO_COUNTS_ALLOCATIONS 1
#endif

namespace echoloop::testing {
namespace {

struct Account {
  std::atomic<const char*> thread{nullptr};
  std::atomic<std::uint64_t> count{0};
};
constinit std::array<Account, 16> accounts;
constinit std::atomic<bool> counting{false};
constinit thread_local const char* this_thread = "an unnamed thread";

[[maybe_unused]] void count() {
  if (!counting.load(std::memory_order_relaxed)) return;
  for (Account& account : accounts) {
    const char* nobody = nullptr;
    account.thread.compare_exchange_strong(nobody, this_thread);
    if (account.thread.load() != this_thread) continue;
    ++account.count;
    return;
  }
}

}  // namespace

void name_this_thread(const char* name) { this_thread = name; }

void start_counting_allocations() {
  for (Account& account : accounts) {
    account.thread = nullptr;
    account.count = 0;
  }
  counting = true;
}

std::string stop_counting_allocations() {
  counting = false;
  std::string text;
  for (const Account& account : accounts) {
    if (account.count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(account.count) + " by " + account.thread.load();
  }
  return text;
}

#if defined(ECHO_COUNTS_ALLOCATIONS)
bool can_count_allocations() { return true; }
#else
bool can_count_allocations() { return false; }
#endif

}  // namespace echoloop::testing

#if defined(ECHO_COUNTS_ALLOCATIONS)
// libstdc++'s operator new calls malloc: counting here covers C++ and C libraries, each allocation once.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  echoloop::testing::count();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  echoloop::testing::count();
  return __libc_calloc(n, size);
}
void* realloc(void* memory, std::size_t size) {
  echoloop::testing::count();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  echoloop::testing::count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  echoloop::testing::count();
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif
