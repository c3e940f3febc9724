// das_window_tile() for x86 processors with AVX2 and FMA; called only on those.
#include <immintrin.h>

#define ECHO_ISA avx2
#include "backend/cpu/isa_loops.h"

namespace echoloop::avx2 {

using Floats = __m256;
using Ints = __m256i;
inline constexpr int kLanes = 8;

#define ECHO_OP [[gnu::always_inline]] static inline
ECHO_OP Floats load(const float* p) { return _mm256_loadu_ps(p); }
ECHO_OP void store(float* p, Floats v) { _mm256_storeu_ps(p, v); }
ECHO_OP Ints load_pairs(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
ECHO_OP Ints load(const std::int32_t* p) { return load_pairs(p); }
ECHO_OP void store(std::int32_t* p, Ints v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
ECHO_OP Floats all(float v) { return _mm256_set1_ps(v); }
ECHO_OP Ints no_ints() { return _mm256_setzero_si256(); }
ECHO_OP Floats larger(Floats a, Floats b) { return _mm256_max_ps(a, b); }
ECHO_OP Floats multiply_add(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }       // a b + c
ECHO_OP Floats multiply_subtract(Floats a, Floats b, Floats c) { return _mm256_fmsub_ps(a, b, c); }  // a b - c
ECHO_OP Floats subtract_product(Floats a, Floats b, Floats c) { return _mm256_fnmadd_ps(a, b, c); }  // c - a b
ECHO_OP Floats floor(Floats v) { return _mm256_floor_ps(v); }
ECHO_OP Floats nearest(Floats v) { return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
ECHO_OP Floats square_root(Floats v) { return _mm256_sqrt_ps(v); }
ECHO_OP Ints to_ints(Floats v) { return _mm256_cvtps_epi32(v); }
ECHO_OP Floats to_floats(Ints v) { return _mm256_cvtepi32_ps(v); }
ECHO_OP Ints add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }

ECHO_OP float least(Floats v) {
  __m128 m = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_min_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}
ECHO_OP float greatest(Floats v) { return -least(all(0.0f) - v); }

ECHO_OP Floats backwards(Floats v) { return _mm256_permutevar8x32_ps(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)); }

// Returns v where limit >= 0, otherwise 0.
ECHO_OP Floats where_not_negative(Floats limit, Floats v) {
  return _mm256_and_ps(_mm256_cmp_ps(limit, all(0.0f), _CMP_GE_OQ), v);
}

ECHO_OP Ints pack_pairs(Ints low, Ints high) { return _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xAA); }
ECHO_OP Ints whole_samples(Ints delay) { return _mm256_srli_epi32(delay, 16); }

// Interpolates pairs. The lower 16 bits of the delay, a fraction of a sample, are used as 15 bits in both halves.
ECHO_OP Ints interpolate(Ints delay, Ints s0, Ints s1) {
  const Ints twice = _mm256_blend_epi16(delay, _mm256_slli_epi32(delay, 16), 0xAA);
  const Ints fraction = _mm256_srli_epi16(twice, 1);
  return _mm256_add_epi16(s0, _mm256_mulhrs_epi16(_mm256_sub_epi16(s1, s0), fraction));
}
ECHO_OP Ints add_products(Ints sum, Ints pairs, Ints factors) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, factors));
}

ECHO_OP Ints choose(Ints low, Ints high, Ints sign) {
  return _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _mm256_castsi256_ps(sign)));
}
ECHO_OP Ints of_sixteen(Ints low, Ints high, Ints index) {
  return choose(_mm256_permutevar8x32_epi32(low, index), _mm256_permutevar8x32_epi32(high, index),
                _mm256_slli_epi32(index, 28));
}

// Fetches sample and neighbour of every lane from a window of the line. `reach`: pairs it holds.
struct NarrowWindow {
  static constexpr int reach = 8;
  ECHO_OP void fetch(const std::uint32_t* window, Ints index, Ints& s0, Ints& s1) {
    const Ints pairs = load_pairs(window);
    s0 = _mm256_permutevar8x32_epi32(pairs, index);
    s1 = _mm256_permutevar8x32_epi32(pairs, _mm256_add_epi32(index, _mm256_set1_epi32(1)));
  }
};
struct MiddleWindow {
  static constexpr int reach = 16;
  ECHO_OP void fetch(const std::uint32_t* window, Ints index, Ints& s0, Ints& s1) {
    const Ints low = load_pairs(window);
    const Ints high = load_pairs(window + 8);
    s0 = of_sixteen(low, high, index);
    s1 = of_sixteen(low, high, _mm256_add_epi32(index, _mm256_set1_epi32(1)));
  }
};
struct WideWindow {
  static constexpr int reach = 32;
  ECHO_OP void fetch(const std::uint32_t* window, Ints index, Ints& s0, Ints& s1) {
    const Ints a = load_pairs(window);
    const Ints b = load_pairs(window + 8);
    const Ints c = load_pairs(window + 16);
    const Ints d = load_pairs(window + 24);
    const Ints next = _mm256_add_epi32(index, _mm256_set1_epi32(1));
    s0 = choose(of_sixteen(a, b, index), of_sixteen(c, d, index), _mm256_slli_epi32(index, 27));
    s1 = choose(of_sixteen(a, b, next), of_sixteen(c, d, next), _mm256_slli_epi32(next, 27));
  }
};

}  // namespace echoloop::avx2

#include "backend/cpu/das_window_kernel.h"
