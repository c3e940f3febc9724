// CUDA backend: selects a device, makes lanes that share streams and the tables on the device.
#include <algorithm>
#include <cstdint>

#include "backend/backend.h"
#include "backend/cuda/cuda_lane.h"
#include "backend/cuda/fp16/packed_das.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/math_libraries.h"
#include "backend/flow_engine.h"
#include "backend/object_plan.h"
#include "core/units.h"

namespace echoloop::cuda {

// The program's stages as NVTX ranges, for Nsight Systems.

// Installs the hooks of core/timing_trace.h if a profiler is attached. May be called again. [any thread]
void install_nvtx_ranges();

}  // namespace echoloop::cuda

namespace echoloop {
namespace cuda {

namespace {

constexpr auto kDevices = rows_of_analyses<CudaDeviceRow>([]<class A>() { return &A::kOnCuda; });

// Returns free device bytes plus unused bytes of our pool, from which the next buffer is allocated. Queries the driver,
// without waiting for queued work. 0 on failure.
std::size_t free_bytes(int device) {
  std::size_t free = 0;
  std::size_t total = 0;
  if (!succeeded_quietly(cudaMemGetInfo(&free, &total))) return 0;
  int pools = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  const bool known = succeeded_quietly(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device)) &&
                     pools != 0 && succeeded_quietly(cudaDeviceGetDefaultMemPool(&pool, device)) &&
                     succeeded_quietly(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved)) &&
                     succeeded_quietly(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return known && reserved > used ? free + (reserved - used) : free;
}

Multiprocessors find_multiprocessors(int device) {
  Multiprocessors found{.code = packed_das_code()};
  if (found.code == 0) return kSinglePrecisionOnly;
  CUDA_CHECK(cudaDeviceGetAttribute(&found.count, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&found.shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&found.reserved_bytes, cudaDevAttrReservedSharedMemoryPerBlock, device));
  return found;
}

class LentRange final : public LentMemory {
 public:
  LentRange(std::shared_ptr<MappedRanges> ranges, std::span<const std::byte> memory)
      : ranges_(std::move(ranges)), begin_(memory.data()) {
    ranges_->add(memory, begin_);
  }
  ~LentRange() override { ranges_->remove(begin_); }
  LentRange(const LentRange&) = delete;
  LentRange& operator=(const LentRange&) = delete;

 private:
  std::shared_ptr<MappedRanges> ranges_;
  const std::byte* begin_;
};

class CudaBackend final : public Backend {
 public:
  // The context's device is the current one.
  explicit CudaBackend(std::shared_ptr<Context> context)
      : context_(std::move(context)), multiprocessors_(find_multiprocessors(context_->device)) {}
  [[nodiscard]] std::string name() const override { return "CUDA"; }
  [[nodiscard]] std::string device() const override { return context_->name; }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) override {
    context_->make_current();
    return std::make_unique<HostBlock>(bytes, kind, context_->mapped, context_->kept);
  }
  void keep_host_memory(std::size_t bytes) override { context_->kept->keep(bytes); }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) override {
    context_->make_current();
    return lock_pages(memory, context_->device);
  }
  std::unique_ptr<LentMemory> lend(std::span<const std::byte> memory) override {
    context_->make_current();
    cudaPointerAttributes at{};
    const bool known = succeeded_quietly(cudaPointerGetAttributes(&at, memory.data()));
    if (!known || (at.type != cudaMemoryTypeDevice && at.type != cudaMemoryTypeManaged))
      throw Error("frames", "no device memory", "memory of " + context_->name);
    if (at.type == cudaMemoryTypeDevice && at.device != context_->device)
      throw Error("frames", "memory of cuda:" + std::to_string(at.device), "cuda:" + std::to_string(context_->device));
    return std::make_unique<LentRange>(context_->mapped, memory);
  }
  void follow(std::uintptr_t stream) override {
    order_.record(StreamView(reinterpret_cast<cudaStream_t>(stream)));
    order_.make_wait(context_->processing.view());
    order_.make_wait(context_->copy.view());
  }
  void lead(std::uintptr_t stream) override {
    order_.record(context_->processing.view());
    order_.make_wait(StreamView(reinterpret_cast<cudaStream_t>(stream)));
  }
  void copy_in_order(std::span<std::byte> to, const void* from) override {
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDefault, context_->processing.view().get()));
  }
  void copy(std::span<std::byte> to, const void* from) override {
    context_->make_current();
    CUDA_CHECK(cudaMemcpy(to.data(), from, to.size(), cudaMemcpyDefault));
  }
  std::unique_ptr<Lane> make_lane(int number, const LaneSettings& settings) override {
    context_->make_current();
    return std::make_unique<CudaLane>(context_, number, settings);
  }
  std::unique_ptr<AnalysisDevice> make_analysis_device(std::size_t analysis) override {
    context_->make_current();
    return kDevices[analysis]->make(context_);
  }
  [[nodiscard]] DeviceMemory memory() const override {
    DeviceMemory memory{.used = DeviceBuffer::bytes_in_use(), .free = 0};
    const bool reachable = !device_lost() && succeeded_quietly(cudaSetDevice(context_->device));
    if (reachable) memory.free = free_bytes(context_->device);
    return memory;
  }
  [[nodiscard]] Multiprocessors multiprocessors() const override { return multiprocessors_; }
  [[nodiscard]] bool computes_elsewhere() const override { return true; }
  void abandon() override { context_->work.abandon(); }
  void resume() override { context_->work.resume(); }
  void begin_work() override { context_->work.begin(); }
  [[nodiscard]] bool end_work() override { return context_->work.end(); }
  void supersede() override { context_->work.supersede(); }
  [[nodiscard]] bool usable() const override { return !device_lost(); }

 private:
  std::shared_ptr<Context> context_;
  Multiprocessors multiprocessors_;
  Event order_{EventUse::order};
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Returns the number of devices; on 0 with the reason in why_not.
int count_devices(std::string& why_not) {
  int driver = 0;
  if (!succeeded_quietly(cudaDriverGetVersion(&driver)) || driver == 0) {
    why_not = "no NVIDIA driver on this machine";
    return 0;
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (succeeded_quietly(status) && count > 0) return count;
  if (status == cudaErrorInsufficientDriver) {
    why_not = "the NVIDIA driver supports CUDA " + version_text(driver) + ", this program needs " +
              version_text(CUDART_VERSION);
  } else if (status == cudaErrorNoDevice || status == cudaSuccess) {
    why_not = "no CUDA device on this machine";
  } else {
    why_not = std::string("CUDA initialisation failed: ") + cudaGetErrorString(status);
  }
  return 0;
}

// Returns the initialised device, or nullptr with the reason in why_not.
std::shared_ptr<Context> open_device(int index, std::string& why_not) {
  try {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    CUDA_CHECK(cudaSetDevice(index));
    CUDA_CHECK(cudaFree(nullptr));  // creates the device's context here, where a failure is handled
    if (!kernels_fit_device()) {
      why_not = std::string(properties.name) + " (compute capability " + std::to_string(properties.major) + "." +
                std::to_string(properties.minor) + ") is not supported by this build";
      return nullptr;
    }
    constexpr std::size_t kLeast = std::size_t{256} << 20;  // modules of the kernels, work areas and a small stream
    if (const std::size_t free = free_bytes(index); free < kLeast) {
      why_not = std::string(properties.name) + " has " + std::to_string(free >> 20) + " MiB of free memory; " +
                std::to_string(kLeast >> 20) + " MiB are needed";
      return nullptr;
    }
    static_cast<void>(fft_library());
    return std::make_shared<Context>(index, properties.name);
  } catch (const std::runtime_error& error) {  // CudaError, or Error if cuFFT is missing
    why_not = error.what();
    return nullptr;
  }
}

}  // namespace
}  // namespace cuda

std::vector<Gpu> list_gpus() {
  std::vector<Gpu> all;
  std::string why_not;
  for (int index = 0, count = cuda::count_devices(why_not); index < count; ++index) {
    cudaDeviceProp properties{};
    if (!cuda::succeeded_quietly(cudaGetDeviceProperties(&properties, index))) continue;
    all.push_back({properties.name, properties.totalGlobalMem, cuda::free_bytes(index)});
  }
  return all;
}

std::unique_ptr<Backend> make_cuda_backend(std::string& why_not, int gpu) {
  if (cuda::device_lost()) {
    why_not = cuda::loss_text();
    return nullptr;
  }
  std::string first_reason;
  const int count = cuda::count_devices(first_reason);
  if (count > 0 && gpu >= count) first_reason = "this machine has " + counted(static_cast<std::size_t>(count), "GPU");
  for (int index = std::max(gpu, 0); index < (gpu < 0 ? count : std::min(count, gpu + 1)); ++index) {
    std::string reason;
    if (auto context = cuda::open_device(index, reason)) {
      why_not.clear();
      cuda::install_nvtx_ranges();
      return std::make_unique<cuda::CudaBackend>(std::move(context));
    }
    if (first_reason.empty()) first_reason = reason;
  }
  why_not = first_reason;
  return nullptr;
}

}  // namespace echoloop

// NVTX is a header of the toolkit without a library: its calls reach the profiler that started the program, if any.
// Partial toolkit installations may lack it.

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

#include <array>
#include <string>

#include "core/timing_trace.h"

namespace echoloop::cuda {
namespace {

class Ranges {
 public:
  Ranges() : domain_(nvtxDomainCreateA("echoloop")) {
    if (domain_ == nullptr) return;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      ranges_[i].version = NVTX_VERSION;
      ranges_[i].size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
      ranges_[i].colorType = NVTX_COLOR_ARGB;
      ranges_[i].color = 0xff000000 | kStages[i].color;  // 0xAARRGGBB
      ranges_[i].messageType = NVTX_MESSAGE_TYPE_REGISTERED;
      ranges_[i].message.registered = nvtxDomainRegisterStringA(domain_, std::string(kStages[i].key).c_str());
    }
  }
  [[nodiscard]] bool wanted() const { return domain_ != nullptr; }
  void push(Stage stage) const { nvtxDomainRangePushEx(domain_, &ranges_[static_cast<std::size_t>(stage)]); }
  void pop() const { nvtxDomainRangePop(domain_); }

 private:
  nvtxDomainHandle_t domain_;
  std::array<nvtxEventAttributes_t, kStageCount> ranges_{};
};

// Never destroyed: threads may end ranges during the program's end.
const Ranges& ranges() {
  static const Ranges& made = *new Ranges;
  return made;
}

}  // namespace

void install_nvtx_ranges() {
  if (!ranges().wanted()) return;
  set_profiler_hooks([](Stage stage) { ranges().push(stage); }, [] { ranges().pop(); });
}

}  // namespace echoloop::cuda

#else

void echoloop::cuda::install_nvtx_ranges() {}

#endif
