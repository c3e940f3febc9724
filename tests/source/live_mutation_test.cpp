// A recorded conversation, damaged in thousands of ways, sent to one running viewer; and senders that come and go.
// Whatever comes, the next frame of an honest sender is seen, and nothing is left behind. By hand, for longer:
// ECHO_LIVE_MUTATIONS=20000, ECHO_LIVE_RECONNECTS=1000.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "source/live_rig.h"
#include "support/environment_variable.h"

namespace echoloop::live_mutation_test {
namespace {

using testing::Bytes;
using testing::LiveRig;
using testing::number_from_environment;
using testing::open_descriptors;
using testing::ScriptedSender;
using testing::small_scan;
using testing::operator<<;

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double all = 0.0, resident = 0.0;
  file >> all >> resident;
  return resident * 4096.0 * 1e-6;
}

void add_message(Bytes& out, std::uint32_t kind, const Bytes& payload) {
  out << std::uint32_t{0x4f4843e1} << kind << std::uint64_t{payload.size()};
  out.insert(out.end(), payload.begin(), payload.end());
}

void add_description(Bytes& out, std::uint32_t generation, const std::string& json) {
  Bytes payload;
  payload << generation << std::uint32_t{0};
  payload.insert(payload.end(), json.begin(), json.end());
  add_message(out, 3, payload);
}

// HELLO, descriptions, frames, a ping, an unknown message, BYE; frames inline, or words of blocks.
Bytes conversation(std::uint32_t transport) {
  Bytes out;
  add_message(out, 1, ScriptedSender::hello_payload(transport));
  add_description(out, 0, small_scan());
  for (std::uint64_t k = 0; k < 6; ++k) {
    if (k == 3) add_description(out, 1, small_scan(16));
    const std::uint64_t bytes = k < 3 ? 64 : 128;
    Bytes payload;
    payload << testing::ScriptedWord{.sequence = k,
                                     .lost = k / 2,
                                     .bytes = bytes,
                                     .block = static_cast<std::uint32_t>(k),
                                     .generation = k < 3 ? 0U : 1U};
    if (transport == 2) payload.resize(payload.size() + bytes, 3);
    add_message(out, 7, payload);
  }
  Bytes ping;
  ping << std::uint64_t{1} << std::int64_t{2} << std::int64_t{0};
  add_message(out, 11, ping);
  add_message(out, 0x80000123U, Bytes(20, 1));
  Bytes bye;
  bye << std::string("done");
  add_message(out, 13, bye);
  return out;
}

Bytes mutated(Bytes bytes, std::minstd_rand& random) {
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const auto at = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  for (std::size_t n = 1 + below(4); n > 0 && bytes.size() > 64; --n) {
    const std::size_t place = below(bytes.size()), length = std::min(1 + below(40), bytes.size() - place);
    switch (below(7)) {
      case 0:
        bytes[place] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 1:
        bytes[place] = static_cast<std::uint8_t>(below(256));
        break;
      case 2:
        std::fill_n(bytes.begin() + at(place), length, below(2) == 0 ? 0xff : 0x00);
        break;
      case 3:
        bytes.erase(bytes.begin() + at(place), bytes.begin() + at(place + length));
        break;
      case 4: {
        const Bytes piece(bytes.begin() + at(place), bytes.begin() + at(place + length));
        bytes.insert(bytes.begin() + at(below(bytes.size())), piece.begin(), piece.end());
        break;
      }
      case 5:
        bytes.resize(place + 1);
        break;
      default:
        bytes.insert(bytes.begin() + at(place), length, static_cast<std::uint8_t>(below(256)));
    }
  }
  return bytes;
}

// A frame of an honest sender comes through, whatever description the stream had before.
void expect_honest_frame(LiveRig& rig, std::uint8_t value) {
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().link != LiveLink::connected; }));
  const auto sender = rig.connect();
  ASSERT_TRUE(sender->begin(small_scan()));
  const auto seen_soon = [&] {
    if (rig.producer->state() != ProducerState::running) {
      rig.stream(RingPolicy::drop_oldest, 4, rig.end_stream());
    }
    while (auto lease = rig.ring->begin_read(std::chrono::milliseconds(20))) {
      const bool found =
          lease->frame().samples.size() == 64 && lease->frame().samples.front() == static_cast<std::byte>(value);
      lease->release();
      rig.ring->count_processed();
      if (found) return true;
    }
    return false;
  };
  std::uint64_t k = 0;
  ASSERT_TRUE(rig.wait_until([&] {
    for (int n = 0; n < 4 && sender->credits.empty(); ++n) sender->soon_frame(k, {});
    if (!sender->credits.empty()) sender->frame(k++, value);
    return seen_soon();
  }));
  rig.expect_sums();
}

TEST(LiveMutations, OneViewerOutlivesThemAll) {
  const int mutations = number_from_environment("ECHO_LIVE_MUTATIONS", 600);
  LiveRig rig;
  rig.start(small_scan(), RingPolicy::drop_oldest);
  std::minstd_rand random(18);
  const Bytes recorded[] = {conversation(1), conversation(2)};
  std::size_t descriptors = 0;
  for (int k = 0; k < mutations; ++k) {
    const auto bad = rig.connect();
    ASSERT_TRUE(bad->connected()) << k;
    bad->raw(mutated(recorded[k % 2], random));
    bad->end_writing();
    ASSERT_TRUE(bad->closed_by_viewer()) << k;
    if (k % 100 == 99) {
      expect_honest_frame(rig, static_cast<std::uint8_t>(1 + k % 100 + k / 100 % 100));
      if (::testing::Test::HasFatalFailure()) FAIL() << "after mutation " << k;
    }
    if (k == 99) descriptors = open_descriptors();
  }
  EXPECT_LE(open_descriptors(), descriptors + 1);
}

TEST(LiveReconnects, LeaveNothingBehind) {
  const int reconnects = number_from_environment("ECHO_LIVE_RECONNECTS", 60);
  LiveRig rig;
  rig.start();
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().link == LiveLink::gone; }));
  std::size_t descriptors = 0;
  [[maybe_unused]] double mb = 0.0;
  for (int k = 0; k < reconnects; ++k) {
    const auto sender = rig.connect();
    sender->transport = 1 + static_cast<std::uint32_t>(k % 2);
    ASSERT_TRUE(sender->begin(small_scan())) << k;
    for (std::uint64_t n = 0; n < 5; ++n) rig.expect_frame(*sender, n, static_cast<std::uint8_t>(k));
    sender->close();
    ASSERT_TRUE(rig.wait_until([&] { return rig.status().link == LiveLink::gone; })) << k;
    static_cast<void>(rig.waiting->take_notes());
    if (k == reconnects / 3) {
      descriptors = open_descriptors();
      mb = resident_mb();
    }
  }
  EXPECT_EQ(open_descriptors(), descriptors);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they keep what was freed
  EXPECT_LT(resident_mb(), mb + 4.0);
#endif
  EXPECT_EQ(rig.status().connections, static_cast<std::uint64_t>(reconnects) + 1);
  rig.expect_sums();
}

}  // namespace
}  // namespace echoloop::live_mutation_test
