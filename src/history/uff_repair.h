// What a killed program leaves of a recording (F.uff.partial) made into a recording that any HDF5 reader opens: the
// writer's mark goes, lists of unequal length are cut to the frames that are whole, and the file gets its name. Nothing
// is copied: it takes no time and no room. Any thread; takes hdf5_lock().
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace echoloop {

struct RepairedRecording {
  std::filesystem::path path;  // the final name, or the next free one like it
  std::uint64_t frames = 0;
};

// A file that needs no repair only gets its name. Throws Error when the file is still being recorded, has no whole
// frame, or is not a recording of this program.
RepairedRecording repair_recording(const std::filesystem::path& file);

// Recordings in `folder` that a killed program has left, newest first.
[[nodiscard]] std::vector<std::filesystem::path> unfinished_recordings(const std::filesystem::path& folder);

}  // namespace echoloop
