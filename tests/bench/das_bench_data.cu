// Data of the benchmark, made on the device, and the reference in double precision.
#include <cuda_fp16.h>

#include <cmath>
#include <random>

#include "backend/cuda/runtime/cuda_error.h"
#include "backend/fp16/packed_plan.h"
#include "bench/das_bench.h"
#include "core/units.h"
#include "dsp/packed_fir.h"

namespace echoloop::bench {
namespace {

constexpr int kThreads = 256;
constexpr int kMaxPoints = 60;

unsigned blocks(long long n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

__device__ unsigned hashed(unsigned long long v) {
  v ^= v >> 31;
  v *= 0x7fb5d329728ea185ULL;
  v ^= v >> 27;
  v *= 0x81dadef4bc2dd44dULL;
  return static_cast<unsigned>(v >> 32);
}

__device__ float noise_value(unsigned long long i) {
  return static_cast<float>(static_cast<int>(hashed(i) >> 17) - 16384);
}

struct Transmits {
  double sine[128];
  double cosine[128];
  double t0_s[128];
};

struct Points {
  double x[kMaxPoints];
  double z[kMaxPoints];
  float a[kMaxPoints];
};

struct Geometry {
  int nx, nz, n_tx, n_el, n_line, n_valid;
  double x0, dx, z0, dz, c, rate, demod_hz, pitch_m, f_number, sigma_s;
};

__global__ void noise_kernel(Complex* lines, Geometry g, unsigned seed) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= static_cast<long long>(g.n_tx) * g.n_el * g.n_line) return;
  const bool inside = i % g.n_line < g.n_valid;
  const unsigned long long at =
      (static_cast<unsigned long long>(seed) << 40) + 2ULL * static_cast<unsigned long long>(i);
  lines[i] = inside ? Complex{noise_value(at), noise_value(at + 1)} : Complex{0.0f, 0.0f};
}

__device__ double element_x(const Geometry& g, int e) { return (e - 0.5 * (g.n_el - 1)) * g.pitch_m; }

__global__ void points_kernel(Complex* lines, Geometry g, Transmits t, const Points* p, int n_points) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= static_cast<long long>(g.n_tx) * g.n_el * g.n_line) return;
  const int m = static_cast<int>(i % g.n_line);
  const int e = static_cast<int>(i / g.n_line % g.n_el);
  const int tx = static_cast<int>(i / g.n_line / g.n_el);
  const double at_s = m / g.rate + t.t0_s[tx];
  double re = 0.0, im = 0.0;
  for (int k = 0; k < n_points; ++k) {
    const double arrival =
        (p->x[k] * t.sine[tx] + p->z[k] * t.cosine[tx] + hypot(p->x[k] - element_x(g, e), p->z[k])) / g.c;
    const double u = (at_s - arrival) / g.sigma_s;
    if (fabs(u) > 6.0) continue;
    const double envelope = exp(-0.5 * u * u) * static_cast<double>(p->a[k]);
    double s, c;
    sincospi(-2.0 * g.demod_hz * (arrival - t.t0_s[tx]), &s, &c);
    re += envelope * c;
    im += envelope * s;
  }
  lines[i] = m < g.n_valid ? Complex{static_cast<float>(re), static_cast<float>(im)} : Complex{0.0f, 0.0f};
}

__global__ void pack_kernel(const Complex* lines, Geometry g, int pitch, int window, float per_unit, uint2* words) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  const long long n = static_cast<long long>(g.n_tx) * g.n_el * pitch;
  if (i < window) words[i] = make_uint2(0u, 0u);
  if (i >= n) return;
  const int m = static_cast<int>(i % pitch);
  uint2 word = make_uint2(0u, 0u);
  if (m < g.n_valid - 1) {
    const Complex* line = lines + i / pitch * g.n_line;
    const Complex a = per_unit * line[m];
    const Complex b = per_unit * line[m + 1];
    const __half2 value = __floats2half2_rn(a.re, a.im);
    const __half2 step = __floats2half2_rn((b.re - a.re) * kStepScale, (b.im - a.im) * kStepScale);
    word = make_uint2(reinterpret_cast<const unsigned&>(value), reinterpret_cast<const unsigned&>(step));
  }
  words[window + i] = word;
}

__global__ void raw_int16_kernel(short* raw, long long n, unsigned seed) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n)
    raw[i] = static_cast<short>(noise_value((static_cast<unsigned long long>(seed) << 40) + i) * 0.5f + 300.0f);
}

__global__ void raw_float_kernel(float* raw, long long n, unsigned seed) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) raw[i] = 1e-11f * noise_value((static_cast<unsigned long long>(seed) << 40) + i) + 3e-9f;
}

__global__ void reference_kernel(const Complex* lines, Geometry g, Transmits t, double2* image) {
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (i >= g.nx * g.nz) return;
  const double x = g.x0 + g.dx * (i % g.nx);
  const double z = g.z0 + g.dz * (i / g.nx);
  double re = 0.0, im = 0.0;
  for (int e = 0; e < g.n_el; ++e) {
    const double across = x - element_x(g, e);
    if (g.f_number > 0.0 && fabs(across) * g.f_number > 0.5000005 * z) continue;
    const double back = sqrt(across * across + z * z);
    for (int tx = 0; tx < g.n_tx; ++tx) {
      const double position = ((x * t.sine[tx] + z * t.cosine[tx] + back) / g.c - t.t0_s[tx]) * g.rate;
      const int whole = static_cast<int>(floor(position));
      if (whole < 0 || whole >= g.n_valid - 1) continue;
      const double w = position - whole;
      const Complex* line = lines + (static_cast<long long>(tx) * g.n_el + e) * g.n_line + whole;
      const double v =
          static_cast<double>(line[0].re) + w * (static_cast<double>(line[1].re) - static_cast<double>(line[0].re));
      const double u =
          static_cast<double>(line[0].im) + w * (static_cast<double>(line[1].im) - static_cast<double>(line[0].im));
      double s, c;
      sincospi(2.0 * g.demod_hz / g.rate * position, &s, &c);
      re += v * c - u * s;
      im += v * s + u * c;
    }
  }
  image[i] = make_double2(re, im);
}

Geometry geometry(const BenchCase& c) {
  const Plan& plan = *c.plan;
  const DasGeometry& d = plan.packed->das->geometry;
  return {d.nx,
          d.nz,
          d.n_tx,
          d.n_el,
          d.n_line,
          d.n_valid,
          plan.grid.x0_m,
          plan.grid.dx_m(),
          plan.grid.z0_m,
          plan.grid.dz_m(),
          plan.params.formation.sound_speed_m_s,
          plan.packed->band->line_rate_hz,
          plan.packed->band->demod_hz,
          plan.acquisition->probe.pitch_m,
          plan.params.formation.f_number,
          1.0 / (2.0 * kPi * 0.35 * (plan.params.formation.band_high_hz - plan.params.formation.band_low_hz) * 0.5)};
}

Transmits transmits(const BenchCase& c) {
  Transmits t{};
  int i = 0;
  for (const Transmit& tx : c.plan->acquisition->transmits) {
    t.sine[i] = std::sin(tx.angle_rad);
    t.cosine[i] = std::cos(tx.angle_rad);
    t.t0_s[i++] = tx.t0_s;
  }
  return t;
}

long long line_samples(const Geometry& g) { return static_cast<long long>(g.n_tx) * g.n_el * g.n_line; }

}  // namespace

BenchCase make_bench_case(const std::string& name, SampleType type) {
  auto a = std::make_shared<Acquisition>();
  const bool short_course = name[1] == '1';
  a->probe = make_linear_probe("bench", 128, short_course ? 0.298e-3 : 0.300e-3);
  a->sample_type = type;
  a->sampling_hz = short_course ? 100e6 : 20.832e6;
  a->n_samples = short_course ? 8183 : 1536;
  a->center_hz = short_course ? 5e6 : 5.208e6;
  a->bandwidth_hz = short_course ? 0.0 : 0.67 * 5.208e6;
  const int n_tx = short_course ? 3 : 75;
  const double widest = (short_course ? 10.0 : 16.0) * kRadiansPerDegree;
  for (int i = 0; i < n_tx; ++i) {
    a->transmits.push_back({.angle_rad = widest * (2.0 * i / (n_tx - 1) - 1.0), .element_delays_s = {}, .t0_s = 0.0});
  }
  a->validate(name);
  ImagingParams p = default_params(*a);
  p.level.reference_db = 0.0;
  p.formation.precision = Precision::fp16;
  p.formation.f_number = name.ends_with("F1") ? 1.0 : 0.0;
  p.formation.lateral_max_m = short_course ? 15e-3 : 18e-3;
  p.formation.lateral_min_m = -p.formation.lateral_max_m;
  p.formation.depth_min_m = short_course ? 20e-3 : 5e-3;
  p.formation.depth_max_m = short_course ? 50e-3 : 45e-3;
  const bool large = name.starts_with("S1L");
  p.formation.grid_nx = short_course ? (large ? 512 : 256) : 387;
  p.formation.grid_nz = short_course ? (large ? 1024 : 512) : 609;
  return {.name = name, .plan = make_plan(a, p), .repeats = short_course ? 20 : 4};
}

void make_lines(const BenchCase& c, Scene scene, unsigned seed, Complex* lines) {
  const Geometry g = geometry(c);
  const long long n = line_samples(g);
  if (scene == Scene::noise) {
    noise_kernel<<<blocks(n), kThreads>>>(lines, g, seed);
  } else {
    std::mt19937 random(seed);
    const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
    Points points{};
    for (int k = 0; k < kMaxPoints; ++k) {
      points.x[k] = g.x0 + uniform() * g.dx * (g.nx - 1);
      points.z[k] = g.z0 + uniform() * g.dz * (g.nz - 1);
      points.a[k] = static_cast<float>(1000.0 * (0.2 + uniform()));
    }
    Points* device = nullptr;
    CUDA_CHECK(cudaMalloc(&device, sizeof points));
    CUDA_CHECK(cudaMemcpy(device, &points, sizeof points, cudaMemcpyHostToDevice));
    points_kernel<<<blocks(n), kThreads>>>(lines, g, transmits(c), device, kMaxPoints);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(device));
  }
  CUDA_CHECK_LAUNCH("make_lines");
}

void pack_lines(const BenchCase& c, const Complex* lines, int pitch, int window, float scale, uint2* words) {
  const Geometry g = geometry(c);
  const long long n = static_cast<long long>(g.n_tx) * g.n_el * pitch;
  pack_kernel<<<blocks(n), kThreads>>>(lines, g, pitch, window, 1.0f / scale, words);
  CUDA_CHECK_LAUNCH("pack_lines");
}

void make_raw(const BenchCase& c, unsigned seed, void* raw) {
  const auto n = static_cast<long long>(c.plan->acquisition->frame_values());
  if (c.plan->acquisition->sample_type == SampleType::int16) {
    raw_int16_kernel<<<blocks(n), kThreads>>>(static_cast<short*>(raw), n, seed);
  } else {
    raw_float_kernel<<<blocks(n), kThreads>>>(static_cast<float*>(raw), n, seed);
  }
  CUDA_CHECK_LAUNCH("make_raw");
}

std::vector<double> reference_image(const BenchCase& c, const Complex* lines) {
  const Geometry g = geometry(c);
  const std::size_t n = static_cast<std::size_t>(g.nx) * static_cast<std::size_t>(g.nz);
  std::vector<double> image(2 * n);
  double2* device = nullptr;
  CUDA_CHECK(cudaMalloc(&device, n * sizeof(double2)));
  reference_kernel<<<blocks(static_cast<long long>(n)), kThreads>>>(lines, g, transmits(c), device);
  CUDA_CHECK_LAUNCH("reference_image");
  CUDA_CHECK(cudaMemcpy(image.data(), device, n * sizeof(double2), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device));
  return image;
}

}  // namespace echoloop::bench
