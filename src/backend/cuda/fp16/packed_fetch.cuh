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

// A lane finds where a row begins; then the warp copies the rows, 16 bytes a lane. Rows lie end to end where they go
// to, so that a lane's copies are a constant distance apart there, and lanes stay busy whatever the length of a row.
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
      for (unsigned f = 0; f < kF; ++f) {
        copy_rows(a, word + f * words_of_frame(a), min(kWarp, n_rows - row), to + f * frame_ring(kF));
      }
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

  // `word`: where row number `lane` begins. Before compute capability 8.0 copies pass through registers: as many at
  // once as those hold.
  __device__ __forceinline__ void copy_rows(const PackedDasArgs& a, unsigned word, int n_rows, unsigned to) const {
#if __CUDA_ARCH__ >= 800
    constexpr unsigned kAtOnce = 8;
#else
    constexpr unsigned kAtOnce = kT == 3 ? 10 : 6;  // forms of 3 transmits have more registers a thread
#endif
    const unsigned lane = threadIdx.x % kWarp;
    const unsigned n_copies = static_cast<unsigned>(n_rows) * row_copies_;
    // Counted from where row 0 would have to begin for a copy to lie as many words behind it as it does at `to`, and,
    // so that the count is not negative, from a warp's rows before the first line.
    const auto window = static_cast<unsigned>(a.window);
    const unsigned before = word + (kWarp - lane) * window;
    const auto* words = reinterpret_cast<const unsigned char*>(a.words) - 8ull * (kWarp * window);
    to += lane * kCopyBytes;
#pragma unroll 1
    for (unsigned first = 0; first < n_copies; first += kAtOnce * kWarp, to += kAtOnce * kWarp * kCopyBytes) {
      // No branch from one copy to the next: they would wait for one another. Those beyond the last find its place.
      const unsigned char* from[kAtOnce];
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) {
        const unsigned copy = min(first + lane + k * kWarp, n_copies - 1u);
        const unsigned row = __umulhi(copy, per_row_copy_);
        from[k] = words + (8ull * __shfl_sync(0xffffffffu, before, static_cast<int>(row)) + copy * kCopyBytes);
      }
#if __CUDA_ARCH__ >= 800
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) {
        copy_to_shared(first + lane + k * kWarp, n_copies, to + k * kWarp * kCopyBytes, from[k]);
      }
#else
      uint4 read[kAtOnce];
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) read[k] = __ldg(reinterpret_cast<const uint4*>(from[k]));
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) {
        store_to_shared(first + lane + k * kWarp, n_copies, to + k * kWarp * kCopyBytes, read[k]);
      }
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

}  // namespace echoloop::cuda
