// What the kernels of an own method (kernels/own_method.cuh) and the program that launches them share: plain types
// only.
#pragma once

#include "dsp/methods/own.h"

namespace echoloop::cuda {

// Filled by the kernel own_describe; the texts end with 0.
struct OwnDeclared {
  struct Parameter {
    char name[64], unit[16], help[256];
    double min, max, value;
  };
  int parameters;  // number
  int replaces;    // 1: its pixels are no delay-and-sum
  OwnRows rows;    // above and below a pixel that it reads
  Parameter parameter[kMostOwnParameters];
};

// Filled by the kernel own_sizes, of a method that reads rows: complex values of a pixel.
struct RowSizes {
  int channels;  // of store_channels()
  int terms;     // of sums over the channels; 0: the channels are read
  int scratch;
};

}  // namespace echoloop::cuda
