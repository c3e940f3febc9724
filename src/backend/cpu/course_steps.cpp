// The course recipe on the CPU: plain loops over the functions of dsp/course.h.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "backend/cpu/cpu_steps.h"
#include "backend/plain_array.h"
#include "dsp/fir_design.h"
#include "dsp/spectrum.h"

namespace echoloop {
namespace {

// Returns the length of the transform of a column. With factors other than 2, 3, 4 and 5 KissFFT allocates at every
// call and needs time in n^2: such columns use a circular convolution in a longer, fast transform.
int transform_size(int nz) { return kiss_fft_next_fast_size(nz) == nz ? nz : kiss_fft_next_fast_size(2 * nz - 1); }

std::vector<kiss_fft_cpx> transformed(const std::vector<kiss_fft_cpx>& in, Transform transform) {
  std::vector<kiss_fft_cpx> out(in.size());
  kiss_fft(make_complex_plan(static_cast<int>(in.size()), transform).get(), in.data(), out.data());
  return out;
}

// Returns the factors of the spectrum of a column padded with zeros to n, including the inverse transform's 1 / n.
std::vector<kiss_fft_cpx> analytic_spectrum(int nz, int n) {
  std::vector<kiss_fft_cpx> weights;
  for (int k = 0; k < nz; ++k) weights.push_back({hilbert_weight(k, nz) / static_cast<float>(nz), 0.0f});
  if (n == nz) return weights;
  // The impulse response has period nz: written for all distances -(nz - 1) .. nz - 1 of two rows.
  const std::vector<kiss_fft_cpx> response = transformed(weights, Transform::inverse);
  std::vector<kiss_fft_cpx> kernel(static_cast<std::size_t>(n), kiss_fft_cpx{0.0f, 0.0f});
  for (int lag = 1 - nz; lag < nz; ++lag) {
    const kiss_fft_cpx value = response[static_cast<std::size_t>((lag + nz) % nz)];
    kernel[static_cast<std::size_t>((lag + n) % n)] = {value.r / static_cast<float>(n),
                                                       value.i / static_cast<float>(n)};
  }
  return transformed(kernel, Transform::forward);
}

class CourseCpuSteps final : public CpuSteps {
 public:
  explicit CourseCpuSteps(WorkerPool& pool) : pool_(pool) {}

  void set_plan(const Plan& plan) override;
  void condition(std::span<const std::byte> samples, InvalidSamples& invalid) override;
  void beamform() override;
  void envelope(float* amplitudes) override;  // magnitude of the analytic signal along z
  [[nodiscard]] std::optional<float> own_level_db(std::span<const float> amplitudes) const override {
    return frame_level_db(*std::max_element(amplitudes.begin(), amplitudes.end()));
  }
  [[nodiscard]] std::vector<float> read_back(Lane::Tap tap) const override {
    if (tap == Lane::Tap::conditioned) return lines_;
    return {pixels_.begin(), pixels_.end()};
  }

 private:
  struct Scratch {            // of one thread
    std::vector<float> line;  // [n_samples]
    KissComplexPlan forward, inverse;
    std::vector<kiss_fft_cpx> column, spectrum;  // [transform size]
  };

  WorkerPool& pool_;
  SampleType sample_type_ = SampleType::float32;
  std::shared_ptr<const CoursePlan> plan_;
  std::vector<float> lines_;       // [n_tx][n_el][n_samples]
  PlainArray<float> pixels_;       // [nz][nx], RF
  std::vector<Complex> analytic_;  // [transform size] real column's spectrum -> analytic signal's
  std::vector<Scratch> scratch_;   // per thread
};

void CourseCpuSteps::set_plan(const Plan& plan) {
  sample_type_ = plan.formed->sample_type;
  if (plan.course == plan_) return;
  plan_ = plan.course;
  const CourseGeometry& g = plan_->geometry;
  lines_.resize(static_cast<std::size_t>(g.n_tx) * static_cast<std::size_t>(g.n_el) *
                static_cast<std::size_t>(g.n_samples));
  pixels_.resize(plan_->grid.pixels());
  scratch_.clear();
  const int n = transform_size(plan_->grid.nz);
  const std::vector<kiss_fft_cpx> spectrum = analytic_spectrum(plan_->grid.nz, n);
  analytic_.clear();
  for (const kiss_fft_cpx& bin : spectrum) analytic_.push_back({bin.r, bin.i});
  for (int t = 0; t < pool_.threads(); ++t) {
    Scratch s;
    s.line.resize(static_cast<std::size_t>(g.n_samples));
    s.forward = make_complex_plan(n, Transform::forward);
    s.inverse = make_complex_plan(n, Transform::inverse);
    s.column.resize(analytic_.size());
    s.spectrum.resize(analytic_.size());
    scratch_.push_back(std::move(s));
  }
}

void CourseCpuSteps::condition(std::span<const std::byte> samples, InvalidSamples& invalid) {
  const CourseGeometry& g = plan_->geometry;
  const auto n = static_cast<std::size_t>(g.n_samples);
  pool_.run(g.n_tx * g.n_el, 8, [&](int begin, int end, int thread) {
    std::vector<float>& line = scratch_[static_cast<std::size_t>(thread)].line;
    for (int i = begin; i < end; ++i) {
      const std::size_t first = static_cast<std::size_t>(i) * n;
      invalid.note(
          i, widen(samples.data() + first * bytes_per_value(sample_type_), sample_type_, g.n_samples, line.data()));
      for (int k = 0; k < g.n_samples; ++k)
        lines_[first + static_cast<std::size_t>(k)] = course_fir(line.data(), plan_->taps.data(), k, g.n_samples);
    }
  });
}

void CourseCpuSteps::beamform() {
  const CourseGeometry& g = plan_->geometry;
  pool_.run(g.nz, 4, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      float* row = pixels_.data() + static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx);
      for (int ix = 0; ix < g.nx; ++ix) row[ix] = course_pixel(g, lines_.data(), ix, iz);
    }
  });
}

void CourseCpuSteps::envelope(float* amplitudes) {
  const int nx = plan_->grid.nx;
  const int nz = plan_->grid.nz;
  pool_.run(nx, 4, [&](int begin, int end, int thread) {
    Scratch& s = scratch_[static_cast<std::size_t>(thread)];
    for (int ix = begin; ix < end; ++ix) {
      const auto at = [&](int iz) {
        return static_cast<std::size_t>(iz) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(ix);
      };
      std::fill(s.column.begin(), s.column.end(), kiss_fft_cpx{0.0f, 0.0f});
      for (int iz = 0; iz < nz; ++iz) s.column[static_cast<std::size_t>(iz)].r = pixels_[at(iz)];
      kiss_fft(s.forward.get(), s.column.data(), s.spectrum.data());
      for (std::size_t k = 0; k < s.spectrum.size(); ++k) {
        kiss_fft_cpx& bin = s.spectrum[k];
        const Complex product = analytic_[k] * Complex{bin.r, bin.i};
        bin = {product.re, product.im};
      }
      kiss_fft(s.inverse.get(), s.spectrum.data(), s.column.data());
      for (int iz = 0; iz < nz; ++iz) {
        const kiss_fft_cpx v = s.column[static_cast<std::size_t>(iz)];
        amplitudes[at(iz)] = magnitude({v.r, v.i});
      }
    }
  });
}

}  // namespace

std::unique_ptr<CpuSteps> make_course_cpu_steps(WorkerPool& pool) { return std::make_unique<CourseCpuSteps>(pool); }

}  // namespace echoloop
