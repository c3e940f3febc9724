// The largest sample of a frame of floats, to which the packed conditioner (packed_fir_launch.cu) scales its words.
// Where all its blocks are on the device at once, each leaves its line's and waits for the others'; otherwise
// find_peaks() has left them.
#pragma once

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_fir_kernel.h"

namespace echoloop::cuda {

inline constexpr float kLeastPeak = 1e-33f;  // silence stays silence

template <class Sample>
inline constexpr bool kPeakIsLookedFor = sizeof(Sample) == sizeof(float);  // int16 has a full scale

__device__ __forceinline__ void leave_peak(const PackedFirArgs& a, float peak) {
  const FirPeak left = static_cast<FirPeak>(a.launch) << 32 | __float_as_uint(peak);
  *static_cast<volatile FirPeak*>(a.peaks + blockIdx.x) = left;
}

// Largest of the frame's peaks that this warp asks for; all warps together ask for all. Waits for those that are not
// there yet; seconds would mean that not all blocks are at work: that ends the kernel instead of hanging the device.
__device__ inline float peak_of_warp(const PackedFirArgs& a) {
  constexpr long long kPatienceCycles = 1LL << 33;  // about 4 s
  constexpr int kAtOnce = 4;
  wait_for_earlier_kernel();  // find_peaks(), where it was launched, has ended; before it nothing is written
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
