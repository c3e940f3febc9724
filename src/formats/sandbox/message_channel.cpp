#include "formats/sandbox/message_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <memory>
#include <utility>

#include "core/facts.h"

namespace echoloop {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// Returns the size limit of a message; only the description of a recording is long.
std::uint64_t longest(MessageKind kind) {
  return kind == MessageKind::opened || kind == MessageKind::map ? kMaxMessageBytes
         : kind == MessageKind::outline                          ? kMaxOutlineBytes
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
constexpr std::size_t kMaxTracks = 64;
constexpr std::size_t kMaxParts = 64, kMaxListed = 65'536, kMaxTimes = 16'000'000;  // of SourceContents
constexpr std::size_t kMostFramesInARun = 4096;

// Writer and Reader have the same verbs, so that one list of members serves both directions.
struct Writer {
  PayloadWriter& out;
  template <class T>
  void number(const T& value) {
    out.number(value);
  }
  void text(const std::string& value) { out.text(value); }
  template <class T>
  void numbers(const std::vector<T>& values, std::size_t /*most*/) {
    out.numbers(std::span(values));
  }
  template <class Enum>
  void choice(Enum value, Enum /*last*/) {
    out.number(static_cast<std::uint32_t>(value));
  }
  template <class T, class Each>
  void list(const std::vector<T>& values, std::size_t most, const char* /*too_many*/, Each each) {
    const std::size_t n = std::min(values.size(), most);
    out.number(static_cast<std::uint32_t>(n));
    for (std::size_t k = 0; k < n; ++k) each(values[k]);
  }
};

struct Reader {
  PayloadReader& in;
  template <class T>
  void number(T& value) {
    value = in.number<T>();
  }
  void number(bool& value) { value = in.number<std::uint8_t>() != 0; }
  void text(std::string& value) { value = in.text(kMaxText); }
  template <class T>
  void numbers(std::vector<T>& values, std::size_t most) {
    values = in.numbers<T>(most);
  }
  template <class Enum>
  void choice(Enum& value, Enum last) {
    const auto number = in.number<std::uint32_t>();
    if (number > static_cast<std::uint32_t>(last)) throw BadMessage("an unknown kind");
    value = static_cast<Enum>(number);
  }
  template <class T, class Each>
  void list(std::vector<T>& values, std::size_t most, const char* too_many, Each each) {
    const auto n = in.number<std::uint32_t>();
    if (n > most) throw BadMessage(too_many);
    for (std::uint32_t k = 0; k < n; ++k)
      if constexpr (std::is_default_constructible_v<T>)
        each(values.emplace_back());
      else
        each(values.emplace_back(std::string()));
  }
};

// Acquisition: const for a Writer.
void exchange(auto io, auto& a) {
  constexpr auto kElements = static_cast<std::size_t>(kMaxElements);
  io.text(a.probe.name);
  io.choice(a.probe.kind, ProbeKind::phased);
  io.number(a.probe.pitch_m);
  io.number(a.probe.element_width_m);
  io.numbers(a.probe.elements, kElements);
  io.number(a.probe.lens.thickness_m);
  io.number(a.probe.lens.sound_speed_m_s);
  io.list(a.transmits, static_cast<std::size_t>(kMaxTransmits), "too many transmits", [&](auto& t) {
    io.choice(t.kind, TransmitKind::none);
    for (auto* const value : {&t.angle_rad, &t.elevation_rad, &t.source_x_m, &t.source_z_m, &t.t0_s, &t.aperture_m})
      io.number(*value);
    io.numbers(t.element_delays_s, kElements);
  });
  io.number(a.n_samples);
  io.choice(a.sample_type, SampleType::float32);
  io.choice(a.signal, SignalKind::iq);
  io.choice(a.data, DataKind::beamformed);
  for (const FactRow& row : kFacts)
    if (row.member != nullptr) io.number(a.*row.member);
  io.list(a.assumptions, kMaxAssumptions, "too many assumptions", [&](auto& assumption) {
    io.text(assumption.text);
    io.text(assumption.fact);
  });
}

void exchange_map(auto io, auto& m) {
  for (auto* const text : {&m.name, &m.path, &m.unit, &m.description, &m.note}) io.text(*text);
  io.choice(m.kind, MapKind::velocity);
  io.number(m.channel);
  for (auto* const count : {&m.frames, &m.rows, &m.columns}) io.number(*count);
  io.numbers(m.times_s, kMaxTimes);
  for (auto* const value : {&m.least, &m.most, &m.shift_x_m}) io.number(*value);
}

void exchange_contents(auto io, auto& c) {
  io.list(c.maps, kMaxParts, "too many maps", [&](auto& map) { exchange_map(io, map); });
  io.list(c.signals, kMaxParts, "too many signals", [&](auto& signal) {
    for (auto* const text : {&signal.name, &signal.unit, &signal.path, &signal.note}) io.text(*text);
    io.number(signal.start_s);
    io.number(signal.step_s);
    io.numbers(signal.times_s, kMaxTimes);
    io.numbers(signal.values, kMaxTimes);
  });
  io.list(c.annotations, kMaxListed, "too many texts", [&](auto& entry) {
    io.text(entry.name);
    io.list(entry.texts, kMaxTimes, "too many texts", [&](auto& text) { io.text(text); });
  });
  io.list(c.not_used, kMaxListed, "too many members", [&](auto& entry) {
    io.text(entry.path);
    io.text(entry.reason);
  });
  io.list(c.used, kMaxListed, "too many members", [&](auto& path) { io.text(path); });
}

// LibraryRecording without its acquisition: const for a Writer.
void exchange_recording(auto io, auto& r) {
  io.number(r.frame_count);
  io.text(r.format);
  io.numbers(r.frame_offsets, kMaxMessageBytes / sizeof(std::uint64_t));
  io.numbers(r.scanner.times_s, kMaxMessageBytes / sizeof(double));
  io.number(r.scanner.lost);
  io.number(r.scanner.missing);
  io.number(r.scanner.counts_lost);
  io.list(r.tracks, kMaxTracks, "too many tracks", [&](auto& track) {
    io.text(track.label);
    io.number(track.transmits);
    io.number(track.frames);
    io.number(track.begin_s);
    io.number(track.end_s);
    io.text(track.why_not);
    io.number(track.chosen);
  });
  for (auto* const text : {&r.named.data, &r.named.imag, &r.named.why_not}) io.text(*text);
  io.numbers(r.named.shape, kMaxAxes);
  io.list(r.named.axes, kMaxAxes, "too many axes", [&](auto& axis) { io.text(axis); });
  io.number(r.named.offset);
  io.number(r.named.turned);
  io.number(r.frame_by_frame);
  exchange_contents(io, r.contents);
}

}  // namespace

std::vector<std::byte> encode_run(const FrameRun& run) {
  PayloadWriter out;
  out.number(run.first);
  out.numbers(std::span(run.offsets));
  return out.take();
}

std::vector<std::byte> encode_opened(const LibraryRecording& recording) {
  PayloadWriter out;
  exchange(Writer{out}, *recording.acquisition);
  exchange_recording(Writer{out}, recording);
  return out.take();
}

double decode_number(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  const double value = in.number<double>();
  in.expect_end();
  return value;
}

std::vector<std::byte> encode_map_request(const MapRequest& request) {
  PayloadWriter out;
  exchange_map(Writer{out}, request.map);
  out.number(request.first);
  out.number(request.count);
  out.number(request.y_m);
  return out.take();
}

MapRequest decode_map_request(std::span<const std::byte> payload) {
  PayloadReader in(payload);
  MapRequest request;
  exchange_map(Reader{in}, request.map);
  request.first = in.number<std::uint64_t>();
  request.count = in.number<std::uint64_t>();
  request.y_m = in.number<double>();
  in.expect_end();
  return request;
}

std::vector<std::byte> encode_map(const MapValues& values) {
  PayloadWriter out;
  out.number(values.rows);
  out.number(values.columns);
  for (const auto* const numbers : {&values.values, &values.x_m, &values.z_m}) out.numbers(std::span(*numbers));
  return out.take();
}

MapValues decode_map(std::span<const std::byte> payload, const MapRequest& request) {
  PayloadReader in(payload);
  MapValues map;
  map.rows = in.number<std::uint64_t>();
  map.columns = in.number<std::uint64_t>();
  for (auto* const numbers : {&map.values, &map.x_m, &map.z_m})
    *numbers = in.numbers<float>(kMaxMessageBytes / sizeof(float));
  in.expect_end();
  const std::uint64_t frames = request.count == 0 ? request.map.frames : request.count;
  if (map.rows != request.map.rows || map.columns != request.map.columns || map.rows == 0 || map.columns == 0 ||
      map.values.size() / map.rows / map.columns != frames || map.values.size() % (map.rows * map.columns) != 0)
    throw BadMessage("a map of another size");
  if (map.x_m.size() != map.z_m.size() ||
      (map.x_m.size() != map.rows * map.columns && map.x_m.size() != map.values.size()))
    throw BadMessage("a map without positions");
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(map.x_m, finite) || !std::ranges::all_of(map.z_m, finite))
    throw BadMessage("positions of a map that are no numbers");
  return map;
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
  for (const std::string& other : others)
    if (!line.starts_with(of_file + ": ") && line.starts_with(other)) what = other;
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
  const auto acquisition = std::make_shared<Acquisition>();
  LibraryRecording recording;
  exchange(Reader{in}, *acquisition);
  exchange_recording(Reader{in}, recording);
  in.expect_end();
  acquisition->validate(what);
  if (recording.frame_count == 0 || recording.frame_count > kMaxFrameCount) throw BadMessage("an invalid length");
  if (!recording.frame_offsets.empty() && recording.frame_offsets.size() != recording.frame_count)
    throw BadMessage("a number of offsets other than the number of frames");
  const std::vector<double>& times_s = recording.scanner.times_s;
  if ((!times_s.empty() && times_s.size() != recording.frame_count) || !is_time_axis(times_s))
    throw BadMessage("times of frames that cannot be");
  for (const StoredMap& map : recording.contents.maps)
    if (map.frames == 0 || map.rows == 0 || map.columns == 0 ||
        (!map.times_s.empty() && map.times_s.size() != map.frames))
      throw BadMessage("a map that cannot be");
  for (const Signal& signal : recording.contents.signals)
    if (!signal.times_s.empty() && signal.times_s.size() != signal.values.size())
      throw BadMessage("a signal without times");
  recording.acquisition = acquisition;
  return recording;
}

}  // namespace echoloop
