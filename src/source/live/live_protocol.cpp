#include "source/live/live_protocol.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "core/error.h"
#include "core/process_memory.h"

namespace echoloop {
namespace {

constexpr std::size_t kMaxText = 4000;
constexpr std::size_t kMaxName = 200;

template <class Enum>
Enum decode_choice(PayloadReader& in, Enum first, Enum last, const char* what) {
  const auto value = in.number<std::uint32_t>();
  if (value < static_cast<std::uint32_t>(first) || value > static_cast<std::uint32_t>(last))
    throw BadMessage(std::string(what) + " = " + std::to_string(value));
  return static_cast<Enum>(value);
}

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t value = n;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82f63b78U : 0U);
    table[n] = value;
  }
  return table;
}

}  // namespace

MessageStream::Limits live_limits(std::uint32_t kind, LiveTransport transport) {
  constexpr std::uint64_t kMostWords = kMostFrameWords * sizeof(FrameWord);
  constexpr std::uint64_t kLongest = kMaxDescription + sizeof(std::uint64_t);
  switch (static_cast<LiveKind>(kind)) {
    case LiveKind::describe:
      return {.most = kLongest, .head = kLongest};
    case LiveKind::frames:
      if (transport == LiveTransport::shared) return {.most = kMostWords, .head = kMostWords};
      return {.most = kMaxLiveFrame + sizeof(FrameWord), .head = sizeof(FrameWord)};
    default:
      return {.most = kMaxLiveMessage, .head = kMaxLiveMessage};
  }
}

MessageStream::Limits limits_before_hello(std::uint32_t kind) {
  if (kind != static_cast<std::uint32_t>(LiveKind::hello) && (kind & kMayBeSkipped) == 0) throw BadMessage("no HELLO");
  return {.most = kMaxLiveMessage, .head = kMaxLiveMessage};
}

LiveHello decode_hello(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  LiveHello hello;
  hello.major = in.number<std::uint16_t>();
  hello.minor = in.number<std::uint16_t>();
  hello.byte_order = in.number<std::uint32_t>();
  // The rest of another version is undefined: the viewer refuses it by these numbers.
  if (hello.major != kLiveMajor || hello.byte_order != kLiveByteOrder) return hello;
  hello.pid = in.number<std::uint64_t>();
  hello.transport = decode_choice(in, LiveTransport::shared, LiveTransport::inlined, "transport");
  hello.clock = decode_choice(in, SenderClock::none, SenderClock::realtime, "clock");
  hello.name = in.text(kMaxName);
  hello.token = in.text(kMaxText);
  return hello;  // later minor versions may append fields
}

std::string version_refusal(const LiveHello& hello) {
  if (hello.byte_order != kLiveByteOrder) return "byte order: found big-endian; expected little-endian";
  if (hello.major == kLiveMajor) return {};
  return "protocol: found version " + std::to_string(hello.major) + "." + std::to_string(hello.minor) + "; expected " +
         std::to_string(kLiveMajor) + "." + std::to_string(kLiveMinor);
}

LiveDescribe decode_describe(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  const auto generation = in.number<std::uint32_t>();
  static_cast<void>(in.number<std::uint32_t>());
  return {.generation = generation, .json = payload.subspan(2 * sizeof(std::uint32_t))};
}

std::vector<FrameWord> decode_words(std::span<const std::byte> payload) {
  if (payload.empty() || payload.size() % sizeof(FrameWord) != 0)
    throw BadMessage("frame words of " + std::to_string(payload.size()) + " bytes");
  std::vector<FrameWord> words(payload.size() / sizeof(FrameWord));
  std::memcpy(words.data(), payload.data(), payload.size());
  return words;
}

LivePing decode_ping(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  return {.number = in.number<std::uint64_t>(),
          .asked_ns = in.number<std::int64_t>(),
          .answered_ns = in.number<std::int64_t>()};
}

std::string decode_text(std::span<const std::byte> payload) { return PayloadReader(payload).text(kMaxText); }

std::vector<std::byte> encode(const LiveWelcome& welcome) {
  return payload_of(kLiveMajor, kLiveMinor, welcome.transport, welcome.policy, std::uint32_t{0}, welcome.largest_frame,
                    welcome.version);
}

std::vector<std::byte> encode(const LiveAccepted& accepted) {
  return payload_of(accepted.generation, accepted.blocks, accepted.frame_bytes, accepted.memory_bytes,
                    accepted.assumed);
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xffU];
  return ~crc;
}

namespace {

constexpr std::size_t kSlots = 8, kFramesOfPlan = 12;
// Divisor of the shared memory, itself half of the free memory: a stream of the largest frames needs 3/4 of that.
constexpr std::size_t kLargestShare = 16;

// Returns the larger of the sizes as sent and as streamed.
std::size_t frame_bytes(const LiveScan& scan) {
  return std::max(scan.description.layout->frame_bytes(), scan.description.acquisition->frame_bytes());
}

}  // namespace

std::string clock_text(const LiveScan& scan) {
  if (scan.description.device_hz > 0.0) {
    char text[40];
    std::snprintf(text, sizeof text, "device, %.3f MHz", scan.description.device_hz * 1e-6);
    return text;
  }
  return scan.clock == SenderClock::none ? "arrival" : "host";
}

std::string assumed_text(const LiveDescription& described) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (const Assumption& assumption : described.acquisition->assumptions) add(assumption.text);
  if (!described.unused.empty()) add("keys without effect: " + described.unused);
  return text;
}

std::size_t live_memory_bytes() { return free_host_memory() / 2 / 4096 * 4096; }

FileDescriptor make_live_memory(const std::string& address, std::size_t size) {
  FileDescriptor memory(::memfd_create("echoloop live frames", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() >= 0 && seal(memory.get(), size)) return memory;
  throw Error(address, "no shared memory of " + std::to_string(size >> 20) + " MiB",
              "a system with sealed memory files");
}

std::shared_ptr<FrameArena> make_live_arena(const std::string& address, const FileDescriptor& memory,
                                            std::size_t size) {
  std::shared_ptr<SharedMemory> mapped = SharedMemory::map(memory.get(), size);
  if (mapped == nullptr) throw Error(address, "no room for shared memory", "more free address space");
  return std::make_shared<FrameArena>(std::move(mapped));
}

std::size_t largest_live_frame(std::size_t memory_size) { return memory_size / kLargestShare; }

void require_live_memory(const LiveScan& scan, const LiveScan* before, const LiveRoom& room) {
  const std::size_t bytes = frame_bytes(scan), largest = largest_live_frame(room.memory_size);
  const std::string frames = "frames of " + std::to_string(bytes) + " bytes";
  if (bytes > largest)
    throw Error("description", frames, "up to " + std::to_string(largest) + ", a sixteenth of the memory for frames");
  const auto stream_bytes = [&room](const LiveScan& one) {
    const std::size_t sent = one.description.layout->frame_bytes();
    const std::size_t plan = room.plan_bytes ? room.plan_bytes(*one.description.acquisition)
                                             : kFramesOfPlan * one.description.acquisition->frame_bytes();
    return kSlots * one.description.acquisition->frame_bytes() + LiveBlocks::count_for(sent) * sent + plan;
  };
  const std::size_t need = stream_bytes(scan);
  const std::size_t there_is = free_host_memory() + (before != nullptr ? stream_bytes(*before) : 0);
  if (need <= there_is) return;
  throw Error("description", frames + ", a stream of which takes " + std::to_string(need) + " bytes",
              "a stream of at most " + std::to_string(there_is) + ", the free memory");
}

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kAhead = std::size_t{64} << 20;  // bytes by which a sender may be ahead of the stream
constexpr std::size_t kFewest = 4, kMost = 256;
// Small blocks are allocated together. A piece is freed as a whole, and a frame in the history holds its piece: not for
// large blocks.
constexpr std::size_t kPiece = std::size_t{64} << 10;

std::size_t stride_of(std::size_t frame_bytes) { return (frame_bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

std::size_t LiveBlocks::count_for(std::size_t frame_bytes) {
  return std::clamp(kAhead / stride_of(frame_bytes), kFewest, kMost);
}

std::vector<FrameMemory> LiveBlocks::allocate(std::size_t frame_bytes,
                                              const std::function<FrameMemory(std::size_t)>& allocate) const {
  const std::size_t count = count_for(frame_bytes), stride = stride_of(frame_bytes);
  const std::size_t together = std::max<std::size_t>(kPiece / stride, 1);
  std::vector<FrameMemory> made;
  while (made.size() < count) {
    check_long_work();
    const std::size_t n = std::min(together, count - made.size());
    FrameMemory piece = allocate(n * stride);
    if (!arena_->holds(piece.bytes)) piece = arena_->allocate(n * stride);
    if (piece.bytes.empty()) break;
    for (std::size_t k = 0; k < n; ++k) {
      made.push_back({.bytes = piece.bytes.subspan(k * stride, frame_bytes),
                      .owner = std::make_shared<std::shared_ptr<const void>>(piece.owner),
                      .kind = piece.kind});
    }
  }
  if (!made.empty()) return made;
  throw Error("live source", "no memory for a frame of " + std::to_string(frame_bytes) + " bytes",
              "smaller frames, or a smaller history");
}

void LiveBlocks::use(std::vector<FrameMemory> made, std::size_t frame_bytes, std::uint32_t generation) {
  if (frame_bytes != frame_bytes_) {
    credited_.assign(count_for(frame_bytes), std::nullopt);
    n_credited_ = 0;
  }
  frame_bytes_ = frame_bytes;
  generation_ = generation;
  free_ = std::move(made);
}

std::optional<LiveCredit> LiveBlocks::issue_credit() {
  if (free_.empty() || n_credited_ == credited_.size()) return std::nullopt;
  const auto place = std::ranges::find_if_not(credited_, &std::optional<FrameMemory>::has_value);
  *place = std::move(free_.back());
  free_.pop_back();
  ++n_credited_;
  return LiveCredit{.block = static_cast<std::uint32_t>(place - credited_.begin()),
                    .generation = generation_,
                    .offset = arena_->offset_of((*place)->bytes)};
}

std::optional<FrameMemory> LiveBlocks::take(std::uint32_t block) {
  if (block >= credited_.size() || !credited_[block].has_value()) return std::nullopt;
  --n_credited_;
  return std::exchange(credited_[block], std::nullopt);
}

void LiveBlocks::give_back(FrameMemory memory) {
  if (can_exchange(memory) && free_.size() + n_credited_ < credited_.size()) free_.push_back(std::move(memory));
}

void LiveBlocks::recall() {
  for (std::optional<FrameMemory>& block : credited_) {
    if (!block.has_value()) continue;
    --n_credited_;
    give_back(std::move(*block));
    block.reset();
  }
}

bool LiveBlocks::can_exchange(const FrameMemory& slot) const {
  return slot.owner != nullptr && slot.bytes.size() == frame_bytes_ && arena_->holds(slot.bytes);
}

}  // namespace echoloop
