// One column of an image on the device. Queues work on the stream and returns; a failed launch throws.
#pragma once

#include "backend/cuda/runtime/stream.h"

namespace echoloop::cuda {

struct ColumnShape {
  int nx = 0, nz = 0;
  int column = 0;
};

// image [nz][nx] -> column [nz], which may be host memory that the device can write to
void gather_column(const float* image, const ColumnShape& shape, float* column, StreamView stream);

}  // namespace echoloop::cuda
