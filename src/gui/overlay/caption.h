// What an image is, in words: the same below the image in the window and burnt into films. Any thread. No ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/params.h"
#include "core/results/image.h"
#include "gui/overlay/sample_fault_text.h"
#include "gui/state/stream_text.h"

namespace echoloop {

struct CaptionItem {
  std::string key, value, unit;  // key and unit may be empty
};

// Of side B of a comparison that is drawn with the histogram of A: its levels are not those on screen.
inline constexpr const char* kLevelsMatched = "levels matched to A";

// Acquisition time; nothing where the frame rate is unknown.
std::optional<CaptionItem> time_item(const Image& image);

// Frame number and acquisition time first, then faults of the frame's samples, then what formed the image, the most
// important first.
std::vector<CaptionItem> caption_items(const Image& image, const FrameNumbers& numbers = {},
                                       const SampleFaults& faults = {}, ElementWords elements = ElementWords::count);

struct ParamDifference {
  std::string label, a, b, unit;
};

// Parameters of image formation that are not the same, as the panels write them, with as many decimals as it takes to
// see the difference; not those that differ by rounding alone, as of two files of one probe.
std::vector<ParamDifference> differing_params(const ImagingParams& a, const ImagingParams& b);

}  // namespace echoloop
