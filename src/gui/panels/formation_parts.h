// Rows that the files of the image formation panel share. UI thread only.
#pragma once

#include <string_view>

#include "gui/panels/panels.h"

namespace echoloop {

std::string_view param_help(std::string_view key);

// `reason` while the course recipe is chosen, otherwise empty.
std::string_view course_reason(const ImagingParams& params, std::string_view reason);

// Two rows of the table as one slider with two thumbs.
bool interval_row(PanelContext& c, Column& column, SliderLook look, std::string_view low_key, std::string_view high_key,
                  double least_width);

// Which transmits make the picture, and their weights. True when something changed.
bool transmit_rows(PanelContext& c, Column& column);

// What is done to the formed picture: persistence, median, smoothing, speckle reduction. True when something changed.
bool refine_rows(PanelContext& c, Column& column);

// Kind of grid, lateral limits or the sector's, and how transmits are put together. True when something changed.
bool sector_rows(PanelContext& c, Column& column);

}  // namespace echoloop
