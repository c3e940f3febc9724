// das_window_tile() for x86 processors with AVX-512 F, BW, DQ and VL; called only on those.
#include <immintrin.h>

#define ECHO_ISA avx512
#include "backend/cpu/isa_loops.h"

namespace echoloop::avx512 {

using Floats = __m512;
using Ints = __m512i;
inline constexpr int kLanes = 16;

#define ECHO_OP [[gnu::always_inline]] static inline
ECHO_OP Floats load(const float* p) { return _mm512_loadu_ps(p); }
ECHO_OP void store(float* p, Floats v) { _mm512_storeu_ps(p, v); }
ECHO_OP Ints load(const std::int32_t* p) { return _mm512_loadu_si512(p); }
ECHO_OP void store(std::int32_t* p, Ints v) { _mm512_storeu_si512(p, v); }
ECHO_OP Floats all(float v) { return _mm512_set1_ps(v); }
ECHO_OP Ints no_ints() { return _mm512_setzero_si512(); }
ECHO_OP Floats larger(Floats a, Floats b) { return _mm512_max_ps(a, b); }
ECHO_OP Floats multiply_add(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }       // a b + c
ECHO_OP Floats multiply_subtract(Floats a, Floats b, Floats c) { return _mm512_fmsub_ps(a, b, c); }  // a b - c
ECHO_OP Floats subtract_product(Floats a, Floats b, Floats c) { return _mm512_fnmadd_ps(a, b, c); }  // c - a b
ECHO_OP Floats floor(Floats v) { return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
ECHO_OP Floats nearest(Floats v) { return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
ECHO_OP Ints to_ints(Floats v) { return _mm512_cvtps_epi32(v); }
ECHO_OP Floats to_floats(Ints v) { return _mm512_cvtepi32_ps(v); }
ECHO_OP Ints add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
ECHO_OP float least(Floats v) { return _mm512_reduce_min_ps(v); }
ECHO_OP float greatest(Floats v) { return _mm512_reduce_max_ps(v); }

// One Newton step after the 14-bit estimate: 27 bits, cheaper than the divider. For numbers above 1e-30.
ECHO_OP Floats square_root(Floats v) {
  const Floats estimate = _mm512_rsqrt14_ps(v);
  const Floats root = v * estimate;
  return multiply_add(root * all(0.5f), subtract_product(root, estimate, all(1.0f)), root);
}

ECHO_OP Floats backwards(Floats v) {
  return _mm512_permutexvar_ps(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v);
}

// Returns v where limit >= 0, otherwise 0.
ECHO_OP Floats where_not_negative(Floats limit, Floats v) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(limit, all(0.0f), _CMP_GE_OQ), v);
}

ECHO_OP Ints pack_pairs(Ints low, Ints high) {
  return _mm512_mask_blend_epi16(0xAAAAAAAAU, low, _mm512_slli_epi32(high, 16));
}
ECHO_OP Ints whole_samples(Ints delay) { return _mm512_srli_epi32(delay, 16); }

// Interpolates pairs. The lower 16 bits of the delay, a fraction of a sample, are used as 15 bits in both halves.
ECHO_OP Ints interpolate(Ints delay, Ints s0, Ints s1) {
  const Ints twice = _mm512_or_si512(_mm512_slli_epi32(delay, 16), _mm512_and_si512(delay, _mm512_set1_epi32(0xFFFF)));
  const Ints fraction = _mm512_srli_epi16(twice, 1);
  return _mm512_add_epi16(s0, _mm512_mulhrs_epi16(_mm512_sub_epi16(s1, s0), fraction));
}
ECHO_OP Ints add_products(Ints sum, Ints pairs, Ints factors) {
  return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, factors));
}

// Fetches sample and neighbour of every lane from a window of the line. `reach`: pairs it holds.
struct NarrowWindow {
  static constexpr int reach = 16;
  ECHO_OP void fetch(const std::uint32_t* window, Ints index, Ints& s0, Ints& s1) {
    const Ints pairs = _mm512_loadu_si512(window);
    s0 = _mm512_permutexvar_epi32(index, pairs);
    s1 = _mm512_permutexvar_epi32(_mm512_add_epi32(index, _mm512_set1_epi32(1)), pairs);
  }
};
struct MiddleWindow {
  static constexpr int reach = 32;
  ECHO_OP void fetch(const std::uint32_t* window, Ints index, Ints& s0, Ints& s1) {
    const Ints low = _mm512_loadu_si512(window);
    const Ints high = _mm512_loadu_si512(window + 16);
    s0 = _mm512_permutex2var_epi32(low, index, high);
    s1 = _mm512_permutex2var_epi32(low, _mm512_add_epi32(index, _mm512_set1_epi32(1)), high);
  }
};
struct WideWindow {
  static constexpr int reach = 64;
  ECHO_OP void fetch(const std::uint32_t* window, Ints index, Ints& s0, Ints& s1) {
    const Ints a = _mm512_loadu_si512(window);
    const Ints b = _mm512_loadu_si512(window + 16);
    const Ints c = _mm512_loadu_si512(window + 32);
    const Ints d = _mm512_loadu_si512(window + 48);
    const Ints next = _mm512_add_epi32(index, _mm512_set1_epi32(1));
    const Ints half = _mm512_set1_epi32(32);
    s0 = _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(a, index, b), _mm512_test_epi32_mask(index, half),
                               _mm512_permutex2var_epi32(c, index, d));
    s1 = _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(a, next, b), _mm512_test_epi32_mask(next, half),
                               _mm512_permutex2var_epi32(c, next, d));
  }
};

}  // namespace echoloop::avx512

#include "backend/cpu/das_window_kernel.h"
