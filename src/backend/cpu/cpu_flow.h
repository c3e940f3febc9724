// Ensembles filtered on the CPU: a pool of threads of lower priority than the lanes', blocks of pixels small enough for
// the caches. Sums of blocks are added in their order: the same result with any number of threads.
#pragma once

#include <memory>
#include <vector>

#include "backend/cpu/slow_time.h"
#include "backend/cpu/worker_pool.h"
#include "backend/flow_device.h"
#include "dsp/flow.h"

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

  // Block of pixels [first, first + count), of which the last ones are zeros where the picture ends.
  struct Block {
    std::size_t first;
    int count;   // pixels
    int padded;  // of the planes
  };

  [[nodiscard]] int block_pixels(int n) const;
  [[nodiscard]] Block block(int index, int size) const;
  void gather(std::span<const int> slots, const Block& block, float* planes) const;
  // each(block, memory) with the block's frames filtered
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
  std::vector<std::vector<double>> parts_;  // what groups of blocks add to it
  std::vector<float> matrix_;               // [n][n] pairs
  std::vector<Memory> memory_;              // one a thread
  std::vector<AxialLag> rows_;              // of a frame
  std::vector<FlowSums> shown_;             // of the picture before, with persistence
};

}  // namespace echoloop
