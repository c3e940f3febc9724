#include "formats/sandbox/message_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "transport/message_stream.h"

namespace echoloop {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// Returns the size limit of a message; only the description of a recording is long.
std::uint64_t longest(MessageKind kind) {
  return kind == MessageKind::opened    ? kMaxMessageBytes
         : kind == MessageKind::outline ? kMaxOutlineBytes
                                        : kMaxShortBytes;
}

}  // namespace

bool MessageChannel::send_bytes(std::span<const std::byte> bytes, const std::function<void()>& waiting) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (waiting) waiting();
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

// Sends a short message in one piece: every call costs both processes.
bool MessageChannel::send(MessageKind kind, std::span<const std::byte> payload, const std::function<void()>& waiting) {
  constexpr std::size_t kShort = 2400;
  const MessageHeader header{.kind = static_cast<std::uint32_t>(kind), .size = payload.size()};
  const auto head = std::as_bytes(std::span(&header, 1));
  if (payload.size() > kShort) return send_bytes(head, waiting) && send_bytes(payload, waiting);
  std::array<std::byte, sizeof(MessageHeader) + kShort> piece;
  const auto end = std::copy(payload.begin(), payload.end(), std::copy(head.begin(), head.end(), piece.begin()));
  return send_bytes(std::span(piece.begin(), end), waiting);
}

// Returns the number of bytes received, at least 1; 0 if the peer is gone.
std::size_t MessageChannel::receive_some(std::span<std::byte> room, const std::function<void()>& waiting) {
  for (int flags = MSG_DONTWAIT;;) {
    const ssize_t got = ::recv(socket_, room.data(), room.size(), flags);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (waiting) waiting();
      flags = 0;
    } else if (errno != EINTR) {
      return 0;
    }
  }
}

bool MessageChannel::receive_bytes(std::span<std::byte> bytes, const std::function<void()>& waiting) {
  while (!bytes.empty()) {
    if (begin_ == end_ && bytes.size() >= kept_.size()) {
      const std::size_t got = receive_some(bytes, waiting);
      if (got == 0) return false;
      bytes = bytes.subspan(got);
      continue;
    }
    if (begin_ == end_) {
      begin_ = 0;
      end_ = receive_some(kept_, waiting);
      if (end_ == 0) return false;
    }
    const std::size_t size = std::min(bytes.size(), end_ - begin_);
    std::copy_n(kept_.data() + begin_, size, bytes.data());
    begin_ += size;
    bytes = bytes.subspan(size);
  }
  return true;
}

std::optional<ReaderMessage> MessageChannel::receive(const std::function<void()>& waiting) {
  const std::function<void()> inside = [&] {  // inside a message
    if (!waiting) return;
    try {
      waiting();
    } catch (...) {
      cut_ = true;
      throw;
    }
  };
  MessageHeader header;
  const auto head = std::as_writable_bytes(std::span(&header, 1));
  if (!receive_bytes(head.first(1), waiting) || !receive_bytes(head.subspan(1), inside)) return std::nullopt;
  if (header.mark != kMessageMark) throw BadMessage("no message");
  const auto kind = static_cast<MessageKind>(header.kind);
  if (header.size > longest(kind)) throw BadMessage("a message above the size limit");
  ReaderMessage message{.kind = kind, .payload = {}};
  while (message.payload.size() < header.size) {  // allocates memory by received bytes, not by the declared size
    const std::size_t begin = message.payload.size();
    message.payload.resize(begin + std::min<std::size_t>(kPiece, header.size - begin));
    if (!receive_bytes(std::span(message.payload).subspan(begin), inside)) return std::nullopt;
  }
  return message;
}

namespace {

constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxRefusal = 1000;  // without the file's name
constexpr std::size_t kMaxAssumptions = 64;
constexpr std::size_t kMaxAxes = 8;
constexpr std::size_t kMostFramesInARun = 4096;

template <class Enum>
Enum decode_enum(PayloadReader& in, Enum last) {
  const auto value = in.number<std::uint32_t>();
  if (value > static_cast<std::uint32_t>(last)) throw BadMessage("an unknown kind");
  return static_cast<Enum>(value);
}

template <class Enum>
void encode_enum(PayloadWriter& out, Enum value) {
  out.number(static_cast<std::uint32_t>(value));
}

void encode_probe(PayloadWriter& out, const Probe& probe) {
  out.text(probe.name);
  encode_enum(out, probe.kind);
  out.number(probe.pitch_m);
  out.number(probe.element_width_m);
  out.numbers(std::span(probe.elements));
}

Probe decode_probe(PayloadReader& in) {
  Probe probe;
  probe.name = in.text(kMaxText);
  probe.kind = decode_enum(in, ProbeKind::phased);
  probe.pitch_m = in.number<double>();
  probe.element_width_m = in.number<double>();
  probe.elements = in.numbers<Element>(static_cast<std::size_t>(kMaxElements));
  return probe;
}

void encode_transmit(PayloadWriter& out, const Transmit& transmit) {
  encode_enum(out, transmit.kind);
  for (const double value :
       {transmit.angle_rad, transmit.source_x_m, transmit.source_z_m, transmit.t0_s, transmit.aperture_m}) {
    out.number(value);
  }
  out.numbers(std::span(transmit.element_delays_s));
}

Transmit decode_transmit(PayloadReader& in) {
  Transmit transmit;
  transmit.kind = decode_enum(in, TransmitKind::delays);
  for (double* const value :
       {&transmit.angle_rad, &transmit.source_x_m, &transmit.source_z_m, &transmit.t0_s, &transmit.aperture_m}) {
    *value = in.number<double>();
  }
  transmit.element_delays_s = in.numbers<double>(static_cast<std::size_t>(kMaxElements));
  return transmit;
}

void encode_acquisition(PayloadWriter& out, const Acquisition& a) {
  encode_probe(out, a.probe);
  out.number(static_cast<std::uint32_t>(a.transmits.size()));
  for (const Transmit& transmit : a.transmits) encode_transmit(out, transmit);
  out.number(static_cast<std::int32_t>(a.n_samples));
  encode_enum(out, a.sample_type);
  encode_enum(out, a.signal);
  encode_enum(out, a.data);
  for (const double value :
       {a.sampling_hz, a.center_hz, a.bandwidth_hz, a.demod_hz, a.sound_speed_m_s, a.frame_rate_hz}) {
    out.number(value);
  }
  const std::size_t n_assumptions = std::min(a.assumptions.size(), kMaxAssumptions);
  out.number(static_cast<std::uint32_t>(n_assumptions));
  for (std::size_t k = 0; k < n_assumptions; ++k) {
    out.text(a.assumptions[k].text);
    out.text(a.assumptions[k].fact);
  }
}

Acquisition decode_acquisition(PayloadReader& in) {
  Acquisition a;
  a.probe = decode_probe(in);
  const auto n_transmits = in.number<std::uint32_t>();
  if (n_transmits > static_cast<std::uint32_t>(kMaxTransmits)) throw BadMessage("too many transmits");
  for (std::uint32_t k = 0; k < n_transmits; ++k) a.transmits.push_back(decode_transmit(in));
  a.n_samples = in.number<std::int32_t>();
  a.sample_type = decode_enum(in, SampleType::float32);
  a.signal = decode_enum(in, SignalKind::iq);
  a.data = decode_enum(in, DataKind::beamformed);
  for (double* const value :
       {&a.sampling_hz, &a.center_hz, &a.bandwidth_hz, &a.demod_hz, &a.sound_speed_m_s, &a.frame_rate_hz}) {
    *value = in.number<double>();
  }
  const auto n_assumptions = in.number<std::uint32_t>();
  if (n_assumptions > kMaxAssumptions) throw BadMessage("too many assumptions");
  for (std::uint32_t k = 0; k < n_assumptions; ++k) {
    std::string text = in.text(kMaxText);
    a.assumptions.emplace_back(std::move(text), in.text(kMaxText));
  }
  return a;
}

void encode_named(PayloadWriter& out, const NamedSamples& named) {
  for (const std::string& text : {named.data, named.imag, named.why_not}) out.text(text);
  out.numbers(std::span(named.shape));
  out.number(static_cast<std::uint32_t>(named.axes.size()));
  for (const std::string& axis : named.axes) out.text(axis);
  out.number(named.offset);
  out.number(static_cast<std::uint8_t>(named.turned));
}

NamedSamples decode_named(PayloadReader& in) {
  NamedSamples named;
  for (std::string* const text : {&named.data, &named.imag, &named.why_not}) *text = in.text(kMaxText);
  named.shape = in.numbers<std::uint64_t>(kMaxAxes);
  const auto n_axes = in.number<std::uint32_t>();
  if (n_axes > kMaxAxes) throw BadMessage("too many axes");
  for (std::uint32_t k = 0; k < n_axes; ++k) named.axes.push_back(in.text(kMaxText));
  named.offset = in.number<double>();
  named.turned = in.number<std::uint8_t>() != 0;
  return named;
}

}  // namespace

std::vector<std::byte> encode_number(double value) {
  PayloadWriter out;
  out.number(value);
  return out.take();
}

std::vector<std::byte> encode_text(const std::string& text) {
  PayloadWriter out;
  out.text(text);
  return out.take();
}

std::vector<std::byte> encode_run(const FrameRun& run) {
  PayloadWriter out;
  out.number(run.first);
  out.numbers(std::span(run.offsets));
  return out.take();
}

std::vector<std::byte> encode_opened(const LibraryRecording& recording) {
  PayloadWriter out;
  encode_acquisition(out, *recording.acquisition);
  out.number(recording.frame_count);
  out.text(recording.format);
  out.numbers(std::span(recording.frame_offsets));
  out.numbers(std::span(recording.scanner.times_s));
  out.number(recording.scanner.lost);
  out.number(recording.scanner.missing);
  encode_named(out, recording.named);
  out.number(static_cast<std::uint8_t>(recording.frame_by_frame));
  return out.take();
}

double decode_number(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  const double value = in.number<double>();
  in.expect_end();
  return value;
}

std::string decode_outline(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  std::string text = in.text(payload.size());
  in.expect_end();
  return text;
}

std::string decode_name(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  std::string name = in.text(payload.size());
  in.expect_end();
  if (name.empty() || name.size() > 255 || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    throw BadMessage("a name that is none");
  return name;
}

Error decode_refusal(std::span<const std::byte> payload, const std::string& of_file,
                     std::span<const std::string> others) {
  PayloadReader in(payload);
  std::string line = in.text(payload.size());
  in.expect_end();
  std::string what = of_file;
  for (const std::string& other : others) {
    if (!line.starts_with(of_file + ": ") && line.starts_with(other)) what = other;
  }
  line.erase(0, line.starts_with(what) ? what.size() : 0);
  if (!line.starts_with(':') && !line.starts_with(' ')) line.insert(0, ": ");
  const bool whole =
      line.find("; expected ") != std::string::npos || line.find(" is out of range (") != std::string::npos;
  if (!whole) line = line.substr(0, 100) + "; expected an undamaged file";
  return Error::from_line(what + (line.size() > kMaxRefusal ? line.substr(0, kMaxRefusal) + "..." : line));
}

FrameRun decode_run(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  FrameRun run;
  run.first = in.number<std::uint64_t>();
  run.offsets = in.numbers<std::uint64_t>(kMostFramesInARun);
  in.expect_end();
  return run;
}

LibraryRecording decode_opened(std::span<const std::byte> payload, const std::string& what) {
  PayloadReader in(payload);
  auto acquisition = std::make_shared<Acquisition>(decode_acquisition(in));
  LibraryRecording recording;
  recording.frame_count = in.number<std::uint64_t>();
  recording.format = in.text(kMaxText);
  recording.frame_offsets = in.numbers<std::uint64_t>(kMaxMessageBytes / sizeof(std::uint64_t));
  ScannerRecord& scanner = recording.scanner;
  scanner.times_s = in.numbers<double>(kMaxMessageBytes / sizeof(double));
  scanner.lost = in.number<std::uint64_t>();
  scanner.missing = in.number<std::uint64_t>();
  recording.named = decode_named(in);
  recording.frame_by_frame = in.number<std::uint8_t>() != 0;
  in.expect_end();
  acquisition->validate(what);
  if (recording.frame_count == 0 || recording.frame_count > kMaxFrameCount) throw BadMessage("an invalid length");
  if (!recording.frame_offsets.empty() && recording.frame_offsets.size() != recording.frame_count) {
    throw BadMessage("a number of offsets other than the number of frames");
  }
  const bool times = scanner.times_s.empty() || scanner.times_s.size() == recording.frame_count;
  if (!times || !is_time_axis(scanner.times_s)) throw BadMessage("times of frames that cannot be");
  recording.acquisition = std::move(acquisition);
  return recording;
}

}  // namespace echoloop
