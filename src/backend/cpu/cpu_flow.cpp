// Filters ensembles on the CPU: a pool of threads of lower priority than the lanes', blocks of pixels that fit the
// caches. Sums of blocks are added in order: the same result with any number of threads.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/isa_loops.h"
#include "backend/cpu/worker_pool.h"
#include "backend/flow_engine.h"
#include "dsp/flow.h"
#include "dsp/level.h"

namespace echoloop {

class CpuFlowDevice final : public FlowDevice {
 public:
  CpuFlowDevice(int threads, const SlowTimeSteps& steps) : threads_(threads), steps_(steps) {}

  void begin_thread() override;
  void reserve(int n_slots, std::size_t n_pixels) override;
  void store(int slot, const PixelView& pixels) override;
  Decomposition decompose(std::span<const int> slots, int n_known) override;
  void keep_components(const Decomposition& decomposition, ComponentRange range) override;
  void set_matrix(std::span<const float> matrix, int n) override;
  void apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) override;
  std::vector<Complex> filtered(std::span<const int> slots) override;

 private:
  struct Memory {  // of one thread
    std::vector<float> planes, filtered, power, r1;
  };

  // Block of pixels [first, first + count); the last ones are zeros past the image's end.
  struct Block {
    std::size_t first;
    int count;   // pixels
    int padded;  // pixels of the planes
  };

  [[nodiscard]] int block_pixels(int n) const;
  [[nodiscard]] Block block(int index, int size) const;
  void gather(std::span<const int> slots, const Block& block, float* planes) const;
  // Calls each(block, memory) with the block's frames filtered.
  template <class Each>
  void filter_blocks(std::span<const int> slots, const Each& each);
  [[nodiscard]] AxialLag axial_lag(int slot, const Grid& grid);
  void shift_gram(int n, int n_known);
  void add_blocks(std::span<const int> slots, int n_known);

  int threads_;
  const SlowTimeSteps& steps_;
  std::unique_ptr<WorkerPool> pool_;
  std::vector<std::vector<Complex>> frames_;  // [slot][pixel]
  std::size_t n_pixels_ = 0;
  std::vector<std::complex<double>> gram_;  // [n][n], upper triangle
  std::vector<std::vector<double>> parts_;  // contributions of groups of blocks
  std::vector<float> matrix_;               // [n][n] pairs
  std::vector<Memory> memory_;              // per thread
  std::vector<AxialLag> rows_;              // of a frame
  std::vector<FlowSums> shown_;             // of the previous image, with persistence
};

namespace {

// Computes eigenvectors of a Gram matrix on the CPU (Eigen's self-adjoint solver, double precision). gram: Hermitian
// [n][n], gram[i * n + j] = sum over pixels of conj(x_i) x_j; only i <= j is read. About 0.5 ms for 32 frames, 15 ms
// for 128.
Decomposition decompose_gram(std::span<const std::complex<double>> gram, int n) {
  const auto size = static_cast<std::size_t>(n);
  // Eigen stores by columns and its solver reads the lower triangle: the upper one of gram, conjugated.
  Eigen::MatrixXcd matrix(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      matrix(j, i) = std::conj(gram[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(j)]);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(matrix);
  Decomposition d{.n = n, .singular_values = std::vector<double>(size), .temporal_vectors = {}};
  d.temporal_vectors.resize(size * size);
  for (int k = 0; k < n; ++k) {
    const int from = n - 1 - k;  // Eigen sorts ascending
    d.singular_values[static_cast<std::size_t>(k)] = std::sqrt(std::max(0.0, solver.eigenvalues()[from]));
    for (int t = 0; t < n; ++t) {
      d.temporal_vectors[static_cast<std::size_t>(k) * size + static_cast<std::size_t>(t)] =
          std::conj(solver.eigenvectors()(t, from));
    }
  }
  return d;
}

constexpr int kGroups = 16;  // of blocks, each with its own sum

// Floats of a block's planes: with the filtered ones they fill half of a second-level cache.
constexpr int kBlockFloats = 32 * 1024;

}  // namespace

void CpuFlowDevice::begin_thread() {
  // On Linux a nice value belongs to a thread and is inherited by the threads it starts.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10));
  pool_ = std::make_unique<WorkerPool>(threads_);
  memory_.resize(static_cast<std::size_t>(threads_));
}

void CpuFlowDevice::reserve(int n_slots, std::size_t n_pixels) {
  frames_.clear();
  frames_.resize(static_cast<std::size_t>(n_slots));
  for (std::vector<Complex>& frame : frames_) frame.resize(n_pixels);
  n_pixels_ = n_pixels;
  shown_.clear();
}

void CpuFlowDevice::store(int slot, const PixelView& pixels) {
  std::memcpy(frames_[static_cast<std::size_t>(slot)].data(), pixels.values, n_pixels_ * sizeof(Complex));
}

int CpuFlowDevice::block_pixels(int n) const {
  const int wanted = kBlockFloats / (2 * n) / kSlowTimePixels * kSlowTimePixels;
  return std::clamp(wanted, 2 * kSlowTimePixels, 1024);
}

CpuFlowDevice::Block CpuFlowDevice::block(int index, int size) const {
  const std::size_t first = static_cast<std::size_t>(index) * static_cast<std::size_t>(size);
  const int count = static_cast<int>(std::min(static_cast<std::size_t>(size), n_pixels_ - first));
  return {first, count, (count + kSlowTimePixels - 1) / kSlowTimePixels * kSlowTimePixels};
}

void CpuFlowDevice::gather(std::span<const int> slots, const Block& b, float* planes) const {
  for (const int slot : slots) {
    steps_.split(frames_[static_cast<std::size_t>(slot)].data() + b.first, b.count, b.padded, planes);
    planes += 2 * static_cast<std::size_t>(b.padded);
  }
}

// Moves the products of the remaining frames to their new places.
void CpuFlowDevice::shift_gram(int n, int n_known) {
  const auto size = static_cast<std::size_t>(n);
  if (n_known == 0 || gram_.size() != size * size) {
    gram_.assign(size * size, 0.0);
    return;
  }
  const auto gone = static_cast<std::size_t>(n - n_known);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      const bool known = j + gone < size;
      gram_[i * size + j] = known ? gram_[(i + gone) * size + j + gone] : 0.0;
    }
  }
}

void CpuFlowDevice::add_blocks(std::span<const int> slots, int n_known) {
  const int n = static_cast<int>(slots.size());
  const auto size = static_cast<std::size_t>(n);
  const int pixels = block_pixels(n);
  const int n_blocks =
      static_cast<int>((n_pixels_ + static_cast<std::size_t>(pixels) - 1) / static_cast<std::size_t>(pixels));
  parts_.resize(kGroups);
  pool_->run(kGroups, 1, [&](int begin, int end, int thread) {
    Memory& memory = memory_[static_cast<std::size_t>(thread)];
    memory.planes.resize(2 * size * static_cast<std::size_t>(pixels));
    for (int group = begin; group < end; ++group) {
      std::vector<double>& part = parts_[static_cast<std::size_t>(group)];
      part.assign(2 * size * size, 0.0);
      for (int i = n_blocks * group / kGroups; i < n_blocks * (group + 1) / kGroups; ++i) {
        const Block b = block(i, pixels);
        gather(slots, b, memory.planes.data());
        steps_.gram(memory.planes.data(), n, b.padded, n_known, part.data());
      }
    }
  });
  for (const std::vector<double>& part : parts_) {
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = std::max(i, static_cast<std::size_t>(n_known)); j < size; ++j)
        gram_[i * size + j] += std::complex<double>(part[2 * (i * size + j)], part[2 * (i * size + j) + 1]);
  }
}

Decomposition CpuFlowDevice::decompose(std::span<const int> slots, int n_known) {
  const int n = static_cast<int>(slots.size());
  shift_gram(n, n_known);
  add_blocks(slots, n_known);
  return decompose_gram(gram_, n);
}

void CpuFlowDevice::keep_components(const Decomposition& decomposition, ComponentRange range) {
  const std::vector<std::complex<float>> w = component_matrix(decomposition, range);
  matrix_.resize(2 * w.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    matrix_[2 * i] = w[i].real();
    matrix_[2 * i + 1] = w[i].imag();
  }
}

void CpuFlowDevice::set_matrix(std::span<const float> matrix, int) {
  matrix_.assign(2 * matrix.size(), 0.0f);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix_[2 * i] = matrix[i];
}

template <class Each>
void CpuFlowDevice::filter_blocks(std::span<const int> slots, const Each& each) {
  const int n = static_cast<int>(slots.size());
  const int pixels = block_pixels(n);
  const std::size_t plane_floats = 2 * static_cast<std::size_t>(n) * static_cast<std::size_t>(pixels);
  const int n_blocks =
      static_cast<int>((n_pixels_ + static_cast<std::size_t>(pixels) - 1) / static_cast<std::size_t>(pixels));
  pool_->run(n_blocks, 1, [&](int begin, int end, int thread) {
    Memory& memory = memory_[static_cast<std::size_t>(thread)];
    memory.planes.resize(plane_floats);
    memory.filtered.resize(plane_floats);
    memory.power.resize(static_cast<std::size_t>(pixels));
    memory.r1.resize(2 * static_cast<std::size_t>(pixels));
    for (int i = begin; i < end; ++i) {
      const Block b = block(i, pixels);
      gather(slots, b, memory.planes.data());
      steps_.filter(memory.planes.data(), matrix_.data(), n, b.padded, memory.filtered.data(), memory.power.data(),
                    memory.r1.data());
      each(b, memory);
    }
  });
}

AxialLag CpuFlowDevice::axial_lag(int slot, const Grid& grid) {
  const Complex* frame = frames_[static_cast<std::size_t>(slot)].data();
  const auto nx = static_cast<std::size_t>(grid.nx);
  rows_.assign(static_cast<std::size_t>(grid.nz - 1), {});
  pool_->run(grid.nz - 1, 16, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      const Complex* row = frame + static_cast<std::size_t>(iz) * nx;
      AxialLag& sum = rows_[static_cast<std::size_t>(iz)];
      for (std::size_t ix = 0; ix < nx; ++ix) {
        const Complex product = lag_product(row[nx + ix], row[ix]);
        sum.re += static_cast<double>(product.re);
        sum.im += static_cast<double>(product.im);
        sum.power += static_cast<double>(row[ix].re * row[ix].re + row[ix].im * row[ix].im);
      }
    }
  });
  AxialLag all;
  for (const AxialLag& row : rows_) all = {all.re + row.re, all.im + row.im, all.power + row.power};
  return all;
}

void CpuFlowDevice::apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) {
  const auto n = slots.size();
  image.power_db.resize(n_pixels_);
  image.velocity_m_s.resize(n_pixels_);
  image.low_rank_db.resize(finish.low_rank ? n_pixels_ : 0);
  const bool first = shown_.size() != n_pixels_;
  shown_.resize(n_pixels_);
  const float keep = first ? 0.0f : static_cast<float>(finish.keep);
  const auto reference = static_cast<float>(finish.reference_db);
  double scale_m_s = finish.scale_m_s;
  if (has_rows(image, n_pixels_)) scale_m_s = scale_by_received(image, axial_lag(slots.back(), image.grid), scale_m_s);
  const auto scale = static_cast<float>(scale_m_s);
  filter_blocks(slots, [&](const Block& b, const Memory& memory) {
    const auto padded = static_cast<std::size_t>(b.padded);
    const float* newest = memory.filtered.data() + 2 * (n - 1) * padded;
    for (std::size_t i = 0; i < static_cast<std::size_t>(b.count); ++i) {
      const std::size_t at = b.first + i;
      const FlowSums now{memory.power[i] / static_cast<float>(n), {memory.r1[i], memory.r1[padded + i]}};
      shown_[at] = persist(shown_[at], now, keep);
      image.power_db[at] = power_db(shown_[at].power, reference);
      image.velocity_m_s[at] = kasai_velocity_m_s(shown_[at].r1, scale);
      if (finish.low_rank) image.low_rank_db[at] = to_db(magnitude({newest[i], newest[padded + i]}), reference);
    }
  });
}

std::vector<Complex> CpuFlowDevice::filtered(std::span<const int> slots) {
  std::vector<Complex> out(slots.size() * n_pixels_);
  filter_blocks(slots, [&](const Block& b, const Memory& memory) {
    const auto padded = static_cast<std::size_t>(b.padded);
    for (std::size_t t = 0; t < slots.size(); ++t)
      for (std::size_t i = 0; i < static_cast<std::size_t>(b.count); ++i)
        out[t * n_pixels_ + b.first + i] = {memory.filtered[2 * t * padded + i],
                                            memory.filtered[(2 * t + 1) * padded + i]};
  });
  return out;
}

constinit const CpuDeviceRow FlowAnalysis::kOnCpu{
    .make = [](int threads, const CpuKernels& kernels) -> std::unique_ptr<AnalysisDevice> {
      return std::make_unique<CpuFlowDevice>(threads, *kernels.slow_time);
    }};

}  // namespace echoloop
