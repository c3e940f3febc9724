// Where a thread's pixels lie (dsp/packed.h) and the end of the tuned delay-and-sum (packed_das_kernel.cuh): from a
// thread's sums to the image.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_das.h"
#include "backend/cuda/fp16/packed_fetch.cuh"
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

// Part `item.part` of a tile is written; true in the block that comes last, for the frames that it sums.
__device__ inline bool is_last_part(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared,
                                    unsigned frame) {
  unsigned* arrivals = a.arrivals + frame * (gridDim.x / static_cast<unsigned>(a.n_parts)) + item.tile;
  __threadfence();
  summers_wait();
  auto* is_last = reinterpret_cast<unsigned*>(shared + 2 * kMaxStageSlots * 8);
  if (threadIdx.x == 0) {
    const unsigned before = atomicAdd(arrivals, 1u);
    *is_last = before + 1u == static_cast<unsigned>(a.n_parts) ? 1u : 0u;
    if (*is_last != 0u) *arrivals = 0u;  // for the next frame
  }
  summers_wait();
  const bool last = *is_last != 0u;
  if (last) __threadfence();
  return last;
}

template <int kP>
__device__ long long pixel_index(const PackedDasArgs& a, const PixelPlace<kP>& p, int i) {
  return static_cast<long long>(p.iz[i]) * a.geometry.nx + p.ix;
}

// kF images of sums that blocks share: theirs go to the partial sums, which the last block of a tile adds up in their
// order, whichever block that is. False in the others.
template <int kP, int kF>
__device__ bool gather_parts(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared,
                             const PixelPlace<kP>& p, float (&re)[kF][kP], float (&im)[kF][kP]) {
  if (a.n_parts == 1) return true;
  const long long n_pixels = static_cast<long long>(a.geometry.nx) * a.geometry.nz;
  const int first = first_frame<kF>(a);
#pragma unroll
  for (int f = 0; f < kF; ++f) {
    Complex* part = a.partials + ((first + f) * a.n_parts + item.part) * n_pixels;
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      if (p.inside[i]) part[pixel_index(a, p, i)] = {re[f][i], im[f][i]};
    }
  }
  if (!is_last_part(a, item, shared, static_cast<unsigned>(first))) return false;
#pragma unroll
  for (int f = 0; f < kF; ++f) {
    const Complex* partials = a.partials + (first + f) * a.n_parts * n_pixels;
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      re[f][i] = im[f][i] = 0.0f;
      const long long pixel = pixel_index(a, p, i);
      for (int part = 0; part < a.n_parts; ++part) {
        const float2 v = __ldcg(reinterpret_cast<const float2*>(partials + part * n_pixels + pixel));
        re[f][i] += v.x;
        im[f][i] += v.y;
      }
    }
  }
  return true;
}

// A pixel's sum and the amplitude shown, in the words' scale.
__device__ inline void write_pixel(const PackedDasArgs& a, int frame, long long pixel, Complex sum, float amplitude) {
  if (a.frames.count == 1) {
    a.image.pixels[pixel] = sum;
    a.image.envelope[pixel] = amplitude;
  }
  float* const db = a.frames.db[frame];
  if (db != nullptr) db[pixel] = to_db(amplitude, a.frames.reference_db);
}

// The sums of this thread's pixels.
template <int kP, int kF>
__device__ void write_pixels(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared, float (&re)[kF][kP],
                             float (&im)[kF][kP]) {
  const PixelPlace<kP> p = pixel_place<kP>(a, item);
  const float scale = *a.scale;
  const int first = first_frame<kF>(a);
  if (!gather_parts<kP, kF>(a, item, shared, p, re, im)) return;
#pragma unroll
  for (int f = 0; f < kF; ++f) {
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      if (!p.inside[i]) continue;
      const Complex value{re[f][i] * scale, im[f][i] * scale};
      write_pixel(a, first + f, pixel_index(a, p, i), value, magnitude(value));
    }
  }
}

}  // namespace echoloop::cuda
