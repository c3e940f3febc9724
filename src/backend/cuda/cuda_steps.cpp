// Analytic recipe: mean of RF removed, FFT, band selected, inverse FFT; complex delay-and-sum; magnitude.
#include <algorithm>
#include <optional>

#include "backend/cuda/kernels/exchange.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/lane_steps.h"
#include "backend/cuda/runtime/cuda_error.h"
#include "backend/cuda/runtime/cuda_own_kernels.h"
#include "core/own_method.h"
#include "dsp/methods/methods.h"

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
    own_method_ = method_.method == Adaptive::own ? plan.params.formation.own : nullptr;
    own_ = own_method_ == nullptr ? nullptr : static_cast<const CudaOwnKernels*>(own_method_->kernels.get());
    if (own_ != nullptr) own_->prepare(method_.axis, method_.order);
    own_sizes_ = method_.own_rows != OwnRows::none ? own_->row_sizes(method_, das_.geometry.n_el) : RowSizes{};
    const std::size_t scratch =
        own_ != nullptr ? own_scratch(own_sizes_, method_, das_.geometry) : method_scratch(method_, das_.geometry);
    if (scratch > 0) buffers_.method_scratch.grow_for<Complex>(scratch);
    if (is_coherence(method_)) {
      buffers_.peak.grow_for<float>(kMaxPartials + 1);
      CUDA_CHECK(cudaMemsetAsync(buffers_.peak.as<void>(), 0, sizeof(float), stream().get()));
    }
    scan_ = plan.scan;
    buffers_.envelope.grow_for<float>(plan.grid.pixels());
  }

  void count_invalid_in(const InvalidSink& sink) override { widen_.invalid = sink; }
  void widen(const std::byte* raw) override {
    // Removes the offset of RF only: zero frequency of IQ is the centre of the band.
    const Mean mean = band_.input == SignalKind::rf ? Mean::remove : Mean::keep;
    widen_lines(raw, sample_type_, widen_, mean, buffers_.wide.as<float>(), stream());
  }

  void condition() override {
    forward_->forward(buffers_.wide.as<void>());
    select_bands(buffers_.wide.as<Complex>(), response_->table<float>(0), band_, lines(), stream());
    inverse_->inverse(lines());
  }

  void beamform() override {
    if (own_ != nullptr && !own_->fault().empty()) {  // from this frame on
      own_ = nullptr;
      method_ = {};
    }
    if (method_.method == Adaptive::off) {
      sum_delayed(das_.geometry, lines(), pixels(), stream());
    } else if (own_ != nullptr) {
      sum_by_own({*own_, own_sizes_, method_}, {das_.geometry, das_.is_flat, lines()},
                 {pixels(), buffers_.weights.as<float>(), buffers_.method_scratch.as<Complex>()}, context_.work,
                 stream());
    } else {
      sum_by_method(method_, {das_.geometry, das_.is_flat, lines()},
                    {pixels(), buffers_.weights.as<float>(), buffers_.method_scratch.as<Complex>()}, context_.work,
                    stream());
    }
  }
  void envelope() override {
    const WeighedPixels from = read_pixels(method_, pixels(), buffers_.weights.as<float>());
    if (scan_.has_value())
      scan_magnitudes(*scan_, from, buffers_.envelope.as<float>(), stream());
    else
      magnitudes(from, n_pixels(), buffers_.envelope.as<float>(), stream());
  }
  const Complex* weighed_pixels() override {
    const WeighedPixels from = read_pixels(method_, pixels(), buffers_.weights.as<float>());
    if (from.weights == nullptr) return from.pixels;
    buffers_.weighed.grow_for<Complex>(n_pixels());
    weighed_values(from, n_pixels(), buffers_.weighed.as<Complex>(), stream());
    return buffers_.weighed.as<Complex>();
  }
  // Coherences have a fixed level: 1 is 0 dB.
  const float* own_level_db() override { return is_coherence(method_) ? buffers_.peak.as<float>() : nullptr; }
  [[nodiscard]] std::size_t line_floats() const override {
    return 2 * static_cast<std::size_t>(band_.n_lines) * static_cast<std::size_t>(band_.n_out);
  }
  [[nodiscard]] std::size_t pixel_floats() const override { return 2 * n_pixels(); }
  const Complex* delay_channels(int first, int rows) override {
    const DasGeometry& g = das_.geometry;
    buffers_.method_scratch.grow_for<Complex>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(g.nx * g.n_el));
    auto* const channels = buffers_.method_scratch.as<Complex>();
    cuda::delay_channels(g, lines(), first, rows, channels, stream());
    return channels;
  }

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
  std::shared_ptr<const OwnMethod> own_method_;  // of the plan, null: another method
  const CudaOwnKernels* own_ = nullptr;          // of own_method_; null: it is not called
  RowSizes own_sizes_{};                         // of a method that reads rows
  std::optional<ScanGeometry> scan_;
  std::shared_ptr<const FftPlan> forward_, inverse_;
  std::shared_ptr<const DeviceTables> response_;
};

}  // namespace

std::unique_ptr<LaneSteps> make_analytic_steps(Context& context, LaneBuffers& buffers) {
  return std::make_unique<AnalyticSteps>(context, buffers);
}

// Course recipe: FIR, nearest-sample summation of real RF, Hilbert transform along depth, the frame's own maximum.

namespace {

class CourseSteps final : public LaneSteps {
 public:
  CourseSteps(Context& context, LaneBuffers& buffers) : context_(context), buffers_(buffers) {}

  void set_plan(const Plan& plan) override {
    const CoursePlan& p = *plan.course;
    sample_type_ = plan.formed->sample_type;
    std::copy_n(p.taps.begin(), kCourseTaps, taps_.h);
    tables_ =
        context_.tables.get(plan.course, {std::as_bytes(std::span(p.x_m)), std::as_bytes(std::span(p.z_m)),
                                          std::as_bytes(std::span(p.element_x_m)), std::as_bytes(std::span(p.tx_sin)),
                                          std::as_bytes(std::span(p.tx_cos)), std::as_bytes(std::span(p.tx_t0_s))});
    tables_->make_wait(stream());
    geometry_ = p.geometry;
    geometry_.x_m = tables_->table<double>(0);
    geometry_.z_m = tables_->table<double>(1);
    geometry_.element_x_m = tables_->table<double>(2);
    geometry_.tx_sin = tables_->table<double>(3);
    geometry_.tx_cos = tables_->table<double>(4);
    geometry_.tx_t0_s = tables_->table<double>(5);
    along_depth_ = context_.ffts.get({.kind = FftKind::complex_columns, .n = geometry_.nz, .batch = geometry_.nx});
    buffers_.lines.grow_for<float>(line_floats());
    buffers_.pixels.grow_for<float>(n_pixels());
    buffers_.columns.grow_for<Complex>(n_pixels());
    buffers_.envelope.grow_for<float>(n_pixels());
    buffers_.peak.grow_for<float>(kMaxPartials + 1);
  }

  void count_invalid_in(const InvalidSink& sink) override { invalid_ = sink; }
  void widen(const std::byte* raw) override {
    filter_course(raw, sample_type_, taps_, {n_lines(), geometry_.n_samples, invalid_}, buffers_.lines.as<float>(),
                  stream());
  }

  void condition() override {}  // done by widen()

  void beamform() override {
    sum_nearest(geometry_, buffers_.lines.as<float>(), buffers_.pixels.as<float>(), buffers_.columns.as<Complex>(),
                stream());
  }

  void envelope() override {
    auto* columns = buffers_.columns.as<Complex>();
    along_depth_->forward(columns);
    weight_hilbert(columns, geometry_.nx, geometry_.nz, stream());
    along_depth_->inverse(columns);
    magnitudes({columns}, n_pixels(), buffers_.envelope.as<float>(), stream());
  }

  const float* own_level_db() override {
    auto* partials = buffers_.peak.as<float>();
    measure_peak_db(buffers_.envelope.as<float>(), n_pixels(), partials, partials + kMaxPartials, stream());
    return partials + kMaxPartials;
  }

  [[nodiscard]] std::size_t line_floats() const override {
    return static_cast<std::size_t>(n_lines()) * static_cast<std::size_t>(geometry_.n_samples);
  }
  [[nodiscard]] std::size_t pixel_floats() const override { return n_pixels(); }

 private:
  [[nodiscard]] StreamView stream() const { return context_.processing.view(); }
  [[nodiscard]] int n_lines() const { return geometry_.n_tx * geometry_.n_el; }
  [[nodiscard]] std::size_t n_pixels() const {
    return static_cast<std::size_t>(geometry_.nx) * static_cast<std::size_t>(geometry_.nz);
  }

  Context& context_;
  LaneBuffers& buffers_;
  SampleType sample_type_ = SampleType::float32;
  CourseTaps taps_{};
  InvalidSink invalid_;
  CourseGeometry geometry_{};  // device pointers
  std::shared_ptr<const FftPlan> along_depth_;
  std::shared_ptr<const DeviceTables> tables_;
};

}  // namespace

std::unique_ptr<LaneSteps> make_course_steps(Context& context, LaneBuffers& buffers) {
  return std::make_unique<CourseSteps>(context, buffers);
}

DasOnDevice das_on_device(Context& context, const DasPlan& plan, StreamView stream) {
  const DasTables& t = *plan.tables;
  DasOnDevice on{.geometry = plan.geometry, .tables = nullptr, .weights = nullptr, .cones = nullptr};
  on.is_flat =
      t.down_m.empty() && std::ranges::all_of(t.elements, [](const ElementGeometry& e) { return e.z_m == 0.0f; });
  on.tables =
      context.tables.get(plan.tables, {std::as_bytes(std::span(t.x_m)), std::as_bytes(std::span(t.z_m)),
                                       std::as_bytes(std::span(t.elements)), std::as_bytes(std::span(t.row_base)),
                                       std::as_bytes(std::span(t.row_turns)), std::as_bytes(std::span(t.tx_excess)),
                                       std::as_bytes(std::span(t.down_m)), std::as_bytes(std::span(t.columns)),
                                       std::as_bytes(std::span(t.element_y_m))});
  on.tables->make_wait(stream);
  on.geometry.x_m = on.tables->table<float>(0);
  on.geometry.z_m = on.tables->table<float>(1);
  on.geometry.elements = on.tables->table<ElementGeometry>(2);
  on.geometry.row_base = on.tables->table<int>(3);
  on.geometry.row_turns = on.tables->table<float>(4);
  on.geometry.tx_excess = on.tables->table<float>(5);
  if (!t.down_m.empty()) on.geometry.down_m = on.tables->table<float>(6);
  if (!t.columns.empty()) on.geometry.columns = on.tables->table<ColumnTransmit>(7);
  if (!t.element_y_m.empty()) on.geometry.bent.element_y_m = on.tables->table<float>(8);
  if (plan.tx_weights != nullptr) {
    on.weights = context.tables.get(plan.tx_weights, {std::as_bytes(std::span(*plan.tx_weights))});
    on.weights->make_wait(stream);
    on.geometry.weights.all = on.weights->table<float>(0);
  }
  if (plan.cones != nullptr) {
    on.cones = context.tables.get(plan.cones, {std::as_bytes(std::span(plan.cones->weights))});
    on.cones->make_wait(stream);
    on.geometry.weights.cone = on.cones->table<float>(0);
    on.geometry.weights.cone_span = nullptr;
  }
  return on;
}

}  // namespace echoloop::cuda
