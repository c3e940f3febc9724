// The tuned delay-and-sum. A block owns a tile of pixels; one extra warp does nothing but fetch, for every element and
// transmit, the window of the line that the tile needs into a ring in shared memory; the others sum. Ring slots pass
// between them through a "full" and an "empty" barrier each; nobody else waits for anybody.
//
// Geometry is in radians of receive phase, so that a distance is a phase; delays are integers of 1/2048 samples
// (dsp/packed.h). The window's start, the slot's address and the float format's offset disappear into constants of
// the two delays, so a delay-sum is: add, shift, multiply (address), load, mask (fraction), 3 packed multiply-adds.
// Included by the files that compile variants of it.
#pragma once

#include <cuda_fp16.h>

#include <utility>

#include "backend/cuda/packed_barrier.cuh"
#include "backend/cuda/packed_das.h"
#include "dsp/level.h"

namespace echoloop::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kSummersBarrier = 1;  // named barrier of the summing warps

template <Rotation kRotation, WeightKind kWeight, int kT, int kP>
struct PackedDas {
  static constexpr bool kReceiveFirst = kRotation == Rotation::receive_first;

  // What a summing thread keeps in registers.
  struct Pixels {
    float x;                  // radians
    float z[kP];              // radians
    int delay[kP][kT];        // transmit delay, units, with all constant offsets
    __half2 phasor[kP][kT];   // transmit_first: (cos, sin) of the transmit phase
    float re[kP];
    float im[kP];
  };

  static __device__ PackedShared layout(const PackedDasArgs& a) {
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    return packed_shared({kWeight, kRotation, a.geometry.n_el, kT, kT * kP * summers, a.window, a.stage_elements, a.n_slots});
  }

  // ---- fetching warp ----

  static __device__ void fetch(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared) {
    const PackedShared at = layout(a);
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
      wait_for(barriers + static_cast<unsigned>(kMaxSlots + slot) * 8u, parity);
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

  // Stages of an item: the one expression that both sides count by.
  static __device__ int stages(const PackedDasArgs& a, const PackedItem& item) {
    return (item.n_elements + a.stage_elements - 1) / a.stage_elements;
  }

  // ---- summing warps ----

  static __device__ void write_records(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared) {
    const PackedShared at = layout(a);
    auto* records = reinterpret_cast<float4*>(shared + at.records);
    auto* normals = reinterpret_cast<float4*>(shared + at.normals);
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    for (int e = static_cast<int>(threadIdx.x); e < item.n_elements; e += summers) {
      const ElementGeometry g = a.geometry.elements[item.first_element + e];
      const int start = a.rx_start[static_cast<long long>(item.tile) * a.geometry.n_el + item.first_element + e];
      float weight = 1.0f;
      if (kWeight == WeightKind::element) weight = window_weight(a, g.aperture_place);
      // A multiple of 2^kDelayBits below 2^34: exact.
      records[e] = make_float4(g.x_m * a.radians_per_m, g.z_m * a.radians_per_m,
                               kDelayMagic - static_cast<float>(start) * kDelayUnits, weight);
      if (kWeight == WeightKind::general) normals[e] = make_float4(g.normal_sin, g.normal_cos, g.aperture_place, 0.0f);
    }
  }

  static __device__ float window_weight(const PackedDasArgs& a, float place) {
    const WindowPolynomial& w = a.window_weight;
    const float u = fabsf(place);
    const float v = fmaxf(u - w.flat, 0.0f);
    const float s = v * v;
    float sum = w.c[6];
#pragma unroll
    for (int k = 5; k >= 0; --k) sum = sum * s + w.c[k];
    return u <= 0.5000005f ? sum : 0.0f;
  }

  static __device__ float pixel_weight(const PackedDasArgs& a, const float4& record, const float4& normal, float dx,
                                       float dz) {
    if (kWeight == WeightKind::box) return fabsf(dx) * a.geometry.f_number <= 0.5000005f * dz ? 1.0f : 0.0f;
    if (kWeight != WeightKind::general) return record.w;
    const LocalPosition p{dx * normal.x + dz * normal.y, dx * normal.y - dz * normal.x};
    float place = normal.z;
    if (a.geometry.f_number > 0.0f) {
      place = p.along_m > 0.0f ? __fdividef(p.across_m * a.geometry.f_number, p.along_m) : 1.0f;
    }
    float weight = window_weight(a, place);
    if (a.geometry.width_over_wavelength > 0.0f) {
      // directivity_weight() of dsp/das.h with the hardware's own functions.
      const float per_distance = rsqrtf(p.along_m * p.along_m + p.across_m * p.across_m + 1e-20f);
      const float v = 3.14159265f * a.geometry.width_over_wavelength * p.across_m * per_distance;
      const float response = v * v < 1e-5f ? 1.0f : __fdividef(sine(v), v);
      weight *= p.along_m > 0.0f ? p.along_m * per_distance * response : 0.0f;
    }
    return weight;
  }

  struct Place {
    int ix;
    int iz[kP];
    bool inside[kP];
  };

  static __device__ Place place(const PackedDasArgs& a, const PackedItem& item) {
    const DasGeometry& g = a.geometry;
    const int rows = a.tile.tile_z / kP;
    const TilePlace in_tile = tile_place(a.tile, static_cast<int>(threadIdx.x));
    const int ix = item.tile % a.tiles_across * a.tile.tile_x + in_tile.x;
    Place p;
    p.ix = min(ix, g.nx - 1);
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      const int iz = item.tile / a.tiles_across * a.tile.tile_z + min(in_tile.z, rows - 1) + i * rows;
      p.iz[i] = min(iz, g.nz - 1);
      p.inside[i] = ix < g.nx && iz < g.nz && in_tile.z < rows;
    }
    return p;
  }

  static __device__ void prepare(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared, Pixels& px) {
    const PackedShared at = layout(a);
    const DasGeometry& g = a.geometry;
    const Place p = place(a, item);
    const int first_tx = item.part / a.n_splits * kT;
    const int ring_words = static_cast<int>(shared_address(shared + at.ring) / 8u);
    auto* phasors = reinterpret_cast<__half2*>(shared + at.phasors) + threadIdx.x;
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    px.x = g.x_m[p.ix] * a.radians_per_m;
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      const float z_m = g.z_m[p.iz[i]];
      px.z[i] = z_m * a.radians_per_m;
      px.re[i] = px.im[i] = 0.0f;
#pragma unroll
      for (int t = 0; t < kT; ++t) {
        const int tx = min(first_tx + t, g.n_tx - 1);
        const int row = tx * g.nz + p.iz[i];
        const float excess = g.tx_excess[static_cast<long long>(row) * g.nx + p.ix];
        const int start = a.tx_start[static_cast<long long>(item.tile) * g.n_tx + tx];
        const int whole = g.row_base[row] - start + t * a.window + ring_words;
        const float rest = excess - fabsf(z_m) * g.samples_per_m;
        px.delay[i][t] = whole * (1 << kDelayBits) + __float2int_rn(rest * kDelayUnits) - kDelayMagicBits;
        // The plan's phase belongs to the transmit path plus |z|; the receive phase is the whole path's.
        const Complex c = unit_phasor(g.row_turns[row] + excess * g.turns_per_sample -
                                      fabsf(z_m) * g.samples_per_m * g.turns_per_sample);
        const __half2 phasor = first_tx + t < g.n_tx ? __floats2half2_rn(c.re, c.im) : __floats2half2_rn(0.0f, 0.0f);
        if (kReceiveFirst) {
          phasors[(i * kT + t) * summers] = phasor;
        } else {
          px.phasor[i][t] = phasor;
        }
      }
    }
  }

  static __device__ __forceinline__ __half2 sample(unsigned delay, unsigned word_bytes) {
    unsigned value, step;
    // volatile: stays between the wait for its slot and the slot's return.
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(step) : "r"((delay >> kDelayBits) * word_bytes));
    const unsigned short fraction = static_cast<unsigned short>(delay & kFractionMask);
    const __half2 w = __half2half2(__ushort_as_half(fraction));
    return __hfma2(reinterpret_cast<const __half2&>(step), w, reinterpret_cast<const __half2&>(value));
  }

  static __device__ __forceinline__ float sine(float radians) {
    float v;
    asm("sin.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(radians));
    return v;
  }
  static __device__ __forceinline__ float cosine(float radians) {
    float v;
    asm("cos.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(radians));
    return v;
  }
  static __device__ __forceinline__ float root(float v) {
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
  }

  // Adds (re, im) times the transmit phasor.
  static __device__ __forceinline__ void add_turned(float re, float im, float c, float s, float& sum_re, float& sum_im) {
    sum_re += re * c;
    sum_re -= im * s;
    sum_im += re * s;
    sum_im += im * c;
  }

  static __device__ void sum(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared, Pixels& px) {
    const PackedShared at = layout(a);
    const unsigned barriers = shared_address(shared);
    const auto* records = reinterpret_cast<const float4*>(shared + at.records);
    const auto* normals = reinterpret_cast<const float4*>(shared + at.normals);
    const auto* phasors = reinterpret_cast<const __half2*>(shared + at.phasors) + threadIdx.x;
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    const int row_units = kT * a.window * (1 << kDelayBits);  // from one element's windows to the next one's
    const int n_stages = stages(a, item);
    const __half2 zero = __float2half2_rn(0.0f);
    int slot = 0;
    int slot_units = 0;
    unsigned parity = 0;
    int e = 0;
    for (int s = 0; s < n_stages; ++s) {
      wait_for(barriers + static_cast<unsigned>(slot) * 8u, parity);
      __half2 with_cos[kP][kReceiveFirst ? kT : 1];
      __half2 with_sin[kP][kReceiveFirst ? kT : 1];
#pragma unroll
      for (int i = 0; i < kP; ++i) {
#pragma unroll
        for (int t = 0; t < (kReceiveFirst ? kT : 1); ++t) with_cos[i][t] = with_sin[i][t] = zero;
      }
      const int end = min(e + a.stage_elements, item.n_elements);
      int units = slot_units;
#pragma unroll 1
      for (; e < end; ++e, units += row_units) {
        const float4 record = records[e];
        const float4 normal = kWeight == WeightKind::general ? normals[e] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        const float dx = px.x - record.x;
        const float dx2 = dx * dx;
#pragma unroll
        for (int i = 0; i < kP; ++i) {
          const float dz = px.z[i] - record.y;
          const float distance = root(dz * dz + dx2);
          const int receive = __float_as_int(__fmaf_rn(distance, a.units_per_radian, record.z)) + units;
          float c = cosine(distance);
          float si = sine(distance);
          if (kWeight != WeightKind::none) {
            const float weight = pixel_weight(a, record, normal, dx, dz);
            c *= weight;
            si *= weight;
          }
          if (kReceiveFirst) {
            const __half2 phasor = __floats2half2_rn(c, si);
#pragma unroll
            for (int t = 0; t < kT; ++t) {
              const __half2 v = sample(static_cast<unsigned>(receive + px.delay[i][t]), a.word_bytes);
              with_cos[i][t] = __hfma2(v, __low2half2(phasor), with_cos[i][t]);
              with_sin[i][t] = __hfma2(v, __high2half2(phasor), with_sin[i][t]);
            }
          } else {
            __half2 by_cos = zero;
            __half2 by_sin = zero;
#pragma unroll
            for (int t = 0; t < kT; ++t) {
              const __half2 v = sample(static_cast<unsigned>(receive + px.delay[i][t]), a.word_bytes);
              by_cos = t == 0 ? __hmul2(v, __low2half2(px.phasor[i][t])) : __hfma2(v, __low2half2(px.phasor[i][t]), by_cos);
              by_sin = t == 0 ? __hmul2(v, __high2half2(px.phasor[i][t])) : __hfma2(v, __high2half2(px.phasor[i][t]), by_sin);
            }
            add_turned(__low2float(by_cos) - __high2float(by_sin), __high2float(by_cos) + __low2float(by_sin), c, si,
                       px.re[i], px.im[i]);
          }
        }
      }
      __syncwarp();
      if (threadIdx.x % kWarp == 0) arrive(barriers + static_cast<unsigned>(kMaxSlots + slot) * 8u);
      if (kReceiveFirst) {
#pragma unroll
        for (int i = 0; i < kP; ++i) {
#pragma unroll
          for (int t = 0; t < kT; ++t) {
            const float2 p = __half22float2(phasors[(i * kT + t) * summers]);
            add_turned(__low2float(with_cos[i][t]) - __high2float(with_sin[i][t]),
                       __high2float(with_cos[i][t]) + __low2float(with_sin[i][t]), p.x, p.y, px.re[i], px.im[i]);
          }
        }
      }
      slot_units += a.stage_elements * row_units;
      if (++slot == a.n_slots) {
        slot = 0;
        slot_units = 0;
        parity ^= 1u;
      }
    }
  }

  // ---- the end ----

  static __device__ void summers_wait() {
    asm volatile("bar.sync %0, %1;" ::"r"(kSummersBarrier), "r"(blockDim.x - kWarp) : "memory");
  }

  static __device__ void write(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared, const Pixels& px) {
    const DasGeometry& g = a.geometry;
    const Place p = place(a, item);
    const long long n_pixels = static_cast<long long>(g.nx) * g.nz;
    const float scale = *a.scale;
    float re[kP];
    float im[kP];
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      re[i] = px.re[i];
      im[i] = px.im[i];
    }
    if (a.n_parts > 1) {
      // Every part is written; the block that comes last adds them up in their order, whoever it is.
#pragma unroll
      for (int i = 0; i < kP; ++i) {
        if (p.inside[i]) a.partials[item.part * n_pixels + static_cast<long long>(p.iz[i]) * g.nx + p.ix] = {re[i], im[i]};
      }
      __threadfence();
      summers_wait();
      auto* is_last = reinterpret_cast<unsigned*>(shared + 2 * kMaxSlots * 8);
      if (threadIdx.x == 0) {
        const unsigned before = atomicAdd(&a.arrivals[item.tile], 1u);
        *is_last = before + 1u == static_cast<unsigned>(a.n_parts) ? 1u : 0u;
        if (*is_last != 0u) a.arrivals[item.tile] = 0u;  // for the next frame
      }
      summers_wait();
      if (*is_last == 0u) return;
      __threadfence();
#pragma unroll
      for (int i = 0; i < kP; ++i) {
        re[i] = im[i] = 0.0f;
        const long long pixel = static_cast<long long>(p.iz[i]) * g.nx + p.ix;
        for (int part = 0; part < a.n_parts; ++part) {
          const float2 v = __ldcg(reinterpret_cast<const float2*>(a.partials + part * n_pixels + pixel));
          re[i] += v.x;
          im[i] += v.y;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      if (!p.inside[i]) continue;
      const long long pixel = static_cast<long long>(p.iz[i]) * g.nx + p.ix;
      const Complex value{re[i] * scale, im[i] * scale};
      a.pixels[pixel] = value;
      a.envelope[pixel] = magnitude(value);
    }
  }

  static __device__ void run(const PackedDasArgs& a) {
    extern __shared__ __align__(128) unsigned char shared[];
    const PackedItem item = a.items[blockIdx.x];
    const bool fetching = threadIdx.x >= blockDim.x - kWarp;
    if (threadIdx.x == blockDim.x - kWarp) {
      const unsigned barriers = shared_address(shared);
      const unsigned summing_warps = blockDim.x / kWarp - 1;
      for (unsigned s = 0; s < static_cast<unsigned>(a.n_slots); ++s) {
        init_barrier(barriers + s * 8u, 1);
        init_barrier(barriers + (kMaxSlots + s) * 8u, summing_warps);
      }
      publish_barriers();
    }
    __syncthreads();
    if (fetching) {
      fetch(a, item, shared);
      return;
    }
    Pixels px;
    write_records(a, item, shared);
    prepare(a, item, shared, px);
    summers_wait();
    sum(a, item, shared, px);
    write(a, item, shared, px);
  }
};

// Older devices get an empty kernel, which is never launched.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define ECHO_PACKED_BLOCKS(n) 1
#else
#define ECHO_PACKED_BLOCKS(n) n
#endif

template <Rotation kRotation, WeightKind kWeight, int kT, int kP, int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, ECHO_PACKED_BLOCKS(kBlocks))
    packed_das_kernel(const __grid_constant__ PackedDasArgs args) {
#if __CUDA_ARCH__ >= 900
  PackedDas<kRotation, kWeight, kT, kP>::run(args);
#endif
}

template <WeightKind kWeight, std::size_t kForm>
const void* packed_kernel() {
  constexpr PackedForm kF = kPackedForms[kForm];
  return reinterpret_cast<const void*>(&packed_das_kernel<kF.rotation, kWeight, kF.n_transmits, kF.n_pixels,
                                                          kF.max_threads, kF.blocks_per_sm>);
}

template <WeightKind kWeight, std::size_t... kForm>
PackedKernels packed_kernels(std::index_sequence<kForm...>) {
  return {{packed_kernel<kWeight, kForm>()...}};
}

}  // namespace echoloop::cuda
