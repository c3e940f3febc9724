#include "dsp/gate_spectrum.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/units.h"
#include "dsp/flow.h"
#include "dsp/spectrum.h"

namespace echoloop {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr float kAboveNoise = 12.6f;     // 11 dB
constexpr float kBelowStrongest = 0.1f;  // -10 dB
constexpr double kSmoothed = 1.5;        // to each side, in 1 / window: less speckle
constexpr double kHalfLine = 1.2;        // widening of an edge by window and smoothing at that level, in 1 / window

std::vector<float> smoothed(std::span<const float> power, int reach) {
  const int n = static_cast<int>(power.size());
  std::vector<float> out(power.size());
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = -reach; k <= reach; ++k) sum += power[static_cast<std::size_t>((i + k + n) % n)];
    out[static_cast<std::size_t>(i)] = sum / static_cast<float>(2 * reach + 1);
  }
  return out;
}

}  // namespace

struct GateSpectrum::Fft {
  explicit Fft(int n)
      : plan(make_complex_plan(n, Transform::forward)), in(static_cast<std::size_t>(n)), out(in.size()) {}
  KissComplexPlan plan;
  std::vector<kiss_fft_cpx> in, out;
};

int gate_wall_degree(double cutoff_hz, double prf_hz, int frames) {
  if (cutoff_hz <= 0.0 || prf_hz <= 0.0) return -1;
  const double degree = kPi * cutoff_hz * frames / prf_hz;
  return std::min(static_cast<int>(std::lround(degree)), frames / 4);
}

int gate_bins(int frames) { return std::max(128, static_cast<int>(std::bit_ceil(static_cast<unsigned>(2 * frames)))); }

GateSpectrum::GateSpectrum(GateSpectrumPlan plan)
    : plan_(std::move(plan)), bins_(gate_bins(plan_.frames)), fft_(std::make_unique<Fft>(bins_)) {
  const int degree = gate_wall_degree(plan_.cutoff_hz, plan_.prf_hz, plan_.frames);
  if (degree >= 0) wall_ = orthonormal_polynomials(degree, plan_.frames);
  double sum = 0.0;
  for (int k = 0; k < plan_.frames; ++k) sum += 0.5 - 0.5 * std::cos(2.0 * kPi * (k + 0.5) / plan_.frames);
  for (int k = 0; k < plan_.frames; ++k)
    window_.push_back(static_cast<float>((0.5 - 0.5 * std::cos(2.0 * kPi * (k + 0.5) / plan_.frames)) / sum));
  band_power_.resize(static_cast<std::size_t>(bins_));
}

GateSpectrum::~GateSpectrum() = default;

// Writes one band to fft_->in, filtered and windowed, zero padded.
void GateSpectrum::filter(const Complex* samples, int stride) {
  std::vector<kiss_fft_cpx>& x = fft_->in;
  const auto n = static_cast<std::size_t>(plan_.frames);
  for (std::size_t k = 0; k < n; ++k) {
    const Complex v = samples[k * static_cast<std::size_t>(stride)];
    x[k] = {v.re, v.im};
  }
  for (const std::vector<double>& q : wall_) {
    double re = 0.0, im = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      re += q[k] * static_cast<double>(x[k].r);
      im += q[k] * static_cast<double>(x[k].i);
    }
    for (std::size_t k = 0; k < n; ++k) {
      x[k].r -= static_cast<float>(re * q[k]);
      x[k].i -= static_cast<float>(im * q[k]);
    }
  }
  for (std::size_t k = 0; k < n; ++k) x[k] = {window_[k] * x[k].r, window_[k] * x[k].i};
  std::fill(x.begin() + static_cast<std::ptrdiff_t>(n), x.end(), kiss_fft_cpx{0.0f, 0.0f});
}

void GateSpectrum::compute(const Complex* samples, int stride, std::span<float> power) {
  std::ranges::fill(power, 0.0f);
  const auto n = static_cast<std::size_t>(bins_);
  const float share = 1.0f / static_cast<float>(plan_.frequency_share.size());
  for (std::size_t band = 0; band < plan_.frequency_share.size(); ++band) {
    filter(samples + band, stride);
    kiss_fft(fft_->plan.get(), fft_->in.data(), fft_->out.data());
    for (std::size_t i = 0; i < n; ++i) {
      const kiss_fft_cpx v = fft_->out[i];
      band_power_[i] = v.r * v.r + v.i * v.i;
    }
    for (std::size_t i = 0; i < n; ++i) {
      // Position of bin i's velocity in this band; spectra of samples are periodic.
      const double at = (static_cast<double>(i) - 0.5 * bins_) * plan_.frequency_share[band];
      const double below = std::floor(at);
      const auto part = static_cast<float>(at - below);
      const auto first = static_cast<std::size_t>(static_cast<int>(below) + 2 * bins_) % n;
      power[i] += share * ((1.0f - part) * band_power_[first] + part * band_power_[(first + 1) % n]);
    }
  }
}

GateTraces gate_traces(std::span<const float> power, int frames) {
  const int n = static_cast<int>(power.size());
  const double line = static_cast<double>(n) / frames;  // bins per 1 / window
  const std::vector<float> smooth = smoothed(power, std::max(1, static_cast<int>(std::lround(kSmoothed * line))));
  std::vector<float> sorted = smooth;
  const auto quartile = sorted.begin() + n / 4;
  std::nth_element(sorted.begin(), quartile, sorted.end());
  const float noise = *quartile;
  const auto strongest = static_cast<int>(std::max_element(smooth.begin(), smooth.end()) - smooth.begin());
  const float top = smooth[static_cast<std::size_t>(strongest)];
  if (!(top > kAboveNoise * noise) || top <= 0.0f) return {kNone, kNone};
  double sum = 0.0, moment = 0.0;
  for (int i = 0; i < n; ++i) {
    const double p = static_cast<double>(smooth[static_cast<std::size_t>(i)]);
    if (p <= static_cast<double>(kAboveNoise * noise)) continue;
    sum += p - static_cast<double>(noise);
    moment += (p - static_cast<double>(noise)) * (2.0 * i / n - 1.0);
  }
  const int way = strongest >= n / 2 ? 1 : -1;
  const float least = std::max(kBelowStrongest * top, kAboveNoise * noise);
  int edge = way > 0 ? n - 1 : 0;
  while (edge != strongest && smooth[static_cast<std::size_t>(edge)] <= least) edge -= way;
  const double reached = edge - way * kHalfLine * line - 0.5 * n;
  const double kept = way > 0 ? std::max(reached, strongest - 0.5 * n) : std::min(reached, strongest - 0.5 * n);
  return {static_cast<float>(2.0 * kept / n), static_cast<float>(moment / sum)};
}

}  // namespace echoloop
