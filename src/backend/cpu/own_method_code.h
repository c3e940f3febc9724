// What the compiled file of an own method exports, as the program reads it. Included by both: plain types only.
#pragma once

#include "backend/cpu/isa_loops.h"
#include "dsp/methods/own.h"

namespace echoloop {

// kOwnRows: rows of pixels in loops for the processor's instruction set; kOwnPixels: pixel by pixel, compiled as the
// program itself, for line-by-line imaging and bent paths, and for methods that are no sums over channels.
struct OwnMethodCode {
  int parameters;  // number
  OwnParameterText parameter[kMostOwnParameters];
  bool replaces;         // its pixels are no delay-and-sum
  OwnRows rows;          // above and below a pixel that it reads
  long long set_floats;  // of its sums; -1: it has none
  void (*run)(const MethodSettings& settings, const MethodRow& row);
  RowsKernel kept;  // in place of run(), if it reads rows
};
inline constexpr const char* kOwnRows = "echoloop_own_rows";
inline constexpr const char* kOwnPixels = "echoloop_own_pixels";

}  // namespace echoloop
