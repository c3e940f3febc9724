// Where a thread's pixels lie (dsp/packed.h) and the end of the tuned delay-and-sum (packed_das_kernel.cuh): from a
// thread's sums to the image.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_das.h"
#include "dsp/level.h"

namespace echoloop::cuda {

template <int kP>
struct PixelPlace {
  int ix;
  int iz[kP];
  bool inside[kP];
};

template <int kP>
__device__ PixelPlace<kP> pixel_place(const PackedDasArgs& a, const PackedItem& item) {
  const DasGeometry& g = a.geometry;
  const int rows = a.tile.tile_z / kP;
  const TilePlace in_tile = tile_place(a.tile, static_cast<int>(threadIdx.x));
  const int ix = item.tile % a.tiles_across * a.tile.tile_x + in_tile.x;
  PixelPlace<kP> p;
  p.ix = min(ix, g.nx - 1);
#pragma unroll
  for (int i = 0; i < kP; ++i) {
    const int iz = item.tile / a.tiles_across * a.tile.tile_z + min(in_tile.z, rows - 1) + i * rows;
    p.iz[i] = min(iz, g.nz - 1);
    p.inside[i] = ix < g.nx && iz < g.nz && in_tile.z < rows;
  }
  return p;
}

// The sums of this thread's pixels: to the image, or to the partial sums, which the last block of a tile adds up.
template <int kP>
__device__ void write_pixels(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared, float (&re)[kP],
                             float (&im)[kP]) {
  const DasGeometry& g = a.geometry;
  const PixelPlace<kP> p = pixel_place<kP>(a, item);
  const long long n_pixels = static_cast<long long>(g.nx) * g.nz;
  const float scale = *a.scale;
  const int frame = static_cast<int>(blockIdx.y);
  if (a.n_parts > 1) {
    Complex* partials = a.partials + frame * a.n_parts * n_pixels;
    unsigned* arrivals = a.arrivals + blockIdx.y * (gridDim.x / static_cast<unsigned>(a.n_parts)) + item.tile;
    // Every part is written; the block that comes last adds them up in their order, whoever it is.
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      if (p.inside[i]) partials[item.part * n_pixels + static_cast<long long>(p.iz[i]) * g.nx + p.ix] = {re[i], im[i]};
    }
    __threadfence();
    summers_wait();
    auto* is_last = reinterpret_cast<unsigned*>(shared + 2 * kMaxStageSlots * 8);
    if (threadIdx.x == 0) {
      const unsigned before = atomicAdd(arrivals, 1u);
      *is_last = before + 1u == static_cast<unsigned>(a.n_parts) ? 1u : 0u;
      if (*is_last != 0u) *arrivals = 0u;  // for the next frame
    }
    summers_wait();
    if (*is_last == 0u) return;
    __threadfence();
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      re[i] = im[i] = 0.0f;
      const long long pixel = static_cast<long long>(p.iz[i]) * g.nx + p.ix;
      for (int part = 0; part < a.n_parts; ++part) {
        const float2 v = __ldcg(reinterpret_cast<const float2*>(partials + part * n_pixels + pixel));
        re[i] += v.x;
        im[i] += v.y;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kP; ++i) {
    if (!p.inside[i]) continue;
    const long long pixel = static_cast<long long>(p.iz[i]) * g.nx + p.ix;
    const Complex value{re[i] * scale, im[i] * scale};
    const float level = magnitude(value);
    if (gridDim.y == 1) {
      a.pixels[pixel] = value;
      a.envelope[pixel] = level;
    }
    if (a.db[frame] != nullptr) a.db[frame][pixel] = to_db(level, a.reference_db);
  }
}

}  // namespace echoloop::cuda
