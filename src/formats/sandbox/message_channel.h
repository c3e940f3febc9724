// Messages between the viewer and its reader process over a socket: a header {mark, kind, length} and a payload
// (reader_protocol.h). Lengths are bounded before memory is taken. One thread a side. Internal to src/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "transport/payload.h"

namespace echoloop {

enum class MessageKind : std::uint32_t {
  // reader to viewer
  progress = 1,  // double, 0..1
  opened,        // encode_opened()
  refused,       // text: the Error's line; ends an opening, or answers read_frames
  frames_ready,  // FrameRun without offsets: its frames are there; all_ready ends read_all
  all_ready,     // no payload; or a number: so many frames, the disk does not give the next one
  no_sandbox,    // no payload: the system offers none, and nothing was read; ends an opening
  described,     // text: the file is a JSON description of this one, in the same folder; ends an opening
  outline,       // text: JSON of what the file holds, for a reader that was started for it; ends it
  // viewer to reader
  read_all = 100,  // no payload: every frame, one after another, into the shared memory
  read_frames,     // FrameRun
};

struct ReaderMessage {
  MessageKind kind{};
  std::vector<std::byte> payload;
};

// Geometry of 16384 elements takes 0.4 MB, delays of 1024 transmits x 1024 elements 8 MB.
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kMaxOutlineBytes = std::uint64_t{4} << 20;
inline constexpr std::uint64_t kMaxShortBytes = std::uint64_t{64} << 10;  // of every other kind

// One end of the socket; does not own it. What one call of the system brings of the next messages is kept for them:
// every call costs both processes.
class MessageChannel {
 public:
  MessageChannel() = default;
  explicit MessageChannel(int socket) : socket_(socket), kept_(kKept) {}

  // False when the other side is gone. While the other side does not read and the socket is full, calls `waiting`
  // whenever the socket's send timeout is over (it may throw: part of the message may have been sent then).
  bool send(MessageKind kind, std::span<const std::byte> payload = {}, const std::function<void()>& waiting = {});
  // The next message. Before it waits for one it calls `waiting`, and again whenever the socket's receive timeout is
  // over (it may throw). Nothing when the other side is gone. Throws BadMessage.
  std::optional<ReaderMessage> receive(const std::function<void()>& waiting = {});
  // `waiting` threw in the middle of a message: the rest of the socket cannot be understood.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  static constexpr std::size_t kKept = 4096;

  bool send_bytes(std::span<const std::byte> bytes, const std::function<void()>& waiting);
  bool receive_bytes(std::span<std::byte> bytes, const std::function<void()>& waiting);
  std::size_t receive_some(std::span<std::byte> room, const std::function<void()>& waiting);

  int socket_ = -1;
  bool cut_ = false;
  std::vector<std::byte> kept_;
  std::size_t begin_ = 0, end_ = 0;  // of what came and was not asked for yet, in kept_
};

// The content of the messages that the viewer and its reader process exchange (message_channel.h): plain little-endian
// numbers and texts. Why so plain: the reader runs libraries that a damaged file can take over,
// so nothing it says is believed. Lengths are bounded before memory is taken and every value is checked again here.
// One thread a side. Internal to src/formats.

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
