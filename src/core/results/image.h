// Finished image: dB against a fixed reference, with its parameters and stamps. Storage belongs to the backend that
// made it; images are swapped through a Mailbox, never copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/hd.h"
#include "core/params.h"
#include "core/results/label_mask.h"
#include "core/sample_log.h"

namespace echoloop {

// made: an image of a device is also copied to the host.
enum class HostCopy { none, made };

struct Image {
  FrameStamp stamp;
  std::int64_t ready_ns = 0;
  std::uint64_t number = 0;  // counts finished images, from 1; 0 = no image yet
  Grid grid;
  ImagingParams params;  // of the image; reference_db is the level in use, never kAutoReference
  AcquisitionPtr acquisition;
  double torn_share = 0.0;  // part of the samples that are of an earlier frame: injected, see Lane::miss_event
  std::shared_ptr<const SampleFaultCount> invalid;  // samples of the frame that were read as zero; null: none
  bool own_missing = false;      // delay-and-sum in place of a method in another process; `params` say so
  LabelMaskPtr mask;             // of this frame, by a method with labels; null: none
  double averaged_frames = 0.0;  // by persistence: equally weighted frames with the same noise; 0: the frame alone

  // dB, [nz][nx], x fastest. Either may be null: host_db without a host copy, device_db on the CPU backend.
  float* host_db = nullptr;
  float* device_db = nullptr;     // CUDA device pointer, complete: its event has passed
  std::shared_ptr<void> storage;  // keeps both alive
  std::size_t capacity = 0;       // pixels that fit into the storage

  [[nodiscard]] std::span<const float> host() const {
    return host_db == nullptr ? std::span<const float>() : std::span<const float>(host_db, grid.pixels());
  }
};

// Clock of the acquisition, for strips, playback, films, M-mode and read-outs. Counts frames of the source, so that it
// is the same on a slow machine; the host's stamp (FrameStamp::acquired_ns) is for latency only.

// Returns seconds of acquisition since the stream's first frame. Unlike FrameStamp::time_s they continue when a
// recording restarts. A scanner with a clock uses that clock. A source with neither uses the host's clock: times of
// arrival.
[[nodiscard]] inline double stream_time_s(const FrameStamp& stamp, double frame_rate_hz) {
  constexpr double kSecondsPerNanosecond = 1e-9;
  if (stamp.clock == FrameClock::device) return stamp.time_s;
  return frame_rate_hz > 0.0 ? static_cast<double>(stamp.sequence) / frame_rate_hz
                             : static_cast<double>(stamp.acquired_ns) * kSecondsPerNanosecond;
}

[[nodiscard]] inline double stream_time_s(const FrameStamp& stamp, const AcquisitionPtr& acquisition) {
  return stream_time_s(stamp, acquisition != nullptr ? acquisition->frame_rate_hz : 0.0);
}

[[nodiscard]] inline double stream_time_s(const Image& image) { return stream_time_s(image.stamp, image.acquisition); }

// Counts of the levels, in dB, of an image. Every pixel counts once, also on a polar grid, where pixels differ in area.

// Level at or below which a pixel received nothing.
inline constexpr double kNoEcho_db = -300.0;

struct LevelHistogram {
  double first_db = 0.0;  // lower edge of the first bin
  double step_db = 1.0;
  std::vector<std::uint32_t> counts = {};
  std::uint64_t below = 0;    // the first bin, including those without an echo
  std::uint64_t above = 0;    // the last bin
  std::uint64_t without = 0;  // NaN
  friend bool operator==(const LevelHistogram&, const LevelHistogram&) = default;
};

// Returns the index among n_bins + 3 counts: a bin, then below the first, above the last, NaN. Host and device.
ECHO_HD int histogram_place(float db, float first_db, float per_db, int n_bins) {
  const float at = (db - first_db) * per_db;
  if (at >= 0.0f && at < static_cast<float>(n_bins)) return static_cast<int>(at);
  if (at < 0.0f) return n_bins;
  return at > 0.0f ? n_bins + 1 : n_bins + 2;
}

// Counts levels into n_bins bins from h.first_db on, h.step_db wide each, replacing earlier counts.
inline void count_levels(std::span<const float> db, int n_bins, LevelHistogram& h) {
  const auto n = static_cast<std::size_t>(n_bins);
  h.counts.assign(n + 3, 0);
  const auto first_db = static_cast<float>(h.first_db);
  const auto per_db = static_cast<float>(1.0 / h.step_db);
  for (const float level : db) ++h.counts[static_cast<std::size_t>(histogram_place(level, first_db, per_db, n_bins))];
  h.below = h.counts[n];
  h.above = h.counts[n + 1];
  h.without = h.counts[n + 2];
  h.counts.resize(n);
}

}  // namespace echoloop
