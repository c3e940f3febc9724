// What stands beside the image about flow: its colour bar, and words for caption and read-out. UI thread only.
#pragma once

#include <string>
#include <utility>

#include "gui/state/analysis_views.h"
#include "gui/toolkit/image_layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

// The bar of power (decibels from the threshold up) or velocity (up to the aliasing limit on both sides) of the flow
// image `flow`, shown with `params`. `labels`: large for the projector.
void draw_flow_bar(Ui& ui, const ImageLayout& layout, const FlowImage& flow, const ImagingParams& params,
                   Type labels = Type::small);

// "0.05" s, "3.2" s.
std::string flow_age_text(double age_s);
// For a caption: value and unit of a flow image's age, or, where it ends with the frame on screen, its length.
std::pair<std::string, std::string> flow_age(const FlowImage& flow, double age_s);
// What the overlay shows at a point where the picture has `picture_db`: velocity, or power. Empty: nothing.
std::string flow_at(const FlowImage& flow, const ImagingParams& params, PlanePoint point, double picture_db);

// The level of the low-rank image at a point; not a number outside.
double low_rank_at(const FlowImage& flow, PlanePoint point);

}  // namespace echoloop
