// A viewer on a network among connections that do not have its token: they hold no place that a scanner needs.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "source/live/live_listener.h"
#include "source/live_rig.h"
#include "support/one_line.h"
#include "support/take_time.h"

namespace echoloop::live_network_test {
namespace {

using testing::Bytes;
using testing::LiveRig;
using testing::ScriptedSender;
using testing::small_scan;
using testing::operator<<;

std::string with_token(const testing::TemporaryFolder& folder) {
  const std::filesystem::path file = folder.path() / "token";
  std::ofstream(file) << "scanners-word\n";
  return "live:tcp:0.0.0.0:0,token=" + file.string();
}

struct NetworkRig {
  testing::TemporaryFolder tokens;
  LiveRig rig{with_token(tokens)};

  [[nodiscard]] std::uint16_t port() const {
    const std::string address = rig.status().address;
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
  [[nodiscard]] std::unique_ptr<ScriptedSender> connect(const char* from = "127.0.0.1",
                                                        const std::string& token = "scanners-word") const {
    return std::make_unique<ScriptedSender>(port(), from, token);
  }
  // A sender that has described its frames, tried again where the viewer closed or was busy.
  [[nodiscard]] std::unique_ptr<ScriptedSender> begin(int& tries) const {
    for (tries = 1; tries <= 100; ++tries) {
      auto sender = connect();
      if (sender->connected() && sender->begin(small_scan())) return sender;
    }
    return nullptr;
  }
};

// Connections that send the bytes of a HELLO one by one, and connect again when they are closed.
class Drip {
 public:
  Drip(std::uint16_t port, int connections, const char* from)
      : thread_([this, port, connections, from](const std::stop_token& stop) {
          std::vector<std::unique_ptr<ScriptedSender>> open(static_cast<std::size_t>(connections));
          const Bytes hello = ScriptedSender::hello_payload(2);
          Bytes message;
          message << std::uint32_t{0x4f4843e1} << std::uint32_t{1} << std::uint64_t{hello.size()};
          for (std::size_t n = 0; !stop.stop_requested(); ++n) {
            for (auto& one : open) {
              if (one != nullptr && one->raw({message[n % message.size()]})) continue;
              one = std::make_unique<ScriptedSender>(port, from);
              one->raw({message[0]});
              ++connected_;
            }
            testing::take_time(std::chrono::milliseconds(1));
          }
        }) {}
  [[nodiscard]] int connected() const { return connected_; }

 private:
  std::atomic<int> connected_{0};
  std::jthread thread_;
};

TEST(LiveNetwork, HelloHasOneDeadline) {
  NetworkRig network;
  const auto slow = network.connect();
  ASSERT_TRUE(slow->connected());
  const auto begin = std::chrono::steady_clock::now();
  const Bytes header{0xe1, 0x43, 0x48, 0x4f, 1, 0, 0, 0, 60};
  std::jthread drips([&](const std::stop_token& stop) {
    for (const std::uint8_t byte : header) {
      if (stop.stop_requested() || !slow->raw({byte})) return;
      testing::take_time(std::chrono::milliseconds(300));
    }
  });
  EXPECT_TRUE(slow->closed_by_viewer());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_TRUE(network.rig.wait_until([&] { return network.rig.has_note("sent no HELLO within 2 s"); }));
}

class AmongDrips : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(OtherAndSameAddress, AmongDrips, ::testing::Values("127.0.0.9", "127.0.0.1"));

// A scanner connects, streams, goes and comes back, while 40 connections without the token drip.
TEST_P(AmongDrips, AScannerConnectsStreamsAndReconnects) {
  NetworkRig network;
  LiveRig& rig = network.rig;
  const Drip drip(network.port(), 40, GetParam());
  ASSERT_TRUE(rig.wait_until([&] { return drip.connected() >= 80; })) << "those that were closed come again";
  const bool shares = std::string(GetParam()) == "127.0.0.1";
  std::uint64_t sequence = 0;
  for (int round = 0; round < 5; ++round) {
    int tries = 0;
    auto sender = network.begin(tries);
    ASSERT_NE(sender, nullptr);
    EXPECT_LE(tries, shares ? 100 : 2) << "the end of the connection before may not have been read";
    if (round == 0) {
      rig.source = rig.waiting->open({});
      rig.stream();
    }
    for (int k = 0; k < 200; ++k) rig.expect_frame(*sender, sequence++, static_cast<std::uint8_t>(k % 100));
    sender.reset();
    ASSERT_TRUE(rig.wait_until([&] { return rig.status().link == LiveLink::gone; }));
  }
  EXPECT_EQ(rig.status().connections, 5U);
  rig.expect_sums();
}

TEST(LiveNetwork, WrongTokensOfOneAddressPauseItAlone) {
  NetworkRig network;
  const auto answer = [&](const char* from, const std::string& token) {
    const auto sender = network.connect(from, token);
    sender->hello();
    sender->end_writing();  // WELCOME ends, too
    const auto refused = sender->expect(5);
    return refused.has_value() ? refused->text(8) : std::string("welcome");
  };
  EXPECT_TRUE(testing::contains(answer("127.0.0.9", "another-word"), "token: not the one"));
  EXPECT_TRUE(network.rig.wait_until([&] {  // the first pauses are short
    return testing::contains(answer("127.0.0.9", "another-word"), "busy: after wrong tokens of this address");
  }));
  EXPECT_EQ(answer("127.0.0.1", "scanners-word"), "welcome") << "from another address";
  EXPECT_TRUE(network.rig.wait_until([&] { return answer("127.0.0.9", "scanners-word") == "welcome"; }));
}

TEST(LivePauses, DoubleWithEachWrongTokenAndAreForgotten) {
  LivePauses pauses;
  constexpr std::int64_t kFirst = LivePauses::kFirst_ns;
  EXPECT_EQ(pauses.left_ns("a", 0), 0);
  pauses.add_wrong("a", 0);
  EXPECT_EQ(pauses.left_ns("a", 0), kFirst);
  EXPECT_EQ(pauses.left_ns("b", 0), 0);
  pauses.add_wrong("a", kFirst);
  EXPECT_EQ(pauses.left_ns("a", kFirst), 2 * kFirst);
  for (int k = 0; k < 40; ++k) pauses.add_wrong("a", kFirst);
  EXPECT_EQ(pauses.left_ns("a", kFirst), LivePauses::kLongest_ns);
  pauses.add_right("a");
  EXPECT_EQ(pauses.left_ns("a", kFirst), 0);
  pauses.add_wrong("a", kFirst);
  EXPECT_EQ(pauses.left_ns("a", kFirst), kFirst);
  const std::int64_t later = 3 * kFirst + LivePauses::kForgotten_ns;
  pauses.add_wrong("a", later);
  EXPECT_EQ(pauses.left_ns("a", later), kFirst) << "a minute without a wrong one";
}

TEST(LivePauses, HoldABoundedNumberOfAddresses) {
  LivePauses pauses;
  for (int k = 0; k < 3; ++k) pauses.add_wrong("first", 0);
  for (std::size_t k = 0; k < 1000; ++k) pauses.add_wrong(std::to_string(k), 1);
  EXPECT_GT(pauses.left_ns("first", 1), LivePauses::kFirst_ns) << "the longest stays";
  EXPECT_EQ(pauses.left_ns("5", 1), 0);
}

}  // namespace
}  // namespace echoloop::live_network_test
