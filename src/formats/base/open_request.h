// The file that is being opened, as every reader gets it, and how progress is reported. Internal to src/formats.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "formats/base/mapping.h"
#include "transport/file_descriptor.h"

namespace echoloop {

// A folder of one file a frame, a transmit or a line, in natural order (rf_2 before rf_10). The viewer lists and opens
// the files; the reader process gets them open, as it gets a single recording. Internal to src/formats.

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

// Called now and then while a big file opens: fraction done, 0..1. [opening thread]
using OpenProgress = std::function<void(double fraction)>;

// A file that may describe an array: what lies beside it, or the file that the user named in its place.
struct SidecarFile {
  std::filesystem::path path;
  std::shared_ptr<const MappedFile> file;
};

struct OpenRequest {
  std::filesystem::path path;  // the user's name for it, for messages
  std::shared_ptr<const MappedFile> file;
  std::filesystem::path path_to_open;      // what a library is to open: the same file, maybe by another name
  std::vector<SidecarFile> sidecars = {};  // the first that describes the array counts
  OpenProgress progress;
  std::stop_token stop;
  bool few_frames = false;                            // are wanted: they are read when they are, not all at once
  std::shared_ptr<const RecordedFolder> folder = {};  // `path` is one, and `file` its first file; null: a file

  [[nodiscard]] std::string what() const { return path.string(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return file->bytes(); }
  // Reports `fraction` done; throws Error when a stop was requested.
  void advance(double fraction) const;
  void check_stop() const;
};

// A params.json beside the file is shared by several: it describes those that it names.
enum class SidecarKind { own, shared };
inline SidecarKind sidecar_kind(const OpenRequest& request, const SidecarFile& beside) {
  return beside.path == request.path.parent_path() / "params.json" ? SidecarKind::shared : SidecarKind::own;
}

// Of a file or a folder, without sidecars. Throws Error as MappedFile::open() and open_folder().
OpenRequest request_for(const std::filesystem::path& path, const OpenProgress& progress = {},
                        std::stop_token stop = {});

}  // namespace echoloop
