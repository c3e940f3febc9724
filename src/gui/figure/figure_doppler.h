// Spectral Doppler as a strip of a figure: levels, axes and curves as in the window. Pure; any thread. No ImGui.
#pragma once

#include "core/results/spectrogram.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/spectrogram_plot.h"

namespace echoloop {

inline constexpr double kDopplerSpan_s = 4.0;  // where nothing else is chosen

// The newest `span_s`. `params`: baseline, range, gain and the place of the sample volume.
FigureStrip figure_doppler(const Spectrogram& s, const ImagingParams& params, double span_s, DopplerCurves curves);

}  // namespace echoloop
