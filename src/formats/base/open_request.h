// Request to open a file, as passed to every reader, with its progress callback. Internal to src/formats.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/contents.h"
#include "core/facts.h"
#include "formats/base/mapping.h"
#include "transport/file_descriptor.h"

namespace echoloop {

// Folder with one file per frame, transmit or line, in natural order (rf_2 before rf_10). The viewer lists and opens
// the files; the reader process receives them open, as it does a single recording. Internal to src/formats.

inline constexpr std::size_t kMostFolderFiles = 4096;

struct FolderFile {
  std::filesystem::path path;          // name chosen by the user, for messages
  FileDescriptor descriptor = {};      // opened by the viewer
  std::filesystem::path path_to_open;  // in the reader process
};

struct RecordedFolder {
  std::vector<FolderFile> files;  // at least one
};

// Opens the files with the folder's only extension of recordings; others (texts, JSON, hidden ones) are ignored. Throws
// Error if there are none, several extensions or too many files, or if one cannot be opened.
std::shared_ptr<const RecordedFolder> open_folder(const std::filesystem::path& folder);

// Compares runs of digits as numbers.
[[nodiscard]] bool in_natural_order(std::string_view first, std::string_view second);

// Called at intervals while a big file opens, with the fraction done, 0..1. [opening thread]
using OpenProgress = std::function<void(double fraction)>;

// Folder of a Verasonics dump: a list of its buffers, and RF_data_1.bin ... with the samples of each. Opened as its
// list, beside which the parts are passed as sidecars.
inline constexpr const char* kDumpList = "Parameters.mat";
inline constexpr std::size_t kMostDumpParts = 32;
std::string dump_part(std::size_t number);  // "RF_data_1.bin"
[[nodiscard]] bool is_dump_part(const std::filesystem::path& file);

// Possible description of an array: a file in the same folder, or the one opened by the user in its place.
struct SidecarFile {
  std::filesystem::path path;
  std::shared_ptr<const MappedFile> file;
};

// Frames first .. first + count - 1 of a map (count 0: all), of a volume in the plane y = y_m.
struct MapRequest {
  StoredMap map;
  std::uint64_t first = 0, count = 0;
  double y_m = 0.0;
};

struct OpenRequest {
  std::filesystem::path path;  // name chosen by the user, for messages
  std::shared_ptr<const MappedFile> file;
  std::filesystem::path path_to_open;      // for libraries: the same file, possibly with another name
  std::vector<SidecarFile> sidecars = {};  // the first one that describes the array is used; parts of a dump
  OpenProgress progress;
  std::stop_token stop;
  bool few_frames = false;                            // few frames are needed: read on demand, not all at once
  std::shared_ptr<const RecordedFolder> folder = {};  // set if `path` is a folder; `file` is its first file
  Facts properties = {};                              // of reading, those that the user set (core/source_properties.h)

  [[nodiscard]] std::string what() const { return path.string(); }
  // Return a property as set; nullopt: not set.
  [[nodiscard]] std::optional<std::string> word(const std::string& property) const;
  [[nodiscard]] std::optional<double> number(const std::string& property) const;
  [[nodiscard]] std::span<const std::byte> bytes() const { return file->bytes(); }
  // Reports `fraction` done; throws Error when a stop was requested.
  void advance(double fraction) const;
  void check_stop() const;
};

// Sidecar kinds: a params.json is shared by the files of its folder and describes those that it names.
enum class SidecarKind { own, shared };
inline SidecarKind sidecar_kind(const OpenRequest& request, const SidecarFile& beside) {
  return beside.path == request.path.parent_path() / "params.json" ? SidecarKind::shared : SidecarKind::own;
}

// Returns a request for a file or folder, without descriptions. Throws Error as MappedFile::open() and open_folder()
// do.
OpenRequest request_for(const std::filesystem::path& path, const OpenProgress& progress = {},
                        std::stop_token stop = {});

// Return the facts that are properties of reading, as lines KEY=VALUE; and such lines as facts. Throws Error for a
// value that is not accepted.
Facts reading_properties(const Facts& facts);
std::string property_lines(const Facts& properties);
Facts properties_of_lines(std::string_view lines);

}  // namespace echoloop
