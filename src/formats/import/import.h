// Import of files of arrays without a known layout: by a description in the same folder, or by the names of their
// arrays. Reader process. Internal to src/formats.
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

// Tree of the files of a folder: their common contents, with the files as the first axis of the samples. Reader
// process, one thread. Internal to src/formats/import.
struct OpenTree {
  std::unique_ptr<MatFile> mat;                 // used by the tree
  std::unique_ptr<ArrayTree> tree;              // null: a file of another kind
  std::shared_ptr<const MappedFile> file = {};  // may hold its arrays; null: that of the request
};
using TreeOpener = std::function<OpenTree(const OpenRequest& request)>;  // null tree: no arrays

// Returns a request for one file of request.folder. Throws Error.
OpenRequest request_of_file(const OpenRequest& request, std::size_t index);

// Opens every file once. Samples have the shape (files, shape of one); numbers that differ between files have one value
// per file; other entries are those of the first file. Returns null if the first file has no arrays. Throws Error if
// the files do not have the same arrays of the same type and shape.
std::unique_ptr<ArrayTree> folder_tree(const OpenRequest& request, TreeOpener open);

// Raw binary files by a description: type, byte order, header, shape. Reader process. Internal to src/formats/import.
struct RawLayout {
  NumberType type;
  std::size_t header_bytes = 0, frame_header_bytes = 0;
  std::vector<std::size_t> shape;  // slowest first
};

// Returns a view of the file; with frame headers, of the bytes after the first one, with its own stride. Throws Error
// that states the bytes.
ArrayView raw_view(const std::string& what, std::span<const std::byte> file, const RawLayout& raw);

// `meta` must have "dtype". Throws Error that states the bytes.
LibraryRecording read_raw_bytes(const OpenRequest& request, const std::string& what, const Json& meta);

// Returns the description in the folder of the file that names it or has its name; other JSON files there are ignored.
// Throws Error only for an intended one that cannot be read.
std::optional<Sidecar> description_beside(const OpenRequest& request);

// Searches as HDF5 allows for preceding data: 512, 1024, 2048, ... bytes.
bool looks_like_hdf5(std::span<const std::byte> bytes);

OpenTree open_tree(const OpenRequest& request);  // of a folder: its files as one tree

// Reads by `sidecar`, if any, else by names. `unknown`: error of the previous reader, for a file without arrays.
LibraryRecording import_tree(const OpenRequest& request, const std::optional<Sidecar>& sidecar, const ArrayTree& tree,
                             const Error& unknown);
// Reads a described file of any container, or raw bytes.
LibraryRecording read_described(const OpenRequest& request, const Sidecar& sidecar);

// Reads a folder of one file per frame, transmit or line as one recording.
LibraryRecording read_folder(const OpenRequest& request);

// Returns contents, guesses and missing keys of the file, as JSON text for `echoloop describe` and the window.
std::string outline_of_file(const OpenRequest& request);

// Reads a layout known by the names of a tree, in any container: BRAIN's exp_data (full or half matrix capture).
// Returns nullopt for others. Throws Error if it is damaged.
std::optional<LibraryRecording> read_named_layout(const OpenRequest& request, const ArrayTree& tree);

struct OtherKind {
  std::string found;  // "a DICOM file"; empty: unknown content
  std::string hint;   // advice
};
OtherKind identify_other_kind(std::span<const std::byte> bytes);  // recognises files of other kinds

// Makes a recording from a JSON description and an array of any container: names of variables are replaced by their
// numbers, axes fitted to the array, lines already beamformed kept. Reader process. Internal to src/formats.

// Returns `meta` with numbers instead of the names of variables: "acq.fs", "pitch * 1e-3", "1 / dt". Throws Error
// listing variables for a name that is not in the file.
Json with_numbers(const std::string& what, const Json& meta, const ArrayTree& tree);

// `what` names the description. `format`: "MATLAB v5 with JSON description". Throws Error naming key or variable.
LibraryRecording described_tree(const OpenRequest& request, const std::string& what, const Json& meta,
                                const ArrayTree& tree, const std::string& format);

// Returns true if one of the axes is "trace": a list of pairs of elements. The firing elements are then the transmits,
// in ascending order. A missing pair is replaced by the opposite one (reciprocity), else by zeros.
bool describes_traces(const Json& meta);

// Returns the array with the samples: "data", or the largest one with two or more axes; nullopt: none.
std::optional<std::size_t> samples_entry(const std::string& what, const Json& meta, const ArrayTree& tree);

// Converts RF lines of an image to IQ at the centre frequency, as in beamformed recordings. `lines`: made as channel
// data of one plane wave. `t0_s`: times of the first sample of each line, if different; to the nearest sample.
LibraryRecording beamformed_lines(LibraryRecording lines, const std::vector<double>& t0_s = {});

// Returns true if all lines go straight down from depth 0. An "element" is a line's start, its normal the direction.
bool are_parallel(const Probe& lines);
// Converts IQ of lines from left to right that are not parallel to columns: at most 512, over the whole sector, zeros
// outside. Throws Error naming lines that cross.
LibraryRecording sector_columns(const std::string& what, LibraryRecording lines);

// Files of beamformed lines identified by their header: Ultrasonix .rf, MetaImage .mha, NRRD, Clarius .raw and .tar.
// Reader process. Internal to src/formats/import.
struct KnownLines {
  std::string container;
  std::span<const std::byte> bytes;  // of the file, or of one of its members
  RawLayout raw;
  Json meta;  // keys of a description
  std::vector<std::string> assumptions;
  std::string assumed_pitch;  // reason why line positions are assumed; empty: they are not
  std::string lacks = {};     // header value found instead of a sampling frequency: "a spacing of 1 x 1, ..."
  double radius_m = 0.0;      // of a convex probe
  std::size_t ensemble = 1;   // neighbours among the stored lines that are firings of one line
};

// Returns null for another kind. Throws Error if no readable lines exist.
std::unique_ptr<KnownLines> clarius_lines(const OpenRequest& request);
std::unique_ptr<KnownLines> image_lines(const OpenRequest& request);  // MetaImage and NRRD

// Returns the array after the header; null: none of these kinds.
std::unique_ptr<ArrayTree> known_lines_tree(const OpenRequest& request);
// Returns the header as a description that may be corrected; nullopt: none of these kinds.
std::optional<GuessedDescription> guess_known_lines(const OpenRequest& request);
// Reads the same files as recordings; nullopt: none of these kinds. Keys of a JSON file of the same name replace those
// of the header.
std::optional<LibraryRecording> read_known_lines(const OpenRequest& request);

}  // namespace echoloop
