// The content of the messages that the viewer and its reader process exchange (message_channel.h): plain little-endian
// numbers and texts. Why so plain: the reader runs libraries that a damaged file can take over,
// so nothing it says is believed. Lengths are bounded before memory is taken and every value is checked again here.
// One thread a side. Internal to src/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "transport/payload.h"

namespace echoloop {

// Frames one after another, and where in the shared memory each of them shall lie.
struct FrameRun {
  std::uint64_t first = 0;
  std::vector<std::uint64_t> offsets;  // bytes
};

inline constexpr std::uint64_t kMaxFrameCount = std::uint64_t{1} << 32;

std::vector<std::byte> encode_number(double value);
std::vector<std::byte> encode_text(const std::string& text);
std::vector<std::byte> encode_run(const FrameRun& run);
std::vector<std::byte> encode_opened(const LibraryRecording& recording);  // all but read_frame

// These throw BadMessage; decode_opened() Error as well, when validate() finds the acquisition impossible: `what` is
// the file. Texts come back printable and short.
double decode_number(std::span<const std::byte> payload);
// A line as an Error says it: of `what`, or of one of `others`.
Error decode_refusal(std::span<const std::byte> payload, const std::string& what,
                     std::span<const std::string> others = {});
std::string decode_outline(std::span<const std::byte> payload);  // JSON, unchecked
std::string decode_name(std::span<const std::byte> payload);     // of a file, without folders
FrameRun decode_run(std::span<const std::byte> payload);
LibraryRecording decode_opened(std::span<const std::byte> payload, const std::string& what);

}  // namespace echoloop
