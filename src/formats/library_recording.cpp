#include "formats/library_recording.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"
#include "formats/mat.h"

namespace echoloop {

LibraryRecording open_library_recording(const OpenRequest& request) {
  if (!looks_like_mat(request.bytes())) {
    throw Error(request.what(), "an HDF5 file that MATLAB did not write", kAcceptedFiles);
  }
  const auto recording = std::make_shared<const Recording>(read_mat(request));
  return {.acquisition = recording->acquisition,
          .frame_count = recording->frame_count,
          .format = recording->format,
          .frame_offsets = {},
          .read_frame = [recording](std::uint64_t index, std::span<std::byte> out) {
            std::ranges::copy(recording->frame(index), out.begin());
          }};
}

}  // namespace echoloop
