// Raw binary files: by a description (type, byte order, header, shape), and kinds whose header says all of that:
// Ultrasonix .rf, Clarius .raw, MetaImage .mha. Reader process. Internal to src/formats/import.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/import/array_tree.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// `meta` has "dtype". Throws Error that counts the bytes.
LibraryRecording read_raw_bytes(const OpenRequest& request, const std::string& what, const Json& meta);

// Of files whose header is known: the array that follows it; null: none of them.
std::unique_ptr<ArrayTree> raw_tree(const OpenRequest& request);
// The same files as recordings of beamformed lines; nothing: none of them.
std::optional<LibraryRecording> read_known_lines(const OpenRequest& request);

}  // namespace echoloop
