// A bare .npy array and the JSON file that describes it: X.npy.json or X.json beside X.npy, or params.json beside it
// whose "file" names X.npy. Opening the JSON file itself opens the array that it names. Internal to src/formats.
#pragma once

#include <optional>

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/readers/description.h"
#include "formats/readers/description_json.h"

namespace echoloop {

struct Sidecar {
  std::string what;  // its path, for messages
  Json meta;         // an object
};

std::optional<Sidecar> find_sidecar(const OpenRequest& request);
LibraryRecording read_sidecar_target(const OpenRequest& request);  // names the array

// The common end of .npy and .npz. `owner` keeps the bytes of `array` alive.
LibraryRecording described_recording(const OpenRequest& request, const ArrayView& array, const Sidecar& sidecar,
                                     std::shared_ptr<const void> owner);

}  // namespace echoloop
