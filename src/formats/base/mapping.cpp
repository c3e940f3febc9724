#include "formats/base/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "core/error.h"
#include "formats/base/format_table.h"

namespace echoloop {
namespace {

struct sigaction before;
std::size_t page_bytes = 0;

// Replaces the page by an empty one, in the reading thread; uses only system calls and lock-free atomics. The note
// comes first, so that it exists when the empty page is read.
void on_bus_error(int /*number*/, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  auto* const page = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(info->si_addr) & ~(page_bytes - 1));
  const bool replaced =
      note_lost_page(page, page_bytes) &&
      ::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  if (!replaced) ::sigaction(SIGBUS, &before, nullptr);  // the access is repeated and ends the program
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

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: a named pipe without a writer is refused, without waiting.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int reason = errno;
    throw Error(path.string(), reason == ENOENT ? "no such file" : std::strerror(reason), accepted_files());
  }
  return adopt(fd, path.string());
}

std::shared_ptr<const MappedFile> MappedFile::adopt(int fd, const std::string& what) {
  auto file = std::shared_ptr<MappedFile>(new MappedFile);
  file->fd_ = fd;
  struct stat info {};
  if (::fstat(file->fd_, &info) != 0) throw Error(what, std::strerror(errno), accepted_files());
  if (S_ISDIR(info.st_mode)) throw Error(what, "a folder", accepted_files());
  if (!S_ISREG(info.st_mode)) throw Error(what, "not a regular file", accepted_files());
  if (info.st_size <= 0) throw Error(what, "an empty file", accepted_files());
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->fd_, 0);
  if (data == MAP_FAILED) throw Error(what, std::string("cannot be mapped: ") + std::strerror(errno), accepted_files());
  file->data_ = static_cast<const std::byte*>(data);
  file->size_ = size;
  survive_lost_pages();
  file->entry_.emplace(what, file->bytes());
  return file;
}

std::shared_ptr<const MappedFile> MappedFile::borrow(std::span<const std::byte> bytes) {
  auto file = std::shared_ptr<MappedFile>(new MappedFile);
  file->data_ = bytes.data();
  file->size_ = bytes.size();
  return file;
}

MappedFile::~MappedFile() {
  if (fd_ < 0) return;  // borrowed, or never opened
  entry_.reset();
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  ::close(fd_);
}

bool MappedFile::intact() const {
  struct stat info {};
  return fd_ < 0 || (::fstat(fd_, &info) == 0 && info.st_size >= 0 && static_cast<std::size_t>(info.st_size) >= size_);
}

std::span<const std::byte> MappedFile::lend(const std::string& what, std::size_t offset, std::size_t size) const {
  constexpr std::size_t kMostMapped = std::size_t{256} << 20;
  if (offset > size_ || size > size_ - offset) throw std::out_of_range("bytes outside the file");
  if (!intact()) {
    note_shorter_file();
    throw Error(what, "the file became shorter after opening", "a file that does not change while open");
  }
  if (size_ > kMostMapped && lent_.fetch_add(size) + size > kMostMapped) {
    lent_ = size;
    ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);  // further reads fault the pages in again
  }
  return bytes().subspan(offset, size);
}

std::shared_ptr<MemoryBlock> MemoryBlock::allocate(const std::string& what, std::size_t size) {
  const auto installed =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::string needed = "needs " + std::to_string(size >> 20) + " MiB of memory";
  if (size == 0 || size > installed)
    throw Error(what, needed, "up to this machine's " + std::to_string(installed >> 20) + " MiB");
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw Error(what, needed, "the free memory of this machine");
  auto block = std::shared_ptr<MemoryBlock>(new MemoryBlock);
  block->data_ = static_cast<std::byte*>(data);
  block->size_ = size;
  return block;
}

MemoryBlock::~MemoryBlock() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

std::string printable(std::string_view text, std::size_t most) {
  std::string result(text.substr(0, most));
  for (char& c : result)
    if (c < 0x20 || c > 0x7e) c = '?';
  return result + (text.size() > most ? "..." : "");
}

}  // namespace echoloop
