// The fetching warp of the tuned delay-and-sum (packed_das_kernel.cuh): windows of lines to the ring in shared memory.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_das.h"

namespace echoloop::cuda {

// Stages of an item: the one expression that both sides count by.
__device__ inline int stages(const PackedDasArgs& a, const PackedItem& item) {
  return (item.n_elements + a.stage_elements - 1) / a.stage_elements;
}

__device__ inline unsigned words_of_frame(const PackedDasArgs& a) {
  return static_cast<unsigned>(a.geometry.n_tx * a.geometry.n_el * a.pitch);
}

// The first one of kF frames that a block sums together.
template <int kF>
__device__ int first_frame(const PackedDasArgs& a) {
  return a.frames.first + static_cast<int>(blockIdx.y) * kF;
}

// Starts the copies of stages: rows are the windows of elements [first, end) of the item, all transmits of the group,
// one behind the other from `to`. Outside the record the neighbouring zeros serve; a window never leaves them.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// One lane starts all copies of a stage: eight instructions a copy, which neither branch nor wait for one another, are
// what keeps a warp ahead of fifteen that sum.
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
          for (unsigned f = 0; f < kF; ++f) {
            copy_to_shared(to + f * frame_ring(kF), a.words + (word + f * words_of_frame(a)), row_bytes, full);
          }
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

// A lane finds where a row begins; then the warp copies row after row, 16 bytes a lane.
template <int kT, int kF>
class WarpFetch {
 public:
  __device__ __forceinline__ WarpFetch(const PackedDasArgs& a, const PackedItem& item, const int* starts)
      : starts_(starts),
        tx_start_(a.tx_start + static_cast<long long>(item.tile) * a.geometry.n_tx),
        first_tx_(item.part / a.n_splits * kT),
        first_element_(item.first_element) {}

  __device__ __forceinline__ void start(const PackedDasArgs& a, int first, int end, unsigned to, unsigned full) const {
    const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int n_rows = (end - first) * kT;
#pragma unroll 1
    for (int row = 0; row < n_rows; row += kWarp, to += kWarp * row_bytes) {
      const unsigned word = row + lane < n_rows ? row_word(a, first, row + lane) : 0u;
#pragma unroll
      for (unsigned f = 0; f < kF; ++f) {
        copy_rows(a, word + f * words_of_frame(a), min(kWarp, n_rows - row), to + f * frame_ring(kF), row_bytes);
      }
    }
    arrive_after_copies(full);
  }

 private:
  __device__ __forceinline__ unsigned row_word(const PackedDasArgs& a, int first, int row) const {
    const int e = first + row / kT;
    const int tx = min(first_tx_ + row % kT, a.geometry.n_tx - 1);
    const int start = min(max(starts_[e] + tx_start_[tx], -a.window), a.n_words);
    return static_cast<unsigned>((tx * a.geometry.n_el + first_element_ + e) * a.pitch + a.window + start) +
           static_cast<unsigned>(first_frame<kF>(a)) * words_of_frame(a);
  }

  // `word`: where row number `lane` begins. Before compute capability 8.0 copies pass through registers: as many rows
  // at once as those hold.
  static __device__ __forceinline__ void copy_rows(const PackedDasArgs& a, unsigned word, int n_rows, unsigned to,
                                                   unsigned row_bytes) {
#if __CUDA_ARCH__ >= 800
    constexpr int kAtOnce = 8;
#else
    constexpr int kAtOnce = 6;
#endif
    constexpr unsigned kPassBytes = kWarp * kCopyBytes;
    const unsigned own = threadIdx.x % kWarp * kCopyBytes;
    const auto* words = reinterpret_cast<const unsigned char*>(a.words) + own;
#pragma unroll 1
    for (int row = 0; row < n_rows; row += kAtOnce, to += kAtOnce * row_bytes) {
      unsigned begin[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) begin[k] = __shfl_sync(0xffffffffu, word, row + k);
#pragma unroll 1
      for (unsigned pass = 0; pass < row_bytes; pass += kPassBytes) {
        const bool inside = own + pass < row_bytes;
        const auto has = [&](int k) { return inside && row + k < n_rows; };
        const auto from = [&](int k) { return words + (8ull * begin[k] + pass); };
        const auto place = [&](int k) { return to + static_cast<unsigned>(k) * row_bytes + own + pass; };
#if __CUDA_ARCH__ >= 800
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (has(k)) copy_to_shared(place(k), from(k));
        }
#else
        uint4 read[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (has(k)) read[k] = __ldg(reinterpret_cast<const uint4*>(from(k)));
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (has(k)) store_to_shared(place(k), read[k]);
        }
#endif
      }
    }
  }

  const int* starts_;    // of elements, samples
  const int* tx_start_;  // of the tile's transmits
  int first_tx_;
  int first_element_;
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

}  // namespace echoloop::cuda
