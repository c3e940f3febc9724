// OpenIGTLink images: the bytes of a message, and clients of every kind at the server.
#include "app/outputs/igtl.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>

#include "support/level_images.h"
#include "support/one_line.h"
#include "support/waiting.h"

namespace echoloop::igtl_test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// Reads a message by the specification, independently of the encoder.
struct Read {
  explicit Read(Bytes from) : bytes(std::move(from)) {}
  Bytes bytes;
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<std::uint64_t>(bytes[at + i]);
    return value;
  }
  [[nodiscard]] std::string text(std::size_t at) const { return reinterpret_cast<const char*>(&bytes[at]); }
  [[nodiscard]] std::size_t body_size() const { return number(42, 8); }
  [[nodiscard]] std::size_t nx() const { return number(58 + 6, 2); }
  [[nodiscard]] std::size_t ny() const { return number(58 + 8, 2); }
  // T, S, N, P: three numbers each.
  [[nodiscard]] double matrix(std::size_t i) const {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number(58 + 12 + 4 * i, 4))));
  }
  [[nodiscard]] float level(std::size_t x, std::size_t y) const {
    float value = 0.0F;
    std::memcpy(&value, &bytes[58 + 72 + 4 * (y * nx() + x)], sizeof value);
    return value;
  }
  [[nodiscard]] int value(std::size_t x, std::size_t y, std::size_t channel = 0, std::size_t channels = 1) const {
    return static_cast<int>(bytes[58 + 72 + channels * (y * nx() + x) + channel]);
  }
  // Position of a pixel, mm, as receivers compute it: P is the centre of the image.
  [[nodiscard]] double x_mm(std::size_t x) const {
    return matrix(9) + (static_cast<double>(x) - 0.5 * static_cast<double>(nx() - 1)) * matrix(0);
  }
  [[nodiscard]] double y_mm(std::size_t y) const {
    return matrix(10) + (static_cast<double>(y) - 0.5 * static_cast<double>(ny() - 1)) * matrix(4);
  }
};

struct Shown {
  explicit Shown(const testing::MadeImage& made) : db(made.db) {
    image.grid = made.grid;
    image.host_db = db.data();
  }
  std::vector<float> db;
  Image image;
};

Read encoded(const Shown& shown, ImageValues values, const FlowImage* flow = nullptr) {
  Bytes message;
  IgtlEncoder(values).encode(shown.image, flow, 1'500'000'000'250'000'000, message);
  return Read(std::move(message));
}

// Brightest pixel of a message.
template <class Level>
std::pair<std::size_t, std::size_t> brightest(const Read& read, const Level& level) {
  std::pair<std::size_t, std::size_t> best{0, 0};
  for (std::size_t y = 0; y < read.ny(); ++y)
    for (std::size_t x = 0; x < read.nx(); ++x)
      if (level(x, y) > level(best.first, best.second)) best = {x, y};
  return best;
}

TEST(Igtl, CrcOfTheStandard) {
  EXPECT_EQ(igtl_crc(bytes_of("123456789")), 0x6c40df5f0b497347U);
  EXPECT_EQ(igtl_crc({}), 0U);
}

TEST(Igtl, BytesOfALinearImage) {
  const Shown shown(testing::make_picture(testing::kFlat, [](PlanePoint p) { return -1e3 * (p.x_m + 2.0 * p.z_m); }));
  const Read read = encoded(shown, ImageValues::float32);
  EXPECT_EQ(read.number(0, 2), 1U);
  EXPECT_EQ(read.text(2), "IMAGE");
  EXPECT_EQ(read.text(14), "Echoloop");
  EXPECT_EQ(read.number(34, 4), 1'500'000'000U);
  EXPECT_EQ(read.number(38, 4), 0x4000'0000U) << "a quarter of a second";
  ASSERT_EQ(read.bytes.size(), 58 + 72 + 4 * shown.db.size());
  EXPECT_EQ(read.body_size(), read.bytes.size() - 58);
  EXPECT_EQ(read.number(50, 8), igtl_crc(std::span(read.bytes).subspan(58)));
  EXPECT_EQ(read.number(58, 2), 1U);
  EXPECT_EQ(read.number(60, 4), 0x010a'0201U) << "one component, float32, little-endian pixels, RAS";
  EXPECT_EQ(read.nx(), 101U);
  EXPECT_EQ(read.ny(), 401U);
  EXPECT_EQ(read.number(68, 2), 1U);
  const double expected[] = {0.1, 0, 0, 0, 0.05, 0, 0, 0, 1, 0, 20, 0};
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(read.matrix(i), expected[i], 1e-6) << i;
  EXPECT_EQ(read.number(118, 6), 0U);
  EXPECT_EQ(read.number(124, 6), read.number(64, 6)) << "the sub-volume is the whole";
  for (std::size_t i = 0; i < shown.db.size(); ++i) ASSERT_EQ(read.level(i % 101, i / 101), shown.db[i]);
  EXPECT_NEAR(read.x_mm(0), -5.0, 1e-5);
  EXPECT_NEAR(read.y_mm(400), 30.0, 1e-5);
}

// A bright point lies where it was, in dB and as shown; outside the sector nothing is.
TEST(Igtl, ASectorHasSquarePixelsInPlace) {
  const Grid fan = testing::fan();
  const PlanePoint point = fan.point(150, 300);
  const Shown shown(testing::make_picture(
      fan, [&](PlanePoint p) { return -2e4 * std::hypot(p.x_m - point.x_m, p.z_m - point.z_m); }));
  const Read db = encoded(shown, ImageValues::float32);
  EXPECT_EQ(db.matrix(0), db.matrix(4));
  EXPECT_NEAR(db.matrix(0), 0.1, 0.01) << "a step of the radius";
  EXPECT_NEAR(db.x_mm(0), 1e3 * fan.x0_m, 1e-4);
  EXPECT_NEAR(db.x_mm(db.nx() - 1), 1e3 * fan.x1_m, 1e-4);
  EXPECT_NEAR(db.y_mm(0), 1e3 * fan.z0_m, 0.01);
  EXPECT_NEAR(db.y_mm(db.ny() - 1), 1e3 * fan.z1_m, 0.01);
  EXPECT_EQ(db.level(0, 0), static_cast<float>(kNoEcho_db));
  const auto at = brightest(db, [&](std::size_t x, std::size_t y) { return db.level(x, y); });
  EXPECT_NEAR(db.x_mm(at.first), 1e3 * point.x_m, 0.06);
  EXPECT_NEAR(db.y_mm(at.second), 1e3 * point.z_m, 0.06);
  const Read screen = encoded(shown, ImageValues::uint8);
  EXPECT_EQ(screen.number(60, 2), 0x0103U) << "one component, uint8";
  EXPECT_EQ(screen.nx(), db.nx());
  EXPECT_EQ(screen.value(0, 0), 0);
  const auto seen = brightest(screen, [&](std::size_t x, std::size_t y) { return screen.value(x, y); });
  EXPECT_NEAR(screen.x_mm(seen.first), 1e3 * point.x_m, 0.06);
  EXPECT_NEAR(screen.y_mm(seen.second), 1e3 * point.z_m, 0.06);
}

// uint8 is the display's window; flow makes it RGB with square pixels, a mirrored display changes no position.
TEST(Igtl, AsShown) {
  Shown shown(testing::make_picture(testing::kFlat, [](PlanePoint p) { return p.x_m < 0.0 ? -60.0 : 0.0; }));
  shown.image.params.display.dynamic_range_db = 60.0;
  shown.image.params.display.mirrored = Mirrored::on;
  const Read gray = encoded(shown, ImageValues::uint8);
  EXPECT_EQ(gray.nx(), 101U);
  EXPECT_EQ(gray.value(0, 7), 0);
  EXPECT_EQ(gray.value(100, 7), 255);
  FlowImage flow;
  flow.number = 1;
  flow.grid = testing::kFlat;
  flow.aliasing_m_s = 0.1;
  flow.params.color_flow.mode = shown.image.params.color_flow.mode = FlowMode::velocity;
  flow.power_db.assign(flow.grid.pixels(), 0.0F);
  flow.velocity_m_s.assign(flow.grid.pixels(), 0.05F);
  find_flow_mask(flow);
  const Read color = encoded(shown, ImageValues::uint8, &flow);
  EXPECT_EQ(color.number(60, 2), 0x0303U) << "three components, uint8";
  EXPECT_EQ(color.matrix(0), color.matrix(4));
  EXPECT_EQ(color.body_size(), 72 + 3 * color.nx() * color.ny());
  EXPECT_NE(color.value(3, 9, 0, 3), color.value(3, 9, 2, 3)) << "dark tissue with flow is coloured";
  const Read before = encoded(shown, ImageValues::uint8);
  EXPECT_EQ(before.number(60, 2), 0x0303U) << "also before the first flow image";
  EXPECT_EQ(before.value(3, 9, 0, 3), before.value(3, 9, 2, 3));
}

class Client {
 public:
  explicit Client(const IgtlServer& server) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int bytes = 64 << 10;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    const timeval limit{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(server.address().port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  }
  void send(const Bytes& bytes) const {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // Returns the next message; nullopt: the server has closed.
  [[nodiscard]] std::optional<Read> receive() const {
    Read read(Bytes(58));
    if (!fill(read.bytes.data(), 58)) return std::nullopt;
    read.bytes.resize(58 + read.body_size());
    if (!fill(read.bytes.data() + 58, read.body_size())) return std::nullopt;
    return read;
  }
  // Waits until the server has closed the connection.
  [[nodiscard]] bool is_closed() const {
    std::array<std::byte, 4096> rest;
    ssize_t got = 0;
    do got = ::recv(socket_.get(), rest.data(), rest.size(), 0);
    while (got > 0);
    return got == 0 || errno == ECONNRESET;
  }

 private:
  [[nodiscard]] bool fill(std::byte* to, std::size_t size) const {
    for (ssize_t got = 0; size > 0; to += got, size -= static_cast<std::size_t>(got)) {
      got = ::recv(socket_.get(), to, size, 0);
      if (got <= 0) return false;
    }
    return true;
  }
  FileDescriptor socket_;
};

LiveAddress any_port() { return {.text = "--igtl", .socket = {}, .host = "127.0.0.1", .port = 0, .token = {}}; }

// 1.6 MB: more than the buffers between two sockets hold.
constexpr Grid kLarge{.x0_m = 0.0, .x1_m = 0.04, .z0_m = 0.0, .z1_m = 0.1, .nx = 400, .nz = 1000};

class IgtlClients : public ::testing::Test {
 protected:
  void expect_clients(std::size_t count) {
    EXPECT_TRUE(testing::wait_until([&] { return server_.clients() == count; }));
  }
  // Offers images until the server has sent `more`.
  void offer_until_sent(std::uint64_t more) {
    const std::uint64_t end = server_.sent() + more;
    EXPECT_TRUE(testing::wait_until([&] {
      if (server_.wants_images()) server_.take(shown_.image);
      return server_.sent() >= end;
    }));
  }
  static void expect_whole(const std::optional<Read>& read) {
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->nx(), 400U);
    EXPECT_EQ(read->number(50, 8), igtl_crc(std::span(read->bytes).subspan(58)));
  }
  IgtlServer server_{any_port(), ImageValues::float32};
  Shown shown_{testing::make_picture(kLarge, [](PlanePoint p) { return -1e3 * p.z_m; })};
};

TEST_F(IgtlClients, NothingIsWantedWithoutOne) {
  EXPECT_FALSE(server_.wants_images());
  EXPECT_FALSE(server_.wanted());
  server_.take(shown_.image);
  {
    const Client client(server_);
    expect_clients(1);
    EXPECT_TRUE(server_.wants_images());
    std::thread reader([&] { expect_whole(client.receive()); });
    offer_until_sent(1);
    reader.join();
  }
  expect_clients(0);
  EXPECT_FALSE(server_.wants_images());
  EXPECT_GE(server_.sent(), 1U);
}

TEST_F(IgtlClients, OneThatNeverReadsDelaysNobody) {
  const Client stopped(server_);
  expect_clients(1);
  const Client reading(server_);
  expect_clients(2);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    for (int i = 0; i < 20; ++i) expect_whole(reading.receive());
    done = true;
  });
  EXPECT_TRUE(testing::wait_until([&] {
    if (server_.wants_images()) server_.take(shown_.image);
    return done.load();
  }));
  reader.join();
  EXPECT_EQ(server_.clients(), 2U);
  const std::uint64_t before = server_.dropped();
  int received = 0;  // until one that does not follow the last: it continues with the newest
  for (; server_.dropped() == before && !HasFailure(); ++received) expect_whole(stopped.receive());
  EXPECT_LT(received, 20);
}

TEST_F(IgtlClients, AtMostSixtyEachSecond) {
  const Client client(server_);
  expect_clients(1);
  const std::int64_t begin_ns = now_ns();
  std::thread reader([&] {
    for (int i = 0; i < 12; ++i) expect_whole(client.receive());
  });
  offer_until_sent(12);
  reader.join();
  EXPECT_GE(static_cast<double>(now_ns() - begin_ns), 10.5e9 / IgtlServer::kFastest_hz);
}

TEST_F(IgtlClients, MessagesAreSkippedGarbageIsNot) {
  const Client polite(server_);
  Bytes message = bytes_of(std::string(58, '\0'));
  std::memcpy(message.data() + 2, "GET_CAPABIL", 11);
  message[48] = std::byte{1};  // a body of 256 bytes
  message.resize(58 + 256, std::byte{0xff});
  for (int i = 0; i < 40; ++i) polite.send(message);
  expect_clients(1);
  const Client garbage(server_);
  garbage.send(bytes_of(std::string(500, 'x')));
  EXPECT_TRUE(garbage.is_closed());
  expect_clients(1);
  std::thread reader([&] { expect_whole(polite.receive()); });
  offer_until_sent(1);
  reader.join();
}

TEST_F(IgtlClients, MoreThanEightAreClosed) {
  std::vector<Client> clients;
  for (std::size_t i = 0; i < IgtlServer::kMostClients; ++i) clients.emplace_back(server_);
  expect_clients(IgtlServer::kMostClients);
  EXPECT_TRUE(Client(server_).is_closed());
  clients.pop_back();
  expect_clients(IgtlServer::kMostClients - 1);
  clients.emplace_back(server_);
  expect_clients(IgtlServer::kMostClients);
}

TEST(Igtl, APortInUseIsRefused) {
  const IgtlServer first(any_port(), ImageValues::float32);
  IgtlOptions options;
  EXPECT_EQ(make_igtl(options), nullptr);
  options.igtl_port = first.address().port;
  testing::expect_refusal([&] { (void)make_igtl(options); },
                          "--igtl: port " + std::to_string(first.address().port) + " in use");
  options.igtl_address = "nowhere";
  testing::expect_refusal([&] { (void)make_igtl(options); }, "nowhere");
}

}  // namespace
}  // namespace echoloop::igtl_test
