// The acquisition time across the strips of M-mode and spectral Doppler.
#pragma once

#include <string>

#include "gui/panels/panels.h"

namespace echoloop {

// `span_s`, 2, 4 or 8 times a power of ten, moved to the power that suits the speed of playback: 1 s in real time, 10
// ms where a second of acquisition takes more than 10 s and up to 100 s. Unchanged while frozen.
double fitted_span_s(const UiState& state, double span_s);

std::string strip_span_text(double span_s);  // "4 s", "40 ms", "80 µs"

// The buttons of the three spans, at the right end of `head`, which ends before them afterwards.
void choose_span(PanelContext& c, const char* id, Rect& head, double& span_s);

}  // namespace echoloop
