// Colours of what is drawn into images without ImGui: those that the window has (theme.h).
#pragma once

#include "render/rgb.h"

namespace echoloop::ink {

inline constexpr Rgb kText = {232, 236, 239};
inline constexpr Rgb kText2 = {169, 178, 186};
inline constexpr Rgb kMuted = {139, 149, 158};
inline constexpr Rgb kTick = {95, 104, 112};
inline constexpr Rgb kEdge = {58, 66, 74};
inline constexpr Rgb kAccent = {76, 195, 224};

}  // namespace echoloop::ink
