#include "dsp/flow.h"

#include <algorithm>
#include <cstddef>

#include "core/units.h"

namespace echoloop {
namespace {

std::size_t at(int row, int column, int n) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + static_cast<std::size_t>(column);
}

// Returns the mirror image of a frame beyond the ends; any number of reflections.
int mirrored(int frame, int n) {
  const int period = 2 * n;
  const int m = (frame % period + period) % period;
  return m < n ? m : period - 1 - m;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

// Orthonormalises by Gram-Schmidt, each step twice.
std::vector<std::vector<double>> orthonormal_polynomials(int order, int n) {
  std::vector<std::vector<double>> basis;
  for (int degree = 0; degree <= order; ++degree) {
    std::vector<double> p(static_cast<std::size_t>(n), 1.0);
    if (degree > 0) {
      // x times the previous one: far better conditioned than a power of x.
      for (int t = 0; t < n; ++t) {
        const double x = n > 1 ? 2.0 * t / (n - 1) - 1.0 : 0.0;
        p[static_cast<std::size_t>(t)] = x * basis.back()[static_cast<std::size_t>(t)];
      }
    }
    for (int pass = 0; pass < 2; ++pass) {
      for (const auto& q : basis) {
        const double along = dot(p, q);
        for (std::size_t t = 0; t < p.size(); ++t) p[t] -= along * q[t];
      }
    }
    const double norm = std::sqrt(dot(p, p));
    for (double& v : p) v /= norm;
    basis.push_back(std::move(p));
  }
  return basis;
}

std::vector<float> identity_matrix(int n) {
  std::vector<float> w(at(n, 0, n), 0.0f);
  for (int t = 0; t < n; ++t) w[at(t, t, n)] = 1.0f;
  return w;
}

std::vector<float> fir_wall_matrix(std::span<const double> taps, int n) {
  const int half = static_cast<int>(taps.size()) / 2;
  std::vector<double> sums(at(n, 0, n), 0.0);
  for (int t = 0; t < n; ++t)
    for (int k = -half; k <= half; ++k) sums[at(mirrored(t + k, n), t, n)] += taps[static_cast<std::size_t>(k + half)];
  return {sums.begin(), sums.end()};
}

std::vector<float> polynomial_wall_matrix(int order, int n) {
  const auto basis = orthonormal_polynomials(order, n);
  std::vector<float> w(at(n, 0, n));
  for (int s = 0; s < n; ++s) {
    for (int t = 0; t < n; ++t) {
      double v = s == t ? 1.0 : 0.0;
      for (const auto& q : basis) v -= q[static_cast<std::size_t>(s)] * q[static_cast<std::size_t>(t)];
      w[at(s, t, n)] = static_cast<float>(v);
    }
  }
  return w;
}

double reconstruction_error(std::span<const double> singular_values, ComponentRange range) {
  double all = 0.0;
  double left_out = 0.0;
  for (std::size_t i = singular_values.size(); i-- > 0;) {  // small ones first
    const double energy = singular_values[i] * singular_values[i];
    const int number = static_cast<int>(i) + 1;
    all += energy;
    if (number < range.first || number > range.last) left_out += energy;
  }
  return all > 0.0 ? std::sqrt(left_out / all) : 0.0;
}

double mean_frequency(std::span<const std::complex<double>> vector) {
  std::complex<double> r1 = 0.0;
  for (std::size_t t = 1; t < vector.size(); ++t) r1 += vector[t] * std::conj(vector[t - 1]);
  return std::arg(r1) / kPi;
}

int tissue_components(const Decomposition& d, double cutoff) {
  const auto n = static_cast<std::size_t>(d.n);
  int count = 0;
  while (count < d.n - 1) {
    const auto vector = std::span(d.temporal_vectors).subspan(static_cast<std::size_t>(count) * n, n);
    if (std::abs(mean_frequency(vector)) > cutoff) break;
    ++count;
  }
  return count;
}

int last_above_noise(std::span<const double> singular_values, std::size_t n_pixels) {
  const std::size_t n = singular_values.size();
  if (n == 0) return 1;
  const double beta = std::min(1.0, static_cast<double>(n) / static_cast<double>(std::max<std::size_t>(1, n_pixels)));
  // The authors' approximation of omega(beta), within 0.02.
  const double omega = ((0.56 * beta - 0.95) * beta + 1.82) * beta + 1.43;
  const auto from_the_end = [&](std::size_t share) { return singular_values[n - 1 - (n - 1) / share]; };
  std::size_t share = 4;  // median of the smaller half
  while (share < n && from_the_end(2 * share) * omega < from_the_end(share)) share *= 2;
  const double noise = from_the_end(share);
  int last = static_cast<int>(n);
  while (last > 1 && singular_values[static_cast<std::size_t>(last - 1)] <= omega * noise) --last;
  return last;
}

std::vector<std::complex<float>> component_matrix(const Decomposition& d, ComponentRange range) {
  const auto n = static_cast<std::size_t>(d.n);
  const int first = std::max(1, range.first);
  const int last = std::min(d.n, range.last);
  const bool by_the_others = last - first + 1 > d.n / 2;
  std::vector<std::complex<double>> sums(n * n, 0.0);
  for (int k = 1; k <= d.n; ++k) {
    if ((k >= first && k <= last) == by_the_others) continue;
    const std::complex<double>* vector = d.temporal_vectors.data() + static_cast<std::size_t>(k - 1) * n;
    for (std::size_t s = 0; s < n; ++s) {
      const double re = vector[s].real();
      const double im = vector[s].imag();
      for (std::size_t t = 0; t < n; ++t) {  // without the operator, which checks for infinities
        sums[s * n + t] += std::complex<double>(re * vector[t].real() + im * vector[t].imag(),
                                                re * vector[t].imag() - im * vector[t].real());
      }
    }
  }
  std::vector<std::complex<float>> w(n * n);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double one = i / n == i % n ? 1.0 : 0.0;
    w[i] = std::complex<float>(by_the_others ? one - sums[i] : sums[i]);
  }
  return w;
}

}  // namespace echoloop
