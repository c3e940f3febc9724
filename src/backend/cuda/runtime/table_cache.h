// The plan's tables on the device: one copy for all lanes that use the same part of a plan, gone with the last of them.
// A part is known by its address, which stays its own while the copy lives, because the copy keeps the part alive.
// Tables travel on a stream of their own, so that neither the host nor the frames in flight wait for each other.
// Processing thread only.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/runtime/device_buffer.h"
#include "backend/cuda/runtime/event.h"

namespace echoloop::cuda {

using TableBytes = std::span<const std::byte>;

class DeviceTables {
 public:
  // Copies `tables`, which belong to `part`, into one allocation.
  DeviceTables(std::shared_ptr<const void> part, std::initializer_list<TableBytes> tables, StreamView copy_on,
               StreamView use_on);

  [[nodiscard]] const void* part() const { return part_.get(); }
  // Kernels queued on `stream` from now on find the tables complete.
  void make_wait(StreamView stream) const { copied_.make_wait(stream); }
  template <class T>
  [[nodiscard]] const T* table(std::size_t index) const {
    return reinterpret_cast<const T*>(memory_.as<std::byte>() + offsets_[index]);
  }

 private:
  std::shared_ptr<const void> part_;
  DeviceBuffer memory_;
  std::vector<std::size_t> offsets_;
  Event copied_{EventUse::order};
};

class TableCache {
 public:
  TableCache(StreamView copy_on, StreamView use_on) : copy_on_(copy_on), use_on_(use_on) {}

  // The device's copy of `part`; made when no lane holds one. `tables` are numbered in their order here.
  std::shared_ptr<const DeviceTables> get(const std::shared_ptr<const void>& part,
                                          std::initializer_list<TableBytes> tables);

 private:
  StreamView copy_on_;
  StreamView use_on_;
  std::vector<std::weak_ptr<const DeviceTables>> known_;
};

}  // namespace echoloop::cuda
