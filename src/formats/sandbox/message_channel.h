// Messages between the viewer and its reader process over a socket: a header {mark, kind, length} and a payload.
// Lengths are limited before memory is allocated. One thread per side. Internal to src/formats.
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
#include "transport/message_stream.h"

namespace echoloop {

enum class MessageKind : std::uint32_t {
  // reader to viewer
  progress = 1,  // double, 0..1
  opened,        // encode_opened()
  refused,       // text: the Error's line; ends an opening, or answers read_frames
  frames_ready,  // FrameRun without offsets: its frames are in memory; all_ready ends read_all
  all_ready,     // no payload; or the number of readable frames before a disk error
  no_sandbox,    // no payload: the system has none, and nothing was read; ends an opening
  described,     // text: the file is a JSON description of this one, in the same folder; ends an opening
  outline,       // text: JSON of the file's content, from a reader started for it; ends it
  map,           // encode_map(): the answer to read_map; ends a reader started for it
  // viewer to reader
  read_all = 100,  // no payload: every frame, one after another, into the shared memory
  read_frames,     // FrameRun
  read_map,        // encode_map_request()
};

struct ReaderMessage {
  MessageKind kind{};
  std::vector<std::byte> payload;
};

// Geometry of 16384 elements needs 0.4 MB, delays of 1024 transmits x 1024 elements 8 MB.
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kMaxOutlineBytes = std::uint64_t{4} << 20;
inline constexpr std::uint64_t kMaxShortBytes = std::uint64_t{64} << 10;  // all other kinds

// One end of the socket; does not own it. Buffers the following messages that arrive with a system call, to save calls,
// which cost both processes.
class MessageChannel {
 public:
  MessageChannel() = default;
  explicit MessageChannel(int socket) : socket_(socket), kept_(kKept) {}

  // Returns false if the peer is gone. While the peer does not read and the socket is full, calls `waiting` after each
  // send timeout of the socket (it may throw: part of the message may have been sent then).
  bool send(MessageKind kind, std::span<const std::byte> payload = {}, const std::function<void()>& waiting = {});
  // Returns the next message; nullopt if the peer is gone. Calls `waiting` before waiting and after each receive
  // timeout of the socket (it may throw). Throws BadMessage.
  std::optional<ReaderMessage> receive(const std::function<void()>& waiting = {});
  // Returns true if `waiting` threw in the middle of a message: the rest of the stream cannot be parsed.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  static constexpr std::size_t kKept = 4096;

  bool send_bytes(std::span<const std::byte> bytes, const std::function<void()>& waiting);
  bool receive_bytes(std::span<std::byte> bytes, const std::function<void()>& waiting);
  std::size_t receive_some(std::span<std::byte> room, const std::function<void()>& waiting);

  int socket_ = -1;
  bool cut_ = false;
  std::vector<std::byte> kept_;
  std::size_t begin_ = 0, end_ = 0;  // unread bytes in kept_
};

// Contents of the messages between the viewer and its reader process: plain little-endian numbers and texts. Reason for
// this simplicity: the reader runs libraries that a damaged file can take over, so its messages are not trusted.
// Lengths are limited before memory is allocated and every value is checked again here. One thread per side. Internal
// to src/formats.

// Consecutive frames, and the target offset of each in the shared memory.
struct FrameRun {
  std::uint64_t first = 0;
  std::vector<std::uint64_t> offsets;  // bytes
};

inline constexpr std::uint64_t kMaxFrameCount = std::uint64_t{1} << 32;

inline std::vector<std::byte> encode_number(double value) { return payload_of(value); }
inline std::vector<std::byte> encode_text(const std::string& text) { return payload_of(text); }
std::vector<std::byte> encode_run(const FrameRun& run);
std::vector<std::byte> encode_opened(const LibraryRecording& recording);  // all but read_frame
std::vector<std::byte> encode_map_request(const MapRequest& request);
std::vector<std::byte> encode_map(const MapValues& values);

// These throw BadMessage; decode_opened() also Error, if validate() rejects the acquisition: `what` is the file. Texts
// are returned printable and limited in length.
double decode_number(std::span<const std::byte> payload);
// Returns the Error of a received line: about `what`, or about one of `others`.
Error decode_refusal(std::span<const std::byte> payload, const std::string& what,
                     std::span<const std::string> others = {});
std::string decode_outline(std::span<const std::byte> payload);  // JSON, unchecked
std::string decode_name(std::span<const std::byte> payload);     // a file's, without folders
MapRequest decode_map_request(std::span<const std::byte> payload);
MapValues decode_map(std::span<const std::byte> payload, const MapRequest& request);
FrameRun decode_run(std::span<const std::byte> payload);
LibraryRecording decode_opened(std::span<const std::byte> payload, const std::string& what);

}  // namespace echoloop
