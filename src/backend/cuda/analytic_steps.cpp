// Analytic recipe: RF mean removed, FFT, band selected, inverse FFT; complex delay-and-sum; magnitude.
#include <optional>

#include "backend/cuda/kernels/das_on_device.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/lane_steps.h"
#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {
namespace {

class AnalyticSteps final : public LaneSteps {
 public:
  AnalyticSteps(Context& context, LaneBuffers& buffers) : context_(context), buffers_(buffers) {}

  void set_plan(const Plan& plan) override {
    set_band(*plan.formed, plan.band);
    das_ = das_on_device(context_, *plan.das, stream());
    buffers_.pixels.grow_for<Complex>(n_pixels());
    method_ = plan.method;
    if (method_.method != Adaptive::off) buffers_.weights.grow_for<float>(n_pixels());
    const std::size_t scratch = method_scratch(method_, das_.geometry);
    if (scratch > 0) buffers_.method_scratch.grow_for<Complex>(scratch);
    if (method_.method == Adaptive::slsc) {
      buffers_.peak.grow_for<float>(kMaxPartials + 1);
      CUDA_CHECK(cudaMemsetAsync(buffers_.peak.as<void>(), 0, sizeof(float), stream().get()));
    }
    scan_ = plan.scan;
    buffers_.envelope.grow_for<float>(plan.grid.pixels());
  }

  void widen(const std::byte* raw) override {
    // Zero frequency of IQ is the middle of the band: only RF has an offset to lose.
    const Mean mean = band_.input == SignalKind::rf ? Mean::remove : Mean::keep;
    widen_lines(raw, sample_type_, widen_, mean, buffers_.wide.as<float>(), stream());
  }

  void condition() override {
    forward_->forward(buffers_.wide.as<void>());
    select_bands(buffers_.wide.as<Complex>(), response_->table<float>(0), band_, lines(), stream());
    inverse_->inverse(lines());
  }

  void beamform() override {
    if (method_.method == Adaptive::off) {
      sum_delayed(das_.geometry, lines(), pixels(), stream());
    } else {
      sum_by_method(method_, {das_.geometry, das_.is_flat, lines()},
                    {pixels(), buffers_.weights.as<float>(), buffers_.method_scratch.as<Complex>()}, stream());
    }
  }
  void envelope() override {
    const WeighedPixels from = read_pixels(method_, pixels(), buffers_.weights.as<float>());
    if (scan_.has_value()) {
      scan_magnitudes(*scan_, from, buffers_.envelope.as<float>(), stream());
    } else {
      magnitudes(from, n_pixels(), buffers_.envelope.as<float>(), stream());
    }
  }
  const Complex* weighed_pixels() override {
    const WeighedPixels from = read_pixels(method_, pixels(), buffers_.weights.as<float>());
    if (from.weights == nullptr) return from.pixels;
    buffers_.weighed.grow_for<Complex>(n_pixels());
    weighed_values(from, n_pixels(), buffers_.weighed.as<Complex>(), stream());
    return buffers_.weighed.as<Complex>();
  }
  // Coherences have a level of their own: 1 is 0 dB.
  const float* own_level_db() override {
    return method_.method == Adaptive::slsc ? buffers_.peak.as<float>() : nullptr;
  }
  [[nodiscard]] std::size_t line_floats() const override {
    return 2 * static_cast<std::size_t>(band_.n_lines) * static_cast<std::size_t>(band_.n_out);
  }
  [[nodiscard]] std::size_t pixel_floats() const override { return 2 * n_pixels(); }

 private:
  [[nodiscard]] StreamView stream() const { return context_.processing.view(); }
  [[nodiscard]] Complex* lines() const { return buffers_.lines.as<Complex>(); }
  [[nodiscard]] Complex* pixels() const { return buffers_.pixels.as<Complex>(); }
  [[nodiscard]] std::size_t n_pixels() const {
    return static_cast<std::size_t>(das_.geometry.nx) * static_cast<std::size_t>(das_.geometry.nz);
  }

  void set_band(const Acquisition& a, const std::shared_ptr<const BandPlan>& plan) {
    const int components = values_per_sample(plan->input);
    const int n_lines = a.n_transmits() * a.n_elements();
    const int n_bins = plan->input == SignalKind::rf ? plan->n_in / 2 + 1 : plan->n_in;
    const auto batch = static_cast<std::size_t>(n_lines);
    sample_type_ = a.sample_type;
    widen_ = {.n_lines = n_lines,
              .n_values = plan->n_samples * components,
              .components = components,
              .n_padded = plan->n_in * components,
              .pitch = 2LL * n_bins};
    band_ = {.n_lines = n_lines,
             .n_in = plan->n_in,
             .n_bins = n_bins,
             .n_out = plan->n_out,
             .bin_offset = plan->bin_offset,
             .input = plan->input};
    buffers_.wide.grow_for<Complex>(batch * static_cast<std::size_t>(n_bins));
    buffers_.lines.grow_for<Complex>(batch * static_cast<std::size_t>(plan->n_out));
    const FftKind kind = plan->input == SignalKind::rf ? FftKind::real_lines : FftKind::complex_lines;
    forward_ = context_.ffts.get({.kind = kind, .n = plan->n_in, .batch = n_lines});
    inverse_ = context_.ffts.get({.kind = FftKind::complex_lines, .n = plan->n_out, .batch = n_lines});
    response_ = context_.tables.get(plan, {std::as_bytes(std::span(plan->response))});
    response_->make_wait(stream());
  }

  Context& context_;
  LaneBuffers& buffers_;
  SampleType sample_type_ = SampleType::float32;
  WidenShape widen_;
  BandShape band_;
  DasOnDevice das_;
  MethodSettings method_;
  std::optional<ScanGeometry> scan_;
  std::shared_ptr<const FftPlan> forward_, inverse_;
  std::shared_ptr<const DeviceTables> response_;
};

}  // namespace

std::unique_ptr<LaneSteps> make_analytic_steps(Context& context, LaneBuffers& buffers) {
  return std::make_unique<AnalyticSteps>(context, buffers);
}

}  // namespace echoloop::cuda
