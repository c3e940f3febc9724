#include "bench/program/bench_analyses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <random>

#include "backend/flow_engine.h"
#include "backend/object_plan.h"
#include "bench/program/bench_measure.h"
#include "core/units.h"
#include "history/file_sinks.h"

namespace echoloop {
namespace {

using nlohmann::json;

constexpr int kStep = 8;  // new frames per ensemble
constexpr int kTurns = 5;
constexpr int kFlowLanes = 4;

struct EnsembleSize {
  int nx, nz, n;
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz); }
};

double ms_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-6; }

// Calls step(i) for `seconds`, at least 8 times; the first 4 are not counted.
void repeat(double seconds, const std::function<void(int)>& step) {
  const std::int64_t begin_ns = now_ns();
  for (int i = 0; i < 8 || ms_since(begin_ns) < 1e3 * seconds; ++i) step(i);
}
constexpr int kWarmUp = 4;

// Fills frame t: strong slow tissue, blood 20 dB below it that moves away, noise 40 dB below.
void fill_frame(int t, std::minstd_rand& noise, std::vector<Complex>& frame) {
  std::minstd_rand same_each_time(1);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  const std::complex<float> slow = std::polar(100.0f, static_cast<float>(2.0 * kPi * 0.01 * t));
  const std::complex<float> fast = std::polar(10.0f, static_cast<float>(-2.0 * kPi * 0.2 * t));
  for (Complex& v : frame) {
    const std::complex<float> tissue(value(same_each_time), value(same_each_time));
    const std::complex<float> blood(value(same_each_time), value(same_each_time));
    const std::complex<float> sum = slow * tissue + fast * blood;
    v = {sum.real() + value(noise), sum.imag() + value(noise)};
  }
}

void bench_ensemble(Backend& backend, const EnsembleSize& size, double seconds, BenchTable& table) {
  const auto device = backend.make_device<FlowAnalysis>();
  device->begin_thread();
  const int n_slots = size.n + kStep;
  device->reserve(n_slots, size.pixels());
  std::minstd_rand noise(2);
  std::vector<Complex> frame(size.pixels());
  for (int t = 0; t < n_slots; ++t) {
    fill_frame(t, noise, frame);
    device->store(t, {.values = frame.data(), .count = frame.size()});
  }
  FlowImage image;
  ImagingParams p;
  p.color_flow.mode = FlowMode::power;
  std::vector<double> decompose, filter, total;
  std::vector<int> slots(static_cast<std::size_t>(size.n));
  repeat(seconds, [&](int i) {
    for (int t = 0; t < size.n; ++t) slots[static_cast<std::size_t>(t)] = (i * kStep + t) % n_slots;
    const std::int64_t begin_ns = now_ns();
    const Decomposition d = device->decompose(slots, i == 0 ? 0 : size.n - kStep);
    device->keep_components(d, choose_components(d, p, size.pixels()));
    const double decompose_ms = ms_since(begin_ns);
    device->apply(slots, {.reference_db = 0.0, .scale_m_s = 0.02}, image);
    const double total_ms = ms_since(begin_ns);
    if (i < kWarmUp) return;
    decompose.push_back(decompose_ms);
    filter.push_back(total_ms - decompose_ms);
    total.push_back(total_ms);
  });
  const StageSummary all = summarize(total);
  table.add("flow", "ensemble",
            {{"nx", size.nx},
             {"nz", size.nz},
             {"frames", size.n},
             {"new_frames", kStep},
             {"p50_ms", all.p50_ms},
             {"p99_ms", all.p99_ms},
             {"decompose_ms", median(decompose)},
             {"filter_ms", median(filter)}});
}

void bench_beside_stream(Backend& backend, const std::shared_ptr<SeekableSource>& source, int frames, double seconds,
                         BenchTable& table) {
  const BenchCase off = bench_case("S1", SampleType::int16, 1.0);
  BenchCase on = off;
  on.params.color_flow.mode = FlowMode::power;
  on.params.color_flow.frames = frames;
  on.params.color_flow.step = kStep;
  const bool device = backend.memory().free > 0;
  const double long_enough = device ? seconds : std::max(seconds, 1.0);  // several images, even if slow
  const BenchRun without{backend, off, source, nullptr, long_enough};
  const BenchRun with{backend, on, source, nullptr, long_enough};
  std::vector<double> rates_off, rates_on, pictures, late, restarts;
  for (int i = 0; i < (device ? kTurns : 1); ++i) {
    rates_off.push_back(pipeline_figures(without, kRateMax, kFlowLanes).frames_per_second);
    const PipelineFigures figures = pipeline_figures(with, kRateMax, kFlowLanes);
    rates_on.push_back(figures.frames_per_second);
    pictures.push_back(figures.flow_pictures_per_second);
    late.push_back(figures.flow_late_per_second);
    restarts.push_back(figures.flow_restarts_per_second);
  }
  table.add("flow", "beside S1",
            {{"frames", frames},
             {"new_frames", kStep},
             {"frames_per_second", median(rates_on)},
             {"off_frames_per_second", median(rates_off)},
             {"of_off", median(rates_on) / median(rates_off)},
             {"pictures_per_second", median(pictures)},
             {"late_per_second", median(late)},
             {"restarts_per_second", median(restarts)}});
}

// Returns speckle (Rayleigh amplitudes) with bright discs, dB.
std::vector<float> speckle_with_discs(const Grid& grid) {
  std::minstd_rand random(1);
  std::exponential_distribution<double> power;
  std::vector<float> db(grid.pixels());
  for (std::size_t i = 0; i < db.size(); ++i) {
    const auto nx = static_cast<std::size_t>(grid.nx);
    const int x = static_cast<int>(i % nx) % 64 - 32;
    const int z = static_cast<int>(i / nx) % 64 - 32;
    const double disc_db = x * x + z * z < 100 ? 25.0 : 0.0;
    db[i] = static_cast<float>(-40.0 + disc_db + 10.0 * std::log10(power(random) + 1e-9));
  }
  return db;
}

constexpr int kMethodTurns = 3;

struct MethodCase {
  Adaptive method;
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;
  double root = 2.0;
};

// Delay-and-sum in the same executor: the loops of the methods, not the tuned kernels.
constexpr MethodCase kSameExecutor{.method = Adaptive::p_das, .root = 1.0};

constexpr MethodCase kMethods[] = {
    {Adaptive::coherence, AdaptiveAxis::both},
    {Adaptive::coherence},
    {Adaptive::coherence, AdaptiveAxis::elements, AdaptiveOrder::compounded},
    {Adaptive::coherence, AdaptiveAxis::transmits},
    {Adaptive::generalized},
    {Adaptive::phase},
    {Adaptive::p_das},
    {Adaptive::slsc, AdaptiveAxis::elements, AdaptiveOrder::compounded},
    {Adaptive::minimum_variance, AdaptiveAxis::elements, AdaptiveOrder::compounded},
};

template <class Table, class Value>
std::string word_of(const Table& table, Value value) {
  return std::string(table[static_cast<std::size_t>(value)].name);
}

BenchCase with_method_case(BenchCase on, const MethodCase& c) {
  FormationParams& formation = on.params.formation;
  formation.adaptive = c.method;
  formation.adaptive_axis = c.axis;
  formation.adaptive_order = c.order;
  formation.adaptive_root = c.root;
  return on;
}

double beamform_ms(const BenchRun& run) { return stages_alone(run)[static_cast<std::size_t>(Stage::beamform)].p50_ms; }

// Ensembles alone: SVD clutter filter, power and Kasai's velocity, sliding by 8 frames: 128 x 192 x 32, 256 x 512 x 64.
// Then the stream of S1 (int16, F 1) at full speed with power Doppler every 8 frames with that filter, of 32 and 64
// frames, alternating with the same stream without. On a GPU both also with 128 frames.
void bench_flow(Backend& backend, double seconds, BenchTable& table) {
  bench_ensemble(backend, {128, 192, 32}, seconds, table);
  bench_ensemble(backend, {256, 512, 64}, seconds, table);
  const bool device = backend.memory().free > 0;
  if (device) bench_ensemble(backend, {256, 512, 128}, seconds, table);
  const auto source = make_bench_source(bench_case("S1", SampleType::int16, 1.0), BenchSignal::noise);
  for (const int frames : {32, 64}) bench_beside_stream(backend, source, frames, seconds, table);
  if (device) bench_beside_stream(backend, source, 128, seconds, table);
}

// Measures the analyses of images whose devices are included above on 512 x 512 pixels, with the parameters' defaults.
void bench_images(Backend& backend, double seconds, BenchTable& table) {
  Image image;
  image.grid = {.x0_m = -20e-3, .x1_m = 20e-3, .z0_m = 5e-3, .z1_m = 45e-3, .nx = 512, .nz = 512};
  std::vector<float> db = speckle_with_discs(image.grid);
  image.host_db = db.data();
  for_each_analysis([&]<class A>() {
    if constexpr (A::kInput == AnalysisInput::images && requires { sizeof(typename A::Device); }) {
      auto& mode = A::mode(image.params);
      mode = static_cast<std::remove_cvref_t<decltype(mode)>>(1);
      const auto device = backend.make_device<A>();
      device->begin_thread();
      const auto plan = A::Device::make_plan(image.params, image.grid);
      typename A::Result found;
      std::vector<double> times;
      repeat(seconds, [&](int i) {
        device->store(i % JobThread::kSlots, image);
        const std::int64_t begin_ns = now_ns();
        device->find(i % JobThread::kSlots, plan, found);
        if (i >= kWarmUp) times.push_back(ms_since(begin_ns));
      });
      const StageSummary all = summarize(times);
      nlohmann::json row = {
          {"nx", image.grid.nx}, {"nz", image.grid.nz}, {"p50_ms", all.p50_ms}, {"p99_ms", all.p99_ms}};
      constexpr bool kCounts = requires { found.objects; };
      if constexpr (kCounts) row["objects"] = found.objects.size();
      table.add(A::kFile.report, kCounts ? "objects" : "image", row);
    }
  });
}

// Measures the coherence factor in half precision against the tuned delay-and-sum.
void bench_half_precision_methods(Backend& backend, double seconds, BenchTable& table) {
  BenchCase plain = bench_case("S1", SampleType::int16, 0.0);
  plain.params.formation.precision = Precision::fp16;
  const auto source = make_bench_source(plain, BenchSignal::noise);
  const BenchRun das{backend, plain, source, nullptr, seconds};
  for (const AdaptiveAxis axis : {AdaptiveAxis::both, AdaptiveAxis::elements, AdaptiveAxis::transmits}) {
    const BenchRun with{backend, with_method_case(plain, {Adaptive::coherence, axis}), source, nullptr, seconds};
    std::vector<double> das_ms, method_ms;
    for (int i = 0; i < kMethodTurns; ++i) {
      das_ms.push_back(beamform_ms(das));
      method_ms.push_back(beamform_ms(with));
    }
    table.add(plain, "method",
              {{"method", word_of(kAdaptiveMethods, Adaptive::coherence)},
               {"axis", word_of(kAdaptiveAxes, axis)},
               {"order", word_of(kAdaptiveOrders, AdaptiveOrder::each_transmit)},
               {"precision", "fp16"},
               {"p50_ms", median(method_ms)},
               {"das_p50_ms", median(das_ms)},
               {"share", median(das_ms) / median(method_ms)}});
  }
}

// Measures the beamform stage alone of S1 (float32, single precision, full aperture), each method alternating with
// delay-and-sum.
void bench_methods(Backend& backend, double seconds, BenchTable& table) {
  BenchCase plain = bench_case("S1", SampleType::float32, 0.0);
  plain.params.formation.precision = Precision::fp32;
  const auto source = make_bench_source(plain, BenchSignal::noise);
  const BenchRun das{backend, plain, source, nullptr, seconds};
  const BenchRun same{backend, with_method_case(plain, kSameExecutor), source, nullptr, seconds};
  const auto add = [&](const MethodCase& c, const std::string& name) {
    const BenchRun with{backend, with_method_case(plain, c), source, nullptr, seconds};
    std::vector<double> das_ms, same_ms, method_ms;
    for (int i = 0; i < kMethodTurns; ++i) {
      das_ms.push_back(beamform_ms(das));
      same_ms.push_back(beamform_ms(same));
      method_ms.push_back(beamform_ms(with));
    }
    table.add(plain, "method",
              {{"method", name},
               {"axis", word_of(kAdaptiveAxes, c.axis)},
               {"order", word_of(kAdaptiveOrders, c.order)},
               {"precision", "fp32"},
               {"p50_ms", median(method_ms)},
               {"das_p50_ms", median(das_ms)},
               {"same_executor_das_p50_ms", median(same_ms)},
               {"share", median(das_ms) / median(method_ms)},
               {"share_same_executor", median(same_ms) / median(method_ms)}});
  };
  add(kSameExecutor, "delay-and-sum in the same executor");
  for (const MethodCase& c : kMethods) add(c, word_of(kAdaptiveMethods, c.method));
  const bool device = backend.memory().free > 0;
  if (device) bench_half_precision_methods(backend, seconds, table);
}

struct AnalysisBench {
  std::string_view bench_case;
  void (*run)(Backend& backend, double seconds, BenchTable& table);
};
constexpr std::array kBenches{AnalysisBench{"flow", bench_flow}, AnalysisBench{"structure", bench_images},
                              AnalysisBench{"methods", bench_methods}};

}  // namespace

bool bench_analysis(std::string_view bench_case, Backend& backend, double seconds, BenchTable& table) {
  const auto* const found = std::ranges::find(kBenches, bench_case, &AnalysisBench::bench_case);
  if (found == kBenches.end()) return false;
  found->run(backend, seconds, table);
  return true;
}

}  // namespace echoloop
