// A JSON description of an array of any container, to a recording: names of variables become their numbers, axes are
// fitted to the array, lines that are beamformed already stay as they are. Reader process. Internal to src/formats.
#pragma once

#include <string>

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/import/array_tree.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// `meta` with the numbers of variables in place of their names: "acq.fs", "pitch * 1e-3", "1 / dt". Error naming the
// nearest variable for one that is not in the file.
Json with_numbers(const std::string& what, const Json& meta, const ArrayTree& tree);

// `what` names the description. `format`: "MATLAB v5 with JSON description". Throws Error naming key or variable.
LibraryRecording described_tree(const OpenRequest& request, const std::string& what, const Json& meta,
                                const ArrayTree& tree, const std::string& format);

// One of the axes is "trace": a list of pairs of elements. The elements that fire are then the transmits, in rising
// order. A pair that is not there is that of the opposite direction (reciprocity), else zeros.
bool describes_traces(const Json& meta);

// The array with the samples: "data", or the largest one of two axes and more. Nothing: there is none.
std::optional<std::size_t> samples_entry(const std::string& what, const Json& meta, const ArrayTree& tree);

// RF lines of an image as IQ at the centre frequency, which is what a beamformed recording holds. `lines`: made as
// channel data of one plane wave. `t0_s`: the times of the first sample of each line, where they differ; to the nearest
// sample.
LibraryRecording beamformed_lines(LibraryRecording lines, const std::vector<double>& t0_s = {});

// Whether all lines go straight down from depth 0. An "element" is the start of a line, its normal the direction.
bool are_parallel(const Probe& lines);
// IQ of lines from left to right that are not parallel, as columns: at most 512, over all of the sector, zeros outside.
// Throws Error naming lines that cross.
LibraryRecording sector_columns(const std::string& what, LibraryRecording lines);

}  // namespace echoloop
