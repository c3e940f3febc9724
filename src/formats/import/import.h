// Files of arrays without a layout that is known: by a description beside them, or by the names of their arrays. Reader
// process. Internal to src/formats.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/error.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/import/folder_tree.h"
#include "formats/readers/sidecar.h"

namespace echoloop {

// The description beside the file, if one names it or has its name; other JSON files beside it are no business of ours.
// Error only for one that is meant and cannot be read.
std::optional<Sidecar> description_beside(const OpenRequest& request);

// HDF5 allows for other data before its own: 512, 1024, 2048, ... bytes.
bool looks_like_hdf5(std::span<const std::byte> bytes);

OpenTree open_tree(const OpenRequest& request);  // of a folder: its files as one

// By `sidecar`, if there is one, else by names. `unknown`: the refusal of the reader before, for a file without arrays.
LibraryRecording import_tree(const OpenRequest& request, const std::optional<Sidecar>& sidecar, const ArrayTree& tree,
                             const Error& unknown);
// A described file of any container, or raw bytes.
LibraryRecording read_described(const OpenRequest& request, const Sidecar& sidecar);

// A folder of one file a frame, a transmit or a line: as one recording.
LibraryRecording read_folder(const OpenRequest& request);

// What the file holds, what is guessed and what is missing, as JSON text for `echoloop describe` and the window.
std::string outline_of_file(const OpenRequest& request);

// A layout that is known by the names of a tree, in whatever container it comes: BRAIN's exp_data (full or half matrix
// capture). Nothing: none of them. Throws Error for one that is damaged.
std::optional<LibraryRecording> read_named_layout(const OpenRequest& request, const ArrayTree& tree);

struct OtherKind {
  std::string found;  // "a DICOM file"; empty: unknown content
  std::string hint;   // what to do
};
OtherKind identify_other_kind(std::span<const std::byte> bytes);  // files of other kinds

}  // namespace echoloop
