#include "app/render_claims.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/options/folders.h"
#include "core/error.h"
#include "history/part_file.h"
#include "transport/file_descriptor.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

// Returns the name of this process's set of process numbers: containers of one host have different ones.
std::string process_space() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/ns/pid", unknown).string();
}

// Returns the text of a new claim, different from all others.
std::string claim_text() {
  static std::atomic<int> count{0};
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const nlohmann::json text = {{"host", host_name()},
                               {"process_space", process_space()},
                               {"pid", ::getpid()},
                               {"time_s", static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)},
                               {"number", ++count}};
  return text.dump() + "\n";
}

// Returns true if the process that wrote a claim belonged to this host and has ended.
bool has_ended_here(const std::string& text) {
  const nlohmann::json claim = nlohmann::json::parse(text, nullptr, false);
  if (!claim.is_object() || !claim.contains("pid") || !claim["pid"].is_number_integer()) return false;
  if (claim.value("host", "") != host_name() || claim.value("process_space", "") != process_space()) return false;
  const auto pid = claim["pid"].get<pid_t>();
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

// File of a claim, locked against other programs: a program holds the lock while it reads the file and then changes or
// removes it. File systems without locks leave the instant between the two unguarded.
class LockedClaim {
 public:
  explicit LockedClaim(const fs::path& file) : path_(file), file_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {
    if (file_.get() < 0) {
      error_ = errno == ENOENT ? 0 : errno;
      return;
    }
    while (::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    struct stat named {};
    there_ = ::fstat(file_.get(), &stat_) == 0 && ::stat(file.c_str(), &named) == 0 && named.st_ino == stat_.st_ino &&
             named.st_dev == stat_.st_dev;
  }

  // Returns false if the file has been removed, or cannot be opened: error().
  [[nodiscard]] bool there() const { return there_; }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::string text() const {
    std::array<char, 1024> text{};
    const ssize_t bytes = there_ ? ::pread(file_.get(), text.data(), text.size(), 0) : 0;
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
  }
  // Compares times of the folder's file system alone: hosts of a network have different clocks.
  [[nodiscard]] bool is_old() const {
    std::string probe = (path_.parent_path() / ".claimXXXXXX").string();
    const FileDescriptor made(::mkstemp(probe.data()));
    struct stat now {};
    if (made.get() < 0 || ::unlink(probe.c_str()) != 0 || ::fstat(made.get(), &now) != 0) return false;
    return now.st_mtim.tv_sec - stat_.st_mtim.tv_sec > RenderClaims::kLongest.count();
  }
  [[nodiscard]] bool replace(const std::string& text) const {
    return ::ftruncate(file_.get(), 0) == 0 &&
           ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  }
  void renew() const { static_cast<void>(::futimens(file_.get(), nullptr)); }
  void remove() const { ::unlink(path_.c_str()); }

 private:
  fs::path path_;
  FileDescriptor file_;
  struct stat stat_ {};
  int error_ = 0;
  bool there_ = false;
};

}  // namespace

RenderClaims::RenderClaims()
    : thread_([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!ended_.wait_for(lock, stop, kRenewal, [&] { return stop.stop_requested(); })) renew_all();
      }) {}

RenderClaims::~RenderClaims() {
  thread_ = {};
  while (!held_.empty()) release(fs::path(held_.begin()->first));
}

void RenderClaims::renew_all() {
  for (const auto& [file, text] : held_)
    if (const LockedClaim claim(file); claim.text() == text) claim.renew();
}

bool RenderClaims::take(const fs::path& file) {
  const auto fail = [&](int why) { throw Fault(file.string(), disk_error_text(why), "a folder that can be written"); };
  for (;;) {
    const FileDescriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (made.get() < 0 && errno != EEXIST) fail(errno);
    const LockedClaim claim(file);
    if (claim.error() != 0) fail(claim.error());
    if (!claim.there()) continue;  // its program ended meanwhile
    const std::string before = claim.text();
    // A file that was made here is empty, unless this program was stopped for long between the two calls.
    if (made.get() >= 0 ? !before.empty() : !has_ended_here(before) && !claim.is_old()) return false;
    const std::string text = claim_text();
    if (!claim.replace(text)) {
      const int why = errno;
      claim.remove();
      fail(why);
    }
    const std::scoped_lock lock(mutex_);
    held_[file] = text;
    return true;
  }
}

bool RenderClaims::holds(const fs::path& file) const {
  const std::scoped_lock lock(mutex_);
  const auto held = held_.find(file);
  return held != held_.end() && LockedClaim(file).text() == held->second;
}

void RenderClaims::release(const fs::path& file) {
  const std::scoped_lock lock(mutex_);
  const auto held = held_.find(file);
  if (held == held_.end()) return;
  if (const LockedClaim claim(file); claim.text() == held->second) claim.remove();
  held_.erase(held);
}

}  // namespace echoloop
