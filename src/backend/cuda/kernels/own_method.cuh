// Kernels of a method that the user has written, compiled while the program runs (cuda_own_kernels.h) with
//   ECHO_OWN_SOURCE  its file
//   ECHO_OWN_AXIS, ECHO_OWN_ORDER  channels that it compares: other loops are left out
//   ECHO_OWN_FORM    of PixelForm
//   ECHO_OWN_ROWS    rows of pixels of a block, ECHO_OWN_BLOCKS blocks per SM: the compiler's limit of registers
#include "backend/cuda/kernels/method_parts.cuh"
#include "backend/cuda/runtime/own_declared.h"
#include "dsp/methods/own.h"
#include ECHO_OWN_SOURCE
#include "dsp/methods/own_run.h"

namespace echoloop::cuda {

// Makes a pixel that is no number 0 and sets *invalid.
__device__ __forceinline__ void store(const MethodPixel& made, long long at, const MethodImage& to, int* invalid) {
  const bool fits = isfinite(made.sum.re) && isfinite(made.sum.im) && isfinite(made.weight);
  if (!fits) *invalid = 1;
  to.pixels[at] = fits ? made.sum : Complex{0.0f, 0.0f};
  to.weights[at] = fits ? made.weight : 0.0f;
}

template <ChannelLoop loop, class Method>
__device__ __forceinline__ MethodPixel own_pixel(const Method& method, const DasGeometry& geometry,
                                                 const TileArgs& args, const Complex* __restrict__ lines) {
  return formed_at<loop, PixelForm::ECHO_OWN_FORM>(geometry, method, args, lines);
}

template <class Method>
__device__ __forceinline__ MethodPixel own_pixel(const Method& method, const DasGeometry& geometry,
                                                 const TileArgs& args, const Complex* __restrict__ lines) {
  if constexpr (rows_read_by<Method>() != OwnRows::none) {
    return {};
  } else if constexpr (!SumsChannels<Method>) {
    if (!is_in_image(geometry)) return {};
    return method(FastChannels(geometry, lines, thread_x(), thread_z()));
  } else {
    // Where the method takes axis and order from its settings, constants here, one loop is left.
    const ChannelLoop loop = loop_of(method);
    if constexpr (!Method::replaces) {
      if (loop == ChannelLoop::both) return own_pixel<ChannelLoop::both>(method, geometry, args, lines);
      if (loop == ChannelLoop::transmits) return own_pixel<ChannelLoop::transmits>(method, geometry, args, lines);
    }
    if (loop == ChannelLoop::compounded) return own_pixel<ChannelLoop::compounded>(method, geometry, args, lines);
    return own_pixel<ChannelLoop::each_transmit>(method, geometry, args, lines);
  }
}

inline __device__ void copy_text(const char* from, char* to, int size) {
  int i = 0;
  for (; i < size - 1 && from[i] != 0; ++i) to[i] = from[i];
  to[i] = 0;
}

template <int index>
__device__ void describe_parameter(OwnDeclared& to) {
  if constexpr (index < kMostOwnParameters) {
    constexpr OwnParameterText from = kOwnParameter<index>;
    if constexpr (from.name != nullptr) {
      OwnDeclared::Parameter& p = to.parameter[to.parameters++];
      copy_text(from.name, p.name, sizeof p.name);
      copy_text(from.unit, p.unit, sizeof p.unit);
      copy_text(from.help, p.help, sizeof p.help);
      p.min = from.min;
      p.max = from.max;
      p.value = from.value;
    }
    describe_parameter<index + 1>(to);
  }
}

}  // namespace echoloop::cuda

extern "C" __global__ void __launch_bounds__(echoloop::cuda::kTileX* ECHO_OWN_ROWS, ECHO_OWN_BLOCKS)
    own_pixels(const __grid_constant__ echoloop::DasGeometry geometry, echoloop::MethodSettings settings,
               const echoloop::cuda::TileArgs args, const echoloop::Complex* __restrict__ lines,
               const echoloop::cuda::MethodImage to, int* invalid) {
  using namespace echoloop;
  settings.axis = AdaptiveAxis::ECHO_OWN_AXIS;
  settings.order = AdaptiveOrder::ECHO_OWN_ORDER;
  with_own_method(settings, [&](const auto& method) {
    const MethodPixel made = cuda::own_pixel(method, geometry, args, lines);
    if (cuda::is_in_image(geometry)) {
      cuda::store(made, static_cast<long long>(cuda::thread_z()) * geometry.nx + cuda::thread_x(), to, invalid);
    }
  });
}

extern "C" __global__ void own_describe(echoloop::cuda::OwnDeclared* to) {
  using namespace echoloop;
  *to = {};
  cuda::describe_parameter<0>(*to);
  with_own_method(MethodSettings{.method = static_cast<Adaptive>(kOwnTag)},
                  [&]<class Method>(const Method& /*method*/) {
                    to->replaces = replaces_pixel<Method>() ? 1 : 0;
                    to->rows = rows_read_by<Method>();
                  });
}

extern "C" __global__ void own_sizes(const echoloop::MethodSettings settings, int n_el, echoloop::cuda::RowSizes* to) {
  using namespace echoloop;
  with_own_method(settings, [&]<class Method>(const Method& method) {
    if constexpr (rows_read_by<Method>() == OwnRows::coherence) {
      *to = {n_el + 1, method.n_terms(), 0};
    } else if constexpr (rows_read_by<Method>() == OwnRows::channels) {
      const int n = n_channels(n_el, settings.neighbours);
      *to = {n + 1, 0, method.n_scratch(n)};
    }
  });
}

extern "C" __global__ void __launch_bounds__(echoloop::cuda::kTileX* ECHO_OWN_ROWS, ECHO_OWN_BLOCKS)
    own_store(const __grid_constant__ echoloop::DasGeometry geometry, const echoloop::MethodSettings settings,
              const echoloop::Complex* __restrict__ lines, const echoloop::cuda::Slices channels,
              const echoloop::cuda::Slices terms) {
  using namespace echoloop;
  const int ix = cuda::thread_x(), row = cuda::thread_z();
  if (ix >= geometry.nx || row >= channels.count) return;
  with_own_method(settings, [&]<class Method>(const Method& method) {
    constexpr OwnRows kRead = rows_read_by<Method>();
    if constexpr (kRead != OwnRows::none) {
      const Strided slice = channels.of(row, ix, geometry.nx);
      store_channels(cuda::FastChannels(geometry, lines, ix, channels.first + row),
                     kRead == OwnRows::channels ? settings.neighbours : 1, slice);
      if constexpr (kRead == OwnRows::coherence)
        method.store_terms(ScaledElements(slice, geometry.n_el), geometry.n_el, terms.of(row, ix, geometry.nx));
    }
  });
}

// slices: terms or channels. scratch: [n_scratch()][pixels of the band]
extern "C" __global__ void __launch_bounds__(echoloop::cuda::kTileX* ECHO_OWN_ROWS, ECHO_OWN_BLOCKS)
    own_rows(const echoloop::MethodSettings settings, int n_el, const echoloop::cuda::Slices slices,
             const echoloop::cuda::RowBand band, echoloop::Complex* __restrict__ scratch,
             const echoloop::cuda::MethodImage to, int* invalid) {
  using namespace echoloop;
  const int ix = cuda::thread_x(), iz = band.begin + cuda::thread_z();
  if (ix >= band.nx || iz >= band.end) return;
  with_own_method(settings, [&]<class Method>(const Method& method) {
    const StridedRows rows = cuda::rows_around(slices, band, ix, iz);
    MethodPixel made{};
    if constexpr (rows_read_by<Method>() == OwnRows::coherence) {
      const float value = method.pixel(rows);
      made = {{value, 0.0f}, value};
    } else if constexpr (rows_read_by<Method>() == OwnRows::channels) {
      const long long threads = static_cast<long long>(band.end - band.begin) * band.nx;
      const long long own = static_cast<long long>(iz - band.begin) * band.nx + ix;
      made = {method.pixel(rows, n_channels(n_el, settings.neighbours), Strided{scratch + own, threads}), 1.0f};
    }
    cuda::store(made, static_cast<long long>(iz) * band.nx + ix, to, invalid);
  });
}
