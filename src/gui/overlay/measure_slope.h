// The slope of the measured image against delay-and-sum, as values of its pairs and regions. Any thread.
#pragma once

#include "gui/overlay/measure_marks.h"

namespace echoloop {

inline constexpr const char* kSlope = "slope against delay-and-sum";
inline constexpr const char* kSlopeIntercept = "intercept of the slope";
inline constexpr const char* kSlopeFit = "r2 of the slope";

// Adds or replaces the slopes and scatter plots of the pairs (over both regions) and of the single regions; none where
// the grids differ.
void measure_slopes(Measured& measured, const Marks& marks, const LevelPicture& picture, const LevelPicture& das,
                    RegionPixelCache& pixels);
void clear_slopes(Measured& measured);

// Whether the image's levels are made by an adaptive method: contrasts are then not those of the tissue.
bool changed_by_method(const ImagingParams& params);

}  // namespace echoloop
