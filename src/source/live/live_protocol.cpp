#include "source/live/live_protocol.h"

#include <array>

#include "transport/payload.h"

namespace echoloop {
namespace {

constexpr std::size_t kMaxText = 4000;
constexpr std::size_t kMaxName = 200;

template <class Enum>
Enum decode_choice(PayloadReader& in, Enum first, Enum last, const char* what) {
  const auto value = in.number<std::uint32_t>();
  if (value < static_cast<std::uint32_t>(first) || value > static_cast<std::uint32_t>(last)) {
    throw BadMessage(std::string(what) + " = " + std::to_string(value));
  }
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
  if (payload.empty() || payload.size() % sizeof(FrameWord) != 0) {
    throw BadMessage("frame words of " + std::to_string(payload.size()) + " bytes");
  }
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
  PayloadWriter out;
  out.number(kLiveMajor);
  out.number(kLiveMinor);
  out.number(welcome.transport);
  out.number(welcome.policy);
  out.number(std::uint32_t{0});
  out.number(welcome.largest_frame);
  out.text(welcome.version);
  return out.take();
}

std::vector<std::byte> encode(const LiveAccepted& accepted) {
  PayloadWriter out;
  out.number(accepted.generation);
  out.number(accepted.blocks);
  out.number(accepted.frame_bytes);
  out.number(accepted.memory_bytes);
  out.text(accepted.assumed);
  return out.take();
}

std::vector<std::byte> encode_refused(LiveRefusal reason, std::uint32_t generation, const std::string& line) {
  PayloadWriter out;
  out.number(reason);
  out.number(generation);
  out.text(line);
  return out.take();
}

std::vector<std::byte> encode(const LiveState& state) {
  PayloadWriter out;
  out.number(state);
  return out.take();
}

std::vector<std::byte> encode(const LivePing& ping) {
  PayloadWriter out;
  out.number(ping);
  return out.take();
}

std::vector<std::byte> encode_live_text(const std::string& text) {
  PayloadWriter out;
  out.text(text);
  return out.take();
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xffU];
  return ~crc;
}

}  // namespace echoloop
