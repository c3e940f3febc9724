#include "history/growing_file.h"

#include <stdexcept>
#include <system_error>

#include "core/error.h"
#include "history/part_file.h"

namespace echoloop {

namespace fs = std::filesystem;

void refuse_growing_file(const fs::path& file, const std::string& why) {
  throw Fault(file.string(), "cannot be recorded: " + why, "a writable folder with enough free space");
}

GrowingFile make_growing_file(const fs::path& file) {
  std::error_code unreadable;
  const fs::file_status there = fs::status(file, unreadable);
  if (fs::is_directory(there)) throw Error(file.string(), "the target is a folder", "a file name");
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw Error(file.string(), "the target is a device or a pipe", "a file name");
  constexpr int kMostTries = 10'000;
  GrowingFile made;
  try {
    for (int n = 1; made.room == nullptr && n <= kMostTries; ++n) {
      made.partial = partial_name(file, n);
      made.room = DiskRoom::create(made.partial);
    }
  } catch (const std::system_error& error) {
    refuse_growing_file(file, disk_error_text(error.code().value()));
  }
  if (made.room == nullptr) refuse_growing_file(file, "no free name beside " + made.partial.string());
  return made;
}

fs::path end_growing_file(const GrowingFile& file, const fs::path& to, std::uint64_t frames) {
  file.room->give_back();
  if (frames == 0) {
    fs::remove(file.partial);
    return to;
  }
  if (const std::string why = file.room->sync(); !why.empty()) throw std::runtime_error(why);
  return rename_to_free_name(file.partial, to);
}

std::string growing_file_remains(const fs::path& partial, const std::string& why) {
  return "the file could not be completed and remains as " + partial.string() + " (" + why + ")";
}

}  // namespace echoloop
