// Arrays for a method in another process, and its answers.
#pragma once

#include <cstddef>

#include "backend/cuda/runtime/stream.h"
#include "dsp/das_geometry.h"

namespace echoloop::cuda {

// lines [n_tx][n_el][n_line] -> channels [rows][nx][n_el] of the image's rows from `first` on, as channel_of_pixel();
// pointers in the geometry are the device's
void delay_channels(const DasGeometry& geometry, const Complex* lines, int first, int rows, Complex* channels,
                    StreamView stream);

// Counts values of `from` that are no finite numbers in *wrong, which is 0, and, if there are none, writes them to
// `to`: n amplitudes as complex pixels, n complex pixels, or n levels. `seen`: the count for the host.
struct AnswerCheck {
  unsigned* wrong;  // on the device
  unsigned* seen;   // page-locked
};
void take_amplitudes(const float* from, std::size_t n, Complex* to, const AnswerCheck& check, StreamView stream);
void take_pixels(const Complex* from, std::size_t n, Complex* to, const AnswerCheck& check, StreamView stream);
void take_levels(const float* from, std::size_t n, float* to, const AnswerCheck& check, StreamView stream);

}  // namespace echoloop::cuda
