// Tuned delay-and-sum of the analytic recipe in single precision: das_pixel() of dsp/das.h with kT transmits summed
// together, so that the receive part of a (pixel, element) is computed once for all of them. A warp owns 8 x 4 pixels:
// delays differ least over a small square, so its loads touch the fewest cache lines.
//
// One comparison tests that all kT places of a (pixel, element) are within the record; otherwise the specification's
// interpolate() is called. Places, roots and phasors: das_math.cuh.
//
// With many transmits the lines exceed the cache: while an element is summed, dummy copies prefetch the next element's
// windows. Their position is estimated; a wrong estimate costs only time.
#include <algorithm>

#include "backend/cuda/kernels/das_math.cuh"
#include "backend/cuda/kernels/kernels.h"

namespace echoloop::cuda {

// Delay-and-sum of the analytic recipe: das_pixel() of dsp/das.h, one thread per pixel. The plain version, reference of
// the tuned one. A warp is 32 pixels of one image row: they read neighbouring places of the transmit table, write
// neighbouring pixels, share the row's integers, and need nearly the same samples, since delays change slowest along x;
// 4 rows per block read their samples from the same few cache lines.

namespace {

constexpr int kPlainX = 32;
constexpr int kPlainZ = 4;
constexpr int kBlocksPerSm = 8;  // leaves 64 registers per thread: without a bound the compiler chose fewer and spilled

template <DasForm form>
__global__ void __launch_bounds__(kPlainX* kPlainZ, kBlocksPerSm)
    das_kernel(const __grid_constant__ DasGeometry geometry, const Complex* __restrict__ lines,
               Complex* __restrict__ pixels) {
  const int ix = static_cast<int>(blockIdx.x) * kPlainX + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kPlainZ + static_cast<int>(threadIdx.y);
  if (ix >= geometry.nx || iz >= geometry.nz) return;
  pixels[static_cast<long long>(iz) * geometry.nx + ix] = das_pixel<form>(geometry, lines, ix, iz);
}

}  // namespace

void sum_delayed(const DasGeometry& g, const Complex* lines, Complex* pixels, StreamView stream) {
  if (!g.bent.any() && sum_grouped(g, lines, pixels, stream)) return;
  const dim3 blocks(static_cast<unsigned>((g.nx + kPlainX - 1) / kPlainX),
                    static_cast<unsigned>((g.nz + kPlainZ - 1) / kPlainZ));
  if (is_plain(g))
    das_kernel<DasForm::plain><<<blocks, dim3(kPlainX, kPlainZ), 0, stream.get()>>>(g, lines, pixels);
  else
    das_kernel<DasForm::general><<<blocks, dim3(kPlainX, kPlainZ), 0, stream.get()>>>(g, lines, pixels);
  CUDA_CHECK_LAUNCH("sum_delayed");
}

namespace {

constexpr int kWarp = 32;
constexpr int kWarpX = 8;
constexpr int kWarpZ = 4;
constexpr int kTileX = 32;
constexpr int kMostThreads = 512;
constexpr int kMostShared = 40 << 10;  // bytes, for window starts
constexpr int kEnoughBlocks = 200;     // of kMostThreads; images with fewer get smaller blocks
constexpr int kMostCounted = 2 * kMostSamples;

// Transmits summed together, and those of them whose lines are counted from one address: floats count places, so more
// of these reach fewer samples; fewer need more registers.
struct Group {
  int transmits, span;
};

struct GroupedArgs {
  DasGeometry geometry;
  const Complex* lines;
  Complex* pixels;
};

// Estimated sample range of the block's pixels: line sample rx_start[e] + tx_start[t] and `length` more.
template <int kT>
struct Windows {
  static constexpr int kTouches = 4;  // of a warp and line, at most: 512 samples
  int tx_start[kT];
  int tx_end[kT];
  int rx_length;
  int touched[kMostThreads][kTouches];  // target of the dummy copies

  __device__ void place_receive(const DasGeometry& g, int tile_z, int* rx_start) {
    if (threadIdx.x == 0) rx_length = 0;
    __syncthreads();
    const auto place = [&g](unsigned ix, unsigned iz) {
      return place_of(g, min(static_cast<int>(ix), g.nx - 1), min(static_cast<int>(iz), g.nz - 1));
    };
    const PixelPlace a = place(blockIdx.x * kTileX, blockIdx.y * tile_z);
    const PixelPlace b = place(blockIdx.x * kTileX + kTileX - 1, blockIdx.y * tile_z + tile_z - 1);
    for (int e = static_cast<int>(threadIdx.x); e < g.n_el; e += static_cast<int>(blockDim.x)) {
      const float x_m = g.elements[e].x_m;
      const float z_m = g.elements[e].z_m;
      const float near_x = fmaxf(fmaxf(fminf(a.x_m, b.x_m) - x_m, x_m - fmaxf(a.x_m, b.x_m)), 0.0f);
      const float near_z = fmaxf(fmaxf(fminf(a.z_m, b.z_m) - z_m, z_m - fmaxf(a.z_m, b.z_m)), 0.0f);
      const float far_x = fmaxf(fabsf(a.x_m - x_m), fabsf(b.x_m - x_m));
      const float far_z = fmaxf(fabsf(a.z_m - z_m), fabsf(b.z_m - z_m));
      const float nearest = sqrtf(near_x * near_x + near_z * near_z) * g.samples_per_m;
      const float farthest = sqrtf(far_x * far_x + far_z * far_z) * g.samples_per_m;
      rx_start[e] = __float2int_rd(nearest);
      atomicMax(&rx_length, __float2int_ru(farthest - nearest));
    }
  }

  __device__ void forget_transmits() {
    __syncthreads();
    if (threadIdx.x < kT) {
      tx_start[threadIdx.x] = 0x7fffffff;
      tx_end[threadIdx.x] = -0x7fffffff;
    }
    __syncthreads();
  }

  // All threads of the block. `place`: of transmit t at the thread's pixel, minus the pixel's depth, samples.
  __device__ void place_transmit(int t, int place) {
    int low = place;
    int high = place;
#pragma unroll
    for (int by = kWarp / 2; by > 0; by /= 2) {
      low = min(low, __shfl_xor_sync(0xffffffffU, low, by));
      high = max(high, __shfl_xor_sync(0xffffffffU, high, by));
    }
    if (threadIdx.x % kWarp == 0) {
      atomicMin(&tx_start[t], low);
      atomicMax(&tx_end[t], high);
    }
  }

  [[nodiscard]] __device__ int length() const {
    int longest = 0;
#pragma unroll
    for (int t = 0; t < kT; ++t) longest = max(longest, tx_end[t] - tx_start[t]);
    return longest + rx_length + 3;
  }

  // Prefetches the element's lines of transmits first .. first + kT - 1, at most one per warp of a block of
  // kMostThreads. Waits for the copies of the previous element, long complete.
  __device__ __forceinline__ void touch(const GroupedArgs& a, int first, int e, int start, int samples) {
#if __CUDA_ARCH__ >= 800
    constexpr int kSamplesATouch = 4;  // 32 bytes, the smallest fetch of the cache
    const DasGeometry& g = a.geometry;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    finish();
    for (int t = static_cast<int>(threadIdx.x) / kWarp; t < kT; t += static_cast<int>(blockDim.x) / kWarp) {
      const Complex* line = a.lines + (static_cast<long long>(min(first + t, g.n_tx - 1)) * g.n_el + e) * g.n_line;
      const int from = tx_start[t] + start;
#pragma unroll
      for (int k = 0; k < kTouches; ++k) {
        const int s = kSamplesATouch * (k * kWarp + lane);
        if (s >= samples) break;
        const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&touched[threadIdx.x][k]));
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to),
                     "l"(line + min(max(from + s, 0), g.n_line - 1)));
      }
    }
#endif
  }

  static __device__ void finish() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
};

template <DasForm form, bool kWeighted, int kT, int kSpan, bool kTouch, int kBlocks>
__global__ void __launch_bounds__(kMostThreads, kBlocks) grouped_kernel(const __grid_constant__ GroupedArgs a) {
  extern __shared__ int rx_start[];  // [n_el], kTouch
  __shared__ Windows<kTouch ? kT : 1> windows;
  const DasGeometry& g = a.geometry;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  constexpr int kWarpsAcross = kTileX / kWarpX;
  const int tile_z = static_cast<int>(blockDim.x) / kTileX;
  const int own_x = static_cast<int>(blockIdx.x) * kTileX + warp % kWarpsAcross * kWarpX + lane % kWarpX;
  const int own_z = static_cast<int>(blockIdx.y) * tile_z + warp / kWarpsAcross * kWarpZ + lane / kWarpX;
  const bool in_image = own_x < g.nx && own_z < g.nz;
  if (!kTouch && !in_image) return;
  const int ix = min(own_x, g.nx - 1);
  const int iz = min(own_z, g.nz - 1);
  const PixelPlace at = form == DasForm::plain ? PixelPlace{g.x_m[ix], g.z_m[iz], 0.0f} : place_of(g, ix, iz);
  if (kTouch) windows.place_receive(g, tile_z, rx_start);

  Complex pixel{0.0f, 0.0f};
  const int stride = g.n_el * g.n_line;  // between transmits
  for (int first = 0; first < g.n_tx; first += kT) {
    const auto first_of_span = [&](int t) { return min(first + t / kSpan * kSpan, g.n_tx - 1); };
    float excess[kT];
    float magic[kT];
    Complex sum[kT];
    float low = 1e30f;
    float high = -1e30f;
    bool countable = true;
    if (kTouch) windows.forget_transmits();
#pragma unroll
    for (int t = 0; t < kT; ++t) {
      const int tx = min(first + t, g.n_tx - 1);
      const int row = tx * g.nz + iz;
      const int base = g.row_base[row];
      excess[t] = g.tx_excess[static_cast<long long>(row) * g.nx + ix];
      const int counted = base + (tx - first_of_span(t)) * stride;
      countable = countable && fabsf(excess[t]) < 1e6f && abs(base) < kMostSamples && counted < kMostCounted;
      magic[t] = kMagic + static_cast<float>(counted);
      low = fminf(low, static_cast<float>(base) + excess[t]);
      high = fmaxf(high, static_cast<float>(base) + excess[t]);
      sum[t] = {0.0f, 0.0f};
      if (kTouch) {
        const float depth_m = form == DasForm::plain ? fabsf(at.z_m) : at.r_m;
        windows.place_transmit(t, base + __float2int_rd(excess[t] - depth_m * g.samples_per_m));
      }
    }
    if (kTouch) __syncthreads();
    const int touch_length = kTouch ? windows.length() : 0;
    // low + excess .. high + excess are within the record, with two samples of slack for rounding.
    const float last = static_cast<float>(g.n_valid - 2);
    const float middle = 0.5f * (last - low - high);
    const float reach = countable ? 0.5f * (last - high + low) - 2.0f : -1.0f;

    // Address of an element's lines of the first transmits, minus kMagicBits samples; integers: no such object exists.
    unsigned long long origin[kT / kSpan];
#pragma unroll
    for (int k = 0; k < kT / kSpan; ++k) {
      origin[k] =
          reinterpret_cast<unsigned long long>(a.lines + static_cast<long long>(first_of_span(k * kSpan)) * stride) -
          static_cast<unsigned long long>(kMagicBits) * sizeof(Complex);
    }
    const auto next_element = [&origin, &g] {
#pragma unroll
      for (auto& address : origin) address += static_cast<unsigned long long>(g.n_line) * sizeof(Complex);
    };
#pragma unroll 1
    for (int e = 0; e < g.n_el; ++e, next_element()) {
      const ElementGeometry* element = g.elements + e;
      float weight = 1.0f;
      if (kWeighted) weight = receive_weight(g, *element, at);
      if (kTouch && (!kWeighted || __any_sync(0xffffffffU, weight != 0.0f))) {
        const int next = min(e + 1, g.n_el - 1);
        windows.touch(a, first, next, rx_start[next], touch_length);
      }
      if (kWeighted && weight == 0.0f) continue;
      const float rx = receive_excess<form>(g, *element, at);
      Complex rotor = delay_phasor(rx, g.turns_per_sample);
      if (kWeighted) rotor = weight * rotor;
      if (fabsf(rx - middle) <= reach) {
#pragma unroll
        for (int t = 0; t < kT; ++t) {
          const float p = excess[t] + rx;
          const float place = __fadd_rd(p, magic[t]);
          const float w = p - (place - magic[t]);
          const auto* s = reinterpret_cast<const float2*>(
              origin[t / kSpan] + static_cast<unsigned long long>(__float_as_uint(place)) * sizeof(Complex));
          const float2 v0 = __ldg(s);
          const float2 v1 = __ldg(s + 1);
          sum[t] = add_product(sum[t], rotor, {__fmaf_rn(w, v1.x - v0.x, v0.x), __fmaf_rn(w, v1.y - v0.y, v0.y)});
        }
      } else {
#pragma unroll 1
        for (int k = 0; k < kT; ++k) {
          const int tx = min(first + k, g.n_tx - 1);
          const TransmitPlace place = transmit_place<DasForm::plain>(g, tx, ix, iz);
          const Complex* line = a.lines + (static_cast<long long>(tx) * g.n_el + e) * g.n_line;
          const Complex v = rotor * interpolate(line, g.n_valid, place.base, place.excess + rx);
#pragma unroll
          for (int t = 0; t < kT; ++t)
            if (t == k) sum[t] = sum[t] + v;
        }
      }
    }
#pragma unroll
    for (int t = 0; t < kT; ++t) {
      if (first + t >= g.n_tx) break;
      pixel = pixel + transmit_rotor<DasForm::plain>(g, first + t, ix, iz, excess[t]) * sum[t];
    }
  }
  if (kTouch) windows.finish();
  if (in_image) a.pixels[static_cast<long long>(iz) * g.nx + ix] = pixel;
}

dim3 tiles(const DasGeometry& g, int threads) {
  const int tile_z = threads / kTileX;
  return {static_cast<unsigned>((g.nx + kTileX - 1) / kTileX), static_cast<unsigned>((g.nz + tile_z - 1) / tile_z)};
}

template <int kT, int kSpan, bool kTouch, int kBlocks>
void launch(const GroupedArgs& args, int threads, StreamView stream) {
  const DasGeometry& g = args.geometry;
  const bool weighted = g.f_number > 0.0f || g.apodization != Apodization::boxcar || g.width_over_wavelength > 0.0f;
  const dim3 blocks = tiles(g, threads);
  const std::size_t shared = kTouch ? static_cast<std::size_t>(g.n_el) * sizeof(int) : 0;
  const auto run = [&](auto kernel) { kernel<<<blocks, threads, shared, stream.get()>>>(args); };
  if (g.down_m == nullptr) {
    weighted ? run(grouped_kernel<DasForm::plain, true, kT, kSpan, kTouch, kBlocks>)
             : run(grouped_kernel<DasForm::plain, false, kT, kSpan, kTouch, kBlocks>);
  } else {
    weighted ? run(grouped_kernel<DasForm::general, true, kT, kSpan, kTouch, kBlocks>)
             : run(grouped_kernel<DasForm::general, false, kT, kSpan, kTouch, kBlocks>);
  }
}

// Returns the group of transmits with the fewest instructions among the compiled ones, as counted in the kernel: about
// 31 per (pixel, element) plus 15 for every transmit of the group, present or not.
Group group_of(const DasGeometry& g, bool large_image) {
  Group best{1, 1};
  int fewest = 0;
  for (const Group group : {Group{1, 1}, {3, 3}, {3, 1}, {5, 5}, {15, 5}}) {
    const int n = group.transmits;
    const bool fits = (group.span - 1LL) * g.n_el * g.n_line + g.n_line <= kMostCounted;
    const bool touches = n == 15;
    if (!fits || (touches && (!large_image || g.n_el * static_cast<int>(sizeof(int)) > kMostShared))) continue;
    const int instructions = (g.n_tx + n - 1) / n * (2 + n);
    if (fewest == 0 || instructions < fewest) {
      fewest = instructions;
      best = group;
    }
  }
  return best;
}

}  // namespace

bool sum_grouped(const DasGeometry& g, const Complex* lines, Complex* pixels, StreamView stream) {
  if (g.columns != nullptr || g.weights.cone != nullptr || g.n_line >= kMostSamples) return false;
  const dim3 large = tiles(g, kMostThreads);
  const bool large_image = large.x * large.y >= kEnoughBlocks;
  const int threads = large_image ? kMostThreads : kMostThreads / 4;
  const GroupedArgs args{g, lines, pixels};
  const Group group = group_of(g, large_image);
  switch (group.transmits) {
    case 15:
      launch<15, 5, true, 1>(args, threads, stream);
      break;
    case 5:  // 72 registers per thread: one block of 512 threads would run at a time, but three of 256
      launch<5, 5, false, 1>(args, std::min(threads, 256), stream);
      break;
    case 3:
      group.span == 3 ? launch<3, 3, false, 2>(args, threads, stream) : launch<3, 1, false, 2>(args, threads, stream);
      break;
    default:
      launch<1, 1, false, 2>(args, threads, stream);
  }
  CUDA_CHECK_LAUNCH("sum_grouped");
  return true;
}

}  // namespace echoloop::cuda
