// Fetching warp of the tuned delay-and-sum (packed_das_kernel.cuh): windows of lines to the ring in shared memory.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_das.h"
#include "dsp/level.h"

namespace echoloop::cuda {

// Returns the stages of an item; both sides count by this expression.
__device__ inline int stages(const PackedDasArgs& a, const PackedItem& item) {
  return (item.n_elements + a.stage_elements - 1) / a.stage_elements;
}

__device__ inline unsigned words_of_frame(const PackedDasArgs& a) {
  return static_cast<unsigned>(a.geometry.n_tx * a.geometry.n_el * a.pitch);
}

// Returns the first of the kF frames that a block sums together.
template <int kF>
__device__ int first_frame(const PackedDasArgs& a) {
  return a.frames.first + static_cast<int>(blockIdx.y) * kF;
}

// Starts the copies of stages: rows are the windows of elements [first, end) of the item, all transmits of the group,
// consecutive from `to`. Outside the record the neighbouring zeros are read; a window never leaves them.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// One lane starts all copies of a stage: eight independent, branch-free instructions per copy keep one warp ahead of
// fifteen that sum.
template <int kT, int kF>
class BulkFetch {
 public:
  __device__ __forceinline__ BulkFetch(const PackedDasArgs& a, const PackedItem& item, const int* starts)
      : starts_(starts) {
    const int* tx_start = a.tx_start + static_cast<long long>(item.tile) * a.geometry.n_tx;
#pragma unroll
    for (int t = 0; t < kT; ++t) {
      const int tx = min(item.part / a.n_splits * kT + t, a.geometry.n_tx - 1);
      of_transmit_[t] = tx_start[tx];
      line_[t] = static_cast<unsigned>((tx * a.geometry.n_el + item.first_element) * a.pitch + a.window) +
                 static_cast<unsigned>(first_frame<kF>(a)) * words_of_frame(a);
    }
  }

  __device__ __forceinline__ void start(const PackedDasArgs& a, int first, int end, unsigned to, unsigned full) const {
    const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
    reuse_by_copies();
    if (elected()) {
      arrive_expecting(full, static_cast<unsigned>((end - first) * kT * kF) * row_bytes);
#pragma unroll 1
      for (int e = first; e < end; ++e) {
        const int of_element = starts_[e];
        const unsigned line = static_cast<unsigned>(e * a.pitch);
#pragma unroll
        for (int t = 0; t < kT; ++t, to += row_bytes) {
          const int start = min(max(of_element + of_transmit_[t], -a.window), a.n_words);
          const unsigned word = line_[t] + line + static_cast<unsigned>(start);
#pragma unroll
          for (unsigned f = 0; f < kF; ++f)
            copy_to_shared(to + f * frame_ring(kF), a.words + (word + f * words_of_frame(a)), row_bytes, full);
        }
      }
    }
    __syncwarp();
  }

 private:
  const int* starts_;  // of elements, samples
  int of_transmit_[kT];
  unsigned line_[kT];  // words
};
template <int kT, int kF>
using StageFetch = BulkFetch<kT, kF>;

#else

// Each lane finds the start of a row; then the warp copies the rows, 16 bytes per lane. Rows are contiguous at the
// target, so that a lane's copies have a constant distance there, and lanes stay busy for any length of row.
template <int kT, int kF>
class WarpFetch {
 public:
  __device__ __forceinline__ WarpFetch(const PackedDasArgs& a, const PackedItem& item, const int* starts)
      : starts_(starts),
        tx_start_(a.tx_start + static_cast<long long>(item.tile) * a.geometry.n_tx),
        first_tx_(item.part / a.n_splits * kT),
        first_element_(item.first_element),
        row_copies_(static_cast<unsigned>(a.window) / kCopyWords),
        per_row_copy_(0xffffffffu / row_copies_ + 1u) {}

  __device__ __forceinline__ void start(const PackedDasArgs& a, int first, int end, unsigned to, unsigned full) const {
    const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int n_rows = (end - first) * kT;
#pragma unroll 1
    for (int row = 0; row < n_rows; row += kWarp, to += kWarp * row_bytes) {
      const unsigned word = row + lane < n_rows ? row_word(a, first, row + lane) : 0u;
#pragma unroll
      for (unsigned f = 0; f < kF; ++f)
        copy_rows(a, word + f * words_of_frame(a), min(kWarp, n_rows - row), to + f * frame_ring(kF));
    }
    arrive_after_copies(full);
  }

 private:
  static constexpr unsigned kCopyWords = kCopyBytes / 8u;

  __device__ __forceinline__ unsigned row_word(const PackedDasArgs& a, int first, int row) const {
    const int e = first + row / kT;
    const int tx = min(first_tx_ + row % kT, a.geometry.n_tx - 1);
    const int start = min(max(starts_[e] + tx_start_[tx], -a.window), a.n_words);
    return static_cast<unsigned>((tx * a.geometry.n_el + first_element_ + e) * a.pitch + a.window + start) +
           static_cast<unsigned>(first_frame<kF>(a)) * words_of_frame(a);
  }

  // `word`: start of row number `lane`. Before compute capability 8.0 copies pass through registers, which limit their
  // number.
  __device__ __forceinline__ void copy_rows(const PackedDasArgs& a, unsigned word, int n_rows, unsigned to) const {
#if __CUDA_ARCH__ >= 800
    constexpr unsigned kAtOnce = 8;
#else
    constexpr unsigned kAtOnce = kT == 3 ? 10 : 6;  // forms of 3 transmits have more registers per thread
#endif
    const unsigned lane = threadIdx.x % kWarp;
    const unsigned n_copies = static_cast<unsigned>(n_rows) * row_copies_;
    // Counts from the position where row 0 would begin if a copy had the same offset from it as at `to`, and, to keep
    // the count non-negative, from a warp's rows before the first line.
    const auto window = static_cast<unsigned>(a.window);
    const unsigned before = word + (kWarp - lane) * window;
    const auto* words = reinterpret_cast<const unsigned char*>(a.words) - 8ull * (kWarp * window);
    to += lane * kCopyBytes;
#pragma unroll 1
    for (unsigned first = 0; first < n_copies; first += kAtOnce * kWarp, to += kAtOnce * kWarp * kCopyBytes) {
      // No branches between copies, which would serialise them. Copies past the last use its position.
      const unsigned char* from[kAtOnce];
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) {
        const unsigned copy = min(first + lane + k * kWarp, n_copies - 1u);
        const unsigned row = __umulhi(copy, per_row_copy_);
        from[k] = words + (8ull * __shfl_sync(0xffffffffu, before, static_cast<int>(row)) + copy * kCopyBytes);
      }
#if __CUDA_ARCH__ >= 800
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k)
        copy_to_shared(first + lane + k * kWarp, n_copies, to + k * kWarp * kCopyBytes, from[k]);
#else
      uint4 read[kAtOnce];
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) read[k] = __ldg(reinterpret_cast<const uint4*>(from[k]));
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k)
        store_to_shared(first + lane + k * kWarp, n_copies, to + k * kWarp * kCopyBytes, read[k]);
#endif
    }
  }

  const int* starts_;    // of elements, samples
  const int* tx_start_;  // of the tile's transmits
  int first_tx_;
  int first_element_;
  unsigned row_copies_;    // copies of a row
  unsigned per_row_copy_;  // 2^32 / row_copies_, rounded up: the high half of a product with it divides by row_copies_
};
template <int kT, int kF>
using StageFetch = WarpFetch<kT, kF>;

#endif

template <int kT, int kF>
__device__ void fetch_windows(const PackedDasArgs& a, const PackedItem& item, const PackedShared& at,
                              unsigned char* shared) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int* starts = reinterpret_cast<int*>(shared + at.starts);
  const int* rx_start = a.rx_start + static_cast<long long>(item.tile) * a.geometry.n_el + item.first_element;
  for (int e = lane; e < item.n_elements; e += kWarp) starts[e] = rx_start[e];
  const StageFetch<kT, kF> fetch(a, item, starts);
  wait_for_earlier_kernel();
  __syncwarp();

  const unsigned barriers = shared_address(shared);
  const unsigned ring = shared_address(shared + at.ring);
  const unsigned stage_bytes = static_cast<unsigned>(a.stage_elements * kT * a.window) * 8u;
  const int n_stages = stages(a, item);
  int slot = 0;
  unsigned parity = 1;  // of the first wait for an empty slot: passes at once
  for (int s = 0; s < n_stages; ++s) {
    wait_for(barriers + static_cast<unsigned>(kMaxStageSlots + slot) * 8u, parity);
    const int first = s * a.stage_elements;
    fetch.start(a, first, min(first + a.stage_elements, item.n_elements),
                ring + static_cast<unsigned>(slot) * stage_bytes, barriers + static_cast<unsigned>(slot) * 8u);
    if (++slot == a.n_slots) {
      slot = 0;
      parity ^= 1u;
    }
  }
}

// Positions of a thread's pixels (dsp/packed_fir.h) and the end of the tuned delay-and-sum (packed_das_kernel.cuh):
// from a thread's sums to the image.

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

// Marks part `item.part` of a tile as written; returns true in the block that finishes last, for the frames it sums.
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

// Combines kF images of sums shared by blocks: each block writes partial sums, and the last one adds them in their
// order, whichever block it is. Returns false in the others.
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
    for (int i = 0; i < kP; ++i)
      if (p.inside[i]) part[pixel_index(a, p, i)] = {re[f][i], im[f][i]};
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

// Writes a pixel's sum and amplitude, in the words' scale.
__device__ inline void write_pixel(const PackedDasArgs& a, int frame, long long pixel, Complex sum, float amplitude) {
  if (a.frames.count == 1) {
    a.image.pixels[pixel] = sum;
    a.image.envelope[pixel] = amplitude;
  }
  void* const to = a.frames.results[frame];
  if (to == nullptr) return;
  if (a.frames.kind == PackedResult::pixels) {
    static_cast<Complex*>(to)[pixel] = sum;
  } else {
    const bool magnitudes = a.frames.kind == PackedResult::magnitudes;
    static_cast<float*>(to)[pixel] = magnitudes ? amplitude : to_db(amplitude, a.frames.reference_db);
  }
}

// Writes the sums of this thread's pixels.
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
