#include "backend/cpu/band_conditioner.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "dsp/band_filter.h"
#include "dsp/kiss_plan.h"

namespace echoloop {

static_assert(sizeof(kiss_fft_cpx) == sizeof(Complex));

struct BandConditioner::Scratch {
  KissRealPlan forward_real;  // RF
  KissComplexPlan forward;    // IQ
  KissComplexPlan inverse;
  std::vector<float> values;      // [n_in], or pairs
  std::vector<Complex> spectrum;  // [n_in / 2 + 1] RF, [n_in] IQ
  std::vector<Complex> selected;  // [n_out]
};

void widen(const std::byte* samples, SampleType type, int n, float* values) {
  if (type == SampleType::float32) {
    std::memcpy(values, samples, static_cast<std::size_t>(n) * sizeof(float));
    return;
  }
  const auto* in = reinterpret_cast<const std::int16_t*>(samples);
  for (int i = 0; i < n; ++i) values[i] = static_cast<float>(in[i]);
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
    if (plan->input == SignalKind::rf) {
      s->forward_real = make_real_plan(plan->n_in);
    } else {
      s->forward = make_complex_plan(plan->n_in, Transform::forward);
    }
    s->inverse = make_complex_plan(plan->n_out, Transform::inverse);
    s->values.assign(plan->input == SignalKind::rf ? n_in : 2 * n_in, 0.0f);
    s->spectrum.resize(plan->input == SignalKind::rf ? n_in / 2 + 1 : n_in);
    s->selected.resize(static_cast<std::size_t>(plan->n_out));
    scratch_.push_back(std::move(s));
  }
}

void BandConditioner::condition_line(Scratch& s, const std::byte* samples, SampleType type, Complex* line) const {
  const BandPlan& plan = *plan_;
  const int components = values_per_sample(plan.input);
  float* values = s.values.data();
  widen(samples, type, plan.n_samples * components, values);
  // A constant offset of RF (8-bit recorders, amplifiers) would become a step at the record's ends: take the mean out.
  // Not of IQ: there zero frequency is the demodulation frequency, the middle of the echo band.
  if (plan.input == SignalKind::rf) {
    double sum = 0.0;
    for (int i = 0; i < plan.n_samples; ++i) sum += static_cast<double>(values[i]);
    const auto mean = static_cast<float>(sum / plan.n_samples);
    for (int i = 0; i < plan.n_samples; ++i) values[i] -= mean;
  }
  std::fill(values + plan.n_samples * components, values + s.values.size(), 0.0f);
  auto* spectrum = reinterpret_cast<kiss_fft_cpx*>(s.spectrum.data());
  if (plan.input == SignalKind::rf) {
    kiss_fftr(s.forward_real.get(), values, spectrum);
  } else {
    kiss_fft(s.forward.get(), reinterpret_cast<const kiss_fft_cpx*>(values), spectrum);
  }
  for (int m = 0; m < plan.n_out; ++m) {
    s.selected[static_cast<std::size_t>(m)] =
        select_band(s.spectrum.data(), plan.response.data(), m, plan.n_in, plan.n_out, plan.bin_offset, plan.input);
  }
  kiss_fft(s.inverse.get(), reinterpret_cast<const kiss_fft_cpx*>(s.selected.data()),
           reinterpret_cast<kiss_fft_cpx*>(line));
}

void BandConditioner::run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines,
                          Complex* lines) {
  const std::size_t line_bytes =
      static_cast<std::size_t>(plan_->n_samples * values_per_sample(plan_->input)) * bytes_per_value(type);
  pool.run(n_lines, 8, [&](int begin, int end, int thread) {
    for (int i = begin; i < end; ++i) {
      const auto line = static_cast<std::size_t>(i);
      condition_line(*scratch_[static_cast<std::size_t>(thread)], samples.data() + line * line_bytes, type,
                     lines + line * static_cast<std::size_t>(plan_->n_out));
    }
  });
}

}  // namespace echoloop
