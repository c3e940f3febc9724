// RF lines as IQ: their analytic signal (Hilbert transform), mixed to the centre frequency, so that what the viewer
// shows is their envelope.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/base/fourier.h"
#include "formats/import/described.h"

namespace echoloop {
namespace {

constexpr double kLowEdge = 0.05;      // of the centre frequency, below which offsets and drifts are left out
constexpr std::size_t kSilence = 256;  // samples beyond a line: its end does not reach its beginning

// Of a frequency from 0 to half of the sampling frequency, in the analytic signal: 2, rising from 0 at an offset.
double analytic_weight(double hertz, double center_hz) {
  const double at = hertz / (kLowEdge * center_hz);
  return at < 1.0 ? 1.0 - std::cos(kPi * at) : 2.0;
}

class Mixer {
 public:
  // `a`: of the lines as they come out, longer than they are stored where they begin at times of their own.
  explicit Mixer(const Acquisition& a)
      : n_(static_cast<std::size_t>(a.n_samples)), size_(std::bit_ceil(n_ + kSilence)), fourier_(size_) {
    for (std::size_t k = 0; k < size_ / 2; ++k)
      weights_.push_back(
          analytic_weight(static_cast<double>(k) * a.sampling_hz / static_cast<double>(size_), a.center_hz) /
          static_cast<double>(size_));
    for (std::size_t i = 0; i < n_; ++i)
      carrier_.push_back(
          std::polar(1.0, -2.0 * kPi * a.center_hz * (a.transmits[0].t0_s + static_cast<double>(i) / a.sampling_hz)));
  }

  // `from[0]` becomes sample `first`. Samples that are not finite stay so, and count as 0 for the others.
  template <class T>
  void line(std::span<const T> from, std::size_t first, float* to) {
    values_.assign(size_, 0.0);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto value = static_cast<double>(from[i]);
      if (std::isfinite(value)) values_[first + i] = value;
    }
    fourier_.forward(values_);
    for (std::size_t k = 0; k < size_; ++k) values_[k] *= k < weights_.size() ? weights_[k] : 0.0;
    fourier_.inverse(values_);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::complex<double> mixed = values_[i] * carrier_[i];
      to[2 * i] = static_cast<float>(mixed.real());
      to[2 * i + 1] = static_cast<float>(mixed.imag());
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!std::isfinite(static_cast<double>(from[i]))) to[2 * (first + i)] = static_cast<float>(from[i]);
    }
  }

 private:
  std::size_t n_, size_;
  FourierTransform fourier_;
  std::vector<double> weights_;
  std::vector<std::complex<double>> carrier_, values_;
};

// In samples after the first line of all.
std::vector<std::size_t> first_samples(const Acquisition& a, const std::vector<double>& t0_s) {
  std::vector<std::size_t> first(a.probe.elements.size(), 0);
  for (std::size_t e = 0; e < std::min(first.size(), t0_s.size()); ++e)
    first[e] = static_cast<std::size_t>(std::lround((t0_s[e] - std::ranges::min(t0_s)) * a.sampling_hz));
  return first;
}

}  // namespace

LibraryRecording beamformed_lines(LibraryRecording lines, const std::vector<double>& t0_s) {
  const AcquisitionPtr rf = lines.acquisition;
  Acquisition a = *rf;
  const std::vector<std::size_t> first = first_samples(a, t0_s);
  a.n_samples += static_cast<int>(std::ranges::max(first));
  a.data = are_parallel(a.probe) ? DataKind::beamformed : DataKind::channels;
  a.signal = SignalKind::iq;
  a.sample_type = SampleType::float32;
  a.demod_hz = a.center_hz;
  a.validate("beamformed lines");
  lines.frame_offsets.clear();
  const auto mixer = std::make_shared<Mixer>(a);
  lines.read_frame = [rf, mixer, first, n_out = static_cast<std::size_t>(a.n_samples),
                      read = std::move(lines.read_frame),
                      stored = std::vector<std::byte>()](std::uint64_t index, std::span<std::byte> out) mutable {
    stored.resize(rf->frame_bytes());
    read(index, stored);
    const auto n = static_cast<std::size_t>(rf->n_samples);
    float* const to = reinterpret_cast<float*>(out.data());
    for (std::size_t e = 0; e < rf->probe.elements.size(); ++e) {
      if (rf->sample_type == SampleType::int16) {
        const auto* const from = reinterpret_cast<const std::int16_t*>(stored.data());
        mixer->line(std::span(from + e * n, n), first[e], to + 2 * e * n_out);
      } else {
        const auto* const from = reinterpret_cast<const float*>(stored.data());
        mixer->line(std::span(from + e * n, n), first[e], to + 2 * e * n_out);
      }
    }
  };
  lines.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return lines;
}

}  // namespace echoloop
