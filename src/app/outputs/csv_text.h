// What was measured on the image, as text for a spreadsheet or a script. UI thread.
#pragma once

#include <string>

#include "gui/state/measured.h"

namespace echoloop {

// One long table after the comment lines, which begin with "# ": a row a number. Columns:
// table (now, A, B-A, trend, curve, scatter, histogram), object, quantity, unit, at, at_unit, value. `at` is empty for
// what is now, seconds before now for a trend, millimetres along a curve, the middle of a histogram's bin in dB, the
// level by delay-and-sum of a pixel of a scatter plot. `comments`: lines about the source and the parameters. Numbers
// that are not known are left out. `a`: side A of a comparison, whose B is `measured`.
std::string measurements_csv(const Measured& measured, const std::string& comments, const Measured& a = {});

}  // namespace echoloop
