// What all readers share: the file being opened, how to report progress, and the sentence of what is accepted.
// Internal to src/formats.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mapping.h"
#include "formats/recording.h"

namespace echoloop {

inline constexpr const char* kAcceptedFiles =
    "short-course pickle (.pkl) and Doppler data (.npz), .npy/.npz with a JSON sidecar, channel data in HDF5 (USTB "
    "UFF, PICMUS, zea, PyBF), MATLAB v5/v7.3 files (MUST, Verasonics)";

// Text from a file for use in a message: ASCII, other characters as '?', cut after `most`.
std::string printable(std::string_view text, std::size_t most = 60);

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

  [[nodiscard]] std::string what() const { return path.string(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return file->bytes(); }
  // Reports `fraction` done; throws Error when a stop was requested.
  void advance(double fraction) const;
  void check_stop() const;
};

}  // namespace echoloop
