#include "backend/cpu/method_das.h"

#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop {
namespace {

template <DasForm form, class Method>
void run_rows(WorkerPool& pool, const Method& method, const DasInput& input, Complex* pixels, float* weights) {
  const DasGeometry& g = input.geometry;
  pool.run(g.nz, 1, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      for (int ix = 0; ix < g.nx; ++ix) {
        const MethodPixel made = method(DasChannels<form>(g, input.lines, ix, iz));
        const std::size_t at =
            static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix);
        pixels[at] = made.sum;
        weights[at] = made.weight;
      }
    }
  });
}

}  // namespace

void method_das(WorkerPool& pool, const FormationParams& params, const DasInput& input, Complex* pixels,
                float* weights) {
  with_method(params, [&](const auto& method) {
    if (input.geometry.down_m == nullptr && input.geometry.columns == nullptr) {
      run_rows<DasForm::plain>(pool, method, input, pixels, weights);
    } else {
      run_rows<DasForm::general>(pool, method, input, pixels, weights);
    }
  });
}

}  // namespace echoloop
