// Recording while the pipeline runs, compared with writing blocks of the same size to the same folder.
#pragma once

#include <optional>

#include "app/bench/bench_measure.h"

namespace echoloop {

struct RecordingFigures {
  double frames_per_second = 0.0;       // recorded, all of them processed as well; median of the turns
  double disk_frames_per_second = 0.0;  // write() alone, blocks of one frame; median of the turns
};

// Alternates between the two in the temporary folder and removes the files. Empty, with a line on stderr, where less
// than 16 GB are free.
std::optional<RecordingFigures> bench_recording(const BenchRun& run, int lanes);

}  // namespace echoloop
