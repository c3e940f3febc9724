// The formats that are HDF5 files, one reader a file; open_library_recording() chooses by looks_like_*.
// Each reads geometry and timing, moves time zero to the project's (core/acquisition.h), and leaves the samples in the
// file (hdf5_samples.h). Reader process. All throw Error of one line naming file and object.
#pragma once

#include "formats/hdf5_file.h"
#include "formats/library_recording.h"

namespace echoloop {

bool looks_like_uff(const hdf5::Node& root);     // USTB: an object of class uff.channel_data, or another uff.*
bool looks_like_picmus(const hdf5::Node& root);  // a group US
bool looks_like_zea(const hdf5::Node& root);     // groups data and scan, or event_0
bool looks_like_pybf(const hdf5::Node& root);    // data/rf_data and trans_params

LibraryRecording read_uff(const OpenRequest& request, const hdf5::Node& root);
LibraryRecording read_picmus(const OpenRequest& request, const hdf5::Node& root);
LibraryRecording read_zea(const OpenRequest& request, const hdf5::Node& root);
LibraryRecording read_pybf(const OpenRequest& request, const hdf5::Node& root);

}  // namespace echoloop
