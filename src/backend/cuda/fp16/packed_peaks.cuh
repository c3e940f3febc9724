// Largest sample of a frame of floats, to which the packed conditioner (packed_fir_launch.cu) scales its words. If all
// its blocks are on the device at once, each writes its line's peak and waits for the others'; otherwise find_peaks()
// has written them.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_fir_kernel.h"

namespace echoloop::cuda {

inline constexpr float kLeastPeak = 1e-33f;  // avoids division by zero

template <class Sample>
inline constexpr bool kPeakIsLookedFor = sizeof(Sample) == sizeof(float);  // int16 has a full scale

__device__ __forceinline__ void leave_peak(const PackedFirArgs& a, float peak) {
  const FirPeak left = static_cast<FirPeak>(a.launch) << 32 | __float_as_uint(peak);
  *static_cast<volatile FirPeak*>(a.peaks + blockIdx.x) = left;
}

// Returns the largest of the frame's peaks read by this warp; all warps together read all. Waits for missing ones; a
// wait of seconds means that not all blocks are running: it ends the kernel instead of hanging the device.
__device__ inline float peak_of_warp(const PackedFirArgs& a) {
  constexpr long long kPatienceCycles = 1LL << 33;  // about 4 s
  constexpr int kAtOnce = 4;
  wait_for_earlier_kernel();  // find_peaks(), if launched, has ended; nothing is written before
  const volatile FirPeak* peaks = a.peaks;
  const long long start = clock64();
  const int n = a.n_peaks();
  float peak = kLeastPeak;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kAtOnce * static_cast<int>(blockDim.x)) {
    FirPeak left[kAtOnce];
    const auto place = [&](int k) { return i + k * static_cast<int>(blockDim.x); };
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) left[k] = place(k) < n ? peaks[place(k)] : FirPeak{};
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (place(k) >= n) break;
      while (static_cast<unsigned>(left[k] >> 32) != a.launch) {
        if (clock64() - start > kPatienceCycles) __trap();
        left[k] = peaks[place(k)];
      }
      peak = fmaxf(peak, __uint_as_float(static_cast<unsigned>(left[k])));
    }
  }
  for (int step = kWarp / 2; step > 0; step /= 2) peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, step));
  return peak;
}

}  // namespace echoloop::cuda
