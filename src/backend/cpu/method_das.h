// Adaptive methods (dsp/methods/) on the CPU: one pixel after the other, by the plain functor.
#pragma once

#include "backend/cpu/worker_pool.h"
#include "dsp/das.h"

namespace echoloop {

struct DasInput {
  const DasGeometry& geometry;
  const Complex* lines;  // [n_tx][n_el][n_line]
};

// pixels [nz][nx]: delay-and-sum; weights [nz][nx]: of their amplitudes, by params.adaptive, which is not off.
void method_das(WorkerPool& pool, const FormationParams& params, const DasInput& input, Complex* pixels,
                float* weights);

}  // namespace echoloop
