#include "app/stream/stream_memory.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

#include "core/error.h"
#include "core/free_memory.h"
#include "core/number.h"

namespace echoloop {

std::string megabytes(std::size_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6); }

std::size_t slots_bytes(std::size_t frame_bytes, const StreamSettings& stream) {
  return frame_bytes * static_cast<std::size_t>(stream.slots);
}

std::size_t slots_bytes(const Source& source, const StreamSettings& stream) {
  return source.zero_copy() ? 0 : slots_bytes(source.acquisition()->frame_bytes(), stream);
}

void require_host_memory(const StreamSettings& wanted, std::size_t need, const StreamMemory& now) {
  const std::size_t there_is = free_host_memory() + now.host_bytes;
  if (need <= there_is) return;
  throw Error(fmt::format("{} slots of {} memory", wanted.slots,
                          kHostMemoryNames[static_cast<std::size_t>(wanted.host_memory)]),
              megabytes(need) + " needed", "at most " + megabytes(there_is) + ", the free memory");
}

void require_device_memory(const StreamSettings& wanted, int more_lanes, const StreamMemory& now) {
  const std::size_t need = more_lanes > 0 ? now.lane_bytes * static_cast<std::size_t>(more_lanes) : 0;
  if (now.device.used == 0 || need <= now.device.free) return;
  throw Error(counted(wanted.lanes, "lane"), megabytes(need) + " more needed on the device",
              "at most " + megabytes(now.device.free) + ", the free memory");
}

std::size_t default_history_bytes() {
  constexpr std::size_t kMost = 4'000'000'000;
  return std::min(free_host_memory() / 4, kMost);
}

void give_back_freed_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace echoloop
