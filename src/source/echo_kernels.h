// The hot loops of the phantoms: two-way times, accumulation on a fine time axis, pulse filter, quantisation, noise.
// Why apart: plain pointers and simple loops that the compiler vectorises, built for AVX2 as well as the base machine.
// Included by echo_synth.cpp and phantom.cpp only. All functions: [any thread], no state.
#pragma once

#include <cstddef>
#include <cstdint>

namespace echoloop::kernels {

// Fine samples in an RF sample. A scatterer is two weights on the fine axis (linear interpolation): its centre of
// gravity is exact and at 4 x 4 samples a period the amplitude error is below 2 %.
inline constexpr int kOversampling = 4;

// out[i] = offset + x[i] kx + z[i] kz: fine samples at which the plane wave reaches the scatterers.
void plane_wave_positions(const float* x, const float* z, std::size_t n, float kx, float kz, float offset, float* out);

struct ElementGeometry {
  float x_m = 0.0F;
  float samples_per_m = 0.0F;  // fine samples a metre of one-way path
  // sinc(pi w s / lambda) as a polynomial in s^2, s = sine of the angle: c0 + c1 s^2 + ... (c0 = 1)
  float directivity[5] = {1.0F, 0.0F, 0.0F, 0.0F, 0.0F};
};

// position[i] = fine samples of the way back to the element, weight[i] = amplitude[i] times directivity.
void element_echoes(const float* x, const float* z, const float* amplitude, std::size_t n,
                    const ElementGeometry& element, float* position, float* weight);

// line[p], line[p + 1] += weight split at p = there[i] + back[i]. Positions outside [0, limit) go to line[limit],
// line[limit + 1], which must exist and are not read. n <= kBlock.
inline constexpr std::size_t kBlock = 512;
void accumulate(const float* there, const float* back, const float* weight, std::size_t n, int limit, float* line);

// phases[k][m] = line[4 m + k], m < n: phases is kOversampling rows of `stride` floats.
void split_phases(const float* line, std::size_t n, std::size_t stride, float* phases);

// out[m] = sum_k taps[k] fine[4 m + k] with fine = the line of split_phases, for m < n; n_taps a multiple of kTapBlock.
inline constexpr std::size_t kTapBlock = 2 * kOversampling;
void pulse_filter(const float* phases, std::size_t stride, const float* taps, std::size_t n_taps, std::size_t n,
                  float* out);

// out[m] = (moving[m] + fixed[m]) gain[m], rounded and saturated at +-32767.
void quantise(const float* moving, const float* fixed, const float* gain, std::size_t n, std::int16_t* out);

// out[i] = in[i] + noise of standard deviation sigma, saturated; noise = a function of (key, i) alone: the sum of the
// four bytes of a hash (Irwin-Hall: Gaussian but for its tails, which end at 3.5 sigma). Not in place.
void add_noise(const std::int16_t* in, std::size_t n, std::uint32_t key, float sigma, std::int16_t* out);

}  // namespace echoloop::kernels
