// Raw binary files by a description: type, byte order, header, shape. Reader process. Internal to src/formats/import.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "formats/import/array_tree.h"
#include "formats/readers/description_json.h"

namespace echoloop {

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

}  // namespace echoloop
