// A finished image: dB against a fixed reference, with everything needed to say what it is.
// Storage belongs to the backend that made it; images are swapped through a Mailbox, never copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"

namespace echoloop {

// Whether an image is copied to the host as well, where the backend computes elsewhere.
enum class HostCopy { none, made };

struct Image {
  FrameStamp stamp;
  std::int64_t ready_ns = 0;
  std::uint64_t number = 0;  // counts finished images, from 1; 0 = no image yet
  Grid grid;
  ImagingParams params;  // that made it; reference_db holds the level in use, never kAutoReference
  AcquisitionPtr acquisition;
  double averaged_frames = 0.0;  // by persistence: as many alike would average noise as much; 0: the frame alone

  // dB, [nz][nx], x fastest. Either may be null: host_db when nobody asked for a host copy, device_db on the CPU
  // backend.
  float* host_db = nullptr;
  float* device_db = nullptr;     // CUDA device pointer, complete: the producer waited for its event
  std::shared_ptr<void> storage;  // keeps both alive
  std::size_t capacity = 0;       // pixels that fit into the storage

  [[nodiscard]] std::span<const float> host() const {
    return host_db == nullptr ? std::span<const float>() : std::span<const float>(host_db, grid.pixels());
  }
};

}  // namespace echoloop
