// JSON description of frames from a sender at a scanner: the acquisition, and the layout of samples in a frame. Keys:
// those of a sidecar (readers/description.h) and shape, dtype, strides_bytes, channel_of_element, device_hz, name.
// Instead of the acquisition's keys: {"like": FILE}, a recording made with the same settings, or {"acquisition": {...}}
// as in our own recordings (base/acquisition_json.h), which keeps every bit. Nothing is guessed: axes and time zero
// have no default, and an unknown key that resembles a missing one is an error. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/acquisition.h"

namespace echoloop {

// Conversion of a sender's frame to the acquisition's: [transmit][element][sample] of the acquisition's type.
class LiveLayout {
 public:
  virtual ~LiveLayout() = default;
  [[nodiscard]] virtual std::size_t frame_bytes() const = 0;  // of the sender's
  [[nodiscard]] virtual bool in_place() const = 0;            // no conversion is needed
  // `frame`: frame_bytes() long; `out`: as long as the acquisition's.
  virtual void convert(std::span<const std::byte> frame, std::span<std::byte> out) = 0;
};

struct LiveDescription {
  AcquisitionPtr acquisition;
  std::unique_ptr<LiveLayout> layout;
  double device_hz = 0.0;  // of FrameWord::device_ticks; 0: the scanner has no clock of its own
  std::string name;        // of the scanner; empty: the sender's
  std::string unused;      // known keys without effect: "demod_hz (...)"; empty: none
};

enum class LikeFiles { allowed, refused };  // a sender on another machine cannot name local files

// Throws Error that names the description by `what`.
[[nodiscard]] LiveDescription describe_live(const std::string& what, std::span<const std::byte> json, LikeFiles like,
                                            const std::stop_token& stop = {});

// Returns a received description as JSON with one line per key; a list of numbers remains on one line.
[[nodiscard]] std::string readable_description(std::span<const std::byte> json);

// Returns a description of canonical frames with every bit of `acquisition`, for our own sender.
[[nodiscard]] std::string live_description_json(const Acquisition& acquisition, const std::string& name);

}  // namespace echoloop
