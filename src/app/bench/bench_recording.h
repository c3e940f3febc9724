// Recording while the pipeline runs, compared with writing blocks of the same size to the same folder.
#pragma once

#include <optional>

#include "app/bench/bench_measure.h"

namespace echoloop {

struct RecordingFigures {
  double frames_per_second = 0.0;       // recorded, all of them processed as well; median of the turns
  double disk_frames_per_second = 0.0;  // write() alone, blocks of one frame; median of the turns
};

// By turns, in the folder for temporary files, where the files are removed again. Empty, after a message, where it has
// too little room.
std::optional<RecordingFigures> bench_recording(const BenchRun& run, int lanes);

}  // namespace echoloop
