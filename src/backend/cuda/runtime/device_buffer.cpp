#include "backend/cuda/runtime/device_buffer.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace echoloop::cuda {
namespace {

std::atomic<std::size_t> in_use{0};  // bytes

bool device_has_pools() {
  int device = 0;
  int supported = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
  return supported != 0;
}

}  // namespace

void DeviceBuffer::grow(std::size_t bytes) {
  if (bytes <= capacity_) return;
  release();
  pooled_ = device_has_pools();
  if (pooled_)
    CUDA_CHECK(cudaMallocAsync(&data_, bytes, allocate_on_.get()));
  else
    CUDA_CHECK(cudaMalloc(&data_, bytes));
  capacity_ = bytes;
  in_use.fetch_add(bytes, std::memory_order_relaxed);
}

void DeviceBuffer::release() noexcept {
  if (data_ != nullptr) CUDA_QUIET(pooled_ ? cudaFreeAsync(data_, free_on_.get()) : cudaFree(data_));
  in_use.fetch_sub(capacity_, std::memory_order_relaxed);
  data_ = nullptr;
  capacity_ = 0;
}

std::size_t DeviceBuffer::bytes_in_use() noexcept { return in_use.load(std::memory_order_relaxed); }

namespace {

constexpr std::size_t kAlignment = 256;  // of every table: fits any element type and full memory transactions

}  // namespace

DeviceTables::DeviceTables(std::shared_ptr<const void> part, std::initializer_list<TableBytes> tables,
                           StreamView copy_on, StreamView use_on)
    : part_(std::move(part)), memory_(copy_on, use_on) {
  std::size_t total = 0;
  for (const TableBytes& table : tables) {
    offsets_.push_back(total);
    total += (table.size() + kAlignment - 1) / kAlignment * kAlignment;
  }
  memory_.grow(std::max<std::size_t>(total, 1));
  std::size_t index = 0;
  for (const TableBytes& table : tables) {
    std::byte* to = memory_.as<std::byte>() + offsets_[index++];
    if (table.empty()) continue;
    CUDA_CHECK(cudaMemcpyAsync(to, table.data(), table.size(), cudaMemcpyHostToDevice, copy_on.get()));
  }
  copied_.record(copy_on);
}

std::shared_ptr<const DeviceTables> TableCache::get(const std::shared_ptr<const void>& part,
                                                    std::initializer_list<TableBytes> tables) {
  std::erase_if(known_, [](const auto& copy) { return copy.expired(); });
  for (const auto& known : known_) {
    const auto copy = known.lock();
    if (copy != nullptr && copy->part() == part.get()) return copy;
  }
  auto copy = std::make_shared<const DeviceTables>(part, tables, copy_on_, use_on_);
  known_.push_back(copy);
  return copy;
}

}  // namespace echoloop::cuda
