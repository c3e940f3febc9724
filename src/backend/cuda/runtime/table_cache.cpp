#include "backend/cuda/runtime/table_cache.h"

#include <algorithm>
#include <utility>

namespace echoloop::cuda {
namespace {

constexpr std::size_t kAlignment = 256;  // of every table: any element type, full memory transactions

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
