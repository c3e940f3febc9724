// Adaptive methods (dsp/methods/) on the CPU: row by row (method_rows.h, slsc_rows.h); minimum variance, and line by
// line imaging, pixel by pixel.
#pragma once

#include <vector>

#include "backend/cpu/cpu_kernels.h"
#include "backend/cpu/worker_pool.h"
#include "dsp/das.h"
#include "dsp/methods/method.h"

namespace echoloop {

struct DasInput {
  const DasGeometry& geometry;
  const Complex* lines;  // [n_tx][n_el][n_line]
};

// Work space of the methods, which only grows.
struct MethodScratch {
  std::vector<std::vector<Complex>> own;  // one a thread
  std::vector<float> rows;                // slsc: sums of the rows that are kept
};

// pixels [nz][nx]: delay-and-sum, or the pixels of a method that replaces them; weights [nz][nx]: of their amplitudes.
// settings.method is not off; scratch.own has a place for each thread of the pool.
void method_das(WorkerPool& pool, const CpuKernels& kernels, const MethodSettings& settings, const DasInput& input,
                MethodScratch& scratch, Complex* pixels, float* weights);

}  // namespace echoloop
