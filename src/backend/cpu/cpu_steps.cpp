// Analytic recipe: mean of RF removed, band selected, complex lines; complex delay-and-sum, by the tuned kernels if
// they support the plan, or an adaptive method; magnitude, and scan conversion if the image has another grid.
#include "backend/cpu/cpu_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backend/plain_array.h"
#include "core/error.h"
#include "core/own_method.h"
#include "dsp/fir_design.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"
#include "dsp/spectrum.h"

namespace echoloop {
namespace {

class AnalyticCpuSteps final : public CpuSteps {
 public:
  AnalyticCpuSteps(WorkerPool& pool, const CpuKernels& kernels)
      : pool_(pool), kernels_(kernels), rows_(static_cast<std::size_t>(pool.threads())) {}

  void set_plan(const Plan& plan) override;
  void condition(std::span<const std::byte> samples, InvalidSamples& invalid) override;
  void beamform() override;
  void envelope(float* amplitudes) override;
  [[nodiscard]] PixelView pixels() const override {
    return {.values = pixels_.data(), .count = das_->tables->grid.pixels()};
  }
  [[nodiscard]] WeighedPixels weighed_pixels() const override {
    return read_pixels(method_, pixels_.data(), weights_.data());
  }
  // Coherences have a fixed level: 1 is 0 dB.
  [[nodiscard]] std::optional<float> own_level_db(std::span<const float> /*amplitudes*/) const override {
    return is_coherence(method_) ? std::optional(0.0f) : std::nullopt;
  }
  [[nodiscard]] std::vector<float> read_back(Lane::Tap tap) const override;
  void write_input(OwnInput input, int first, int rows, std::span<std::byte> to) override;
  void put_pixels(std::span<const Complex> values) override { std::ranges::copy(values, pixels_.data()); }

 private:
  [[nodiscard]] int n_lines() const { return static_cast<int>(peaks_.size()); }  // of a frame
  void measure_peaks();
  void sum_plainly();
  void beamform_rows();
  void beamform_columns();
  void beamform_pixels();

  WorkerPool& pool_;
  const CpuKernels& kernels_;
  SampleType sample_type_ = SampleType::float32;
  std::shared_ptr<const BandPlan> band_;
  std::shared_ptr<const DasPlan> das_;
  std::optional<ScanGeometry> scan_;
  MethodSettings method_;
  std::shared_ptr<const OwnMethod> own_;  // null: another method

  BandConditioner conditioner_;  // the specification; used for bands that filters do not support
  FirConditioner filters_;
  WindowDas window_;
  bool filtering_ = false;                // filters_ conditions the frames of this plan
  bool windows_ = false;                  // window_ beamforms them
  std::vector<std::vector<float>> rows_;  // per thread
  PlainArray<Complex> lines_;             // [n_tx][n_el][n_out]
  std::vector<float> peaks_;              // [n_tx][n_el], largest component of each line
  PlainArray<Complex> pixels_;            // [nz][nx] of the beamformed grid
  PlainArray<float> weights_;             // of an adaptive method, [nz][nx]
  MethodScratch method_scratch_;
  PlainArray<float> beam_envelope_;  // [nz][nx], if the image has another grid
};

void AnalyticCpuSteps::set_plan(const Plan& plan) {
  const Acquisition& a = *plan.formed;
  sample_type_ = a.sample_type;
  band_ = plan.band;
  das_ = plan.das;
  scan_ = plan.scan;
  method_ = plan.method;
  own_ = method_.method == Adaptive::own ? plan.params.formation.own : nullptr;
  if (own_ != nullptr && own_->code == nullptr)
    throw Error("adaptive", "an own method compiled for a GPU", "off or a built-in method", "--backend cuda");
  const bool tuned = kernels_.das_tile != nullptr;
  filtering_ = tuned && filters_.set_plan(band_, a.sampling_hz, *kernels_.steps, pool_.threads());
  windows_ = tuned && method_.method == Adaptive::off && window_.set_plan(das_, pool_.threads());
  if (!filtering_) conditioner_.set_plan(band_, pool_.threads());
  peaks_.resize(static_cast<std::size_t>(a.n_transmits() * a.n_elements()));
  lines_.resize(peaks_.size() * static_cast<std::size_t>(band_->n_out));
  pixels_.resize(das_->tables->grid.pixels());
  if (method_.method != Adaptive::off) weights_.resize(pixels_.size());
  method_scratch_.own.resize(rows_.size());
  if (scan_.has_value()) beam_envelope_.resize(pixels_.size());
  const DasGeometry& g = das_->geometry;
  for (auto& row : rows_) row.resize(row_scratch(g.columns != nullptr ? g.nz : g.nx, g.n_tx));
}

void AnalyticCpuSteps::condition(std::span<const std::byte> samples, InvalidSamples& invalid) {
  if (filtering_) {
    filters_.run(pool_, samples, sample_type_, n_lines(), {lines_.data(), peaks_.data()}, invalid);
  } else {
    conditioner_.run(pool_, samples, sample_type_, n_lines(), lines_.data(), invalid);
    if (windows_) measure_peaks();
  }
}

void AnalyticCpuSteps::measure_peaks() {
  pool_.run(n_lines(), 8, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      const Complex* line = lines_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(band_->n_out);
      float peak = 0.0f;
      for (const Complex* v = line; v != line + band_->n_valid; ++v)
        peak = largest_of(largest_of(peak, std::abs(v->re)), std::abs(v->im));
      peaks_[static_cast<std::size_t>(i)] = peak;
    }
  });
}

void AnalyticCpuSteps::beamform() {
  if (own_ != nullptr) {
    if (own_->code->run(pool_, method_, {das_->geometry, lines_.data()}, method_scratch_, pixels_.data(),
                        weights_.data()))
      return;
    std::fill_n(weights_.data(), weights_.size(), 1.0f);  // delay-and-sum in its place
    method_.own_rows = OwnRows::none;
    sum_plainly();
  } else if (method_.method != Adaptive::off) {
    method_das(pool_, kernels_, method_, {das_->geometry, lines_.data()}, method_scratch_, pixels_.data(),
               weights_.data());
  } else if (windows_ && window_.quantise(pool_, *kernels_.steps, lines_.data(), peaks_.data())) {
    window_.run(pool_, kernels_.das_tile, pixels_.data());
  } else {
    sum_plainly();
  }
}

void AnalyticCpuSteps::sum_plainly() {
  if (das_->geometry.bent.any())
    beamform_pixels();
  else if (das_->geometry.columns != nullptr)
    beamform_columns();
  else
    beamform_rows();
}

void AnalyticCpuSteps::beamform_rows() {
  const DasGeometry& g = das_->geometry;
  const auto row = kernels_.das_tile != nullptr ? &das_row : &portable::das_row;
  pool_.run(g.nz, 2, [&](int begin, int end, int thread) {
    for (int iz = begin; iz < end; ++iz)
      row(g, lines_.data(), iz, rows_[static_cast<std::size_t>(thread)].data(),
          pixels_.data() + static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx));
  });
}

void AnalyticCpuSteps::beamform_columns() {
  const DasGeometry& g = das_->geometry;
  const auto column = kernels_.das_tile != nullptr ? &das_column : &portable::das_column;
  pool_.run(g.nx, 1, [&](int begin, int end, int thread) {
    for (int ix = begin; ix < end; ++ix)
      column(g, lines_.data(), ix, rows_[static_cast<std::size_t>(thread)].data(), pixels_.data());
  });
}

// Paths that the rows do not describe: the specification itself.
void AnalyticCpuSteps::beamform_pixels() {
  const DasGeometry& g = das_->geometry;
  pool_.run(g.nz, 1, [&](int begin, int end, int) {
    for (int i = begin * g.nx; i < end * g.nx; ++i)
      pixels_[static_cast<std::size_t>(i)] = das_pixel<DasForm::general>(g, lines_.data(), i % g.nx, i / g.nx);
  });
}

void AnalyticCpuSteps::envelope(float* amplitudes) {
  const WeighedPixels from = weighed_pixels();
  float* const formed = scan_.has_value() ? beam_envelope_.data() : amplitudes;
  const auto nx = static_cast<std::size_t>(das_->geometry.nx);
  pool_.run(das_->geometry.nz, 32, [&](int begin, int end, int) {
    const std::size_t last = static_cast<std::size_t>(end) * nx;
    for (std::size_t i = static_cast<std::size_t>(begin) * nx; i < last; ++i) formed[i] = from.amplitude(i);
  });
  if (!scan_.has_value()) return;
  const ScanGeometry& scan = *scan_;
  pool_.run(scan.to.nz, 8, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      float* row = amplitudes + static_cast<std::size_t>(iz) * static_cast<std::size_t>(scan.to.nx);
      for (int ix = 0; ix < scan.to.nx; ++ix)
        row[ix] = scan_pixel(scan, ix, iz, [&](int at) { return beam_envelope_[static_cast<std::size_t>(at)]; });
    }
  });
}

void AnalyticCpuSteps::write_input(OwnInput input, int first, int rows, std::span<std::byte> to) {
  if (input == OwnInput::channels) {
    const DasGeometry& g = das_->geometry;
    auto* const channels = reinterpret_cast<Complex*>(to.data());
    pool_.run(rows, 1, [&](int begin, int end, int) {
      Complex* at = channels + static_cast<std::size_t>(begin) * static_cast<std::size_t>(g.nx * g.n_el);
      std::vector<DasChannels<DasForm::general>::Transmit> transmits(static_cast<std::size_t>(g.n_tx));
      const auto transmit = [&](int t) -> const auto& { return transmits[static_cast<std::size_t>(t)]; };
      for (int i = begin * g.nx; i < end * g.nx; ++i) {
        const DasChannels<DasForm::general> pixel(g, lines_.data(), i % g.nx, first + i / g.nx);
        for (int t = 0; t < g.n_tx; ++t) transmits[static_cast<std::size_t>(t)] = pixel.transmit(t);
        for (int e = 0; e < g.n_el; ++e) *at++ = channel_of_pixel(pixel, e, transmit);
      }
    });
    return;
  }
  const std::span<const Complex> from = input == OwnInput::lines ? std::span<const Complex>(lines_) : pixels_;
  std::memcpy(to.data(), from.data(), to.size());
}

std::vector<float> AnalyticCpuSteps::read_back(Lane::Tap tap) const {
  std::vector<float> out;
  const std::span<const Complex> from =
      tap == Lane::Tap::conditioned ? std::span<const Complex>(lines_) : std::span<const Complex>(pixels_);
  for (const Complex v : from) out.insert(out.end(), {v.re, v.im});
  return out;
}

}  // namespace

std::unique_ptr<CpuSteps> make_analytic_cpu_steps(WorkerPool& pool, const CpuKernels& kernels) {
  return std::make_unique<AnalyticCpuSteps>(pool, kernels);
}

static_assert(sizeof(kiss_fft_cpx) == sizeof(Complex));

struct BandConditioner::Scratch {
  KissRealPlan forward_real;  // RF
  KissComplexPlan forward;    // IQ
  KissComplexPlan inverse;
  std::vector<float> values;      // [n_in], or pairs
  std::vector<Complex> spectrum;  // [n_in / 2 + 1] RF, [n_in] IQ
  std::vector<Complex> selected;  // [n_out]
};

int widen(const std::byte* samples, SampleType type, int n, float* values) {
  int invalid = 0;
  if (type == SampleType::float32) {
    const auto* in = reinterpret_cast<const float*>(samples);
    for (int i = 0; i < n; ++i) {
      values[i] = valid_sample(in[i]);
      invalid += is_valid_sample(in[i]) ? 0 : 1;
    }
    return invalid;
  }
  const auto* in = reinterpret_cast<const std::int16_t*>(samples);
  for (int i = 0; i < n; ++i) values[i] = static_cast<float>(in[i]);
  return invalid;
}

void BandConditioner::set_plan(const std::shared_ptr<const BandPlan>& plan, int threads) {
  if (plan == plan_) return;
  const bool same_sizes =
      plan_ != nullptr && plan_->n_in == plan->n_in && plan_->n_out == plan->n_out && plan_->input == plan->input;
  plan_ = plan;
  if (same_sizes) return;
  scratch_.clear();
  const auto n_in = static_cast<std::size_t>(plan->n_in);
  for (int t = 0; t < threads; ++t) {
    auto s = std::make_shared<Scratch>();
    if (plan->input == SignalKind::rf)
      s->forward_real = make_real_plan(plan->n_in);
    else
      s->forward = make_complex_plan(plan->n_in, Transform::forward);
    s->inverse = make_complex_plan(plan->n_out, Transform::inverse);
    s->values.assign(plan->input == SignalKind::rf ? n_in : 2 * n_in, 0.0f);
    s->spectrum.resize(plan->input == SignalKind::rf ? n_in / 2 + 1 : n_in);
    s->selected.resize(static_cast<std::size_t>(plan->n_out));
    scratch_.push_back(std::move(s));
  }
}

int BandConditioner::condition_line(Scratch& s, const std::byte* samples, SampleType type, Complex* line) const {
  const BandPlan& plan = *plan_;
  const int components = values_per_sample(plan.input);
  float* values = s.values.data();
  const int invalid = widen(samples, type, plan.n_samples * components, values);
  // Removes a constant offset of RF (8-bit recorders, amplifiers), which would be a step at the record's ends. Not of
  // IQ, where zero frequency is the demodulation frequency, the centre of the echo band.
  if (plan.input == SignalKind::rf) {
    double sum = 0.0;
    for (int i = 0; i < plan.n_samples; ++i) sum += static_cast<double>(values[i]);
    const auto mean = static_cast<float>(sum / plan.n_samples);
    for (int i = 0; i < plan.n_samples; ++i) values[i] -= mean;
  }
  std::fill(values + plan.n_samples * components, values + s.values.size(), 0.0f);
  auto* spectrum = reinterpret_cast<kiss_fft_cpx*>(s.spectrum.data());
  if (plan.input == SignalKind::rf)
    kiss_fftr(s.forward_real.get(), values, spectrum);
  else
    kiss_fft(s.forward.get(), reinterpret_cast<const kiss_fft_cpx*>(values), spectrum);
  for (int m = 0; m < plan.n_out; ++m) {
    s.selected[static_cast<std::size_t>(m)] =
        select_band(s.spectrum.data(), plan.response.data(), m, plan.n_in, plan.n_out, plan.bin_offset, plan.input);
  }
  kiss_fft(s.inverse.get(), reinterpret_cast<const kiss_fft_cpx*>(s.selected.data()),
           reinterpret_cast<kiss_fft_cpx*>(line));
  return invalid;
}

void BandConditioner::run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines,
                          Complex* lines, InvalidSamples& invalid) {
  const std::size_t line_bytes =
      static_cast<std::size_t>(plan_->n_samples * values_per_sample(plan_->input)) * bytes_per_value(type);
  pool.run(n_lines, 8, [&](int begin, int end, int thread) {
    for (int i = begin; i < end; ++i) {
      const auto line = static_cast<std::size_t>(i);
      invalid.note(i, condition_line(*scratch_[static_cast<std::size_t>(thread)], samples.data() + line * line_bytes,
                                     type, lines + line * static_cast<std::size_t>(plan_->n_out)));
    }
  });
}

namespace {

constexpr CpuKernels kPortable{"portable",      nullptr, nullptr, &portable::kSlowTimeSteps, &portable::method_row,
                               &portable::kSlsc};
#if defined(ECHO_X86)
constexpr CpuKernels kAvx2{
    "avx2", avx2::das_window_tile, &avx2::kLineSteps, &avx2::kSlowTimeSteps, &avx2::method_row, &avx2::kSlsc};
constexpr CpuKernels kAvx512{
    "avx512",      avx512::das_window_tile, &avx512::kLineSteps, &avx512::kSlowTimeSteps, &avx512::method_row,
    &avx512::kSlsc};
#endif

CpuKernel named(const std::string& name) {
  if (name == "portable") return CpuKernel::portable;
  if (name == "avx2") return CpuKernel::avx2;
  if (name == "avx512") return CpuKernel::avx512;
  throw Error("ECHOLOOP_CPU_KERNEL", "\"" + name + "\"", "portable, avx2 or avx512");
}

CpuKernel best_kernel() {
  if (const char* name = std::getenv("ECHOLOOP_CPU_KERNEL"); name != nullptr && *name != '\0') return named(name);
  for (const CpuKernel kernel : {CpuKernel::avx512, CpuKernel::avx2})
    if (has_cpu_kernel(kernel)) return kernel;
  return CpuKernel::portable;
}

}  // namespace

bool has_cpu_kernel(CpuKernel kernel) {
#if defined(ECHO_X86)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kernel == CpuKernel::avx2) return avx2;
  if (kernel == CpuKernel::avx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return kernel == CpuKernel::automatic || kernel == CpuKernel::portable;
}

const CpuKernels& cpu_kernels(CpuKernel kernel) {
  if (kernel == CpuKernel::automatic) kernel = best_kernel();
  if (!has_cpu_kernel(kernel)) {
    throw Error("CPU kernel", kernel == CpuKernel::avx2 ? "avx2 is not supported" : "avx512 is not supported",
                "a kernel supported by this processor", "portable runs on every processor");
  }
#if defined(ECHO_X86)
  if (kernel == CpuKernel::avx512) return kAvx512;
  if (kernel == CpuKernel::avx2) return kAvx2;
#endif
  return kPortable;
}

namespace avx2 {
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels);
void das_column(const DasGeometry& geometry, const Complex* iq, int ix, float* scratch, Complex* image);
}  // namespace avx2

std::size_t row_scratch(int n_pixels, int n_tx) {
  constexpr int kArrays = 9;  // see das_rows_kernel.h; then re and im of each transmit's sum
  return static_cast<std::size_t>(n_pixels) * static_cast<std::size_t>(kArrays + 2 * n_tx);
}

void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels) {
#if defined(ECHO_X86)
  static const bool fast = has_cpu_kernel(CpuKernel::avx2);
  if (fast) return avx2::das_row(geometry, iq, iz, scratch, pixels);
#endif
  portable::das_row(geometry, iq, iz, scratch, pixels);
}

void das_column(const DasGeometry& geometry, const Complex* iq, int ix, float* scratch, Complex* image) {
#if defined(ECHO_X86)
  static const bool fast = has_cpu_kernel(CpuKernel::avx2);
  if (fast) return avx2::das_column(geometry, iq, ix, scratch, image);
#endif
  portable::das_column(geometry, iq, ix, scratch, image);
}

}  // namespace echoloop
