// The description that a recording was opened with where it lies in no file beside the recording: answers of the import
// assistant that were not saved, a description in the user's own folder, one of --description or of a session. It stays
// with the acquisition, so that an image of the time before another opening keeps its own. Any thread.
#pragma once

#include <string>

#include "core/acquisition.h"

namespace echoloop {

// `json`: on one line; empty: none.
void remember_description(const AcquisitionPtr& acquisition, const std::string& json);
std::string opened_description(const AcquisitionPtr& acquisition);

}  // namespace echoloop
