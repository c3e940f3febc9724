// A bare .npy array and the JSON file that describes it: X.npy.json or X.json beside X.npy, or params.json beside it
// whose "file" names X.npy. Opening the JSON file itself opens the array that it names. Internal to src/formats.
#pragma once

#include <optional>

#include "formats/description.h"
#include "formats/library_recording.h"
#include "formats/reader.h"

namespace echoloop {

struct Sidecar {
  std::string what;  // its path, for messages
  Json meta;         // an object
};

// A JSON object. Throws Error on anything else, and on one nested so deep that nobody wrote it.
Json parse_description(const std::string& what, std::span<const std::byte> bytes);
std::optional<Sidecar> find_sidecar(const OpenRequest& request);
LibraryRecording read_described_npy(const OpenRequest& request);
LibraryRecording read_sidecar_target(const OpenRequest& request);  // names the array
// Of a file that a JSON file describes, and that is no array.
[[noreturn]] void refuse_described(const OpenRequest& request);

// The common end of .npy and .npz. `owner` keeps the bytes of `array` alive.
LibraryRecording described_recording(const OpenRequest& request, const ArrayView& array, const Sidecar& sidecar,
                                     std::shared_ptr<const void> owner);

}  // namespace echoloop
