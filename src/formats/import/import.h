// Files of arrays without a layout that is known: by a description beside them, or by the names of their arrays. Reader
// process. Internal to src/formats.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/mat_file.h"
#include "formats/import/array_tree.h"
#include "formats/import/guess.h"
#include "formats/readers/description.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// The files of a folder as one tree: what each of them holds, with the files as the first axis of the samples. Reader
// process, one thread. Internal to src/formats/import.

struct OpenTree {
  std::unique_ptr<MatFile> mat;                 // that the tree stands on
  std::unique_ptr<ArrayTree> tree;              // null: a file of another kind
  std::shared_ptr<const MappedFile> file = {};  // where its arrays may lie; null: that of the request
};
using TreeOpener = std::function<OpenTree(const OpenRequest& request)>;  // null tree: no arrays

// One file of request.folder as a request of its own. Throws Error.
OpenRequest request_of_file(const OpenRequest& request, std::size_t index);

// Opens every file once. Samples have the shape (files, shape of one); numbers that differ from file to file have one
// value a file; everything else is as in the first file. Null when the first file has no arrays. Throws Error for files
// that do not hold the same arrays of the same type and shape.
std::unique_ptr<ArrayTree> folder_tree(const OpenRequest& request, TreeOpener open);

// Raw binary files by a description: type, byte order, header, shape. Reader process. Internal to src/formats/import.

struct RawLayout {
  NumberType type;
  std::size_t header_bytes = 0, frame_header_bytes = 0;
  std::vector<std::size_t> shape;  // slowest first
};

// A view of the file; with headers of frames, of the bytes behind the first one, with a stride of its own. Throws Error
// that counts the bytes.
ArrayView raw_view(const std::string& what, std::span<const std::byte> file, const RawLayout& raw);

// `meta` has "dtype". Throws Error that counts the bytes.
LibraryRecording read_raw_bytes(const OpenRequest& request, const std::string& what, const Json& meta);

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

// A JSON description of an array of any container, to a recording: names of variables become their numbers, axes are
// fitted to the array, lines that are beamformed already stay as they are. Reader process. Internal to src/formats.

// `meta` with the numbers of variables in place of their names: "acq.fs", "pitch * 1e-3", "1 / dt". Error naming the
// nearest variable for one that is not in the file.
Json with_numbers(const std::string& what, const Json& meta, const ArrayTree& tree);

// `what` names the description. `format`: "MATLAB v5 with JSON description". Throws Error naming key or variable.
LibraryRecording described_tree(const OpenRequest& request, const std::string& what, const Json& meta,
                                const ArrayTree& tree, const std::string& format);

// One of the axes is "trace": a list of pairs of elements. The elements that fire are then the transmits, in rising
// order. A pair that is not there is that of the opposite direction (reciprocity), else zeros.
bool describes_traces(const Json& meta);

// The array with the samples: "data", or the largest one of two axes and more. Nothing: there is none.
std::optional<std::size_t> samples_entry(const std::string& what, const Json& meta, const ArrayTree& tree);

// RF lines of an image as IQ at the centre frequency, which is what a beamformed recording holds. `lines`: made as
// channel data of one plane wave. `t0_s`: the times of the first sample of each line, where they differ; to the nearest
// sample.
LibraryRecording beamformed_lines(LibraryRecording lines, const std::vector<double>& t0_s = {});

// Whether all lines go straight down from depth 0. An "element" is the start of a line, its normal the direction.
bool are_parallel(const Probe& lines);
// IQ of lines from left to right that are not parallel, as columns: at most 512, over all of the sector, zeros outside.
// Throws Error naming lines that cross.
LibraryRecording sector_columns(const std::string& what, LibraryRecording lines);

// Files of beamformed lines whose header says what they are: Ultrasonix .rf, MetaImage .mha, NRRD, Clarius .raw and
// .tar. Reader process. Internal to src/formats/import.

struct KnownLines {
  std::string container;
  std::span<const std::byte> bytes;  // of the file, or of a member of it
  RawLayout raw;
  Json meta;  // keys of a description
  std::vector<std::string> assumptions;
  std::string assumed_pitch;  // why the places of the lines are assumed; empty: they are not
  std::string lacks = {};     // what the header has in place of a sampling frequency: "a spacing of 1 x 1, ..."
  double radius_m = 0.0;      // of a convex probe
};

// Null: none of that kind. Throws Error for one that holds no lines that can be read.
std::unique_ptr<KnownLines> clarius_lines(const OpenRequest& request);
std::unique_ptr<KnownLines> image_lines(const OpenRequest& request);  // MetaImage and NRRD

// The array that follows the header; null: none of these kinds.
std::unique_ptr<ArrayTree> known_lines_tree(const OpenRequest& request);
// What the header says, as a description that may be corrected; nothing: none of these kinds.
std::optional<GuessedDescription> guess_known_lines(const OpenRequest& request);
// The same files as recordings; nothing: none of these kinds. Keys of a JSON file of the same name replace those of
// the header.
std::optional<LibraryRecording> read_known_lines(const OpenRequest& request);

}  // namespace echoloop
