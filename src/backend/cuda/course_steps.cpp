// Course recipe: FIR, nearest-sample summation of real RF, Hilbert transform along depth, the frame's own maximum.
#include <algorithm>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/lane_steps.h"

namespace echoloop::cuda {
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

  void widen(const std::byte* raw) override {
    filter_course(raw, sample_type_, taps_, n_lines(), geometry_.n_samples, buffers_.lines.as<float>(), stream());
  }

  void condition() override {}  // widen() did it

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
  CourseGeometry geometry_{};  // pointers: the device's
  std::shared_ptr<const FftPlan> along_depth_;
  std::shared_ptr<const DeviceTables> tables_;
};

}  // namespace

std::unique_ptr<LaneSteps> make_course_steps(Context& context, LaneBuffers& buffers) {
  return std::make_unique<CourseSteps>(context, buffers);
}

}  // namespace echoloop::cuda
