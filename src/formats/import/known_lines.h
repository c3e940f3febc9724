// Files of beamformed lines whose header says what they are: Ultrasonix .rf, MetaImage .mha, NRRD, Clarius .raw and
// .tar. Reader process. Internal to src/formats/import.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/import/array_tree.h"
#include "formats/import/guessed_description.h"
#include "formats/import/raw_bytes.h"
#include "formats/readers/description_json.h"

namespace echoloop {

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
