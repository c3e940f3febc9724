// A file that is written beside its final place and renamed when it is complete, so that nothing is ever half there.
// What is not committed is removed. The temporary name is new: no file and no link of that name is ever written to, so
// that two programs never share one, and one that a killed program has left stays as it is. Any thread, one at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

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

}  // namespace echoloop
