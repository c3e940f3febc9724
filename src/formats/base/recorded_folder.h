// A folder of one file a frame, a transmit or a line, in natural order (rf_2 before rf_10). The viewer lists and opens
// the files; the reader process gets them open, as it gets a single recording. Internal to src/formats.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "transport/file_descriptor.h"

namespace echoloop {

inline constexpr std::size_t kMostFolderFiles = 4096;

struct FolderFile {
  std::filesystem::path path;          // the user's name for it, for messages
  FileDescriptor descriptor = {};      // of the viewer
  std::filesystem::path path_to_open;  // in the reader process
};

struct RecordedFolder {
  std::vector<FolderFile> files;  // one or more
};

// The files of the one ending that recordings have there; other files (texts, JSON, hidden ones) do not count. Throws
// Error: none, several endings, too many, a file that cannot be opened.
std::shared_ptr<const RecordedFolder> open_folder(const std::filesystem::path& folder);

// Digits count as numbers.
[[nodiscard]] bool in_natural_order(std::string_view first, std::string_view second);

}  // namespace echoloop
