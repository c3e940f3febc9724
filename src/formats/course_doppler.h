// The Doppler data of the GPU short course (example_doppler_data.npz): a picture that came beamformed, as IQ, frame
// after frame. Members iq (frame, column, sample), xgrid and zgrid (m), prf (Hz), c (m/s), tx_frequency (Hz), as the
// course's notebook on colour Doppler loads them. Internal to src/formats.
#pragma once

#include <map>
#include <string>

#include "formats/npz.h"

namespace echoloop {

bool looks_like_course_doppler(const std::map<std::string, NpzMember>& members);

// Throws Error of one line naming the member that is wrong.
LibraryRecording read_course_doppler(const OpenRequest& request, const std::map<std::string, NpzMember>& members);

}  // namespace echoloop
