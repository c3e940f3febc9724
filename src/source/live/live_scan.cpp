#include "source/live/live_scan.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/error.h"
#include "core/free_memory.h"
#include "source/live/live_blocks.h"

namespace echoloop {
namespace {

constexpr std::size_t kSlots = 8, kFramesOfPlan = 12;
// Of the shared memory, which is half of the free memory: a stream of the largest frames takes 3/4 of that.
constexpr std::size_t kLargestShare = 16;

// As it comes, or as the stream has it.
std::size_t frame_bytes(const LiveScan& scan) {
  return std::max(scan.description.layout->frame_bytes(), scan.description.acquisition->frame_bytes());
}

}  // namespace

std::string clock_text(const LiveScan& scan) {
  if (scan.description.device_hz > 0.0) {
    char text[40];
    std::snprintf(text, sizeof text, "device, %.3f MHz", scan.description.device_hz * 1e-6);
    return text;
  }
  return scan.clock == SenderClock::none ? "arrival" : "host";
}

std::string assumed_text(const LiveDescription& described) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (const Assumption& assumption : described.acquisition->assumptions) add(assumption.text);
  if (!described.unused.empty()) add("keys without effect: " + described.unused);
  return text;
}

std::size_t live_memory_bytes() { return free_host_memory() / 2 / 4096 * 4096; }

FileDescriptor make_live_memory(const std::string& address, std::size_t size) {
  FileDescriptor memory(::memfd_create("echoloop live frames", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() >= 0 && seal(memory.get(), size)) return memory;
  throw Error(address, "no shared memory of " + std::to_string(size >> 20) + " MiB",
              "a system with sealed memory files");
}

std::shared_ptr<FrameArena> make_live_arena(const std::string& address, const FileDescriptor& memory,
                                            std::size_t size) {
  std::shared_ptr<SharedMemory> mapped = SharedMemory::map(memory.get(), size);
  if (mapped == nullptr) throw Error(address, "no room for shared memory", "more free address space");
  return std::make_shared<FrameArena>(std::move(mapped));
}

std::size_t largest_live_frame(std::size_t memory_size) { return memory_size / kLargestShare; }

void require_live_memory(const LiveScan& scan, const LiveScan* before, const LiveRoom& room) {
  const std::size_t bytes = frame_bytes(scan), largest = largest_live_frame(room.memory_size);
  const std::string frames = "frames of " + std::to_string(bytes) + " bytes";
  if (bytes > largest) {
    throw Error("description", frames, "up to " + std::to_string(largest) + ", a sixteenth of the memory for frames");
  }
  const auto stream_bytes = [&room](const LiveScan& one) {
    const std::size_t sent = one.description.layout->frame_bytes();
    const std::size_t plan = room.plan_bytes ? room.plan_bytes(*one.description.acquisition)
                                             : kFramesOfPlan * one.description.acquisition->frame_bytes();
    return kSlots * one.description.acquisition->frame_bytes() + LiveBlocks::count_for(sent) * sent + plan;
  };
  const std::size_t need = stream_bytes(scan);
  const std::size_t there_is = free_host_memory() + (before != nullptr ? stream_bytes(*before) : 0);
  if (need <= there_is) return;
  throw Error("description", frames + ", a stream of which takes " + std::to_string(need) + " bytes",
              "a stream of at most " + std::to_string(there_is) + ", the free memory");
}

}  // namespace echoloop
