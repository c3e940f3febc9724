// The CPU backend: one pool of threads, lanes that compute at once. Runs everywhere; the yardstick for every other
// backend.
#include <algorithm>
#include <array>
#include <cstddef>
#include <thread>
#include <utility>

#include "backend/backend.h"
#include "backend/cpu/cpu_kernels.h"
#include "backend/cpu/worker_pool.h"
#include "backend/flow_device.h"
#include "backend/gate_device.h"
#include "backend/object_device.h"
#include "backend/plain_array.h"
#include "core/number.h"

namespace echoloop {

// Each in a file of its own.
std::unique_ptr<Lane> make_cpu_lane(std::shared_ptr<WorkerPool> pool, const CpuKernels& kernels, int number);
std::unique_ptr<FlowDevice> make_cpu_flow_device(int threads, const SlowTimeSteps& steps);
std::unique_ptr<ObjectDevice> make_cpu_object_device(int threads);

namespace {

// A gate's sums on the CPU: a loop over its few pixels, at once.
class CpuGateDevice final : public GateDevice {
 public:
  bool take(const GateGeometry& gate, const PixelView& pixels) override;
  std::span<const Complex> next() override;
  void wait() override {}

 private:
  std::array<Complex, kMaxGateBands> sums_{};
  std::size_t there_ = 0;  // bands of sums_ that next() has not returned
};

bool CpuGateDevice::take(const GateGeometry& gate, const PixelView& pixels) {
  if (there_ > 0) return false;
  there_ = static_cast<std::size_t>(gate.bands);
  for (int band = 0; band < gate.bands; ++band) {
    Complex sum{0.0f, 0.0f};
    for (int row = 0; row < gate.rows; ++row) {
      const long long at = gate.first + static_cast<long long>(row) * gate.stride;
      sum = sum + gate_term(gate, band, row, pixels.values[at]);
    }
    sums_[static_cast<std::size_t>(band)] = sum;
  }
  return true;
}

std::span<const Complex> CpuGateDevice::next() { return {sums_.data(), std::exchange(there_, 0)}; }

class PageableBlock final : public HostMemoryBlock {
 public:
  explicit PageableBlock(std::size_t bytes) : memory_(bytes) {}
  std::span<std::byte> bytes() override { return {memory_.begin(), memory_.end()}; }
  [[nodiscard]] HostMemory kind() const override { return HostMemory::pageable; }

 private:
  PlainArray<std::byte> memory_;
};

class CpuBackend final : public Backend {
 public:
  CpuBackend(int threads, const CpuKernels& kernels)
      : pool_(std::make_shared<WorkerPool>(threads)), kernels_(kernels) {}
  [[nodiscard]] std::string name() const override { return "CPU"; }
  [[nodiscard]] std::string device() const override {
    return counted(pool_->threads(), "thread") + ", " + kernels_.name;
  }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory) override {
    return std::make_unique<PageableBlock>(bytes);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte>) override { return nullptr; }
  std::unique_ptr<Lane> make_lane(int number, StreamMode) override { return make_cpu_lane(pool_, kernels_, number); }
  std::unique_ptr<ObjectDevice> make_object_device() override { return make_cpu_object_device(pool_->threads()); }
  std::unique_ptr<FlowDevice> make_flow_device() override {
    return make_cpu_flow_device(pool_->threads(), *kernels_.slow_time);
  }
  std::unique_ptr<GateDevice> make_gate_device() override { return std::make_unique<CpuGateDevice>(); }
  [[nodiscard]] DeviceMemory memory() const override { return {}; }
  void abandon() override { pool_->abandon(); }
  void resume() override { pool_->resume(); }
  void begin_work() override { pool_->begin_work(); }
  [[nodiscard]] bool end_work() override { return pool_->end_work(); }
  void supersede() override { pool_->supersede(); }
  [[nodiscard]] double remaining_s() const override { return pool_->remaining_s(); }

 private:
  std::shared_ptr<WorkerPool> pool_;
  const CpuKernels& kernels_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads, CpuKernel kernel) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::make_unique<CpuBackend>(threads > 0 ? threads : cores, cpu_kernels(kernel));
}

}  // namespace echoloop
