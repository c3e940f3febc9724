// The fetching warp of the tuned delay-and-sum (packed_das.cuh): windows of lines to the ring in shared memory.
#pragma once

#include "backend/cuda/packed_barrier.cuh"
#include "backend/cuda/packed_das.h"

namespace echoloop::cuda {

inline constexpr int kWarp = 32;

// Stages of an item: the one expression that both sides count by.
__device__ inline int stages(const PackedDasArgs& a, const PackedItem& item) {
  return (item.n_elements + a.stage_elements - 1) / a.stage_elements;
}

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
  if (lane < kT) starts[n_el + lane] = tx_start[min(first_tx + lane, n_tx - 1)];
  __syncwarp();

  const unsigned row_bytes = static_cast<unsigned>(a.window) * 8u;
  const unsigned barriers = shared_address(shared);
  const unsigned ring = shared_address(shared + at.ring);
  const int n_stages = stages(a, item);
  int slot = 0;
  unsigned parity = 1;  // of the first wait for an empty slot: passes at once
  for (int s = 0; s < n_stages; ++s) {
    wait_for(barriers + static_cast<unsigned>(kMaxStageSlots + slot) * 8u, parity);
    const int first = s * a.stage_elements;
    const int rows = min(a.stage_elements, item.n_elements - first) * kT;
    const unsigned full = barriers + static_cast<unsigned>(slot) * 8u;
    if (lane == 0) arrive_expecting(full, static_cast<unsigned>(rows) * row_bytes);
    __syncwarp();
    const unsigned to = ring + static_cast<unsigned>(slot * a.stage_elements * kT) * row_bytes;
    for (int row = lane; row < rows; row += kWarp) {
      const int e = first + row / kT;
      const int t = row % kT;
      // Outside the record the neighbouring zeros serve; a window never leaves them.
      const int start = min(max(starts[e] + starts[n_el + t], -a.window), a.n_words);
      const long long line = static_cast<long long>(min(first_tx + t, n_tx - 1)) * n_el + item.first_element + e;
      copy_to_shared(to + static_cast<unsigned>(row) * row_bytes, a.words + line * a.pitch + a.window + start,
                     row_bytes, full);
    }
    if (++slot == a.n_slots) {
      slot = 0;
      parity ^= 1u;
    }
  }
}

}  // namespace echoloop::cuda
