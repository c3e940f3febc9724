#include "backend/cpu/course_steps.h"

#include "backend/cpu/band_conditioner.h"
#include "backend/cpu/kiss_plan.h"
#include "dsp/level.h"

namespace echoloop {

struct CourseSteps::Scratch {
  std::vector<float> line;  // [n_samples]
  KissComplexPlan forward, inverse;
  std::vector<kiss_fft_cpx> column, spectrum;  // [nz]
};

void CourseSteps::set_plan(const std::shared_ptr<const CoursePlan>& plan, int threads) {
  if (plan == plan_) return;
  plan_ = plan;
  scratch_.clear();
  const auto nz = static_cast<std::size_t>(plan->grid.nz);
  for (int t = 0; t < threads; ++t) {
    auto s = std::make_shared<Scratch>();
    s->line.resize(static_cast<std::size_t>(plan->geometry.n_samples));
    s->forward = make_complex_plan(plan->grid.nz, false);
    s->inverse = make_complex_plan(plan->grid.nz, true);
    s->column.resize(nz);
    s->spectrum.resize(nz);
    scratch_.push_back(std::move(s));
  }
}

void CourseSteps::filter(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, float* filtered) {
  const CourseGeometry& g = plan_->geometry;
  const auto n = static_cast<std::size_t>(g.n_samples);
  pool.run(g.n_tx * g.n_el, 8, [&](int begin, int end, int thread) {
    std::vector<float>& line = scratch_[static_cast<std::size_t>(thread)]->line;
    for (int i = begin; i < end; ++i) {
      const std::size_t first = static_cast<std::size_t>(i) * n;
      widen(samples.data() + first * bytes_per_value(type), type, g.n_samples, line.data());
      for (int k = 0; k < g.n_samples; ++k) {
        filtered[first + static_cast<std::size_t>(k)] = course_fir(line.data(), plan_->taps.data(), k, g.n_samples);
      }
    }
  });
}

void CourseSteps::beamform(WorkerPool& pool, const float* filtered, float* rf_image) const {
  const CourseGeometry& g = plan_->geometry;
  pool.run(g.nz, 4, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      float* row = rf_image + static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx);
      for (int ix = 0; ix < g.nx; ++ix) row[ix] = course_pixel(g, filtered, ix, iz);
    }
  });
}

void CourseSteps::envelope(WorkerPool& pool, const float* rf_image, float* envelope) {
  const int nx = plan_->grid.nx;
  const int nz = plan_->grid.nz;
  pool.run(nx, 4, [&](int begin, int end, int thread) {
    Scratch& s = *scratch_[static_cast<std::size_t>(thread)];
    for (int ix = begin; ix < end; ++ix) {
      const auto at = [&](int iz) {
        return static_cast<std::size_t>(iz) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(ix);
      };
      for (int iz = 0; iz < nz; ++iz) s.column[static_cast<std::size_t>(iz)] = {rf_image[at(iz)], 0.0f};
      kiss_fft(s.forward.get(), s.column.data(), s.spectrum.data());
      for (int k = 0; k < nz; ++k) {
        kiss_fft_cpx& bin = s.spectrum[static_cast<std::size_t>(k)];
        const float h = hilbert_weight(k, nz) / static_cast<float>(nz);
        bin = {h * bin.r, h * bin.i};
      }
      kiss_fft(s.inverse.get(), s.spectrum.data(), s.column.data());
      for (int iz = 0; iz < nz; ++iz) {
        const kiss_fft_cpx v = s.column[static_cast<std::size_t>(iz)];
        envelope[at(iz)] = magnitude({v.r, v.i});
      }
    }
  });
}

}  // namespace echoloop
