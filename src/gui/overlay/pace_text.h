// What the bars say where a stream is slower than its source or than real time. Pure.
#pragma once

#include <string>

#include "core/stream_pace.h"

namespace echoloop {

std::string held_back_text(const StreamPace& pace);  // "source held back: 23 of 50 fps"; empty: it is not
std::string held_back_help(const StreamPace& pace);
std::string speed_text(const StreamPace& pace);  // "playing at 0.46×"; empty: in real time, or its rate is unknown

}  // namespace echoloop
