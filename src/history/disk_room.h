// A new file that a library writes and that grows: room on the disk for it, taken before it is written, as a library
// that meets a full disk in the middle of its book-keeping leaves a file that cannot be closed; what was taken beyond
// the file's end is given back at last. One thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace echoloop {

class DiskRoom {
 public:
  // Creates the file; null: a file or a link of this name exists. Throws std::system_error.
  static std::unique_ptr<DiskRoom> create(const std::filesystem::path& file);
  ~DiskRoom();
  DiskRoom(const DiskRoom&) = delete;
  DiskRoom& operator=(const DiskRoom&) = delete;

  // Another name of the file for a library that opens it: this very file, whatever becomes of its name.
  [[nodiscard]] std::string alias() const { return "/proc/self/fd/" + std::to_string(file_); }
  [[nodiscard]] int descriptor() const { return file_; }
  // Makes sure that the file can become so much longer, and kMargin more than that for what ends it. Empty, or why not.
  [[nodiscard]] std::string take(std::size_t bytes);
  void give_back();
  [[nodiscard]] std::string sync() const;  // what was written is on the disk; empty, or why not

  // HDF5: index blocks of a million frames and the headers.
  static constexpr std::size_t kMargin = std::size_t{8} << 20;

 private:
  explicit DiskRoom(int file) : file_(file) {}
  [[nodiscard]] std::string reserve(std::uint64_t size, std::uint64_t end);

  int file_ = -1;
  std::uint64_t taken_ = 0;  // up to this byte of the file there is room
};

// Whether a DiskRoom of some program has it: each holds a lock that HDF5's own locks do not meet.
[[nodiscard]] bool is_growing(const std::filesystem::path& file);

class DiskSync {
 public:
  explicit DiskSync(int file);  // a descriptor that outlives this
  ~DiskSync();                  // waits for what is under way
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;

  void request();  // of what has been written until now; at most once in kEvery. Returns at once [writer's thread]
  [[nodiscard]] std::string problem() const;  // why it failed; empty: it did not [any thread]

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

// A file that grows as FILE.partial and gets its name when it is complete; no file is ever replaced. What killed
// programs have left is not written over, and another program's file has another name.
struct GrowingFile {
  std::filesystem::path partial;  // while it grows
  std::unique_ptr<DiskRoom> room;
};

// Creates the partial file. Throws Fault when it cannot be made, Error when `file` is a folder, a device or a pipe.
GrowingFile make_growing_file(const std::filesystem::path& file);

// The Fault of make_growing_file() for another reason.
[[noreturn]] void refuse_growing_file(const std::filesystem::path& file, const std::string& why);

// Gives back spare room and forces the file to the disk, then gives it the name `to`, or the next free one like it, and
// returns that. Without frames it is removed. Throws std::exception: the partial file stays.
std::filesystem::path end_growing_file(const GrowingFile& file, const std::filesystem::path& to, std::uint64_t frames);

// "the file could not be completed and remains as F.partial (why)"
std::string growing_file_remains(const std::filesystem::path& partial, const std::string& why);

}  // namespace echoloop
