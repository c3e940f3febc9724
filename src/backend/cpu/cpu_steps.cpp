// Analytic recipe: RF mean removed, band selected, complex lines; complex delay-and-sum, by the tuned kernels where
// they fit the plan, or an adaptive method; magnitude, and scan conversion where the image's grid is another.
#include <cmath>

#include "backend/cpu/band_conditioner.h"
#include "backend/cpu/cpu_steps.h"
#include "backend/cpu/das_rows.h"
#include "backend/cpu/fir_conditioner.h"
#include "backend/cpu/method_das.h"
#include "backend/cpu/window_das.h"
#include "backend/plain_array.h"
#include "dsp/level.h"

namespace echoloop {
namespace {

class AnalyticCpuSteps final : public CpuSteps {
 public:
  AnalyticCpuSteps(WorkerPool& pool, const CpuKernels& kernels)
      : pool_(pool), kernels_(kernels), rows_(static_cast<std::size_t>(pool.threads())) {}

  void set_plan(const Plan& plan) override;
  void condition(std::span<const std::byte> samples) override;
  void beamform() override;
  void envelope(float* amplitudes) override;
  [[nodiscard]] PixelView pixels() const override {
    return {.values = pixels_.data(), .count = das_->tables->grid.pixels()};
  }
  [[nodiscard]] WeighedPixels weighed_pixels() const override {
    return read_pixels(method_, pixels_.data(), weights_.data());
  }
  // Coherences have a level of their own: 1 is 0 dB.
  [[nodiscard]] std::optional<float> own_level_db(std::span<const float> /*amplitudes*/) const override {
    return method_.method == Adaptive::slsc ? std::optional(0.0f) : std::nullopt;
  }
  [[nodiscard]] std::vector<float> read_back(Lane::Tap tap) const override;

 private:
  void measure_peaks();
  void beamform_rows();
  void beamform_columns();

  WorkerPool& pool_;
  const CpuKernels& kernels_;
  SampleType sample_type_ = SampleType::float32;
  int n_lines_ = 0;  // of a frame
  std::shared_ptr<const BandPlan> band_;
  std::shared_ptr<const DasPlan> das_;
  std::optional<ScanGeometry> scan_;
  MethodSettings method_;

  BandConditioner conditioner_;  // the specification, and for bands that are not for filters
  FirConditioner filters_;
  WindowDas window_;
  bool filtering_ = false;        // filters_ conditions the frames of this plan
  bool windows_ = false;          // window_ beamforms them
  std::vector<RowScratch> rows_;  // one a thread
  PlainArray<Complex> lines_;     // [n_tx][n_el][n_out]
  std::vector<float> peaks_;      // [n_tx][n_el], largest component of each line
  PlainArray<Complex> pixels_;    // [nz][nx] of the beamformed grid
  PlainArray<float> weights_;     // likewise, of an adaptive method
  MethodScratch method_scratch_;
  PlainArray<float> beam_envelope_;  // likewise, where the image's grid is another
};

void AnalyticCpuSteps::set_plan(const Plan& plan) {
  const Acquisition& a = *plan.formed;
  sample_type_ = a.sample_type;
  n_lines_ = a.n_transmits() * a.n_elements();
  band_ = plan.band;
  das_ = plan.das;
  scan_ = plan.scan;
  method_ = plan.method;
  const bool tuned = kernels_.das_tile != nullptr;
  filtering_ = tuned && filters_.set_plan(band_, a.sampling_hz, *kernels_.steps, pool_.threads());
  windows_ = tuned && method_.method == Adaptive::off && window_.set_plan(das_, pool_.threads());
  if (!filtering_) conditioner_.set_plan(band_, pool_.threads());
  peaks_.resize(static_cast<std::size_t>(n_lines_));
  lines_.resize(peaks_.size() * static_cast<std::size_t>(band_->n_out));
  pixels_.resize(das_->tables->grid.pixels());
  if (method_.method != Adaptive::off) weights_.resize(pixels_.size());
  method_scratch_.own.resize(rows_.size());
  if (scan_.has_value()) beam_envelope_.resize(pixels_.size());
  const DasGeometry& g = das_->geometry;
  for (RowScratch& row : rows_) row.resize(g.columns != nullptr ? g.nz : g.nx, g.n_tx);
}

void AnalyticCpuSteps::condition(std::span<const std::byte> samples) {
  if (filtering_) {
    filters_.run(pool_, samples, sample_type_, n_lines_, lines_.data(), peaks_.data());
  } else {
    conditioner_.run(pool_, samples, sample_type_, n_lines_, lines_.data());
    if (windows_) measure_peaks();
  }
}

void AnalyticCpuSteps::measure_peaks() {
  pool_.run(n_lines_, 8, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      const Complex* line = lines_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(band_->n_out);
      float peak = 0.0f;
      for (const Complex* v = line; v != line + band_->n_valid; ++v) {
        peak = largest_of(largest_of(peak, std::abs(v->re)), std::abs(v->im));
      }
      peaks_[static_cast<std::size_t>(i)] = peak;
    }
  });
}

void AnalyticCpuSteps::beamform() {
  if (method_.method != Adaptive::off) {
    method_das(pool_, kernels_, method_, {das_->geometry, lines_.data()}, method_scratch_, pixels_.data(),
               weights_.data());
  } else if (windows_ && window_.quantise(pool_, *kernels_.steps, lines_.data(), peaks_.data())) {
    window_.run(pool_, kernels_.das_tile, pixels_.data());
  } else if (das_->geometry.columns != nullptr) {
    beamform_columns();
  } else {
    beamform_rows();
  }
}

void AnalyticCpuSteps::beamform_rows() {
  const DasGeometry& g = das_->geometry;
  const auto row = kernels_.das_tile != nullptr ? &das_row : &portable::das_row;
  pool_.run(g.nz, 2, [&](int begin, int end, int thread) {
    for (int iz = begin; iz < end; ++iz) {
      row(g, lines_.data(), iz, rows_[static_cast<std::size_t>(thread)],
          pixels_.data() + static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx));
    }
  });
}

void AnalyticCpuSteps::beamform_columns() {
  const DasGeometry& g = das_->geometry;
  const auto column = kernels_.das_tile != nullptr ? &das_column : &portable::das_column;
  pool_.run(g.nx, 1, [&](int begin, int end, int thread) {
    for (int ix = begin; ix < end; ++ix) {
      column(g, lines_.data(), ix, rows_[static_cast<std::size_t>(thread)], pixels_.data());
    }
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
      for (int ix = 0; ix < scan.to.nx; ++ix) {
        row[ix] = scan_pixel(scan, ix, iz, [&](int at) { return beam_envelope_[static_cast<std::size_t>(at)]; });
      }
    }
  });
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

}  // namespace echoloop
