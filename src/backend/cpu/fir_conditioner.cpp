#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "backend/cpu/cpu_steps.h"
#include "core/error.h"
#include "core/units.h"
#include "dsp/fir_design.h"

namespace echoloop {
namespace {

// Lowest rate of the shaping filter that leaves its neighbours a transition of 0.6 bands.
constexpr double kLeastRateOverBand = 1.6;

int even_below(int v) { return v - (v & 1); }

constexpr std::size_t kLongWork = std::size_t{1} << 20;  // samples: a tenth of a second

// Returns the odd taps of a half-band filter, both sides, in order.
std::vector<float> both_sides(const std::vector<double>& side, double gain) {
  std::vector<float> taps;
  for (std::size_t i = side.size(); i-- > 0;) taps.push_back(static_cast<float>(gain * side[i]));
  for (const double tap : side) taps.push_back(static_cast<float>(gain * tap));
  return taps;
}

}  // namespace

void FirConditioner::design(double sampling_hz) {
  stages_.clear();
  const double width_hz = plan_->band_width_hz;
  double rate_hz = sampling_hz;
  while (0.5 * rate_hz >= kLeastRateOverBand * width_hz) {
    const std::vector<double> side = fir_half_band(width_hz, rate_hz);
    stages_.push_back(
        {.rate = Rate::halve, .even = {{0.5f}, 0}, .odd = {both_sides(side, 1.0), -static_cast<int>(side.size())}});
    rate_hz *= 0.5;
  }
  const bool sharp_doubling = rate_hz < kLeastRateOverBand * width_hz;  // too narrow for a plain one
  const std::vector<double> shape = fir_band_shape(width_hz, sharp_doubling ? 2.0 * rate_hz : rate_hz);
  const int reach = static_cast<int>(shape.size() / 2);
  if (sharp_doubling) {
    Stage stage{.rate = Rate::twice, .even = {}, .odd = {}};
    // y[2m + p] = sum over k of 2 shape[k] x[m + (p - k) / 2], k of p's parity
    for (int k = reach; k >= -reach; --k) {
      Phase& phase = (k & 1) == 0 ? stage.even : stage.odd;
      const int place = ((k & 1) - k) / 2;
      if (phase.taps.empty()) phase.first = place;
      phase.taps.push_back(static_cast<float>(2.0 * shape[static_cast<std::size_t>(k + reach)]));
    }
    stages_.push_back(std::move(stage));
    rate_hz *= 2.0;
  } else {
    stages_.push_back({.rate = Rate::keep, .even = {{shape.begin(), shape.end()}, -reach}, .odd = {}});
  }
  while (rate_hz < 0.75 * plan_->line_rate_hz) {
    rate_hz *= 2.0;
    const std::vector<double> side = fir_half_band(width_hz, rate_hz);
    stages_.push_back(
        {.rate = Rate::twice, .even = {{1.0f}, 0}, .odd = {both_sides(side, 2.0), 1 - static_cast<int>(side.size())}});
  }
}

// Finds the samples that each stage must make, from the last stage to the first.
void FirConditioner::find_ranges() {
  int begin = 0;
  int end = plan_->n_valid;
  for (std::size_t i = stages_.size(); i-- > 0;) {
    Stage& stage = stages_[i];
    stage.begin = even_below(begin);
    stage.end = end;
    const auto last = [](const Phase& p) { return p.first + static_cast<int>(p.taps.size()) - 1; };
    const int first = std::min(stage.even.first, stage.odd.first);
    const int reach = std::max(last(stage.even), last(stage.odd));
    if (stage.rate == Rate::halve) {
      begin = 2 * (stage.begin + first);
      end = 2 * (stage.end + reach) + 2;
    } else if (stage.rate == Rate::keep) {
      begin = stage.begin + first;
      end = stage.end + reach;
    } else {
      begin = stage.begin / 2 + first;
      end = (stage.end + 1) / 2 + reach;
    }
    begin = std::min(begin, 0);
    end = std::max(end, 1);
  }
  in_begin_ = even_below(begin);
  in_end_ = end;
}

void FirConditioner::make_scratch(int threads) {
  scratch_.clear();
  Scratch s;
  s.values.assign(static_cast<std::size_t>(plan_->n_samples * values_per_sample(plan_->input)) + kLineSlack, 0.0f);
  std::size_t longest = 0;
  const auto add_signal = [&](int begin, int end) {
    const std::size_t n = static_cast<std::size_t>(end - begin) + kLineSlack;
    s.signals.push_back({std::vector<float>(n, 0.0f), std::vector<float>(n, 0.0f)});
    longest = std::max(longest, n);
  };
  add_signal(in_begin_, in_end_);
  for (const Stage& stage : stages_) add_signal(stage.begin, stage.end);
  s.even.assign(longest, 0.0f);
  s.odd.assign(longest, 0.0f);
  scratch_.assign(static_cast<std::size_t>(threads), s);
}

// Makes mixers that move the band's centre to 0, as the filters are symmetric about 0; the lines are then turned to the
// plan's demodulation frequency.
void FirConditioner::make_mixers(double sampling_hz) {
  const BandPlan& plan = *plan_;
  const double cycles = static_cast<double>(plan.bin_offset) / plan.n_in + plan.band_shift_hz / sampling_hz;
  const double gain = plan.input == SignalKind::rf ? 2.0 : 1.0;
  const auto phasor = [](double turns) { return std::polar(1.0, 2.0 * kPi * (turns - std::floor(turns))); };
  cosine_.resize(static_cast<std::size_t>(plan.n_samples));
  sine_.resize(cosine_.size());
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    if (i % kLongWork == kLongWork - 1) check_long_work();
    const std::complex<double> value = gain * phasor(-cycles * static_cast<double>(i));
    cosine_[i] = static_cast<float>(value.real());
    sine_[i] = static_cast<float>(value.imag());
  }
  turn_.resize(static_cast<std::size_t>(plan.n_valid));
  for (std::size_t i = 0; i < turn_.size(); ++i) {
    if (i % kLongWork == kLongWork - 1) check_long_work();
    const std::complex<double> value = phasor(plan.band_shift_hz / plan.line_rate_hz * static_cast<double>(i));
    turn_[i] = {static_cast<float>(value.real()), static_cast<float>(value.imag())};
  }
}

bool FirConditioner::set_plan(const std::shared_ptr<const BandPlan>& plan, double sampling_hz, const LineSteps& steps,
                              int threads) {
  steps_ = &steps;
  if (plan == plan_) return usable_;
  plan_ = plan;
  const bool doubles = plan->line_rate_hz >= 1.5 * sampling_hz;
  // The response of a very narrow band is about as long as the record: left to the transforms, which define the ends.
  constexpr double kLeastBandOverRate = 0.02;
  usable_ = sampling_hz >= (doubles ? 0.999 : kLeastRateOverBand) * plan->band_width_hz &&
            plan->band_width_hz >= kLeastBandOverRate * sampling_hz;
  if (!usable_) return false;
  design(sampling_hz);
  find_ranges();
  make_scratch(threads);
  make_mixers(sampling_hz);
  return true;
}

// x[0] and y[0] are sample `begin` of their signals.
void FirConditioner::apply(const Stage& stage, int in_begin, int in_end, Scratch& s, const float* x, float* y) const {
  const auto n_taps = [](const Phase& p) { return static_cast<int>(p.taps.size()); };
  const int n = stage.end - stage.begin;
  if (stage.rate == Rate::keep) {
    steps_->filter(x + (stage.begin + stage.even.first - in_begin), stage.even.taps.data(), n_taps(stage.even), n, y);
    return;
  }
  if (stage.rate == Rate::halve) {
    steps_->split(x, (in_end - in_begin + 1) / 2, s.even.data(), s.odd.data());
    const int shift = stage.begin - in_begin / 2;
    steps_->filter(s.even.data() + (shift + stage.even.first), stage.even.taps.data(), n_taps(stage.even), n, y);
    steps_->filter_more(s.odd.data() + (shift + stage.odd.first), stage.odd.taps.data(), n_taps(stage.odd), n, y);
    return;
  }
  const int half = (n + 1) / 2;
  const int shift = stage.begin / 2 - in_begin;
  steps_->filter(x + (shift + stage.even.first), stage.even.taps.data(), n_taps(stage.even), half, s.even.data());
  steps_->filter(x + (shift + stage.odd.first), stage.odd.taps.data(), n_taps(stage.odd), half, s.odd.data());
  steps_->join(s.even.data(), s.odd.data(), half, y);
}

int FirConditioner::condition_line(Scratch& s, const std::byte* samples, SampleType type, Complex* line,
                                   float& peak) const {
  const BandPlan& plan = *plan_;
  const int n_values = plan.n_samples * values_per_sample(plan.input);
  float* values = s.values.data();
  int invalid = 0;
  if (type == SampleType::float32)
    invalid = steps_->valid(reinterpret_cast<const float*>(samples), n_values, kLargestSample, values);
  else
    steps_->widen(reinterpret_cast<const std::int16_t*>(samples), n_values, values);
  Plane& mixed = s.signals[0];
  const int n = std::min(plan.n_samples, in_end_);
  float* re = mixed.re.data() - in_begin_;
  float* im = mixed.im.data() - in_begin_;
  if (plan.input == SignalKind::rf) {  // removes a constant offset, a step at the record's ends; see BandConditioner
    const auto mean = static_cast<float>(steps_->sum(values, plan.n_samples) / plan.n_samples);
    steps_->mix_rf(values, mean, cosine_.data(), sine_.data(), n, re, im);
  } else {
    steps_->mix_iq(values, cosine_.data(), sine_.data(), n, re, im);
  }
  int begin = in_begin_;
  int end = in_end_;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    apply(stage, begin, end, s, s.signals[i].re.data(), s.signals[i + 1].re.data());
    apply(stage, begin, end, s, s.signals[i].im.data(), s.signals[i + 1].im.data());
    begin = stage.begin;
    end = stage.end;
  }
  const Plane& out = s.signals.back();
  std::fill(line + plan.n_valid, line + plan.n_out, Complex{0.0f, 0.0f});
  peak = steps_->pair_up(out.re.data(), out.im.data(), turn_.data(), plan.n_valid, line);
  return invalid;
}

void FirConditioner::run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines,
                         const Lines& to, InvalidSamples& invalid) {
  const std::size_t line_bytes =
      static_cast<std::size_t>(plan_->n_samples * values_per_sample(plan_->input)) * bytes_per_value(type);
  pool.run(n_lines, 4, [&](int begin, int end, int thread) {
    for (int i = begin; i < end; ++i) {
      const auto line = static_cast<std::size_t>(i);
      invalid.note(i, condition_line(scratch_[static_cast<std::size_t>(thread)], samples.data() + line * line_bytes,
                                     type, to.values + line * static_cast<std::size_t>(plan_->n_out), to.peaks[i]));
    }
  });
}

}  // namespace echoloop
