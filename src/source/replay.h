// A recording as a source: its frames, one after another and then from the start again, lent where they lie.
// Why: a recording in memory is page-locked once and never copied on the host. Only a recording that cannot lend its
// frames (Recording::reader) has them put into the slots. [producer thread]
#pragma once

#include <memory>

#include "formats/base/recording.h"
#include "source/source.h"

namespace echoloop {

// Takes the recording over. Frame `index` of the source is frame index modulo frame_count of the recording. Throws
// Error when the recording holds no frame.
std::unique_ptr<SeekableSource> make_replay(Recording recording);

}  // namespace echoloop
