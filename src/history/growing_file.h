// A new file that grows as FILE.partial and gets its name when it is complete; no file is ever replaced. What killed
// programs have left is not written over, and another program's file has another name. Any thread, one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "history/disk_room.h"

namespace echoloop {

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
