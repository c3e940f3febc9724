// The fetching warp of the tuned delay-and-sum (packed_das_kernel.cuh): windows of lines to the ring in shared memory.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_das.h"

namespace echoloop::cuda {

// Stages of an item: the one expression that both sides count by.
__device__ inline int stages(const PackedDasArgs& a, const PackedItem& item) {
  return (item.n_elements + a.stage_elements - 1) / a.stage_elements;
}

// Rows of a stage: the windows of elements [first, end), all transmits of the group, one behind the other from `to`.
template <int kT>
struct StageRows {
  int first;
  int end;
  const int* starts;              // of elements, samples
  int of_transmit[kT];            // samples
  unsigned line_of_transmit[kT];  // words

  // Outside the record the neighbouring zeros serve; a window never leaves them.
  __device__ __forceinline__ const uint2* row(const PackedDasArgs& a, int of_element, unsigned line, int t) const {
    const int start = min(max(of_element + of_transmit[t], -a.window), a.n_words);
    return a.words + (line_of_transmit[t] + line + static_cast<unsigned>(start));
  }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// One lane starts all copies of a stage: eight instructions a copy, which neither branch nor wait for one another, are
// what keeps a warp ahead of fifteen that sum.
template <int kT>
__device__ __forceinline__ void fetch_stage(const PackedDasArgs& a, const StageRows<kT>& rows, unsigned to,
                                            unsigned full) {
  const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
  reuse_by_copies();
  if (elected()) {
    arrive_expecting(full, static_cast<unsigned>((rows.end - rows.first) * kT) * row_bytes);
#pragma unroll 1
    for (int e = rows.first; e < rows.end; ++e) {
      const int of_element = rows.starts[e];
      const unsigned line = static_cast<unsigned>(e * a.pitch);
#pragma unroll
      for (int t = 0; t < kT; ++t, to += row_bytes)
        copy_to_shared(to, rows.row(a, of_element, line, t), row_bytes, full);
    }
  }
  __syncwarp();
}

#elif __CUDA_ARCH__ >= 800

// A row after the other, 16 bytes a lane; what is on its way needs no register.
template <int kT>
__device__ __forceinline__ void fetch_stage(const PackedDasArgs& a, const StageRows<kT>& rows, unsigned to,
                                            unsigned full) {
  const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
  const unsigned own = threadIdx.x % kWarp * kCopyBytes;
#pragma unroll 1
  for (int e = rows.first; e < rows.end; ++e) {
    const int of_element = rows.starts[e];
    const unsigned line = static_cast<unsigned>(e * a.pitch);
#pragma unroll
    for (int t = 0; t < kT; ++t, to += row_bytes) {
      const auto* from = reinterpret_cast<const unsigned char*>(rows.row(a, of_element, line, t));
#pragma unroll 1
      for (unsigned at = own; at < row_bytes; at += kWarp * kCopyBytes) copy_to_shared(to + at, from + at);
    }
  }
  arrive_after_copies(full);
}

#else

// The same through registers: a few rows, twice 16 bytes a lane of each, are read before the first is written.
template <int kT>
__device__ __forceinline__ void fetch_stage(const PackedDasArgs& a, const StageRows<kT>& rows, unsigned to,
                                            unsigned full) {
  constexpr int kRows = kT % 3 == 0 ? 3 : 1;
  constexpr int kPasses = 6 / kRows;
  constexpr unsigned kPassBytes = kWarp * kCopyBytes;
  const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
  const unsigned own = threadIdx.x % kWarp * kCopyBytes;
#pragma unroll 1
  for (int e = rows.first; e < rows.end; ++e) {
    const int of_element = rows.starts[e];
    const unsigned line = static_cast<unsigned>(e * a.pitch);
#pragma unroll
    for (int t = 0; t < kT; t += kRows, to += kRows * row_bytes) {
#pragma unroll 1
      for (unsigned at = own; at < row_bytes; at += kPasses * kPassBytes) {
        uint4 read[kRows][kPasses];
#pragma unroll
        for (int i = 0; i < kRows * kPasses; ++i) {
          const int r = i % kRows;
          const unsigned place = at + static_cast<unsigned>(i / kRows) * kPassBytes;
          const auto* from = reinterpret_cast<const unsigned char*>(rows.row(a, of_element, line, t + r));
          if (place < row_bytes) read[r][i / kRows] = __ldg(reinterpret_cast<const uint4*>(from + place));
        }
#pragma unroll
        for (int i = 0; i < kRows * kPasses; ++i) {
          const int r = i % kRows;
          const unsigned place = at + static_cast<unsigned>(i / kRows) * kPassBytes;
          if (place < row_bytes) store_to_shared(to + static_cast<unsigned>(r) * row_bytes + place, read[r][i / kRows]);
        }
      }
    }
  }
  arrive_after_copies(full);
}

#endif

template <int kT>
__device__ void fetch_windows(const PackedDasArgs& a, const PackedItem& item, const PackedShared& at,
                              unsigned char* shared) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int n_el = a.geometry.n_el;
  const int n_tx = a.geometry.n_tx;
  const int first_tx = item.part / a.n_splits * kT;
  int* starts = reinterpret_cast<int*>(shared + at.starts);
  const int* rx_start = a.rx_start + static_cast<long long>(item.tile) * n_el + item.first_element;
  const int* tx_start = a.tx_start + static_cast<long long>(item.tile) * n_tx;
  for (int e = lane; e < item.n_elements; e += kWarp) starts[e] = rx_start[e];
  StageRows<kT> rows;
  rows.starts = starts;
#pragma unroll
  for (int t = 0; t < kT; ++t) {
    const int tx = min(first_tx + t, n_tx - 1);
    rows.of_transmit[t] = tx_start[tx];
    rows.line_of_transmit[t] = static_cast<unsigned>((tx * n_el + item.first_element) * a.pitch + a.window);
  }
  wait_for_earlier_kernel();
  __syncwarp();

  const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
  const unsigned barriers = shared_address(shared);
  const unsigned ring = shared_address(shared + at.ring);
  const int n_stages = stages(a, item);
  int slot = 0;
  unsigned parity = 1;  // of the first wait for an empty slot: passes at once
  for (int s = 0; s < n_stages; ++s) {
    wait_for(barriers + static_cast<unsigned>(kMaxStageSlots + slot) * 8u, parity);
    rows.first = s * a.stage_elements;
    rows.end = min(rows.first + a.stage_elements, item.n_elements);
    fetch_stage(a, rows, ring + static_cast<unsigned>(slot * a.stage_elements * kT) * row_bytes,
                barriers + static_cast<unsigned>(slot) * 8u);
    if (++slot == a.n_slots) {
      slot = 0;
      parity ^= 1u;
    }
  }
}

}  // namespace echoloop::cuda
