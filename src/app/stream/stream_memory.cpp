#include "app/stream/stream_memory.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <thread>

#include "backend/plan.h"
#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"

namespace echoloop {
namespace {

int cpu_threads() { return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U)); }

}  // namespace

std::string megabytes(std::size_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6); }

std::size_t slots_bytes(std::size_t frame_bytes, const StreamSettings& stream) {
  return frame_bytes * static_cast<std::size_t>(stream.slots);
}

std::size_t slots_bytes(const Source& source, const StreamSettings& stream) {
  return source.zero_copy() ? 0 : slots_bytes(source.acquisition()->frame_bytes(), stream);
}

StreamNeed stream_need(const Source& source, const ImagingParams& params, const StreamSettings& stream,
                       const Backend& backend) {
  const StreamBytes bytes = estimate_stream(*source.acquisition(), params, cpu_threads());
  const auto lanes = static_cast<std::size_t>(stream.lanes);
  const bool elsewhere = backend.computes_elsewhere();
  return {.slots = slots_bytes(source, stream),
          .plan = bytes.plan,
          .lanes = elsewhere ? 0 : lanes * bytes.lane,
          .device = elsewhere ? bytes.plan + lanes * bytes.device_lane : 0};
}

void require_memory(const std::string& name, const StreamSettings& wanted, const StreamNeed& need,
                    std::size_t given_back, const DeviceMemory& device) {
  if (const std::size_t most = device.free + device.used; device.free > 0 && need.device > most) {
    throw NoDeviceMemory(
        name,
        fmt::format("{} of device memory needed ({}: {}, tables: {})", megabytes(need.device),
                    counted(wanted.lanes, "lane"), megabytes(need.device - need.plan), megabytes(need.plan)),
        "at most " + megabytes(most) + ", which is free", "use fewer lanes, pixels or transmits, or shorter frames");
  }
  const std::size_t all = need.slots + need.beside_slots(), there_is = free_host_memory() + given_back;
  if (all <= there_is) return;
  throw Error(name,
              fmt::format("{} of memory needed ({}: {}, {} on the CPU: {}, tables: {})", megabytes(all),
                          counted(wanted.slots, "slot"), megabytes(need.slots), counted(wanted.lanes, "lane"),
                          megabytes(need.lanes), megabytes(need.plan)),
              "at most " + megabytes(there_is) + ", which is free", "use fewer lanes or slots, or shorter frames");
}

void require_device_memory(const StreamSettings& wanted, int more_lanes, const StreamMemory& now) {
  const std::size_t need = more_lanes > 0 ? now.lane_bytes * static_cast<std::size_t>(more_lanes) : 0;
  if (now.device.used == 0 || need <= now.device.free) return;
  throw NoDeviceMemory(counted(wanted.lanes, "lane"), megabytes(need) + " more needed on the device",
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
