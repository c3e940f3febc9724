#include "formats/readers/coded_lines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

using Complex64 = std::complex<double>;

// Conversion of a stored frame.
void widen_frame(const Acquisition& stored, std::span<const std::byte> frame, std::span<float> out) {
  if (stored.sample_type == SampleType::float32) {
    std::memcpy(out.data(), frame.data(), out.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::int16_t value = 0;
    std::memcpy(&value, frame.data() + i * sizeof value, sizeof value);
    out[i] = value;
  }
}

void turn_lines(std::span<float> frame, const std::vector<double>& rotation_rad) {
  const std::size_t n = frame.size() / rotation_rad.size();
  for (std::size_t k = 0; k < rotation_rad.size(); ++k) {
    const auto turn = std::complex<float>(std::polar(1.0, rotation_rad[k]));
    for (std::size_t i = k * n; i < (k + 1) * n; i += 2) {
      const std::complex<float> value = std::complex<float>(frame[i], frame[i + 1]) * turn;
      frame[i] = value.real(), frame[i + 1] = value.imag();
    }
  }
}

// Frame of one reader, one thread.
struct SteppedFrame {
  LibraryRecording stored;
  std::vector<LineStep> steps;
  std::vector<double> rotation_rad;
  std::vector<std::byte> bytes = {};
  std::vector<float> in = {}, next = {};

  void read(std::uint64_t index, std::span<std::byte> out) {
    const Acquisition& a = *stored.acquisition;
    bytes.resize(a.frame_bytes());
    stored.read_frame(index, bytes);
    in.resize(a.frame_values());
    widen_frame(a, bytes, in);
    for (const LineStep& step : steps) {
      next.resize(step.out.values());
      step.run(in, next);
      std::swap(in, next);
    }
    if (!rotation_rad.empty()) turn_lines(in, rotation_rad);
    if (in.size() * sizeof(float) != out.size()) throw Error("frame", "another size", "that of the acquisition");
    std::memcpy(out.data(), in.data(), out.size());
  }
};

}  // namespace

LibraryRecording with_steps(const OpenRequest& request, LibraryRecording stored, Acquisition a,
                            std::vector<LineStep> steps, std::vector<double> rotation_rad) {
  LibraryRecording recording = stored;
  a.n_samples = stored.acquisition->n_samples;
  a.signal = stored.acquisition->signal;
  a.sample_type = SampleType::float32;
  a.validate(request.what());
  recording.frame_offsets.clear();
  recording.named = {.why_not = "lines are computed from several stored ones"};
  const auto frame = std::make_shared<SteppedFrame>(
      SteppedFrame{.stored = std::move(stored), .steps = std::move(steps), .rotation_rad = std::move(rotation_rad)});
  recording.read_frame = [frame](std::uint64_t index, std::span<std::byte> out) { frame->read(index, out); };
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return recording;
}

LineStep gather_lines(const LineShape& in, const LineShape& out, std::vector<std::size_t> lines) {
  return {.out = out, .run = [lines = std::move(lines), n = in.line()](auto from, auto to) {
            for (std::size_t k = 0; k < lines.size(); ++k) {
              const auto line = to.subspan(k * n, n);
              if (lines[k] == kNoLine)
                std::ranges::fill(line, 0.0F);
              else
                std::ranges::copy(from.subspan(lines[k] * n, n), line.begin());
            }
          }};
}

LineStep mix_transmits(const LineShape& in, std::size_t n_out, std::vector<float> matrix) {
  LineShape out = in;
  out.n_transmits = n_out;
  return {
      .out = out,
      .run = [matrix = std::move(matrix), n = in.n_elements * in.line(), n_in = in.n_transmits](auto from, auto to) {
        std::ranges::fill(to, 0.0F);
        for (std::size_t k = 0; k < to.size() / n; ++k) {
          float* const sum = to.data() + k * n;
          for (std::size_t j = 0; j < n_in; ++j) {
            const float factor = matrix[k * n_in + j];
            const float* const lines = from.data() + j * n;
            if (factor == 0.0F) continue;
            for (std::size_t i = 0; i < n; ++i) sum[i] += factor * lines[i];
          }
        }
      }};
}

std::vector<Complex64> TransmitMatrix::at(double f_hz) const {
  std::vector<Complex64> h(weights.size());
  for (std::size_t i = 0; i < h.size(); ++i)
    if (weights[i] != 0.0) h[i] = std::polar(1.0, -2.0 * kPi * f_hz * delays_s[i]) * weights[i];
  return h;
}

std::vector<double> singular_values(std::vector<Complex64> m, std::size_t n_rows, std::size_t n_columns) {
  constexpr int kMostSweeps = 30;
  constexpr double kOrthogonal = 1e-12;
  std::vector<std::vector<Complex64>> columns(n_columns, std::vector<Complex64>(n_rows));
  for (std::size_t r = 0; r < n_rows; ++r)
    for (std::size_t c = 0; c < n_columns; ++c) columns[c][r] = m[r * n_columns + c];
  const auto square = [](const std::vector<Complex64>& v) {
    double sum = 0.0;
    for (const Complex64& x : v) sum += std::norm(x);
    return sum;
  };
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (std::size_t p = 0; p + 1 < n_columns; ++p) {
      for (std::size_t q = p + 1; q < n_columns; ++q) {
        Complex64 inner = 0.0;
        for (std::size_t r = 0; r < n_rows; ++r) inner += std::conj(columns[p][r]) * columns[q][r];
        const double alpha = square(columns[p]), beta = square(columns[q]), size = std::abs(inner);
        if (size <= kOrthogonal * std::sqrt(alpha * beta) || size == 0.0) continue;
        turned = true;
        const double zeta = (beta - alpha) / (2.0 * size);
        const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double cosine = 1.0 / std::hypot(1.0, t), sine = cosine * t;
        const Complex64 phase = inner / size;
        for (std::size_t r = 0; r < n_rows; ++r) {
          const Complex64 x = columns[p][r], y = std::conj(phase) * columns[q][r];
          columns[p][r] = cosine * x - sine * y;
          columns[q][r] = sine * x + cosine * y;
        }
      }
    }
  }
  std::vector<double> values;
  for (const auto& column : columns) values.push_back(std::sqrt(square(column)));
  std::ranges::sort(values, std::greater<>());
  values.resize(std::min(n_rows, n_columns));
  return values;
}

namespace {

// Solves (H^H H + shift I) X = H^H by Cholesky: X [n_el][n_tx].
class LoadedInverse {
 public:
  explicit LoadedInverse(std::size_t n_tx, std::size_t n_el) : n_tx_(n_tx), n_el_(n_el), gram_(n_el * n_el) {}

  // Largest singular value of h, by power iteration on the Gram matrix of prepare().
  [[nodiscard]] double largest() const {
    constexpr int kRounds = 60;
    std::vector<Complex64> v(n_el_), w(n_el_);
    for (std::size_t e = 0; e < n_el_; ++e) v[e] = std::polar(1.0, 2.4 * static_cast<double>(e * e));  // no symmetry
    double size = 0.0;
    for (int round = 0; round < kRounds; ++round) {
      double norm = 0.0;
      for (std::size_t i = 0; i < n_el_; ++i) {
        w[i] = 0.0;
        for (std::size_t j = 0; j < n_el_; ++j) w[i] += gram_[i * n_el_ + j] * v[j];
        norm += std::norm(w[i]);
      }
      size = std::sqrt(norm);
      if (size == 0.0) return 0.0;
      for (std::size_t i = 0; i < n_el_; ++i) v[i] = w[i] / size;
    }
    return std::sqrt(size);
  }

  void prepare(const std::vector<Complex64>& h) {
    for (std::size_t i = 0; i < n_el_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        Complex64 sum = 0.0;
        for (std::size_t k = 0; k < n_tx_; ++k) sum += std::conj(h[k * n_el_ + i]) * h[k * n_el_ + j];
        gram_[i * n_el_ + j] = sum;
        gram_[j * n_el_ + i] = std::conj(sum);
      }
    }
  }

  // Destroys the Gram matrix. `out`: [n_el][n_tx], factor included.
  void solve(const std::vector<Complex64>& h, double shift, float factor, std::complex<float>* out) {
    for (std::size_t i = 0; i < n_el_; ++i) gram_[i * n_el_ + i] += shift;
    for (std::size_t j = 0; j < n_el_; ++j) {  // L L^H, lower
      Complex64* const row_j = &gram_[j * n_el_];
      double diagonal = row_j[j].real();
      for (std::size_t k = 0; k < j; ++k) diagonal -= std::norm(row_j[k]);
      const double root = std::sqrt(std::max(diagonal, 1e-300));
      row_j[j] = root;
      for (std::size_t i = j + 1; i < n_el_; ++i) {
        Complex64* const row_i = &gram_[i * n_el_];
        Complex64 sum = row_i[j];
        for (std::size_t k = 0; k < j; ++k) sum -= row_i[k] * std::conj(row_j[k]);
        row_i[j] = sum / root;
      }
    }
    std::vector<Complex64> x(n_el_);
    for (std::size_t t = 0; t < n_tx_; ++t) {
      for (std::size_t i = 0; i < n_el_; ++i) {
        Complex64 sum = std::conj(h[t * n_el_ + i]);
        for (std::size_t k = 0; k < i; ++k) sum -= gram_[i * n_el_ + k] * x[k];
        x[i] = sum / gram_[i * n_el_ + i].real();
      }
      for (std::size_t i = n_el_; i-- > 0;) {
        Complex64 sum = x[i];
        for (std::size_t k = i + 1; k < n_el_; ++k) sum -= std::conj(gram_[k * n_el_ + i]) * x[k];
        x[i] = sum / gram_[i * n_el_ + i].real();
        out[i * n_tx_ + t] = std::complex<float>(x[i]) * factor;
      }
    }
  }

 private:
  std::size_t n_tx_, n_el_;
  std::vector<Complex64> gram_;
};

// Transform of a power of two: the reader process links no library for it. Forward: exp(-2i pi k n / N); the inverse
// is not scaled.
class Fourier {
 public:
  explicit Fourier(std::size_t n) : turns_(n / 2) {
    for (std::size_t k = 0; k < turns_.size(); ++k)
      turns_[k] = std::complex<float>(std::polar(1.0, -2.0 * kPi * static_cast<double>(k) / static_cast<double>(n)));
  }

  void forward(std::vector<std::complex<float>>& values) const { run(values, 1.0F); }
  void inverse(std::vector<std::complex<float>>& values) const { run(values, -1.0F); }

 private:
  void run(std::vector<std::complex<float>>& v, float sign) const {
    const std::size_t n = v.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {  // order of reversed bits
      std::size_t bit = n >> 1;
      for (; (j & bit) != 0; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(v[i], v[j]);
    }
    for (std::size_t half = 1; half < n; half *= 2) {
      for (std::size_t first = 0; first < n; first += 2 * half) {
        for (std::size_t k = 0; k < half; ++k) {
          const std::complex<float> turn = turns_[k * (n / (2 * half))], low = v[first + k], x = v[first + k + half];
          const float re = turn.real(), im = sign * turn.imag();
          const std::complex<float> high(re * x.real() - im * x.imag(), re * x.imag() + im * x.real());
          v[first + k] = low + high;
          v[first + k + half] = low - high;
        }
      }
    }
  }

  std::vector<std::complex<float>> turns_;
};

// Decodes the lines of one receiving element at a time. RF has real lines: only positive frequencies are kept, and the
// real part of the result is twice theirs.
class LineDecoder {
 public:
  LineDecoder(const LineShape& in, std::size_t n_out, std::size_t n) : in_(in), n_out_(n_out), fourier_(n), line_(n) {}

  std::vector<std::size_t> bins;              // of the transform, those that are decoded
  std::vector<std::complex<float>> inverses;  // [bin][out][in]

  void run(std::span<const float> from, std::span<float> to) {
    const std::size_t n_bins = bins.size(), n_in = in_.n_transmits;
    s_.resize(n_bins * n_in);
    u_.resize(n_bins * n_out_);
    for (std::size_t r = 0; r < in_.n_elements; ++r) {
      for (std::size_t k = 0; k < n_in; ++k) take(from.subspan((k * in_.n_elements + r) * in_.line(), in_.line()), k);
      for (std::size_t b = 0; b < n_bins; ++b) {
        const std::complex<float>* row = inverses.data() + b * n_out_ * n_in;
        for (std::size_t e = 0; e < n_out_; ++e, row += n_in) {
          std::complex<float> sum = 0.0F;
          for (std::size_t k = 0; k < n_in; ++k) {  // without the checks of operator* for infinite numbers
            const std::complex<float> a = row[k], x = s_[b * n_in + k];
            sum += std::complex<float>(a.real() * x.real() - a.imag() * x.imag(),
                                       a.real() * x.imag() + a.imag() * x.real());
          }
          u_[b * n_out_ + e] = sum;
        }
      }
      for (std::size_t e = 0; e < n_out_; ++e) put(e, to.subspan((e * in_.n_elements + r) * in_.line(), in_.line()));
    }
  }

 private:
  void take(std::span<const float> line, std::size_t k) {
    const bool iq = in_.n_values == 2;
    std::ranges::fill(line_, 0.0F);
    for (std::size_t i = 0; i < in_.n_samples; ++i)
      line_[i] = iq ? std::complex<float>(line[2 * i], line[2 * i + 1]) : line[i];
    fourier_.forward(line_);
    for (std::size_t b = 0; b < bins.size(); ++b) s_[b * in_.n_transmits + k] = line_[bins[b]];
  }

  void put(std::size_t e, std::span<float> line) {
    const bool iq = in_.n_values == 2;
    std::ranges::fill(line_, 0.0F);
    for (std::size_t b = 0; b < bins.size(); ++b) line_[bins[b]] = u_[b * n_out_ + e];
    fourier_.inverse(line_);
    for (std::size_t i = 0; i < in_.n_samples; ++i) {
      line[iq ? 2 * i : i] = line_[i].real();
      if (iq) line[2 * i + 1] = line_[i].imag();
    }
  }

  LineShape in_;
  std::size_t n_out_;
  Fourier fourier_;
  std::vector<std::complex<float>> line_;
  std::vector<std::complex<float>> s_, u_;  // [bin][in], [bin][out]
};

}  // namespace

LineStep decode_transmits(const OpenRequest& request, const LineShape& in, const TransmitMatrix& matrix,
                          const Decoding& how) {
  constexpr std::size_t kMostBytes = std::size_t{512} << 20;
  double longest_s = 0.0;
  for (const double delay_s : matrix.delays_s) longest_s = std::max(longest_s, delay_s);
  const auto padding = static_cast<std::size_t>(std::ceil((longest_s + how.pulse_s) * how.sampling_hz)) + 16;
  const std::size_t n = std::bit_ceil(in.n_samples + padding);
  auto decoder = std::make_shared<LineDecoder>(in, matrix.n_el, n);
  std::vector<double> f_hz;
  const double step_hz = how.sampling_hz / static_cast<double>(n);
  for (std::size_t b = 0; b < n; ++b) {
    const double base_hz =
        (2 * b <= n ? static_cast<double>(b) : static_cast<double>(b) - static_cast<double>(n)) * step_hz;
    const bool whole = how.demod_hz > 0.0 || (b > 0 && 2 * b < n);
    if (!whole || how.demod_hz + base_hz < how.low_hz || how.demod_hz + base_hz > how.high_hz) continue;
    decoder->bins.push_back(b);
    f_hz.push_back(how.demod_hz + base_hz);
  }
  const std::size_t each = matrix.n_el * matrix.n_tx;
  if (f_hz.size() > kMostBytes / sizeof(std::complex<float>) / each) {
    throw Error(request.what(),
                "inverses of " + std::to_string(f_hz.size()) + " transmit matrices of " + std::to_string(matrix.n_tx) +
                    " x " + std::to_string(matrix.n_el),
                "up to 512 MiB of them", "--set transmit_decoding=off opens the recording as it is");
  }
  decoder->inverses.resize(f_hz.size() * each);
  const float factor = (how.demod_hz > 0.0 ? 1.0F : 2.0F) / static_cast<float>(n);
  LoadedInverse inverse(matrix.n_tx, matrix.n_el);
  for (std::size_t b = 0; b < f_hz.size(); ++b) {
    request.advance(0.1 + 0.8 * static_cast<double>(b) / static_cast<double>(f_hz.size()));
    const std::vector<Complex64> h = matrix.at(f_hz[b]);
    inverse.prepare(h);
    const double loading = how.loading * inverse.largest();
    inverse.solve(h, loading * loading, factor, decoder->inverses.data() + b * each);
  }
  LineShape out = in;
  out.n_transmits = matrix.n_el;
  return {.out = out, .run = [decoder](auto from, auto to) { decoder->run(from, to); }};
}

}  // namespace echoloop
