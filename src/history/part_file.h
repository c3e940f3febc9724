// File written under a temporary name in the same folder and renamed when complete, so that no file is ever incomplete;
// removed if not committed. The temporary name is new: no existing file or link is written to, two programs never share
// one, and one left by a crash is kept. Any thread, one at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

namespace echoloop {

std::string disk_error_text(int system_error);  // of an errno; with a common wording for a full disk

// Returns the target if `file` is a link, existing or not. Throws Error for circular links.
std::filesystem::path link_target(std::filesystem::path file);

inline constexpr std::size_t kLongestFileName = 255 - sizeof ".part1234567_1000";  // the temporary name is longer

class PartFile {
 public:
  // Creates the temporary file. A link is kept, its target is replaced. Throws Fault if the folder is not writable.
  explicit PartFile(const std::filesystem::path& path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] const std::filesystem::path& part() const { return part_; }  // write here
  void write(std::span<const std::byte> bytes) const;                        // writes all; throws Fault
  void commit();                                                             // throws Fault
  [[noreturn]] void fail(const std::string& why) const;                      // the message with the file's name
  [[noreturn]] void fail(int system_error) const;                            // the same for an errno

 private:
  void create_part();
  [[nodiscard]] int open_in_place() const;
  void await_room(int file) const;

  std::filesystem::path path_, target_, part_;
  bool replaces_ = true;  // false: device or pipe
  bool created_ = false;  // neither renamed nor removed yet
};

// Renames the file to `to`, or the next free name (F_2.uff, F_3.uff ... for F.uff), and returns it: never replaces a
// file, even one created meanwhile by another program. Throws std::exception.
std::filesystem::path rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

// Returns the name of a growing recording: F.uff.partial, F.uff.partial2 ...; the first is n = 1.
std::filesystem::path partial_name(const std::filesystem::path& file, int n);
// Returns F.uff for such a name; other names unchanged.
std::filesystem::path name_of_partial(const std::filesystem::path& partial);
[[nodiscard]] bool is_partial_name(const std::filesystem::path& file);

// New file that grows, written by a library. Its disk space is reserved before it is written, as a library that meets a
// full disk amid its book-keeping leaves a file that cannot be closed; unused space is released at the end. One thread.
class DiskRoom {
 public:
  // Creates the file; null: a file or link of this name exists. Throws std::system_error.
  static std::unique_ptr<DiskRoom> create(const std::filesystem::path& file);
  ~DiskRoom();
  DiskRoom(const DiskRoom&) = delete;
  DiskRoom& operator=(const DiskRoom&) = delete;

  // Returns another name of this file for a library, valid even if the file is renamed.
  [[nodiscard]] std::string alias() const { return "/proc/self/fd/" + std::to_string(file_); }
  [[nodiscard]] int descriptor() const { return file_; }
  // Reserves `bytes` of growth, and kMargin for the end of the file. Returns an empty text or the reason of failure.
  [[nodiscard]] std::string take(std::size_t bytes);
  void give_back();
  [[nodiscard]] std::string sync() const;  // forces written data to the disk; empty, or the reason of failure

  // HDF5: index blocks of a million frames and the headers.
  static constexpr std::size_t kMargin = std::size_t{8} << 20;

 private:
  explicit DiskRoom(int file) : file_(file) {}
  [[nodiscard]] std::string reserve(std::uint64_t size, std::uint64_t end);

  int file_ = -1;
  std::uint64_t taken_ = 0;  // reserved up to this byte of the file
};

// Returns true if a DiskRoom of any program has the file open: it holds a lock independent of HDF5's own locks.
[[nodiscard]] bool is_growing(const std::filesystem::path& file);

class DiskSync {
 public:
  explicit DiskSync(int file);  // a descriptor that outlives the object
  ~DiskSync();                  // waits for the current sync
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;

  void request();  // syncs all data written so far, at most once in kEvery; returns at once [writer's thread]
  [[nodiscard]] std::string problem() const;  // reason of failure; empty: none [any thread]

  static constexpr std::chrono::seconds kEvery{1};

 private:
  void run(int file);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;  // under mutex_
  bool ended_ = false;   // under mutex_
  int error_ = 0;        // under mutex_
  std::thread thread_;
};

// File that grows as FILE.partial and is renamed when complete; never replaces a file. Files left by killed programs
// are not overwritten, and other programs' files have other names.
struct GrowingFile {
  std::filesystem::path partial;  // while it grows
  std::unique_ptr<DiskRoom> room;
};

// Creates the partial file. Throws Fault if that fails, Error if `file` is a folder, a device or a pipe.
GrowingFile make_growing_file(const std::filesystem::path& file);

// Throws the Fault of make_growing_file() for another reason.
[[noreturn]] void refuse_growing_file(const std::filesystem::path& file, const std::string& why);

// Releases spare space, forces the file to the disk, renames it to `to` or the next free name, and returns that.
// Removes a file without frames. Throws std::exception: the partial file remains.
std::filesystem::path end_growing_file(const GrowingFile& file, const std::filesystem::path& to, std::uint64_t frames);

// Returns "the file could not be completed and remains as F.partial (why)".
std::string growing_file_remains(const std::filesystem::path& partial, const std::string& why);

}  // namespace echoloop
