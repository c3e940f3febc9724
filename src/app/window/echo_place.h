// Which sample of a recording holds the echo of a place: for the pointer's read-out. Any thread.
#pragma once

#include <optional>

#include "core/acquisition.h"
#include "gui/state/ui_state.h"

namespace echoloop {

// Of the transmit nearest to broadside (of beams and waves from a point: the one whose axis passes nearest to the
// place), as recorded by the element nearest to the place: sample = (way there + way back / c - t0) fs, rounded.
// Nothing when the recording ends before, or begins after it.
std::optional<EchoPlace> nearest_echo(const Acquisition& acquisition, double c_m_s, PlanePoint at);

}  // namespace echoloop
