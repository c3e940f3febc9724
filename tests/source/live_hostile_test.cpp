// Senders that are broken or mean harm, line by line: each gets a line, is counted, and the stream goes on.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <limits>

#include "source/live_rig.h"
#include "support/one_line.h"
#include "transport/file_descriptor.h"

namespace echoloop::live_hostile_test {
namespace {

using testing::Bytes;
using testing::LiveRig;
using testing::open_descriptors;
using testing::ScriptedSender;
using testing::small_scan;
using testing::operator<<;

// HELLO is refused with these words; the next sender is welcome.
void expect_refused(const Bytes& hello, const std::string& words) {
  LiveRig rig;
  const auto bad = rig.connect();
  ASSERT_TRUE(bad->message(1, hello));
  const auto refused = bad->expect(5);
  ASSERT_TRUE(refused.has_value());
  EXPECT_TRUE(testing::contains(refused->text(8), words));
  EXPECT_TRUE(bad->closed_by_viewer());
  const auto good = rig.start();
  rig.expect_frame(*good, 0, 1);
}

TEST(LiveHostile, AnotherMajorVersion) {
  expect_refused(ScriptedSender::hello_payload(1, 9), "found version 9.0; expected 1.0");
}

TEST(LiveHostile, BigEndian) { expect_refused(ScriptedSender::hello_payload(1, 1, 0x04030201), "byte order"); }

TEST(LiveHostile, ATransportThatThereIsNot) { expect_refused(ScriptedSender::hello_payload(7), "transport = 7"); }

TEST(LiveHostile, ASecondSenderIsToldWhoIsConnected) {
  LiveRig rig;
  const auto first = rig.start();
  const auto second = rig.connect();
  ASSERT_TRUE(second->hello());
  const auto refused = second->expect(5);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->text(8), "busy: the sender scripted, pid " + std::to_string(::getpid()) + ", is connected");
  rig.expect_frame(*first, 0, 1);
}

TEST(LiveHostile, HalfAHeaderAndThenSilence) {
  LiveRig rig;
  const auto silent = rig.connect();
  ASSERT_TRUE(silent->raw(Bytes(7, 0xe1)));
  const auto half = rig.start();  // meanwhile another one works
  rig.expect_frame(*half, 0, 1);
  EXPECT_TRUE(silent->closed_by_viewer());
  ASSERT_TRUE(half->raw(Bytes{0xe1, 0x43}));
  EXPECT_TRUE(half->closed_by_viewer());
  EXPECT_TRUE(rig.wait_until([&] { return rig.has_note("sent half a message, and nothing for 2 s"); })) << rig.notes;
  const auto next = rig.connect();
  ASSERT_TRUE(next->begin(small_scan()));
  rig.expect_frame(*next, 1, 2);
}

TEST(LiveHostile, NoMessageAtAll) {
  LiveRig rig;
  const auto bad = rig.connect();
  ASSERT_TRUE(bad->raw(Bytes(64, 'G')));
  EXPECT_TRUE(bad->expect(5).has_value());
  EXPECT_TRUE(bad->closed_by_viewer());
  const auto good = rig.start();
  rig.expect_frame(*good, 0, 1);
}

TEST(LiveHostile, OfMoreConnectionsThanMayBeOpenTheOldestGoes) {
  LiveRig rig;
  const auto sender = rig.start();
  std::vector<std::unique_ptr<ScriptedSender>> silent;
  for (int k = 0; k < 16; ++k) silent.push_back(rig.connect());
  EXPECT_TRUE(silent.front()->closed_by_viewer());
  EXPECT_TRUE(rig.wait_until([&] { return rig.has_note("made room for"); })) << rig.notes;
  rig.expect_frame(*sender, 0, 1);
}

TEST(LiveHostile, NothingLongIsTakenBeforeHello) {
  LiveRig rig;
  const auto bad = rig.connect();
  Bytes header;
  header << std::uint32_t{0x4f4843e1} << std::uint32_t{3} << std::uint64_t{60} * 1024 * 1024;
  ASSERT_TRUE(bad->raw(header));
  const auto refused = bad->expect(5);
  ASSERT_TRUE(refused.has_value());
  EXPECT_TRUE(testing::contains(refused->text(8), "no HELLO"));
  EXPECT_TRUE(bad->closed_by_viewer());
  EXPECT_EQ(rig.status().faults, 0U) << "no sender's";
}

// An invalid message behind as many invalid frames as are put up with.
TEST(LiveHostile, AnInvalidMessageAtTheLimitOfFaults) {
  LiveRig rig;
  const auto bad = rig.start();
  const std::vector<ScriptedSender::Word> words(50, {.sequence = 5, .block = 77777});
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(bad->words(words));
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().faults == 10'000; }));
  ASSERT_TRUE(bad->message(99, {}));
  EXPECT_TRUE(bad->closed_by_viewer());
  const auto next = rig.connect();
  ASSERT_TRUE(next->begin(small_scan()));
  rig.expect_frame(*next, 0, 2);
}

// All descriptors of the process are in use: who connects is refused, in a line, and the next one after it is not.
TEST(LiveHostile, AConnectionIsRefusedWhereNoDescriptorIsFree) {
  LiveRig rig;
  std::vector<FileDescriptor> taken;
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const auto first = rig.connect();
  ASSERT_TRUE(first->hello());
  ASSERT_TRUE(first->expect(2).has_value());
  first->close();
  const int knocks = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, (rig.folder.path() / "echoloop" / "test.sock").c_str(), sizeof name.sun_path - 1);
  const rlimit none{.rlim_cur = static_cast<rlim_t>(knocks) + 1, .rlim_max = before.rlim_max};
  for (int fd = 0; fd < knocks; ++fd) taken.emplace_back(::dup(knocks));
  ::setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_EQ(::connect(knocks, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  EXPECT_TRUE(rig.wait_until([&] { return rig.has_note("no file descriptor is free"); })) << rig.notes;
  ::setrlimit(RLIMIT_NOFILE, &before);
  ::close(knocks);
  taken.clear();
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
}

TEST(LiveHostile, SizesThatOverflow) {
  for (const std::uint64_t size : {~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{64} << 20) + 9}) {
    LiveRig rig;
    const auto bad = rig.connect();
    ASSERT_TRUE(bad->hello());
    Bytes header;
    header << std::uint32_t{0x4f4843e1} << std::uint32_t{3} << size;
    ASSERT_TRUE(bad->raw(header));
    const auto refused = bad->expect(5);
    ASSERT_TRUE(refused.has_value());
    EXPECT_TRUE(testing::contains(refused->text(8), "above the limit"));
    EXPECT_TRUE(bad->closed_by_viewer());
  }
}

TEST(LiveHostile, DescriptionsThatCannotBe) {
  LiveRig rig;
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
  std::uint32_t generation = 0;
  for (const std::string& json :
       {std::string(100'000, '['), std::string("{\"axes\": "), std::string("[]"), std::string(),
        std::string(R"({"like": "relative.mat"})"), std::string(R"({"acquisition": {"version": 1}})"), small_scan(0),
        small_scan(1 << 30), small_scan(8, R"("strides_bytes": [9223372036854775808, 4611686018427387904, 2],)"),
        small_scan(8, R"("strides_bytes": [-2, 16, 2],)"), small_scan(8, R"("channel_of_element": [4],)"),
        small_scan(8, R"("frame_rate_hz": 1e300,)")}) {
    const std::uint32_t before = sender->generation;
    ASSERT_TRUE(sender->describe(++generation, json));
    const auto refused = sender->expect(5);
    ASSERT_TRUE(refused.has_value());
    EXPECT_TRUE(testing::contains(refused->text(8), "description: "));
    EXPECT_LT(refused->text(8).size(), 250U) << "one line";
    sender->generation = before;
  }
  EXPECT_FALSE(rig.status().last_refusal.empty());
  rig.expect_frame(*sender, 1, 2);
  ASSERT_TRUE(sender->describe(++generation, small_scan())) << "the same one again";
  ASSERT_TRUE(sender->expect(4).has_value());
  rig.expect_frame(*sender, 2, 3);
}

TEST(LiveHostile, WordsThatCannotBe) {
  LiveRig rig;
  const auto sender = rig.start(small_scan(), RingPolicy::drop_newest);  // credits for all blocks
  rig.expect_frame(*sender, 0, 1);
  const std::uint64_t size = sender->frame_bytes;
  ASSERT_TRUE(sender->words({{.sequence = 1, .bytes = size, .block = 9999}}));
  ASSERT_TRUE(sender->words({{.sequence = 1, .bytes = size, .block = ~0U}}));
  ASSERT_TRUE(sender->words({{.sequence = 1, .bytes = size, .generation = 5}}));
  const auto block = [&] { return sender->credits.back().block; };
  ASSERT_TRUE(sender->words({{.sequence = 1, .bytes = size + 1, .block = block()}}));
  sender->credits.pop_back();
  ASSERT_TRUE(sender->words({{.sequence = 1, .bytes = size, .block = block(), .flags = 4}}));
  sender->credits.pop_back();
  ASSERT_TRUE(sender->words({{.sequence = 1, .bytes = size, .block = block(), .crc = 12345}}));
  sender->credits.pop_back();
  const std::uint32_t twice = block();
  sender->credits.pop_back();
  ASSERT_TRUE(
      sender->words({{.sequence = 1, .bytes = size, .block = twice}, {.sequence = 2, .bytes = size, .block = twice}}));
  ASSERT_TRUE(rig.read().has_value());
  rig.expect_frame(*sender, 3, 4);
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().faults >= 7; }));
  EXPECT_EQ(rig.status().faults, 7U);
  EXPECT_TRUE(rig.has_note("block 9999, which is not lent")) << rig.notes;
  rig.expect_sums();
}

TEST(LiveHostile, AFloodOfWordsEndsTheConnectionAlone) {
  LiveRig rig;
  const auto flood = rig.start();
  rig.expect_frame(*flood, 0, 1);
  const std::vector<ScriptedSender::Word> words(64, {.sequence = 5, .block = 77777});
  for (int k = 0; k < 1000 && flood->words(words); ++k) {
  }
  EXPECT_TRUE(flood->closed_by_viewer());
  EXPECT_GT(rig.status().faults, 1000U);
  const auto next = rig.connect();
  ASSERT_TRUE(next->begin(small_scan()));
  rig.expect_frame(*next, 0, 2);
}

// Words of blocks that were lent for the description before: counted, and no block is lent twice for it.
TEST(LiveHostile, BlocksOfAnEarlierGeneration) {
  LiveRig rig;
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
  while (sender->credits.empty()) ASSERT_TRUE(sender->expect(6).has_value());
  const std::uint64_t size = sender->frame_bytes;
  const std::uint32_t block = sender->credits.back().block;
  ASSERT_TRUE(sender->describe(1, small_scan(16)));
  ASSERT_TRUE(sender->expect(4).has_value());
  for (std::uint64_t k = 1; k < 4; ++k) ASSERT_TRUE(sender->words({{.sequence = k, .bytes = size, .block = block}}));
  ASSERT_TRUE(rig.wait_until([&] { return rig.producer->state() != ProducerState::running; }));
  rig.stream(RingPolicy::block, 4, rig.end_stream());
  ASSERT_TRUE(sender->frame(4, 7));
  const auto seen = rig.read();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->sequence, 4U);
  EXPECT_EQ(seen->value, 7);
  EXPECT_EQ(rig.ring->counts().stale, 3U);
  EXPECT_EQ(rig.status().stale, 3U) << "as STATE tells the sender";
  EXPECT_EQ(rig.status().faults, 0U);
  rig.expect_sums();
}

// What WELCOME says is the largest; the earlier description stays.
TEST(LiveHostile, FramesThatNeedMoreMemoryThanThereIs) {
  LiveRig rig;
  const auto sender = rig.connect();
  ASSERT_TRUE(sender->hello());
  const auto welcome = sender->expect(2);
  ASSERT_TRUE(welcome.has_value());
  const auto largest = welcome->at<std::uint64_t>(16);
  EXPECT_GT(largest, 1U << 20);
  ASSERT_TRUE(sender->describe(0, small_scan()));
  ASSERT_TRUE(sender->expect(4).has_value());
  const std::uint64_t elements = 4096, samples = largest / (2 * elements) + 1;
  std::string scan = small_scan(static_cast<int>(samples));
  scan.replace(scan.find("[1, 4, "), 7, "[1, 4096, ");
  ASSERT_TRUE(sender->describe(1, scan));
  const auto refused = sender->expect(5);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->text(8), "description: frames of " + std::to_string(2 * elements * samples) +
                                  " bytes; expected up to " + std::to_string(largest) +
                                  ", a sixteenth of the memory for frames");
  rig.source = rig.waiting->open({});
  rig.stream();
  sender->generation = 0;
  rig.expect_frame(*sender, 0, 1);
}

// What is sent to it fills the socket, and then its connection ends.
TEST(LiveHostile, ASenderThatReadsNothing) {
  LiveRig rig;
  const auto deaf = rig.start();
  Bytes pings;
  for (int k = 0; k < 1000; ++k) {
    pings << std::uint32_t{0x4f4843e1} << std::uint32_t{11} << std::uint64_t{24};
    pings << std::uint64_t{1} << std::int64_t{2} << std::int64_t{0};
  }
  int sent = 0;
  while (sent < 1000 && deaf->raw(pings)) ++sent;  // at most 40 MB
  EXPECT_LT(sent, 1000);
  EXPECT_TRUE(rig.wait_until([&] { return rig.has_note("does not read its messages"); })) << rig.notes;
  const auto next = rig.connect();
  ASSERT_TRUE(next->begin(small_scan()));
  rig.expect_frame(*next, 0, 2);
}

// A thousand faults are one line now, and one with their number a second later.
TEST(LiveHostile, FaultsAreThrottledLines) {
  LiveRig rig;
  const auto sender = rig.start();
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(sender->words({{.sequence = 1, .block = 9999}}));
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().faults == 1000; }));
  EXPECT_TRUE(rig.wait_until([&] { return rig.has_note(" more)"); })) << rig.notes;
  const auto lines = std::ranges::count(rig.notes, '\n');
  EXPECT_LE(lines, 6) << rig.notes;
  rig.expect_frame(*sender, 0, 1);
}

// The producer waits for a slot, and so cannot read the sockets in its turn.
TEST(LiveHostile, IsAnsweredWhileTheStreamIsBlocked) {
  LiveRig rig;
  const auto sender = rig.start();
  for (std::uint64_t k = 0; k < 10; ++k) ASSERT_TRUE(sender->frame(k, 1));
  ASSERT_TRUE(rig.wait_until([&] { return rig.ring->counts().in_flight == 4; }));
  Bytes ping;
  ping << std::uint64_t{1} << std::int64_t{2} << std::int64_t{0};
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(sender->message(11, ping));
    EXPECT_TRUE(sender->expect(12).has_value());
  }
  const auto second = rig.connect();
  ASSERT_TRUE(second->hello());
  EXPECT_TRUE(second->expect(5).has_value());
  for (std::uint64_t k = 0; k < 10; ++k) EXPECT_EQ(rig.read()->sequence, k);
  rig.expect_frame(*sender, 10, 2);
}

TEST(LiveHostile, NumbersAndClocksThatLeap) {
  LiveRig rig;
  const auto sender = rig.start(small_scan(8, R"("device_hz": 1e6,)"));
  double last_s = 0.0;
  std::uint64_t last = 0;
  for (const std::uint64_t sequence :
       {std::uint64_t{7}, std::uint64_t{1} << 63, std::uint64_t{0}, ~std::uint64_t{0} - 2000}) {
    ASSERT_TRUE(sender->frame(sequence, 5, {.acquired = std::numeric_limits<std::int64_t>::max(), .ticks = ~sequence}));
    const auto seen = rig.read();
    ASSERT_TRUE(seen.has_value());
    EXPECT_GE(seen->stamp.time_s, last_s);
    EXPECT_LT(seen->stamp.time_s, 3600.0);
    EXPECT_GT(seen->sequence, last);
    last_s = seen->stamp.time_s;
    last = seen->sequence;
  }
  EXPECT_EQ(rig.ring->counts().sequence_gaps, 0U);
  rig.expect_sums();
}

TEST(LiveHostile, NumbersAcross2To64) {
  LiveRig rig;
  const auto sender = rig.start();
  constexpr std::uint64_t kBefore = ~std::uint64_t{0} - 49;
  for (const std::uint64_t sequence : {kBefore, kBefore + 1, kBefore + 100, kBefore + 101}) {
    ASSERT_TRUE(sender->frame(sequence, 5, {.lost = sequence < kBefore ? 40U : 0U}));
    const auto seen = rig.read();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->sequence, sequence);
  }
  const RingCounts counts = rig.ring->counts();
  EXPECT_EQ(counts.duplicates, 0U);
  EXPECT_EQ(counts.lost_at_sender, 40U);
  EXPECT_EQ(counts.missing(), 58U);
  rig.expect_sums();
}

// A program on this machine is not asked for its time: whatever answers it sends, they set no clock.
TEST(LiveHostile, AnswersThatWereNotAskedFor) {
  LiveRig rig;
  const auto sender = rig.start();
  for (const std::int64_t answer : {std::numeric_limits<std::int64_t>::min(), std::int64_t{5}}) {
    testing::Bytes pong;
    pong << std::uint64_t{0} << std::int64_t{0} << answer;
    ASSERT_TRUE(sender->message(12, pong));
  }
  rig.expect_frame(*sender, 0, 1);
  EXPECT_EQ(rig.status().clock_offset_ns, 0);
}

// Pixels may tear; the numbers, the blocks and the frames after it may not.
TEST(LiveHostile, BlocksThatAreWrittenAfterTheyWereSent) {
  LiveRig rig;
  const auto sender = rig.start();
  for (std::uint64_t k = 0; k < 200; ++k) {
    while (sender->credits.empty()) ASSERT_TRUE(sender->expect(6).has_value());
    const ScriptedSender::Credit credit = sender->credits.back();
    ASSERT_TRUE(sender->frame(k, 1));
    for (int n = 0; n < 20; ++n) sender->overwrite(credit, static_cast<std::uint8_t>(n));
    const auto seen = rig.read();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->sequence, k);
  }
  EXPECT_EQ(rig.status().faults, 0U);
  rig.expect_frame(*sender, 200, 7);
  rig.expect_sums();
}

// Stopped, or just slow: it has all blocks, and nothing comes.
TEST(LiveHostile, ASenderThatKeepsAllCredits) {
  LiveRig rig;
  const auto sender = rig.start();
  ASSERT_TRUE(sender->expect(6).has_value());
  EXPECT_GT(sender->credits.size(), 0U);
  const auto second = rig.connect();
  ASSERT_TRUE(second->hello());
  const auto refused = second->expect(5);
  ASSERT_TRUE(refused.has_value());
  EXPECT_TRUE(testing::contains(refused->text(8), "busy"));
  EXPECT_EQ(rig.producer->state(), ProducerState::running);
  EXPECT_EQ(rig.status().link, LiveLink::connected);
  rig.expect_frame(*sender, 0, 1);
}

TEST(LiveHostile, DescriptorsThatAreSentAreClosed) {
  LiveRig rig;
  const auto sender = rig.start();
  const std::size_t before = open_descriptors();
  for (std::uint64_t k = 0; k < 50; ++k) {
    ASSERT_TRUE(sender->send_descriptor());
    rig.expect_frame(*sender, k, 1);
  }
  EXPECT_EQ(open_descriptors(), before);
}

// What a program of another user gets, which connects and waits for a word.
enum class Knock { closed = 10, no_entry, other };
Knock knock_as_nobody(const std::filesystem::path& path) {
  constexpr uid_t kNobody = 65534;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
  const pid_t child = ::fork();
  if (child == 0) {  // a process with threads has forked: system calls only
    auto end = [](Knock knock) { ::_exit(static_cast<int>(knock)); };
    const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0) end(Knock::other);
    if (::setresuid(kNobody, kNobody, kNobody) != 0) end(Knock::other);
    if (::connect(connection, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
      end(errno == EACCES ? Knock::no_entry : Knock::other);
    }
    pollfd ready{.fd = connection, .events = POLLIN, .revents = 0};
    char byte = 0;
    if (::poll(&ready, 1, 20'000) != 1) end(Knock::other);
    end(::recv(connection, &byte, 1, 0) <= 0 ? Knock::closed : Knock::other);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Knock>(WEXITSTATUS(status)) : Knock::other;
}

// The folder keeps it out; where somebody has opened that, the system says who connects.
TEST(LiveHostile, AProgramOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  LiveRig rig;
  const std::filesystem::path folder = rig.folder.path() / "echoloop", socket = folder / "test.sock";
  std::filesystem::permissions(rig.folder.path(), std::filesystem::perms(0755));
  EXPECT_EQ(knock_as_nobody(socket), Knock::no_entry);
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  std::filesystem::permissions(socket, std::filesystem::perms(0777));
  EXPECT_EQ(knock_as_nobody(socket), Knock::closed);
  EXPECT_TRUE(rig.wait_until([&] { return rig.has_note("a program of another user (uid 65534)"); })) << rig.notes;
  EXPECT_EQ(rig.status().link, LiveLink::waiting);
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
  testing::expect_refusal([] { const LiveWaiting other("live:other"); }, "mode 0700");
}

// Killed after any part of the conversation, with all blocks or with none.
TEST(LiveHostile, ASenderThatIsGoneAtAnyMoment) {
  LiveRig rig;
  auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
  sender.reset();
  for (int steps = 0; steps < 5; ++steps) {
    ASSERT_TRUE(rig.wait_until([&] { return rig.status().link != LiveLink::connected; }));
    sender = rig.connect();
    if (steps > 0) sender->hello();
    if (steps > 1) sender->expect(2);
    if (steps > 2) sender->describe(0, small_scan());
    if (steps > 3) sender->expect(6);
    sender.reset();
  }
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().link == LiveLink::gone; }));
  sender = rig.connect();
  ASSERT_TRUE(sender->begin(small_scan()));
  rig.expect_frame(*sender, 0, 2);
}

}  // namespace
}  // namespace echoloop::live_hostile_test
