// A file that is written beside its final place and renamed when it is complete, so that nothing is ever half there.
// What is not committed is removed. Any thread, one at a time.
#pragma once

#include <filesystem>
#include <string>

namespace echoloop {

std::string disk_error_text(int system_error);  // of an errno; that of a full disk in everybody's words

class PartFile {
 public:
  // A link stays, the file that it leads to is replaced. Throws Error when that cannot be found out.
  explicit PartFile(const std::filesystem::path& path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] bool replaces() const { return replaces_; }                  // false: a device or a pipe
  [[nodiscard]] const std::filesystem::path& part() const { return part_; }  // write here
  void commit();                                                             // throws Error
  [[noreturn]] void fail(const std::string& why) const;                      // the one line that names the file
  [[noreturn]] void fail(int system_error) const;                            // likewise, for this errno

 private:
  std::filesystem::path path_, target_, part_;
  bool replaces_ = true;
  bool committed_ = false;
};

}  // namespace echoloop
