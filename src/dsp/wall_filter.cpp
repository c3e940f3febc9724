#include "dsp/wall_filter.h"

#include <cmath>
#include <cstddef>

namespace echoloop {
namespace {

std::size_t at(int row, int column, int n) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + static_cast<std::size_t>(column);
}

// Frame in which a frame beyond the ends is mirrored; any number of reflections.
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

// Gram-Schmidt, each done twice.
std::vector<std::vector<double>> orthonormal_polynomials(int order, int n) {
  std::vector<std::vector<double>> basis;
  for (int degree = 0; degree <= order; ++degree) {
    std::vector<double> p(static_cast<std::size_t>(n), 1.0);
    if (degree > 0) {
      // x times the one before: far better conditioned than a power of x.
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
  for (int t = 0; t < n; ++t) {
    for (int k = -half; k <= half; ++k) sums[at(mirrored(t + k, n), t, n)] += taps[static_cast<std::size_t>(k + half)];
  }
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

}  // namespace echoloop
