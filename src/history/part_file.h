// A file that is written beside its final place and renamed when it is complete, so that nothing is ever half there.
// What is not committed is removed. The temporary name is new: no file and no link of that name is ever written to, so
// that two programs never share one, and one that a killed program has left stays as it is. Any thread, one at a time.
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

std::string disk_error_text(int system_error);  // of an errno; that of a full disk in everybody's words

// What is written where `file` is a link, or leads to nothing yet. Throws Error for links that lead in a circle.
std::filesystem::path link_target(std::filesystem::path file);

inline constexpr std::size_t kLongestFileName = 255 - sizeof ".part1234567_1000";  // the temporary one is longer

class PartFile {
 public:
  // Creates the temporary file. A link stays, the file that it leads to is replaced. Throws Fault when the folder
  // cannot be written.
  explicit PartFile(const std::filesystem::path& path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] const std::filesystem::path& part() const { return part_; }  // write here
  void write(std::span<const std::byte> bytes) const;                        // all of it; throws Fault
  void commit();                                                             // throws Fault
  [[noreturn]] void fail(const std::string& why) const;                      // the one line that names the file
  [[noreturn]] void fail(int system_error) const;                            // likewise, for this errno

 private:
  void create_part();
  [[nodiscard]] int open_in_place() const;
  void await_room(int file) const;

  std::filesystem::path path_, target_, part_;
  bool replaces_ = true;  // false: a device or a pipe
  bool created_ = false;  // and neither renamed nor removed
};

// Gives the file the name `to`, or the next free one like it (F_2.uff, F_3.uff ... beside F.uff), and returns that: no
// file is ever replaced, also not one that another program makes meanwhile. Throws std::exception.
std::filesystem::path rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

// The name of a recording while it grows: F.uff.partial, F.uff.partial2 ...; the first is n = 1.
std::filesystem::path partial_name(const std::filesystem::path& file, int n);
// F.uff of such a name; the name itself when it is none.
std::filesystem::path name_of_partial(const std::filesystem::path& partial);
[[nodiscard]] bool is_partial_name(const std::filesystem::path& file);

// A new file that a library writes and that grows: room on the disk for it, taken before it is written, as a library
// that meets a full disk in the middle of its book-keeping leaves a file that cannot be closed; what was taken beyond
// the file's end is given back at last. One thread.

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
