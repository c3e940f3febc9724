#include "backend/cpu/own_code.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "backend/cpu/kept_rows.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A thread's way out of the method's code.
struct Guard {
  sigjmp_buf back;
  pthread_t thread{};
  std::atomic<std::int64_t> since_ns{0};  // 0: not in the method's code
  volatile std::sig_atomic_t signal = 0;
  std::vector<std::byte> stack;  // of the handler: a recursion without end has used up the thread's own
};
thread_local Guard* own_guard = nullptr;

int time_signal() { return SIGRTMIN + 3; }
std::int64_t limit_ns() { return std::chrono::nanoseconds(OwnLibrary::kRowLimit).count(); }

std::array<struct sigaction, kFaults.size()> handlers_before;

void leave(int signal, siginfo_t* info, void* context) {
  Guard* const guard = own_guard;
  const std::int64_t since = guard != nullptr ? guard->since_ns.load(std::memory_order_relaxed) : 0;
  if (signal == time_signal()) {
    if (since == 0 || now_ns() - since < limit_ns()) return;  // of a row that has ended meanwhile
  } else if (since == 0) {
    const auto at = std::ranges::find(kFaults, signal) - kFaults.begin();
    const struct sigaction& before = handlers_before[static_cast<std::size_t>(at)];
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
    ::sigaction(signal, &before, nullptr);  // the default: the instruction faults again
    if (signal == SIGABRT) std::raise(signal);
    return;
  }
  guard->signal = signal;
  siglongjmp(guard->back, 1);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_sigaction = leave;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kFaults.size(); ++i) ::sigaction(kFaults[i], &action, &handlers_before[i]);
  ::sigaction(time_signal(), &action, nullptr);
}

// Guards of all threads, and the thread that sends time_signal() to those over their limit.
class Guards {
 public:
  static Guards& all() {
    static Guards guards;
    return guards;
  }

  void add(Guard* guard) {
    const std::scoped_lock lock(mutex_);
    guards_.push_back(guard);
  }
  void remove(Guard* guard) {
    const std::scoped_lock lock(mutex_);
    std::erase(guards_, guard);
  }

 private:
  Guards() : watch_([this](const std::stop_token& stop) { watch(stop); }) { install_handlers(); }

  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::scoped_lock lock(mutex_);
      for (const Guard* guard : guards_) {
        const std::int64_t since = guard->since_ns.load(std::memory_order_relaxed);
        if (since != 0 && now_ns() - since > limit_ns()) ::pthread_kill(guard->thread, time_signal());
      }
    }
  }

  std::mutex mutex_;
  std::vector<Guard*> guards_;
  std::jthread watch_;  // last
};

// Of this thread, from its first row on.
class ThreadGuard {
 public:
  ThreadGuard() {
    guard_.thread = ::pthread_self();
    guard_.stack.resize(std::size_t{64} << 10);
    const stack_t stack{.ss_sp = guard_.stack.data(), .ss_flags = 0, .ss_size = guard_.stack.size()};
    ::sigaltstack(&stack, &before_);
    own_guard = &guard_;
    Guards::all().add(&guard_);
  }
  ~ThreadGuard() {
    Guards::all().remove(&guard_);
    own_guard = nullptr;
    ::sigaltstack(&before_, nullptr);
  }
  ThreadGuard(const ThreadGuard&) = delete;
  ThreadGuard& operator=(const ThreadGuard&) = delete;
  Guard& guard() { return guard_; }

 private:
  Guard guard_;
  stack_t before_{};
};

// Returns the signal that ended the call; 0: it returned.
template <class Call>
int guarded(const Call& call) {
  thread_local ThreadGuard own;
  Guard& guard = own.guard();
  guard.signal = 0;
  if (sigsetjmp(guard.back, 1) == 0) {
    guard.since_ns.store(now_ns());
    call();
  }
  guard.since_ns.store(0);
  return guard.signal;
}

std::string reason_of(int signal) {
  if (signal == time_signal()) return "a row took more than " + std::to_string(OwnLibrary::kRowLimit.count()) + " s";
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "a read or write outside the arrays, or a recursion without end";
    case SIGFPE:
      return "a whole number was divided by zero";
    case SIGABRT:
      return "the method aborted";
    default:
      return "an instruction that this processor lacks";
  }
}

template <class Value>
const Value* symbol(void* library, const char* name) {
  return static_cast<const Value*>(::dlsym(library, name));
}

}  // namespace

OwnLibrary::OwnLibrary(const std::filesystem::path& shared_object)
    : library_(::dlopen(shared_object.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ != nullptr) {
    rows_ = symbol<OwnMethodCode>(library_, kOwnRows);
    pixels_ = symbol<OwnMethodCode>(library_, kOwnPixels);
    if (rows_ != nullptr && pixels_ != nullptr) return;
    ::dlclose(library_);
  }
  const char* const error = ::dlerror();  // FILE: REASON
  const std::string why = error != nullptr ? error : "FILE: no method";
  throw Error("compiled code", why.substr(why.find(": ") + 2), "a file that defines the functions it calls");
}

void OwnLibrary::guard_thread() {
  guarded([] {});
}

OwnLibrary::~OwnLibrary() { ::dlclose(library_); }

std::string OwnLibrary::fault() const {
  const std::scoped_lock lock(mutex_);
  return fault_;
}

void OwnLibrary::set_fault(const std::string& why) const {
  const std::scoped_lock lock(mutex_);
  if (fault_.empty()) fault_ = why;
  faulted_ = true;
}

void OwnLibrary::require_numbers(const MethodRow& row, int first, int end) const {
  for (int i = first; i < end; ++i)
    if (!std::isfinite(row.pixels[i].re) || !std::isfinite(row.pixels[i].im) || !std::isfinite(row.weights[i]))
      return set_fault("pixel " + std::to_string(i + 1) + " of row " + std::to_string(row.iz + 1) + " is no number");
}

template <class Call>
bool OwnLibrary::returns(const Call& call) const {
  if (faulted_) return false;
  const int signal = guarded(call);
  if (signal != 0) set_fault(reason_of(signal));
  return signal == 0;
}

void OwnLibrary::run_kept(const OwnMethodCode& code, WorkerPool& pool, const MethodSettings& settings,
                          const DasInput& input, MethodScratch& scratch, Complex* pixels, float* weights) const {
  constexpr long long kMost = 1LL << 26;  // floats of a row
  KeptFloats floats{};
  if (!returns([&] {
        floats = {code.kept.row_floats(settings, input.geometry), code.kept.scratch_floats(settings, input.geometry)};
      }))
    return;
  if (std::min(floats.row, floats.scratch) < 0 || std::max(floats.row, floats.scratch) > kMost)
    return set_fault("n_terms() or n_scratch() is not in the range of 0 to 256 MiB a row");
  run_kept_rows(
      pool, floats, settings.rows, input, scratch, pixels, weights,
      [&](const MethodRow& row, float* kept) { returns([&] { code.kept.store(settings, row, kept); }); },
      [&](const KeptRows& rows, const MethodRow& row, int first) {
        if (returns([&] { code.kept.form(settings, rows, row, first); }))
          require_numbers(row, first, std::min(first + kMethodPixels, row.geometry.nx));
      });
}

bool OwnLibrary::run(WorkerPool& pool, const MethodSettings& settings, const DasInput& input, MethodScratch& scratch,
                     Complex* pixels, float* weights) const {
  if (faulted_) return false;
  const DasGeometry& g = input.geometry;
  const bool in_loops = rows_->set_floats >= 0 || rows_->rows == OwnRows::coherence;
  const OwnMethodCode& code = in_loops && g.columns == nullptr && !g.bent.any() ? *rows_ : *pixels_;
  const auto nx = static_cast<std::size_t>(g.nx);
  if (g.n_valid < 2) {  // no sample has a neighbour
    std::fill_n(pixels, nx * static_cast<std::size_t>(g.nz), Complex{0.0f, 0.0f});
    std::fill_n(weights, nx * static_cast<std::size_t>(g.nz), 0.0f);
    return true;
  }
  if (code.rows != OwnRows::none) {
    run_kept(code, pool, settings, input, scratch, pixels, weights);
    return !faulted_;
  }
  const auto floats =
      static_cast<std::size_t>(method_row_floats(std::max(0, static_cast<int>(rows_->set_floats)), g.n_tx));
  for (std::vector<Complex>& own : scratch.own) own.resize(std::max(own.size(), floats / 2));
  pool.run(g.nz, 1, [&](int begin, int end, int thread) {
    for (int iz = begin; iz < end; ++iz) {
      const std::size_t first = static_cast<std::size_t>(iz) * nx;
      const MethodRow row{g,
                          input.lines,
                          iz,
                          &scratch.own[static_cast<std::size_t>(thread)].front().re,
                          pixels + first,
                          weights + first};
      if (returns([&] { code.run(settings, row); })) require_numbers(row, 0, g.nx);
    }
  });
  return !faulted_;
}

}  // namespace echoloop
