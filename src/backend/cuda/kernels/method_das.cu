// Adaptive methods (dsp/methods/): one thread a pixel, with the pixel's channels as das_pixel() reads them. In blocks
// as those of das.cu. Methods that read rows store slices of a band of rows first, then make its pixels.
#include <algorithm>

#include "backend/cuda/kernels/kernels.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop::cuda {
namespace {

constexpr int kTileX = 32;
constexpr int kTileZ = 4;

struct MethodImage {
  Complex* pixels;
  float* weights;
};

dim3 tiles(int nx, int rows) {
  return {static_cast<unsigned>((nx + kTileX - 1) / kTileX), static_cast<unsigned>((rows + kTileZ - 1) / kTileZ)};
}

__device__ int thread_x() { return static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.x); }
__device__ int thread_z() { return static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.y); }

template <DasForm form, class Method>
__global__ void __launch_bounds__(kTileX* kTileZ)
    method_kernel(const __grid_constant__ DasGeometry geometry, const Method method, const Complex* __restrict__ lines,
                  const MethodImage to) {
  const int ix = thread_x();
  const int iz = thread_z();
  if (ix >= geometry.nx || iz >= geometry.nz) return;
  const MethodPixel made = method(DasChannels<form>(geometry, lines, ix, iz));
  const long long at = static_cast<long long>(iz) * geometry.nx + ix;
  to.pixels[at] = made.sum;
  to.weights[at] = made.weight;
}

// Rows first .. first + count - 1, [count][n_slice][nx].
struct Slices {
  Complex* values;
  int n_slice;
  int first;
  int count;

  // Of row first + row.
  [[nodiscard]] __device__ Strided of(int row, int ix, int nx) const {
    return {values + static_cast<long long>(row) * n_slice * nx + ix, nx};
  }
};

template <DasForm form>
__global__ void __launch_bounds__(kTileX* kTileZ)
    store_kernel(const __grid_constant__ DasGeometry geometry, int neighbours, const Complex* __restrict__ lines,
                 const Slices to) {
  const int ix = thread_x();
  const int row = thread_z();
  if (ix >= geometry.nx || row >= to.count) return;
  store_channels(DasChannels<form>(geometry, lines, ix, to.first + row), neighbours, to.of(row, ix, geometry.nx));
}

__global__ void __launch_bounds__(kTileX* kTileZ) slsc_terms_kernel(const ShortLagCoherence method, int n_elements,
                                                                    int nx, const Slices elements, const Slices terms) {
  const int ix = thread_x();
  const int row = thread_z();
  if (ix >= nx || row >= terms.count) return;
  const Strided element = elements.of(row, ix, nx);
  method.store_terms([&](int e) { return element[e]; }, n_elements, terms.of(row, ix, nx));
}

struct RowBand {
  int begin, end;   // rows of the image that are made
  int kernel_rows;  // K
  int nx, nz;
};

__device__ StridedRows rows_around(const Slices& slices, const RowBand& band, int ix, int iz) {
  const int first = iz > band.kernel_rows ? iz - band.kernel_rows : 0;
  const int last = iz + band.kernel_rows < band.nz ? iz + band.kernel_rows : band.nz - 1;
  return {.first = slices.of(first - slices.first, ix, band.nx).at,
          .row_step = static_cast<long long>(slices.n_slice) * band.nx,
          .step = band.nx,
          .count = last - first + 1,
          .centre = iz - first};
}

__global__ void __launch_bounds__(kTileX* kTileZ)
    slsc_kernel(const ShortLagCoherence method, const Slices terms, const RowBand band, const MethodImage to) {
  const int ix = thread_x();
  const int iz = band.begin + thread_z();
  if (ix >= band.nx || iz >= band.end) return;
  const float value = method.pixel(rows_around(terms, band, ix, iz));
  const long long at = static_cast<long long>(iz) * band.nx + ix;
  to.pixels[at] = {value, 0.0f};
  to.weights[at] = value;
}

// scratch: [n_scratch][threads of the launch]
__global__ void __launch_bounds__(kTileX* kTileZ)
    minimum_variance_kernel(const MinimumVariance method, int n, const Slices channels, const RowBand band,
                            Complex* __restrict__ scratch, const MethodImage to) {
  const int ix = thread_x();
  const int iz = band.begin + thread_z();
  if (ix >= band.nx || iz >= band.end) return;
  const long long threads = static_cast<long long>(band.end - band.begin) * band.nx;
  const long long own = static_cast<long long>(iz - band.begin) * band.nx + ix;
  const long long at = static_cast<long long>(iz) * band.nx + ix;
  to.pixels[at] = method.pixel(rows_around(channels, band, ix, iz), n, {scratch + own, threads});
  to.weights[at] = 1.0f;
}

// How rows are divided, so that scratch stays within kMostScratch where one row does.
struct RowPlan {
  std::size_t per_row;     // complex values of a row of slices
  std::size_t per_pixels;  // and of a row of pixels
  int band;                // rows of pixels in a band
};

constexpr std::size_t kMostScratch = std::size_t{128} << 20;  // bytes

RowPlan plan_rows(const MethodSettings& s, const DasGeometry& g) {
  const auto nx = static_cast<std::size_t>(g.nx);
  RowPlan plan{};
  if (s.method == Adaptive::slsc) {
    plan.per_row = nx * static_cast<std::size_t>(g.n_el + 1 + ShortLagCoherence{s.lags}.n_terms());
  } else {
    const int n = n_channels(g.n_el, s.neighbours);
    plan.per_row = nx * static_cast<std::size_t>(n + 1);
    plan.per_pixels = nx * static_cast<std::size_t>(MinimumVariance{s.subarray, s.loading}.n_scratch(n));
  }
  const std::size_t rows = kMostScratch / sizeof(Complex);
  const std::size_t halo = plan.per_row * 2 * static_cast<std::size_t>(s.rows);
  const std::size_t fit = rows > halo ? (rows - halo) / (plan.per_row + plan.per_pixels) : 0;
  plan.band = static_cast<int>(std::clamp<std::size_t>(fit, std::min(8, g.nz), static_cast<std::size_t>(g.nz)));
  return plan;
}

int slice_rows(const MethodSettings& s, const DasGeometry& g, int band) { return std::min(g.nz, band + 2 * s.rows); }

template <DasForm form>
void sum_by_rows(const MethodSettings& s, const DasGeometry& g, const Complex* lines, MethodImage to, Complex* scratch,
                 StreamView stream) {
  const dim3 threads(kTileX, kTileZ);
  const RowPlan plan = plan_rows(s, g);
  for (int begin = 0; begin < g.nz; begin += plan.band) {
    const int end = std::min(begin + plan.band, g.nz);
    const RowBand band{begin, end, s.rows, g.nx, g.nz};
    const int first = std::max(begin - s.rows, 0);
    const int count = std::min(end + s.rows, g.nz) - first;
    const bool slsc = s.method == Adaptive::slsc;
    const int neighbours = slsc ? 1 : s.neighbours;
    const int n = n_channels(g.n_el, neighbours);
    const Slices channels{scratch, n + 1, first, count};
    Complex* const behind =
        scratch + static_cast<std::size_t>(count) * static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(g.nx);
    store_kernel<form><<<tiles(g.nx, count), threads, 0, stream.get()>>>(g, neighbours, lines, channels);
    if (slsc) {
      const ShortLagCoherence method{s.lags};
      const Slices terms{behind, method.n_terms(), first, count};
      slsc_terms_kernel<<<tiles(g.nx, count), threads, 0, stream.get()>>>(method, n, g.nx, channels, terms);
      slsc_kernel<<<tiles(g.nx, end - begin), threads, 0, stream.get()>>>(method, terms, band, to);
    } else {
      const MinimumVariance method{s.subarray, s.loading};
      minimum_variance_kernel<<<tiles(g.nx, end - begin), threads, 0, stream.get()>>>(method, n, channels, band, behind,
                                                                                      to);
    }
  }
}

}  // namespace

std::size_t method_scratch(const MethodSettings& s, const DasGeometry& g) {
  if (!reads_rows(s.method)) return 0;
  const RowPlan plan = plan_rows(s, g);
  return plan.per_row * static_cast<std::size_t>(slice_rows(s, g, plan.band)) +
         plan.per_pixels * static_cast<std::size_t>(plan.band);
}

void sum_by_method(const MethodSettings& s, const DasGeometry& g, const Complex* lines, const MethodBuffers& buffers,
                   StreamView stream) {
  const bool plain = g.down_m == nullptr && g.columns == nullptr;
  const MethodImage to{buffers.pixels, buffers.weights};
  if (reads_rows(s.method)) {
    if (plain) {
      sum_by_rows<DasForm::plain>(s, g, lines, to, buffers.scratch, stream);
    } else {
      sum_by_rows<DasForm::general>(s, g, lines, to, buffers.scratch, stream);
    }
  }
  with_method(s, [&](const auto& method) {
    const dim3 threads(kTileX, kTileZ);
    if (plain) {
      method_kernel<DasForm::plain><<<tiles(g.nx, g.nz), threads, 0, stream.get()>>>(g, method, lines, to);
    } else {
      method_kernel<DasForm::general><<<tiles(g.nx, g.nz), threads, 0, stream.get()>>>(g, method, lines, to);
    }
  });
  CUDA_CHECK_LAUNCH("sum_by_method");
}

}  // namespace echoloop::cuda
