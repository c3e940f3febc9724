// Loops of LineSteps. CMakeLists.txt compiles them once per instruction set: ECHO_ISA is the namespace,
// ECHO_VECTOR_BYTES the size of a vector. No standard library here, see das_rows_kernel.h.
#include "backend/cpu/isa_loops.h"

namespace echoloop::ECHO_ISA {

typedef float Vector __attribute__((vector_size(ECHO_VECTOR_BYTES), aligned(4), may_alias));
typedef std::int16_t Half __attribute__((may_alias));
inline constexpr int kVector = ECHO_VECTOR_BYTES / 4;

enum class Outputs { anew, added_to };

// Computes Count vectors of outputs at once: independent sums hide the latency of the multiply-adds.
template <int Count>
[[gnu::always_inline]] static inline void filter_block(const float* x, const float* taps, int n_taps, float* y,
                                                       Outputs outputs) {
  Vector sum[Count];
  for (int v = 0; v < Count; ++v)
    sum[v] = outputs == Outputs::added_to ? *reinterpret_cast<const Vector*>(y + v * kVector) : Vector{};
  for (int k = 0; k < n_taps; ++k) {
    const float tap = taps[k];
#pragma GCC unroll 8
    for (int v = 0; v < Count; ++v) sum[v] += tap * *reinterpret_cast<const Vector*>(x + k + v * kVector);
  }
  for (int v = 0; v < Count; ++v) *reinterpret_cast<Vector*>(y + v * kVector) = sum[v];
}

[[gnu::always_inline]] static inline void filter_all(const float* x, const float* taps, int n_taps, int n, float* y,
                                                     Outputs outputs) {
  constexpr int kCount = 8;
  int i = 0;
  for (; i + kCount * kVector <= n; i += kCount * kVector) filter_block<kCount>(x + i, taps, n_taps, y + i, outputs);
  for (; i < n; i += kVector) filter_block<1>(x + i, taps, n_taps, y + i, outputs);
}

static void filter(const float* x, const float* taps, int n_taps, int n, float* y) {
  filter_all(x, taps, n_taps, n, y, Outputs::anew);
}

static void filter_more(const float* x, const float* taps, int n_taps, int n, float* y) {
  filter_all(x, taps, n_taps, n, y, Outputs::added_to);
}

static void split(const float* __restrict x, int n, float* __restrict even, float* __restrict odd) {
  for (int i = 0; i < n; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
}

static void join(const float* __restrict even, const float* __restrict odd, int n, float* __restrict x) {
  for (int i = 0; i < n; ++i) {
    x[2 * i] = even[i];
    x[2 * i + 1] = odd[i];
  }
}

static void mix_rf(const float* __restrict x, float mean, const float* __restrict cosine, const float* __restrict sine,
                   int n, float* __restrict re, float* __restrict im) {
  for (int i = 0; i < n; ++i) {
    const float v = x[i] - mean;
    re[i] = v * cosine[i];
    im[i] = v * sine[i];
  }
}

static void mix_iq(const float* __restrict pairs, const float* __restrict cosine, const float* __restrict sine, int n,
                   float* __restrict re, float* __restrict im) {
  for (int i = 0; i < n; ++i) {
    re[i] = pairs[2 * i] * cosine[i] - pairs[2 * i + 1] * sine[i];
    im[i] = pairs[2 * i] * sine[i] + pairs[2 * i + 1] * cosine[i];
  }
}

static void widen(const std::int16_t* __restrict in, int n, float* __restrict x) {
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(in[i]);
}

static int valid(const float* __restrict in, int n, float largest, float* __restrict x) {
  int invalid = 0;
  for (int i = 0; i < n; ++i) {
    const float v = in[i];
    const bool is_valid = v <= largest && v >= -largest;
    x[i] = is_valid ? v : 0.0f;
    invalid += is_valid ? 0 : 1;
  }
  return invalid;
}

// Number of running sums and maxima, the lanes of a vector: the compiler may not reorder a single one.
inline constexpr int kRunning = 16;

static double sum(const float* x, int n) {
  double sums[kRunning] = {};
  int i = 0;
  for (; i + kRunning <= n; i += kRunning)
    for (int j = 0; j < kRunning; ++j) sums[j] += static_cast<double>(x[i + j]);
  double all = 0.0;
  for (const double v : sums) all += v;
  for (; i < n; ++i) all += static_cast<double>(x[i]);
  return all;
}

[[gnu::always_inline]] static inline float turn_one(float re, float im, Complex turn, float largest, Complex& out) {
  out = Complex{re, im} * turn;
  const float a = out.re < 0.0f ? -out.re : out.re;
  const float b = out.im < 0.0f ? -out.im : out.im;
  return largest_of(largest_of(largest, a), b);
}

static float pair_up(const float* __restrict re, const float* __restrict im, const Complex* __restrict turn, int n,
                     Complex* __restrict line) {
  float largest[kRunning] = {};
  int i = 0;
  for (; i + kRunning <= n; i += kRunning)
    for (int j = 0; j < kRunning; ++j)
      largest[j] = turn_one(re[i + j], im[i + j], turn[i + j], largest[j], line[i + j]);
  float all = 0.0f;
  for (const float v : largest) all = largest_of(all, v);
  for (; i < n; ++i) all = turn_one(re[i], im[i], turn[i], all, line[i]);
  return all;
}

static void quantise(const Complex* __restrict line, int n, float scale, float limit, std::uint32_t* __restrict pairs) {
  const float* values = &line->re;
  auto* out = reinterpret_cast<Half*>(pairs);  // x86 stores the lower half first
  for (int i = 0; i < 2 * n; ++i) {
    float v = values[i] * scale;
    v = v < limit ? v : limit;
    v = v > -limit ? v : -limit;
    out[i] = static_cast<Half>(static_cast<std::int32_t>(v + (v < 0.0f ? -0.5f : 0.5f)));
  }
}

const LineSteps kLineSteps = {.widen = widen,
                              .valid = valid,
                              .sum = sum,
                              .filter = filter,
                              .filter_more = filter_more,
                              .split = split,
                              .join = join,
                              .mix_rf = mix_rf,
                              .mix_iq = mix_iq,
                              .pair_up = pair_up,
                              .quantise = quantise};

}  // namespace echoloop::ECHO_ISA
