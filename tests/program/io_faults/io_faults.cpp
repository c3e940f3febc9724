// Loaded before the program (LD_PRELOAD): the disk under one folder fails. Every call that changes a file there is
// counted, in each process; number ECHO_FAULT_AT fails with EIO, and with ECHO_FAULT_MODE=lasting all later ones as
// well.
//   ECHO_FAULT_IN     the folder
//   ECHO_FAULT_COUNT  a file elsewhere: number of calls, in the process with most
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::atomic<long> calls{0};

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_there(std::string_view path) {
  const std::string_view folder = variable("ECHO_FAULT_IN");
  return !folder.empty() && path.starts_with(folder);
}

bool is_there(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return length > 0 && is_there(std::string_view(path.data(), static_cast<std::size_t>(length)));
}

// Counts a call; returns true if it fails.
bool fails() {
  const long call = ++calls;
  static const long at = std::atol(std::string(variable("ECHO_FAULT_AT")).c_str());
  static const bool lasting = variable("ECHO_FAULT_MODE") == "lasting";
  if (at == 0 || (lasting ? call < at : call != at)) return false;
  errno = EIO;
  return true;
}

// Returns the count of another process: a child writes as well.
long reported(const std::string& file) {
  long count = 0;
  if (FILE* in = ::fopen(file.c_str(), "r")) {
    if (::fscanf(in, "%ld", &count) != 1) count = 0;
    ::fclose(in);
  }
  return count;
}

struct Reporter {
  ~Reporter() {
    const std::string file(variable("ECHO_FAULT_COUNT"));
    if (file.empty() || reported(file) >= calls.load()) return;
    if (FILE* out = ::fopen(file.c_str(), "w")) {
      ::fprintf(out, "%ld\n", calls.load());
      ::fclose(out);
    }
  }
} reporter;

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  if (is_there(file) && fails()) return -1;
  return next<ssize_t (*)(int, const void*, size_t)>("write")(file, bytes, size);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (is_there(file) && fails()) return -1;
  return next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(file, bytes, size, at);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  if (is_there(file) && fails()) return -1;
  return next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64")(file, bytes, size, at);
}

int fsync(int file) { return is_there(file) && fails() ? -1 : next<int (*)(int)>("fsync")(file); }
int fdatasync(int file) { return is_there(file) && fails() ? -1 : next<int (*)(int)>("fdatasync")(file); }

int ftruncate(int file, off_t size) noexcept {
  return is_there(file) && fails() ? -1 : next<int (*)(int, off_t)>("ftruncate")(file, size);
}

int ftruncate64(int file, off64_t size) noexcept {
  return is_there(file) && fails() ? -1 : next<int (*)(int, off64_t)>("ftruncate64")(file, size);
}

int fallocate(int file, int mode, off_t at, off_t size) {
  return is_there(file) && fails() ? -1 : next<int (*)(int, int, off_t, off_t)>("fallocate")(file, mode, at, size);
}

int fallocate64(int file, int mode, off64_t at, off64_t size) {
  return is_there(file) && fails() ? -1
                                   : next<int (*)(int, int, off64_t, off64_t)>("fallocate64")(file, mode, at, size);
}

int close(int file) {
  const bool failed = is_there(file) && (::fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY && fails();
  const int result = next<int (*)(int)>("close")(file);
  if (!failed) return result;
  errno = EIO;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  return is_there(from) && fails() ? -1 : next<int (*)(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (is_there(from) && fails()) return -1;
  return next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to,
                                                                                  flags);
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  if ((flags & O_ACCMODE) != O_RDONLY && is_there(path) && fails()) return -1;
  return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  if ((flags & O_ACCMODE) != O_RDONLY && is_there(path) && fails()) return -1;
  return next<int (*)(const char*, int, ...)>("open64")(path, flags, mode);
}

}  // extern "C"
