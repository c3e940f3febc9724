// The fetching warp of the tuned delay-and-sum (packed_das_kernel.cuh): windows of lines to the ring in shared memory.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_das.h"

namespace echoloop::cuda {

inline constexpr int kWarp = 32;

// Stages of an item: the one expression that both sides count by.
__device__ inline int stages(const PackedDasArgs& a, const PackedItem& item) {
  return (item.n_elements + a.stage_elements - 1) / a.stage_elements;
}

// One lane starts all copies of a stage: eight instructions a copy, which neither branch nor wait for one another, are
// what keeps a warp ahead of fifteen that sum.
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
  int of_transmit[kT];            // samples
  unsigned line_of_transmit[kT];  // words
#pragma unroll
  for (int t = 0; t < kT; ++t) {
    const int tx = min(first_tx + t, n_tx - 1);
    of_transmit[t] = tx_start[tx];
    line_of_transmit[t] = static_cast<unsigned>((tx * n_el + item.first_element) * a.pitch + a.window);
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
    reuse_by_copies();
    const int first = s * a.stage_elements;
    const int end = min(first + a.stage_elements, item.n_elements);
    const unsigned full = barriers + static_cast<unsigned>(slot) * 8u;
    if (elected()) {
      arrive_expecting(full, static_cast<unsigned>((end - first) * kT) * row_bytes);
      unsigned to = ring + static_cast<unsigned>(slot * a.stage_elements * kT) * row_bytes;
#pragma unroll 1
      for (int e = first; e < end; ++e) {
        const int of_element = starts[e];
        const unsigned line = static_cast<unsigned>(e * a.pitch);
#pragma unroll
        for (int t = 0; t < kT; ++t, to += row_bytes) {
          // Outside the record the neighbouring zeros serve; a window never leaves them.
          const int start = min(max(of_element + of_transmit[t], -a.window), a.n_words);
          copy_to_shared(to, a.words + (line_of_transmit[t] + line + static_cast<unsigned>(start)), row_bytes, full);
        }
      }
    }
    __syncwarp();
    if (++slot == a.n_slots) {
      slot = 0;
      parity ^= 1u;
    }
  }
}

}  // namespace echoloop::cuda
