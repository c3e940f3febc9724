// CPU kernels in GDS/s (pixels x elements x transmits / s / 1e9, all pairs counted, full aperture) and their error
// against float64, in one run: delay-and-sum by the functor, by rows and by the tuned variants, and conditioning by FFT
// and by filters. Excluded: upload, envelope, dB, plans.
//   echoloop_cpu_bench --benchmark_repetitions=20 --benchmark_report_aggregates_only=true
// On a shared machine, use the least time (`min`) and the greatest rate (`max`).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "backend/cpu/cpu_steps.h"
#include "core/units.h"
#include "support/das_double.h"

namespace echoloop {
namespace {

struct Case {
  const char* name;
  Acquisition acquisition;
  ImagingParams params;
  std::vector<std::int16_t> samples;
  std::shared_ptr<const Plan> plan;
  std::vector<Complex> lines;
  std::vector<float> peaks;
  std::vector<Complex> image;
  std::vector<std::complex<double>> truth;  // of some pixels

  [[nodiscard]] int n_lines() const { return acquisition.n_transmits() * acquisition.n_elements(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(samples)); }
  [[nodiscard]] double delay_sums() const { return static_cast<double>(plan->grid.pixels()) * n_lines(); }
};

// Every 97th pixel is computed in double precision.
constexpr std::size_t kTruthStep = 97;

Case make_case(const char* name, int n_elements, double pitch_m, int n_samples, double sampling_hz) {
  Case c{.name = name,
         .acquisition = {},
         .params = {},
         .samples = {},
         .plan = {},
         .lines = {},
         .peaks = {},
         .image = {},
         .truth = {}};
  Acquisition& a = c.acquisition;
  a.probe = make_linear_probe(name, n_elements, pitch_m, 0.9 * pitch_m);
  for (const double degrees : {-6.0, 0.0, 6.0}) {
    Transmit t;
    t.angle_rad = degrees * kRadiansPerDegree;
    a.transmits.push_back(t);
  }
  a.n_samples = n_samples;
  a.sample_type = SampleType::int16;
  a.sampling_hz = sampling_hz;
  a.center_hz = 5e6;
  a.bandwidth_hz = 3e6;
  c.params = default_params(a);
  c.params.formation.f_number = 0.0;
  std::mt19937 engine(1);
  std::normal_distribution<float> normal(0.0f, 4000.0f);
  for (std::size_t i = 0; i < a.frame_values(); ++i) {
    c.samples.push_back(static_cast<std::int16_t>(std::clamp(normal(engine), -32000.0f, 32000.0f)));
  }
  return c;
}

void finish_case(Case& c) {
  c.plan = make_plan(std::make_shared<const Acquisition>(c.acquisition), c.params);
  c.lines.resize(static_cast<std::size_t>(c.n_lines()) * static_cast<std::size_t>(c.plan->band->n_out));
  c.peaks.resize(static_cast<std::size_t>(c.n_lines()));
  c.image.resize(c.plan->grid.pixels());
  WorkerPool pool(2);
  BandConditioner fft;
  fft.set_plan(c.plan->band, 2);
  InvalidSamples invalid;
  fft.run(pool, c.bytes(), SampleType::int16, c.n_lines(), c.lines.data(), invalid);
  std::fill(c.peaks.begin(), c.peaks.end(), 0.0f);
  for (std::size_t i = 0; i < c.lines.size(); ++i) {
    float& peak = c.peaks[i / static_cast<std::size_t>(c.plan->band->n_out)];
    peak = std::max({peak, std::abs(c.lines[i].re), std::abs(c.lines[i].im)});
  }
  for (std::size_t i = 0; i < c.image.size(); i += kTruthStep) {
    c.truth.push_back(testing::das_pixel_double(*c.plan, c.lines, static_cast<int>(i) % c.plan->grid.nx,
                                                static_cast<int>(i) / c.plan->grid.nx));
  }
}

// Returns S1 as in the GPU short course: x +-15 mm, z 20-50 mm, 256 x 512 pixels.
Case& course_frame() {
  static Case c = [] {
    Case s1 = make_case("S1", 128, 0.298e-3, 8183, 100e6);
    s1.params.formation.lateral_min_m = -15e-3;
    s1.params.formation.lateral_max_m = 15e-3;
    s1.params.formation.depth_min_m = 20e-3;
    s1.params.formation.depth_max_m = 50e-3;
    s1.params.formation.grid_nx = 256;
    s1.params.formation.grid_nz = 512;
    finish_case(s1);
    return s1;
  }();
  return c;
}

// Returns S1 in a band of 4 MHz: lines of 25 MHz instead of 50.
Case& narrow_course_frame() {
  static Case c = [] {
    Case s1 = course_frame();
    s1.name = "S1 3-7 MHz";
    s1.params.formation.band_low_hz = 3e6;
    s1.params.formation.band_high_hz = 7e6;
    s1.truth.clear();
    finish_case(s1);
    return s1;
  }();
  return c;
}

// Returns the default phantom's acquisition on its default grid.
Case& demo_frame() {
  static Case c = [] {
    Case demo = make_case("demo", 64, 0.3e-3, 1024, 20e6);
    finish_case(demo);
    return demo;
  }();
  return c;
}

void report(benchmark::State& state, const Case& c) {
  double off = 0.0, energy = 0.0;
  for (std::size_t i = 0; i < c.truth.size(); ++i) {
    const Complex v = c.image[i * kTruthStep];
    off += std::norm(std::complex<double>(v.re, v.im) - c.truth[i]);
    energy += std::norm(c.truth[i]);
  }
  state.counters["rel_l2"] = std::sqrt(off / energy);
  state.counters["GDS"] =
      benchmark::Counter(c.delay_sums() * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void functor(benchmark::State& state, Case& c, int threads) {
  WorkerPool pool(threads);
  const DasGeometry& g = c.plan->das->geometry;
  for (auto _ : state) {
    pool.run(g.nz, 2, [&](int begin, int end, int) {
      for (int i = begin * g.nx; i < end * g.nx; ++i) {
        c.image[static_cast<std::size_t>(i)] = das_pixel(g, c.lines.data(), i % g.nx, i / g.nx);
      }
    });
  }
  report(state, c);
}

void rows(benchmark::State& state, Case& c, int threads) {
  WorkerPool pool(threads);
  const DasGeometry& g = c.plan->das->geometry;
  std::vector<std::vector<float>> scratch(static_cast<std::size_t>(threads),
                                          std::vector<float>(row_scratch(g.nx, g.n_tx)));
  for (auto _ : state) {
    pool.run(g.nz, 2, [&](int begin, int end, int thread) {
      for (int iz = begin; iz < end; ++iz) {
        das_row(g, c.lines.data(), iz, scratch[static_cast<std::size_t>(thread)].data(),
                &c.image[static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx)]);
      }
    });
  }
  report(state, c);
}

// Includes the conversion to int16, as for a frame.
void window(benchmark::State& state, Case& c, CpuKernel kernel, int threads) {
  const CpuKernels& kernels = cpu_kernels(kernel);
  WorkerPool pool(threads);
  WindowDas das;
  if (!das.set_plan(c.plan->das, threads)) return state.SkipWithError("not for windows");
  for (auto _ : state) {
    benchmark::DoNotOptimize(das.quantise(pool, *kernels.steps, c.lines.data(), c.peaks.data()));
    das.run(pool, kernels.das_tile, c.image.data());
  }
  report(state, c);
}

void condition_fft(benchmark::State& state, Case& c, int threads) {
  WorkerPool pool(threads);
  BandConditioner fft;
  fft.set_plan(c.plan->band, threads);
  std::vector<Complex> lines(c.lines.size());
  InvalidSamples invalid;
  for (auto _ : state) fft.run(pool, c.bytes(), SampleType::int16, c.n_lines(), lines.data(), invalid);
}

void condition_filters(benchmark::State& state, Case& c, CpuKernel kernel, int threads) {
  WorkerPool pool(threads);
  FirConditioner filters;
  if (!filters.set_plan(c.plan->band, c.acquisition.sampling_hz, *cpu_kernels(kernel).steps, threads)) {
    return state.SkipWithError("not for filters");
  }
  std::vector<Complex> lines(c.lines.size());
  std::vector<float> peaks(c.peaks.size());
  InvalidSamples invalid;
  for (auto _ : state) {
    filters.run(pool, c.bytes(), SampleType::int16, c.n_lines(), {lines.data(), peaks.data()}, invalid);
  }
  double off = 0.0, energy = 0.0;
  const auto n_out = static_cast<std::size_t>(c.plan->band->n_out);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (static_cast<int>(i % n_out) >= c.plan->band->n_valid) continue;
    const Complex a = lines[i], b = c.lines[i];
    off += std::pow(a.re - b.re, 2) + std::pow(a.im - b.im, 2);
    energy += std::pow(b.re, 2) + std::pow(b.im, 2);
  }
  state.counters["against_fft"] = std::sqrt(off / energy);
}

// Measures a change of F-number or speed of sound: tables of the plan and of this kernel.
void change(benchmark::State& state, Case& c, double sound_speed_step_m_s) {
  const auto acquisition = c.plan->acquisition;
  WindowDas das;
  std::shared_ptr<const Plan> plan = c.plan;
  ImagingParams params = c.params;
  for (auto _ : state) {
    params.formation.f_number = params.formation.f_number == 1.0 ? 1.5 : 1.0;
    params.formation.sound_speed_m_s += sound_speed_step_m_s;
    sound_speed_step_m_s = -sound_speed_step_m_s;
    plan = make_plan(acquisition, params, plan);
    benchmark::DoNotOptimize(das.set_plan(plan->das, 2));
  }
}

template <class Function>
void add(const std::string& name, Function function) {
  const auto least = [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); };
  const auto most = [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); };
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->ComputeStatistics("min", least)
      ->ComputeStatistics("max", most);
}

void add_case(Case& (*which)(), const std::string& name) {
  for (const int threads : {1, 2}) {
    const std::string end = "/" + name + "/threads:" + std::to_string(threads);
    add("das/functor" + end, [=](benchmark::State& s) { functor(s, which(), threads); });
    add("das/rows" + end, [=](benchmark::State& s) { rows(s, which(), threads); });
    add("condition/fft" + end, [=](benchmark::State& s) { condition_fft(s, which(), threads); });
    for (const CpuKernel kernel : {CpuKernel::avx2, CpuKernel::avx512}) {
      if (!has_cpu_kernel(kernel)) continue;
      const std::string set = cpu_kernels(kernel).name;
      add("das/" + set + end, [=](benchmark::State& s) { window(s, which(), kernel, threads); });
      add("condition/" + set + end, [=](benchmark::State& s) { condition_filters(s, which(), kernel, threads); });
    }
  }
  add("change/f_number/" + name, [=](benchmark::State& s) { change(s, which(), 0.0); });
  add("change/sound_speed/" + name, [=](benchmark::State& s) { change(s, which(), 10.0); });
}

}  // namespace
}  // namespace echoloop

int main(int argc, char** argv) {
  echoloop::add_case(echoloop::course_frame, "S1");
  echoloop::add_case(echoloop::narrow_course_frame, "S1_3-7MHz");
  echoloop::add_case(echoloop::demo_frame, "demo");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
