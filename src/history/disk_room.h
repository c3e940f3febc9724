// Room on the disk for a file that grows, taken before it is written: a library that meets a full disk in the middle of
// its book-keeping leaves a file that cannot be closed. What was taken beyond the file's end is given back at last.
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace echoloop {

class DiskRoom {
 public:
  explicit DiskRoom(const std::filesystem::path& file);  // exists; opened a second time
  ~DiskRoom();
  DiskRoom(const DiskRoom&) = delete;
  DiskRoom& operator=(const DiskRoom&) = delete;

  // Makes sure that the file can become so much longer, and kMargin more than that for what ends it. Empty, or why not.
  [[nodiscard]] std::string take(std::size_t bytes);
  void give_back();
  [[nodiscard]] std::string sync() const;  // what was written is on the disk; empty, or why not

  // HDF5: index blocks of a million frames and the headers.
  static constexpr std::size_t kMargin = std::size_t{8} << 20;

 private:
  [[nodiscard]] std::string reserve(std::uint64_t size, std::uint64_t end);

  int file_ = -1;
  std::uint64_t taken_ = 0;  // up to this byte of the file there is room
};

}  // namespace echoloop
