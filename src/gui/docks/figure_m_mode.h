// The M-mode strip of the window as a strip of a figure: the same columns, axes and calipers. UI thread only.
#pragma once

#include "gui/figure/figure_strip.h"
#include "gui/view/m_mode.h"

namespace echoloop {

// `strip` is not empty. `image`: on screen.
FigureStrip figure_m_mode(const MModeStrip& strip, const UiState& state, const Image& image, double span_s);

}  // namespace echoloop
