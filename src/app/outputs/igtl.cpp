#include "app/outputs/igtl.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::int64_t kPeriod_ns = static_cast<std::int64_t>(1e9 / IgtlServer::kFastest_hz);

// tables[k][b]: CRC of byte b followed by k zero bytes.
using CrcTables = std::array<std::array<std::uint64_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    std::uint64_t crc = b << 56;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ (crc >> 63 != 0 ? 0x42F0E1EBA9EA3693U : 0U);
    tables[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b) tables[k][b] = (tables[k - 1][b] << 8) ^ tables[0][tables[k - 1][b] >> 56];
  return tables;
}

// Appends big-endian numbers to memory.
class BigEndian {
 public:
  explicit BigEndian(std::byte* to) : to_(to) {}
  template <class T>
  BigEndian& operator<<(T value) {
    if constexpr (std::is_same_v<T, float>)
      return *this << std::bit_cast<std::uint32_t>(value);
    else
      for (std::size_t i = sizeof value; i-- > 0;) *to_++ = static_cast<std::byte>(value >> (8 * i));
    return *this;
  }
  void text(std::string_view value, std::size_t size) {
    std::memset(to_, 0, size);
    std::memcpy(to_, value.data(), value.size());
    to_ += size;
  }

 private:
  std::byte* to_;
};

std::uint64_t big_endian(const std::byte* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return __builtin_bswap64(value);
}

struct Pixels {
  const ScreenImage& at;
  std::span<const std::byte> bytes;
  std::uint8_t components, type;
};

void write_message(const Pixels& pixels, std::int64_t utc_ns, std::vector<std::byte>& message) {
  constexpr std::uint8_t kLittleEndian = 2, kRas = 1;
  message.resize(kIgtlHeader + kIgtlImageHeader + pixels.bytes.size());
  const ScreenImage& at = pixels.at;
  const auto nx = static_cast<std::uint16_t>(at.width), nz = static_cast<std::uint16_t>(at.height);
  const std::uint16_t one = 1, zero = 0;
  const auto mm = [](double m) { return static_cast<float>(1e3 * m); };
  BigEndian body(message.data() + kIgtlHeader);
  body << one << pixels.components << pixels.type << kLittleEndian << kRas << nx << nz << one;
  body << mm(at.step_m) << 0.0F << 0.0F << 0.0F << mm(at.step_z_m) << 0.0F << 0.0F << 0.0F << 1.0F;
  body << mm(at.x0_m + 0.5 * (at.width - 1) * at.step_m) << mm(at.z0_m + 0.5 * (at.height - 1) * at.step_z_m) << 0.0F;
  body << zero << zero << zero << nx << nz << one;
  std::ranges::copy(pixels.bytes, message.begin() + kIgtlHeader + kIgtlImageHeader);
  BigEndian header(message.data());
  header << one;
  header.text("IMAGE", 12);
  header.text("Echoloop", 20);
  const auto fraction = static_cast<std::uint64_t>(utc_ns % 1'000'000'000) << 32;
  header << static_cast<std::uint32_t>(utc_ns / 1'000'000'000) << static_cast<std::uint32_t>(fraction / 1'000'000'000);
  header << static_cast<std::uint64_t>(message.size() - kIgtlHeader);
  header << igtl_crc(std::span(message).subspan(kIgtlHeader));
}

// Returns the time of day of a moment of the steady clock.
std::int64_t utc_of(std::int64_t steady_ns) {
  const auto utc = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(utc).count() - (now_ns() - steady_ns);
}

}  // namespace

std::uint64_t igtl_crc(std::span<const std::byte> body) {
  static constexpr CrcTables kTables = make_crc_tables();
  std::uint64_t crc = 0;
  while (body.size() >= 8) {
    crc ^= big_endian(body.data());
    std::uint64_t next = 0;
    for (std::size_t k = 0; k < 8; ++k) next ^= kTables[k][(crc >> (8 * k)) & 255];
    crc = next;
    body = body.subspan(8);
  }
  for (const std::byte b : body) crc = (crc << 8) ^ kTables[0][(crc >> 56) ^ static_cast<std::uint64_t>(b)];
  return crc;
}

void IgtlEncoder::encode(const Image& image, const FlowImage* flow, std::int64_t utc_ns,
                         std::vector<std::byte>& message) {
  constexpr std::uint8_t kUint8 = 3, kFloat32 = 10;
  if (values_ == ImageValues::float32) {
    screen_ = screen_of(image.grid, ScreenPixels::of_grid);
    if (image.grid.polar()) painter_.sample(image, screen_, db_);
    const std::span<const float> levels = image.grid.polar() ? std::span<const float>(db_) : image.host();
    write_message({screen_, std::as_bytes(levels), 1, kFloat32}, utc_ns, message);
    return;
  }
  const bool over = flow != nullptr && is_overlay(image.params.color_flow.mode);
  painter_.paint(image, flow, screen_, over ? ScreenPixels::square : ScreenPixels::of_grid);
  const std::span<const std::uint8_t> bytes = screen_.values;
  write_message({screen_, std::as_bytes(bytes), static_cast<std::uint8_t>(screen_.channels), kUint8}, utc_ns, message);
}

IgtlServer::IgtlServer(const LiveAddress& address, ImageValues values)
    : listener_(address), encoder_(values), thread_([this](const std::stop_token& stop) { serve(stop); }) {}

IgtlServer::~IgtlServer() {
  thread_.request_stop();
  wait_.wake();
}

bool IgtlServer::wants_images() const { return clients_ > 0 && now_ns() >= due_ns_ - kPeriod_ns / 2; }

void IgtlServer::take(const Image& image) {
  if (image.host_db == nullptr || !wants_images()) return;
  const std::unique_lock lock(taking_, std::try_to_lock);
  if (!lock) return;
  due_ns_ = std::max(due_ns_.load(), now_ns()) + kPeriod_ns;
  try {
    Taken& next = taken_.back();
    next.db.assign(image.host().begin(), image.host().end());
    next.image = image;
    next.image.storage.reset();
    next.image.device_db = nullptr;
    next.image.host_db = next.db.data();
    next.number = ++number_;
  } catch (const std::bad_alloc&) {
    return;
  }
  taken_.publish();
  wait_.wake();
}

void IgtlServer::take_flow(const FlowImage& flow) {
  if (clients_ == 0) return;
  flow_.back() = flow;
  flow_.publish();
}

void IgtlServer::serve(const std::stop_token& stop) {
  (void)::setpriority(PRIO_PROCESS, 0, 5);  // of this thread: the stream has priority
  std::vector<pollfd> sockets;
  while (!stop.stop_requested()) {
    sockets.assign(1, {.fd = listener_.descriptor(), .events = POLLIN, .revents = 0});
    for (const Client& client : connected_) {
      const int events = client.message != nullptr ? POLLIN | POLLOUT : POLLIN;
      sockets.push_back({.fd = client.socket.get(), .events = static_cast<short>(events), .revents = 0});
    }
    wait_.wait(sockets, -1);
    for (std::size_t i = 0; i < connected_.size(); ++i) {
      if (sockets[i + 1].revents != 0) skip_messages(connected_[i]);
      if ((sockets[i + 1].revents & POLLOUT) != 0) send(connected_[i]);
    }
    if (sockets[0].revents != 0) accept_clients();
    if (std::ranges::any_of(connected_, [](const Client& client) { return client.message == nullptr; }))
      encode_newest();
    for (Client& client : connected_) {
      if (client.over || client.message != nullptr || newest_ == nullptr || client.number == newest_number_) continue;
      if (client.number > 0) dropped_ += newest_number_ - client.number - 1;
      client.message = newest_;
      client.number = newest_number_;
      send(client);
    }
    std::erase_if(connected_, [](const Client& client) { return client.over; });
    clients_ = connected_.size();
  }
}

// Accepts those that wait; more than kMostClients are closed at once.
void IgtlServer::accept_clients() {
  while (std::optional<LivePeer> peer = listener_.accept()) {
    if (peer->socket.get() < 0 || connected_.size() >= kMostClients) continue;
    if (connected_.empty()) {  // images of an earlier client are too old
      taken_.take();
      newest_ = nullptr;
    }
    connected_.push_back({.socket = std::move(peer->socket)});
  }
}

// Reads what a client has sent, without an answer: each message is skipped by its size.
void IgtlServer::skip_messages(Client& client) {
  std::array<std::byte, 4096> bytes;
  const ssize_t got = ::recv(client.socket.get(), bytes.data(), bytes.size(), 0);
  client.over = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  std::span<const std::byte> rest(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!rest.empty() && !client.over) {
    if (client.skipped > 0) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(client.skipped, rest.size()));
      client.skipped -= n;
      rest = rest.subspan(n);
      continue;
    }
    const std::size_t n = std::min(rest.size(), kIgtlHeader - client.header_size);
    std::ranges::copy(rest.first(n), client.header.begin() + static_cast<std::ptrdiff_t>(client.header_size));
    client.header_size += n;
    rest = rest.subspan(n);
    if (client.header_size < kIgtlHeader) break;
    client.header_size = 0;
    client.skipped = big_endian(client.header.data() + kIgtlHeader - 16);
    client.over = client.skipped > kMostIncoming;
  }
}

void IgtlServer::encode_newest() {
  if (!taken_.take()) return;
  flow_.take();
  newest_ = nullptr;
  const auto is_free = [](const std::shared_ptr<Message>& message) { return message.use_count() == 1; };
  const Taken& taken = taken_.front();
  try {
    auto message = std::ranges::find_if(messages_, is_free);
    if (message == messages_.end()) message = messages_.insert(messages_.end(), std::make_shared<Message>());
    encoder_.encode(taken.image, &flow_.front(), utc_of(taken.image.stamp.acquired_ns), **message);
    newest_ = *message;
  } catch (const std::bad_alloc&) {  // this image is omitted
  }
  newest_number_ = taken.number;
}

// Sends as much as fits.
void IgtlServer::send(Client& client) {
  const Message& message = *client.message;
  while (client.at < message.size()) {
    const ssize_t sent =
        ::send(client.socket.get(), message.data() + client.at, message.size() - client.at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      client.over = client.over || errno != EAGAIN;
      return;
    }
    client.at += static_cast<std::size_t>(sent);
  }
  ++sent_;
  client.message = nullptr;
  client.at = 0;
}

std::shared_ptr<IgtlServer> make_igtl(const IgtlOptions& options) {
  if (!options.igtl_port) return nullptr;
  const LiveAddress address{
      .text = "--igtl", .socket = {}, .host = options.igtl_address, .port = *options.igtl_port, .token = {}};
  return std::make_shared<IgtlServer>(address, options.igtl_values);
}

}  // namespace echoloop
