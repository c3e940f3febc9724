// Contents of a zea file besides the channel data of the recording: every dataset is a map, a signal, a text, used by
// the reader of zea, or listed with the reason why it is not. Reader process. Internal to src/formats.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/contents.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/containers/hdf5_file.h"

namespace echoloop {

struct ContentsPart {
  std::string path;                        // of the group with data and scan: "tracks/track_0", "" for the root
  double shift_x_m = 0.0;                  // added to positions, so that the array's centre is at x = 0
  std::vector<double> frame_times_s = {};  // of the recording; empty: unknown
};

// Returns the times of the frames, by the file or else by their rate; empty: both are unknown.
std::vector<double> frame_times_s(const LibraryRecording& recording);

// Never throws for a damaged part: it is listed as not used, with the message.
SourceContents zea_contents(const hdf5::Node& root, const ContentsPart& part);

// Returns the contents as words: "maps image (2 frames, 20 x 30), signals ecg"; for a file without channel data.
std::string contents_words(const SourceContents& contents);

// Returns the maps of a member of data: one, or one per channel. Throws Error if it is none.
std::vector<StoredMap> zea_maps(const hdf5::Node& member, const std::string& path, double shift_x_m);

// Returns the signals of a group with samples and their times, one per column. Throws Error if it is none.
std::vector<Signal> zea_signals(const hdf5::Node& group, const std::string& name);
// Returns position (mm) and rotation vector (degrees) of metadata/probe_pose as six signals. Throws Error.
std::vector<Signal> zea_pose(const hdf5::Node& group);

// Returns the images of a file without channel data in `part`: its first map of levels or gray values on an even
// Cartesian grid; nullopt: it has none. Throws Error.
std::optional<LibraryRecording> read_zea_picture(const OpenRequest& request, const hdf5::Node& root,
                                                 const std::string& part);

// Throw Error.
MapValues read_map_frames(const hdf5::Node& root, const MapRequest& wanted);
MapValues read_stored_map(const OpenRequest& request, const MapRequest& wanted);

}  // namespace echoloop
