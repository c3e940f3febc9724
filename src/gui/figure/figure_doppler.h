// Spectral Doppler as a strip of a figure: levels, axes and curves as in the window. Pure; any thread. No ImGui.
#pragma once

#include "core/results/sonogram.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/sonogram_plot.h"

namespace echoloop {

inline constexpr double kDopplerSpan_s = 4.0;  // where nothing else is chosen

// The newest `span_s`. `params`: baseline, range, gain and the place of the sample volume.
FigureStrip figure_doppler(const Sonogram& s, const ImagingParams& params, double span_s, DopplerCurves curves);

}  // namespace echoloop
