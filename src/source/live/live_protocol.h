// Protocol between a sender at a scanner and the viewer: kinds of messages and their payloads, byte by byte as
// documented for authors of senders in src/senders/README.md. Input is not trusted: every length is checked against the
// available bytes, and decoding throws BadMessage. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/frame.h"
#include "formats/live_description.h"
#include "transport/file_descriptor.h"
#include "transport/frame_arena.h"
#include "transport/message_stream.h"

namespace echoloop {

enum class LiveKind : std::uint32_t {
  hello = 1,
  welcome = 2,
  describe = 3,
  accepted = 4,
  refused = 5,
  credits = 6,
  frames = 7,
  state = 8,
  stopped = 9,
  resume = 10,
  ping = 11,
  pong = 12,
  bye = 13,
};
inline constexpr std::uint32_t kMayBeSkipped = 0x8000'0000;  // bit of a kind: unknown ones are ignored

inline constexpr std::uint16_t kLiveMajor = 1, kLiveMinor = 0;
inline constexpr std::uint32_t kLiveByteOrder = 0x0102'0304;
inline constexpr std::uint64_t kMaxDescription = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMaxLiveFrame = std::uint64_t{1} << 33;
inline constexpr std::uint64_t kMaxLiveMessage = std::uint64_t{64} << 10;  // of every other kind
inline constexpr std::size_t kMostFrameWords = 64;

enum class LiveTransport : std::uint32_t { shared = 1, inlined = 2 };
enum class SenderClock : std::uint32_t { none = 0, monotonic = 1, realtime = 2 };  // of FrameWord::acquired_ns

struct LiveHello {
  std::uint16_t major = kLiveMajor, minor = kLiveMinor;
  std::uint32_t byte_order = kLiveByteOrder;
  std::uint64_t pid = 0;
  LiveTransport transport = LiveTransport::shared;
  SenderClock clock = SenderClock::none;
  std::string name;
  std::string token;  // over TCP if the viewer requires one
};

struct LiveWelcome {
  LiveTransport transport = LiveTransport::shared;
  std::uint32_t policy = 0;  // RingPolicy
  std::uint64_t largest_frame = kMaxLiveFrame;
  std::string version;
};

struct LiveAccepted {
  std::uint32_t generation = 0;
  std::uint32_t blocks = 0;  // number to be lent
  std::uint64_t frame_bytes = 0;
  std::uint64_t memory_bytes = 0;  // of the descriptor sent with this message; 0: none
  std::string assumed;
};

// Reason of REFUSED; after all but `description` the viewer closes the connection.
enum class LiveRefusal : std::uint32_t { version = 1, busy = 2, token = 3, description = 4, message = 5 };

struct LiveCredit {
  std::uint32_t block = 0;
  std::uint32_t generation = 0;
  std::uint64_t offset = 0;  // in the shared memory; inline: 0
};
static_assert(sizeof(LiveCredit) == 16);

struct FrameWord {
  std::uint64_t sequence = 0;
  std::int64_t acquired_ns = 0;
  std::uint64_t device_ticks = 0;
  std::uint64_t lost_so_far = 0;
  std::uint64_t bytes = 0;
  std::uint32_t block = 0;
  std::uint32_t generation = 0;
  std::uint32_t flags = 0;
  std::uint32_t crc32c = 0;
  std::uint64_t zero = 0;
};
static_assert(sizeof(FrameWord) == 64);
inline constexpr std::uint32_t kDoesNotFollow = 1;  // flag: other settings than the previous frame's, or a pause

struct LiveState {
  std::uint32_t policy = 0;
  std::uint32_t paused = 0;
  std::uint64_t received = 0, duplicates = 0, lost = 0, missing = 0, stale = 0;
  bool operator==(const LiveState&) const = default;
};

struct LivePing {
  std::uint64_t number = 0;
  std::int64_t asked_ns = 0;     // clock of the asking side
  std::int64_t answered_ns = 0;  // PONG: clock of the answering side; PING: 0
};

// Returns the sizes of a sender's messages, for MessageStream: `inlined` if the samples follow one frame word.
[[nodiscard]] MessageStream::Limits live_limits(std::uint32_t kind, LiveTransport transport);

// Returns the sizes before an accepted HELLO: small ones only. Throws BadMessage for other kinds.
[[nodiscard]] MessageStream::Limits limits_before_hello(std::uint32_t kind);

[[nodiscard]] LiveHello decode_hello(std::span<const std::byte> payload);
// Returns why a sender of this version is not supported; empty: it is.
[[nodiscard]] std::string version_refusal(const LiveHello& hello);
struct LiveDescribe {
  std::uint32_t generation = 0;
  std::span<const std::byte> json;
};
[[nodiscard]] LiveDescribe decode_describe(std::span<const std::byte> payload);
[[nodiscard]] std::vector<FrameWord> decode_words(std::span<const std::byte> payload);
[[nodiscard]] LivePing decode_ping(std::span<const std::byte> payload);
[[nodiscard]] std::string decode_text(std::span<const std::byte> payload);

[[nodiscard]] std::vector<std::byte> encode(const LiveWelcome& welcome);
[[nodiscard]] std::vector<std::byte> encode(const LiveAccepted& accepted);

// Returns CRC-32C (Castagnoli), as in iSCSI: reflected polynomial 0x82f63b78, all bits inverted before and after.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes);

// A sender's description as accepted by the viewer.
struct LiveScan {
  std::shared_ptr<const std::string> text;  // description as shown in the window; never null
  LiveDescription description;
  SenderClock clock = SenderClock::none;
};
using LiveScanPtr = std::shared_ptr<LiveScan>;

// Returns true if both describe the same frames on the same clock; the layout of the JSON text is ignored.
[[nodiscard]] inline bool same_scan(const LiveScan& a, const LiveScan& b) {
  return *a.text == *b.text && a.clock == b.clock;
}
// Returns "device, 40.000 MHz", "host" or "arrival".
[[nodiscard]] std::string clock_text(const LiveScan& scan);
// Returns assumed values and ignored keys, for ACCEPTED.
[[nodiscard]] std::string assumed_text(const LiveDescription& described);

// Memory that a live source shares with its sender, and limits of a description's share.

// Returns half of the free memory; pages cost nothing until used.
[[nodiscard]] std::size_t live_memory_bytes();
[[nodiscard]] FileDescriptor make_live_memory(const std::string& address, std::size_t size);  // sealed; throws Error
[[nodiscard]] std::shared_ptr<FrameArena> make_live_arena(const std::string& address, const FileDescriptor& memory,
                                                          std::size_t size);  // throws Error

// Returns the bytes of the largest acceptable frame.
[[nodiscard]] std::size_t largest_live_frame(std::size_t memory_size);
// Host memory of plan and lanes of a stream, without its frames; empty: assumed as a number of frames.
using PlanBytes = std::function<std::size_t(const Acquisition&)>;
struct LiveRoom {
  std::size_t memory_size = 0;
  const PlanBytes& plan_bytes;
};
// Throws Error if a stream of such frames does not fit. `before`: current description, whose stream ends then; null:
// none.
void require_live_memory(const LiveScan& scan, const LiveScan* before, const LiveRoom& room);

// Blocks filled by a sender: pieces of shared memory, free here, lent to the sender, or on their way as a frame. A
// sender's statements about them are checked against this table alone. Not thread-safe.
class LiveBlocks {
 public:
  explicit LiveBlocks(std::shared_ptr<FrameArena> arena) : arena_(std::move(arena)) {}

  // Returns the number of blocks for frames of this size.
  [[nodiscard]] static std::size_t count_for(std::size_t frame_bytes);

  // Allocates blocks for such frames, in memory of `allocate` if it belongs to the arena. Any thread: does not read the
  // table. Throws Error if the arena has no room for any.
  [[nodiscard]] std::vector<FrameMemory> allocate(std::size_t frame_bytes,
                                                  const std::function<FrameMemory(std::size_t)>& allocate) const;
  // Replaces the blocks. Blocks lent for frames of another size are void for the sender; others return and are then
  // freed.
  void use(std::vector<FrameMemory> made, std::size_t frame_bytes, std::uint32_t generation);
  void drop_free() { free_.clear(); }  // before others are allocated

  void set_generation(std::uint32_t generation) { generation_ = generation; }  // the same frames, new description

  // Returns a free block for the sender; nullopt if there is none.
  std::optional<LiveCredit> issue_credit();
  // Returns a lent block, filled by the sender, with an owner of its own; nullopt if it is not lent.
  std::optional<FrameMemory> take(std::uint32_t block);
  // Returns memory to the table: from take(), or exchanged for it.
  void give_back(FrameMemory memory);
  void recall();  // the sender is gone: frees lent blocks

  [[nodiscard]] std::size_t free() const { return free_.size(); }
  [[nodiscard]] std::size_t credited() const { return n_credited_; }
  [[nodiscard]] std::size_t size() const { return credited_.size(); }
  // Returns true if the memory can replace a slot's and be lent in turn.
  [[nodiscard]] bool can_exchange(const FrameMemory& slot) const;

 private:
  std::shared_ptr<FrameArena> arena_;
  std::size_t frame_bytes_ = 0;
  std::uint32_t generation_ = 0;
  std::vector<FrameMemory> free_;
  std::vector<std::optional<FrameMemory>> credited_;  // by block
  std::size_t n_credited_ = 0;
};

}  // namespace echoloop
