#include "backend/cpu/hermitian.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace echoloop {

Decomposition decompose_gram(std::span<const std::complex<double>> gram, int n) {
  const auto size = static_cast<std::size_t>(n);
  // Eigen's default order is by columns and its solver reads the lower triangle: our upper one, conjugated.
  Eigen::MatrixXcd matrix(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      matrix(j, i) = std::conj(gram[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(j)]);
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(matrix);
  Decomposition d{.n = n, .singular_values = std::vector<double>(size), .temporal_vectors = {}};
  d.temporal_vectors.resize(size * size);
  for (int k = 0; k < n; ++k) {
    const int from = n - 1 - k;  // they come rising
    d.singular_values[static_cast<std::size_t>(k)] = std::sqrt(std::max(0.0, solver.eigenvalues()[from]));
    for (int t = 0; t < n; ++t) {
      d.temporal_vectors[static_cast<std::size_t>(k) * size + static_cast<std::size_t>(t)] =
          std::conj(solver.eigenvectors()(t, from));
    }
  }
  return d;
}

}  // namespace echoloop
