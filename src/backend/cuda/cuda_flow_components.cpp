// Components of an ensemble: products of its frames, their eigenvectors, and the filter that keeps some of them.
#include <algorithm>
#include <cmath>

#include "backend/cuda/cuda_flow.h"

namespace echoloop::cuda {
namespace {

constexpr std::size_t kPartValues = std::size_t{1} << 24;  // of products at a time, 128 MiB

}  // namespace

// What the frames from n_known on bring to the Gram matrix: parts_, then the newer matrix from the older one.
void CudaFlowDevice::add_products(std::span<const int> slots, int n_known) {
  const int n = static_cast<int>(slots.size());
  const int n_new = n - n_known;
  const int n_blocks = static_cast<int>(frames_->pitch / kBlock);
  const long long part = static_cast<long long>(n) * n_new;
  const int at_a_time = std::clamp(static_cast<int>(kPartValues / static_cast<std::size_t>(part)), 1, n_blocks);
  parts_.grow_for<Complex>(static_cast<std::size_t>(part) * static_cast<std::size_t>(at_a_time));
  auto* grams = grams_.as<cuDoubleComplex>();
  const cuDoubleComplex* before = grams + static_cast<std::size_t>(gram_) * square(n);
  gram_ = 1 - gram_;
  for (int block = 0; block < n_blocks; block += at_a_time) {
    const int count = std::min(at_a_time, n_blocks - block);
    multiply_frames(slots, n_known, block, count);
    fold_gram({.n = n, .n_known = n_known, .n_blocks = count, .fold = block == 0 ? GramFold::begin : GramFold::go_on},
              parts_.as<Complex>(), before, grams + static_cast<std::size_t>(gram_) * square(n), stream());
  }
}

// parts_ [count][n - n_known][n] of `count` blocks of pixels.
void CudaFlowDevice::multiply_frames(std::span<const int> slots, int n_known, int block, int count) {
  const int n = static_cast<int>(slots.size());
  const std::size_t first = static_cast<std::size_t>(block) * kBlock;
  for (const Run& rows : runs_of(slots, 0)) {
    for (const Run& columns : runs_of(slots, n_known)) {
      Complex* c = parts_.as<Complex>() + static_cast<std::size_t>(columns.first - n_known) * slots.size() + rows.first;
      math_->multiply_blocks({.m = rows.count,
                              .n = columns.count,
                              .k = static_cast<int>(kBlock),
                              .a = frame(rows.slot) + first,
                              .lda = static_cast<int>(frames_->pitch),
                              .b = frame(columns.slot) + first,
                              .ldb = static_cast<int>(frames_->pitch),
                              .c = c,
                              .ldc = n},
                             count, static_cast<long long>(n) * (n - n_known));
    }
  }
}

void CudaFlowDevice::grow_eigen(int n) {
  if (n == eigen_n_) return;
  eigen_n_ = 0;
  n_work_ = math_->eigen_work(n);
  const std::size_t values = (static_cast<std::size_t>(n) * sizeof(double) + 15) / 16;
  eigen_.grow((square(n) + values + static_cast<std::size_t>(n_work_) + 1) * sizeof(cuDoubleComplex));
  grams_.grow_for<cuDoubleComplex>(2 * square(n));
  landing_.grow((square(n) + values + 1) * sizeof(cuDoubleComplex));
  eigen_n_ = n;
}

Decomposition CudaFlowDevice::decompose(std::span<const int> slots, int n_known) {
  const int n = static_cast<int>(slots.size());
  const auto size = static_cast<std::size_t>(n);
  frames_->stored.hold_back(stream());
  const bool same_size = n == gram_n_;
  gram_n_ = 0;
  grow_eigen(n);
  add_products(slots, same_size ? n_known : 0);
  auto* vectors = eigen_.as<cuDoubleComplex>();
  auto* values = reinterpret_cast<double*>(vectors + square(n));
  cuDoubleComplex* work = vectors + square(n) + (size * sizeof(double) + 15) / 16;
  auto* info = reinterpret_cast<int*>(work + n_work_);
  CUDA_CHECK(cudaMemcpyAsync(vectors, grams_.as<cuDoubleComplex>() + static_cast<std::size_t>(gram_) * square(n),
                             square(n) * sizeof(cuDoubleComplex), cudaMemcpyDeviceToDevice, stream().get()));
  math_->eigenvectors(n, vectors, values, work, n_work_, info);
  // Vectors and values lie side by side.
  const std::size_t bytes = square(n) * sizeof(cuDoubleComplex) + size * sizeof(double);
  CUDA_CHECK(cudaMemcpyAsync(landing_.as<void>(), vectors, bytes, cudaMemcpyDeviceToHost, stream().get()));
  wait();
  gram_n_ = n;
  const auto* v = landing_.as<cuDoubleComplex>();
  const auto* rising = reinterpret_cast<const double*>(v + square(n));
  Decomposition d{.n = n, .singular_values = std::vector<double>(size), .temporal_vectors = {}};
  d.temporal_vectors.resize(square(n));
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t from = size - 1 - k;
    d.singular_values[k] = std::sqrt(std::max(0.0, rising[from]));
    for (std::size_t t = 0; t < size; ++t) {
      d.temporal_vectors[k * size + t] = {v[from * size + t].x, -v[from * size + t].y};
    }
  }
  return d;
}

void CudaFlowDevice::keep_components(const Decomposition& decomposition, ComponentRange range) {
  const int n = decomposition.n;
  const int first = std::max(1, range.first);
  const int last = std::min(n, range.last);
  host_matrix_.clear();
  matrix_.grow_for<Complex>(square(n));
  const auto* v = eigen_.as<cuDoubleComplex>();
  auto* w = matrix_.as<Complex>();
  // Columns rise: component k is column n - k. Many components are the rest of few, at the two ends.
  if (last - first + 1 <= n / 2 || first > 1) {
    keep_columns(v, n, n - last, n - first + 1, Keep::these, w, stream());
  } else {
    keep_columns(v, n, 0, n - last, Keep::rest, w, stream());
  }
}

}  // namespace echoloop::cuda
