// Several acquisitions in one file, of which the property `track` chooses one; times of its frames. Internal to
// formats/readers. Reader process.
#pragma once

#include <cstddef>
#include <vector>

#include "core/acquisition.h"
#include "core/source_properties.h"
#include "formats/base/open_request.h"

namespace echoloop {

inline constexpr std::size_t kMostTracks = 64;

// Returns the index of the track of the property `track`, a label or a number from 1; without it the first that can be
// chosen, otherwise 0. Marks it, and notes it in a.assumptions; a list of one track is emptied. Throws Error with the
// labels for another value, or with the reason for which that track cannot be chosen.
std::size_t choose_track(const OpenRequest& request, std::vector<RecordedTrack>& tracks, Acquisition& a);

// Sets the frame rate, the inverse of the median time between frames, and returns `times_s`, if this is one rising time
// for each of several frames; otherwise returns nothing, and notes that `holder` is missing.
std::vector<double> frame_clock(std::vector<double> times_s, std::size_t n_frames, const char* holder, Acquisition& a);

}  // namespace echoloop
