// What a sender beside a scanner says about its frames, as JSON: the acquisition, and how samples lie in a frame.
// Keys: those of a sidecar (readers/description.h) and shape, dtype, strides_bytes, channel_of_element, device_hz,
// name. In place of the acquisition's keys: {"like": FILE}, a recording made with the same settings, or {"acquisition":
// {...}} as our own recordings hold it (base/acquisition_json.h), which every bit comes through. Nothing is guessed:
// axes and time zero have no default, and a key that resembles one which is absent is refused. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/acquisition.h"

namespace echoloop {

// A sender's frame to one of the acquisition: [transmit][element][sample] of the acquisition's type.
class LiveLayout {
 public:
  virtual ~LiveLayout() = default;
  [[nodiscard]] virtual std::size_t frame_bytes() const = 0;  // of the sender's
  [[nodiscard]] virtual bool in_place() const = 0;            // it is one of the acquisition already
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

enum class LikeFiles { allowed, refused };  // a sender on another machine names no files of this one

// Throws Error; `what` names the description in it.
[[nodiscard]] LiveDescription describe_live(const std::string& what, std::span<const std::byte> json, LikeFiles like,
                                            const std::stop_token& stop = {});

// A description as it came, as JSON with a line for each key; a list of numbers stays in one line.
[[nodiscard]] std::string readable_description(std::span<const std::byte> json);

// A description of canonical frames with every bit of `acquisition`, for a sender of our own.
[[nodiscard]] std::string live_description_json(const Acquisition& acquisition, const std::string& name);

}  // namespace echoloop
