// How much memory a stream takes on the host and on the device, and whether another configuration of it would fit.
#pragma once

#include <cstddef>
#include <string>

#include "backend/backend.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "source/source.h"

namespace echoloop {

// Bytes; device numbers are 0 on the CPU.
struct StreamMemory {
  std::size_t slot_bytes = 0;      // one slot; 0: frames are lent in place
  std::size_t in_place_bytes = 0;  // of a long recording, in the wanted kind of memory so far
  std::size_t host_bytes = 0;      // slots and the recording's copy
  std::size_t lane_bytes = 0;      // one lane, on the device
  DeviceMemory device;
};

// Bytes that the ring's slots take on the host; 0 where the source lends its frames.
std::size_t slots_bytes(const Source& source, const StreamSettings& stream);
std::size_t slots_bytes(std::size_t frame_bytes, const StreamSettings& stream);

// What a stream will take, before it is made, in bytes.
struct StreamNeed {
  std::size_t slots = 0;   // all of them; 0: frames are lent in place
  std::size_t plan = 0;    // tables
  std::size_t lanes = 0;   // all of them, on the host; 0: on a device
  std::size_t device = 0;  // lanes and tables there, at least
  [[nodiscard]] std::size_t beside_slots() const { return plan + lanes; }
};
[[nodiscard]] StreamNeed stream_need(const Source& source, const ImagingParams& params, const StreamSettings& stream,
                                     const Backend& backend);
// Throws Error, which begins with `name`, when that is more than is free and `given_back`, or more than the device has
// free and in use, for a stream that goes first.
void require_memory(const std::string& name, const StreamSettings& wanted, const StreamNeed& need,
                    std::size_t given_back, const DeviceMemory& device);

// Throws Error when `more_lanes` lanes, as large as those that run, do not fit the device. 0 or fewer always fit.
void require_device_memory(const StreamSettings& wanted, int more_lanes, const StreamMemory& now);

// "12.3 MB", for messages.
std::string megabytes(std::size_t bytes);

// Budget for looking back when the user names none: a quarter of what is free, at most 4 GB.
std::size_t default_history_bytes();

// To the system: what was freed lies in the heaps of many threads, which keep it. A few ms; any thread.
void give_back_freed_memory();

}  // namespace echoloop
