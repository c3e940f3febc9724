// Memory of a stream on the host and on the device, and check that another configuration fits.
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
  std::size_t in_place_bytes = 0;  // of a long recording, copied so far into the requested kind of memory
  std::size_t host_bytes = 0;      // slots and the recording's copy
  std::size_t lane_bytes = 0;      // one lane, on the device
  DeviceMemory device;
};

// Returns the bytes of the ring's slots on the host; 0 if the source lends its frames.
std::size_t slots_bytes(const Source& source, const StreamSettings& stream);
std::size_t slots_bytes(std::size_t frame_bytes, const StreamSettings& stream);

// Memory of a stream, before it is made, in bytes.
struct StreamNeed {
  std::size_t slots = 0;   // all of them; 0: frames are lent in place
  std::size_t plan = 0;    // tables
  std::size_t lanes = 0;   // all of them, on the host; 0: on a device
  std::size_t device = 0;  // lanes and tables there, at least
  [[nodiscard]] std::size_t beside_slots() const { return plan + lanes; }
};
[[nodiscard]] StreamNeed stream_need(const Source& source, const ImagingParams& params, const StreamSettings& stream,
                                     const Backend& backend);
// Throws Error, beginning with `name`, if the need exceeds the free memory plus `given_back`, or the device's free and
// used memory, for a stream that ends first.
void require_memory(const std::string& name, const StreamSettings& wanted, const StreamNeed& need,
                    std::size_t given_back, const DeviceMemory& device);

// Throws Error if `more_lanes` lanes, as large as the running ones, do not fit the device. 0 or fewer always fit.
void require_device_memory(const StreamSettings& wanted, int more_lanes, const StreamMemory& now);

// Returns "12.3 MB", for messages.
std::string megabytes(std::size_t bytes);

// Returns the default history memory: a quarter of the free memory, at most 4 GB.
std::size_t default_history_bytes();

// Returns freed memory, kept in the heaps of many threads, to the system. A few ms; any thread.
void give_back_freed_memory();

}  // namespace echoloop
