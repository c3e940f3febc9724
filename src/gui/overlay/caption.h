// Text description of an image: the same below the image in the window and in videos. Any thread. No ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/params.h"
#include "core/results/image.h"
#include "core/sample_log.h"
#include "gui/state/stream_text.h"

namespace echoloop {

// Text for faults of samples (core/sample_log.h): for the status bar, captions, warnings. Pure.

enum class ElementWords { count, listed };

std::string fault_title(SampleFault fault);                                   // "Clipped"
std::string fault_share_text(const SampleFaults& faults, SampleFault fault);  // "0.42 %", or "3 samples" if few
// Returns "element 7", "elements 12–15, 40", or "elements 1–3, 7, 9, 11 and 14 more"; counted: "4 elements". From 1.
std::string elements_text(const std::vector<bool>& elements, ElementWords words);
// Returns "invalid 3 samples, clipped 0.42 %"; empty: none.
std::string faults_text(const SampleFaults& faults);
// Returns a sentence for each kind: "Clipped: 0.42 % of samples, elements 12–15."; empty: none.
std::string faults_sentence(const SampleFaults& faults);

// Returns the faults of a frame of a source; none if `log` is null.
SampleFaults faults_of(const SampleLogPtr& log, std::uint64_t frame);

struct CaptionItem {
  std::string key, value, unit;  // key and unit may be empty
};

// Note for side B of a comparison drawn with the histogram of A: its levels are not the displayed ones.
inline constexpr const char* kLevelsMatched = "levels matched to A";

inline constexpr const char* kMirrored = "mirrored";

// Returns the acquisition time; nullopt if the frame rate is unknown.
std::optional<CaptionItem> time_item(const Image& image);

// Returns frame number and acquisition time first, then faults of the frame's samples, then the parameters of the
// image, the most important first.
std::vector<CaptionItem> caption_items(const Image& image, const FrameNumbers& numbers = {},
                                       const SampleFaults& faults = {}, ElementWords elements = ElementWords::count);

struct ParamDifference {
  std::string label, a, b, unit;
};

// Returns the differing parameters of image formation, as the panels write them, with as many decimals as needed to
// show the difference; without those that differ only by rounding, as of two files of one probe.
std::vector<ParamDifference> differing_params(const ImagingParams& a, const ImagingParams& b);

}  // namespace echoloop
