// The sentences below a figure: source, frame, time, then what formed the image. Any thread. No ImGui.
#pragma once

#include <string>

#include "gui/figure/figure.h"

namespace echoloop {

// Of A and B: what they have in common once, then what each has of its own. `note`: a last sentence; may be empty.
std::string figure_caption(const std::vector<FigureImage>& images, const std::string& source, const std::string& note);

inline constexpr const char* kNoBreak = "\u00A0";  // between a value and its unit: no line of a figure ends there

// What A and B differ in, as titles beside their letters.
void title_images(std::vector<FigureImage>& images);

}  // namespace echoloop
