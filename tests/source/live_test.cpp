// A scanner as a source: frames through shared memory and inline, numbers and losses, the four policies, reconnecting,
// other descriptions, layouts.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <tuple>

#include "core/error.h"
#include "formats/live_description.h"
#include "source/live/live_listener.h"
#include "source/live/live_protocol.h"
#include "source/live_rig.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::live_test {
namespace {

using testing::LiveRig;
using testing::small_scan;

class LiveTransports : public ::testing::TestWithParam<std::tuple<std::uint32_t, FrameWait>> {};
INSTANTIATE_TEST_SUITE_P(SharedAndInline, LiveTransports,
                         ::testing::Combine(::testing::Values(1U, 2U),
                                            ::testing::Values(FrameWait::sleep, FrameWait::spin)));

TEST_P(LiveTransports, FramesComeWithTheirNumbersAndSamples) {
  LiveRig rig;
  const auto sender = rig.start(small_scan(), RingPolicy::block, 4, std::get<0>(GetParam()));
  rig.source->set_frame_wait(std::get<1>(GetParam()));
  for (std::uint64_t k = 0; k < 600; ++k) {
    ASSERT_TRUE(sender->frame(40 + k, static_cast<std::uint8_t>(k)));
    const auto seen = rig.read();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->sequence, 40 + k);
    EXPECT_EQ(seen->value, static_cast<int>(k % 256));
  }
  rig.expect_sums();
  EXPECT_EQ(rig.ring->counts().missing(), 0U);
  EXPECT_EQ(rig.status().link, LiveLink::connected);
  EXPECT_EQ(rig.status().sender, "scripted");
  EXPECT_EQ(rig.status().faults, 0U);
}

TEST(SocketWait, SpinsForATenthOfASecondAfterAFrame) {
  SocketWait wait;
  std::vector<pollfd> none;
  const auto used_s = [&] {  // of the processor, by this thread
    const auto now_s = [] {
      timespec t{};
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    const double before_s = now_s();
    wait.wait(none, 100);
    return now_s() - before_s;
  };
  constexpr double kSpun_s = 0.003;
  wait.count_frame();
  EXPECT_LT(used_s(), kSpun_s);
  wait.set_how(FrameWait::spin);
  wait.count_frame();
  static_cast<void>(used_s());  // ended by set_how()
  EXPECT_GT(used_s(), kSpun_s);
  EXPECT_LT(used_s(), kSpun_s) << "no frame came";
  wait.count_frame();
  wait.set_how(FrameWait::sleep);
  static_cast<void>(used_s());
  EXPECT_LT(used_s(), kSpun_s);
}

TEST(Live, LostAndMissingAreToldApart) {
  LiveRig rig;
  const auto sender = rig.start();
  ASSERT_TRUE(sender->frame(0, 1));
  ASSERT_TRUE(sender->frame(10, 2, {.lost = 4}));
  ASSERT_TRUE(sender->frame(10, 3, {.lost = 4}));
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(rig.read().has_value());
  const RingCounts c = rig.ring->counts();
  EXPECT_EQ(c.lost_at_sender, 4U);
  EXPECT_EQ(c.missing(), 5U);
  EXPECT_EQ(c.duplicates, 1U);
  rig.expect_sums();
}

TEST(Live, BlockMakesTheSenderWait) {
  LiveRig rig;
  const auto sender = rig.start();
  std::uint64_t sent = 0;
  ASSERT_TRUE(rig.wait_until([&] {
    const bool sends = !sender->credits.empty();
    EXPECT_TRUE(sends ? sender->frame(sent, static_cast<std::uint8_t>(sent)) : sender->soon_frame(sent, {}));
    sent += sends ? 1 : 0;
    return rig.ring->counts().producer_waited_ns > 0 && sender->credits.empty();
  }));
  EXPECT_LT(sent, 64U) << "not all 256 blocks: a new description would wait for them";
  for (std::uint64_t k = 0; k < sent; ++k) {
    const auto seen = rig.read();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->value, static_cast<int>(k)) << "nothing was overwritten";
  }
  EXPECT_EQ(rig.ring->counts().dropped, 0U);
  rig.expect_frame(*sender, sent, 7);
}

TEST(Live, DropPoliciesNeverMakeTheSenderWait) {
  for (const RingPolicy policy : {RingPolicy::drop_oldest, RingPolicy::drop_newest}) {
    LiveRig rig;
    const auto sender = rig.start(small_scan(), policy);
    for (std::uint64_t k = 0; k < 2000; ++k) ASSERT_TRUE(sender->frame(k, static_cast<std::uint8_t>(k)));
    ASSERT_TRUE(rig.wait_until([&] { return rig.ring->counts().produced == 2000; }));
    EXPECT_EQ(rig.ring->counts().dropped, 1996U);
    rig.expect_sums();
    EXPECT_EQ(rig.read()->sequence, policy == RingPolicy::drop_oldest ? 1996U : 0U);
  }
}

TEST(Live, WelcomeTellsThePolicyBeforeThereIsAStream) {
  LiveRig rig;
  rig.waiting->set_policy(RingPolicy::drop_newest);
  const auto sender = rig.connect();
  ASSERT_TRUE(sender->hello());
  const auto welcome = sender->expect(2);
  ASSERT_TRUE(welcome.has_value());
  EXPECT_EQ(welcome->at<std::uint32_t>(8), static_cast<std::uint32_t>(RingPolicy::drop_newest));
}

TEST(Live, ErrorStopsTheStreamAndTheSenderIsTold) {
  LiveRig rig;
  const auto sender = rig.start(small_scan(), RingPolicy::error);
  for (std::uint64_t k = 0; k < 5; ++k) ASSERT_TRUE(sender->frame(k, 1));
  const auto stopped = sender->expect(9);
  ASSERT_TRUE(stopped.has_value());
  EXPECT_TRUE(testing::contains(stopped->text(0), "frame 4 arrived while slot"));
  EXPECT_EQ(rig.producer->state(), ProducerState::refused);
  EXPECT_EQ(rig.status().link, LiveLink::connected);
  const RingCounts before = rig.ring->counts();
  rig.stream(RingPolicy::block, 4, before);
  ASSERT_TRUE(sender->expect(10).has_value()) << "RESUME";
  ASSERT_TRUE(sender->frame(8, 9, {.lost = 3}));
  EXPECT_EQ(rig.read()->sequence, 8U);
  EXPECT_EQ(rig.ring->counts().lost_at_sender, 3U);
  rig.expect_sums();
}

// Frames that came before the stop and during it would stop the stream again: they are dropped, and counted.
TEST(Live, AStreamThatResumesBeginsWithTheNextFrame) {
  for (const std::uint32_t transport : {1U, 2U}) {
    LiveRig rig;
    const auto sender = rig.start(small_scan(), RingPolicy::error, 4, transport);
    for (std::uint64_t k = 0; k < 5; ++k) ASSERT_TRUE(sender->frame(k, 1));
    ASSERT_TRUE(rig.wait_until([&] { return rig.producer->state() == ProducerState::refused; }));
    for (std::uint64_t k = 5; k < 20; ++k) ASSERT_TRUE(sender->frame(k, 2));
    ASSERT_TRUE(sender->frame(25, 3, {.lost = 2}));  // 5 left out, 2 of them lost at the sender
    ASSERT_TRUE(sender->frame(25, 3, {.lost = 2}));
    ASSERT_TRUE(rig.wait_until([&] { return rig.status().frames == 22; }));
    rig.stream(RingPolicy::error, 4, rig.end_stream());
    ASSERT_TRUE(rig.wait_until([&] { return rig.ring->counts().produced == 22; }));
    const RingCounts counts = rig.ring->counts();
    EXPECT_EQ(counts.dropped, 4U + 17U) << "in the slots, and after the refused one";
    EXPECT_EQ(counts.refused, 1U);
    EXPECT_EQ(counts.lost_at_sender, 2U);
    EXPECT_EQ(counts.missing(), 3U);
    EXPECT_EQ(counts.duplicates, 1U);
    rig.expect_sums();
    for (std::uint64_t k = 26; k < 400; ++k) rig.expect_frame(*sender, k, 5);  // more than there are blocks
    EXPECT_EQ(rig.producer->state(), ProducerState::running);
    EXPECT_EQ(rig.ring->counts().missing(), 3U);
    rig.expect_sums();
  }
}

TEST(Live, ASenderThatComesBackFollowsOn) {
  LiveRig rig;
  auto sender = rig.start();
  rig.expect_frame(*sender, 100, 1);
  sender.reset();
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().link == LiveLink::gone; }));
  EXPECT_EQ(rig.producer->state(), ProducerState::running) << "the stream waits";
  sender = rig.connect();
  ASSERT_TRUE(sender->begin(small_scan()));
  ASSERT_TRUE(sender->frame(0, 2));
  const auto seen = rig.read();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->sequence, 101U);
  EXPECT_EQ(rig.ring->counts().sequence_gaps, 0U);
  EXPECT_EQ(rig.status().connections, 2U);
  rig.expect_sums();
}

// The end of the last connection lies behind its frames, and is read before the next HELLO.
TEST(Live, ASenderThatComesBackAtOnceIsNotRefusedAsBusy) {
  LiveRig rig;
  auto sender = rig.start(small_scan(), RingPolicy::drop_oldest);
  for (std::uint64_t round = 0; round < 100; ++round) {
    ASSERT_TRUE(sender->frame(0, 1));
    sender->close();
    sender = rig.connect();
    ASSERT_TRUE(sender->begin(small_scan())) << "round " << round;
  }
}

TEST(Live, AnotherDescriptionChangesTheStreamBetweenTwoFrames) {
  LiveRig rig;
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
  ASSERT_TRUE(sender->frame(1, 2));
  ASSERT_TRUE(sender->describe(1, small_scan(16)));
  ASSERT_TRUE(sender->expect(4).has_value());
  EXPECT_EQ(rig.read()->value, 2) << "what came before is of the old one";
  ASSERT_TRUE(rig.wait_until([&] { return rig.producer->state() == ProducerState::changed; }));
  EXPECT_EQ(rig.source->acquisition()->n_samples, 16);
  ASSERT_TRUE(sender->words({{.sequence = 2, .bytes = 64, .generation = 0}})) << "stale";
  rig.stream(RingPolicy::block, 4, rig.ring->counts());
  rig.expect_frame(*sender, 3, 4);
  EXPECT_EQ(rig.ring->counts().stale, 1U);
  EXPECT_EQ(rig.ring->counts().missing(), 0U);
  rig.expect_sums();
}

TEST(Live, WhiteSpaceIsNoOtherDescription) {
  LiveRig rig;
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
  ASSERT_TRUE(sender->describe(1, " " + small_scan() + "\n"));
  ASSERT_TRUE(sender->expect(4).has_value());
  ASSERT_TRUE(sender->frame(1, 2));
  const auto seen = rig.read();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->value, 2);
  EXPECT_EQ(rig.producer->state(), ProducerState::running);
}

TEST(Live, TheDevicesClockIsTheAcquisitionsTime) {
  LiveRig rig;
  const auto sender = rig.start(small_scan(8, R"("device_hz": 1000,)"));
  ASSERT_TRUE(sender->frame(0, 1, {.ticks = 5000}));
  ASSERT_TRUE(sender->frame(1, 1, {.ticks = 5250}));
  EXPECT_EQ(rig.read()->stamp.time_s, 0.0);
  EXPECT_EQ(rig.read()->stamp.time_s, 0.25);
  EXPECT_EQ(rig.status().clock, "device, 0.001 MHz");
}

// A frame [element][transmit][time] of channels in another order, with gaps, as one of the stream.
TEST(LiveDescription, StridedAndPermutedFramesAreConverted) {
  const std::string json =
      R"({"axes": ["element", "transmit", "time"], "shape": [3, 2, 4], "dtype": "int16", "strides_bytes": [32, 16, 2],
          "channel_of_element": [2, 0], "fs_hz": 20e6, "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0,
          "t_zero": "origin", "tx": [{"kind": "plane", "angle_rad": 0}, {"kind": "plane", "angle_rad": 0.1}]})";
  const LiveDescription d =
      describe_live("description", std::as_bytes(std::span(json.data(), json.size())), LikeFiles::refused);
  EXPECT_EQ(d.acquisition->n_elements(), 2);
  EXPECT_EQ(d.acquisition->n_transmits(), 2);
  EXPECT_FALSE(d.layout->in_place());
  ASSERT_EQ(d.layout->frame_bytes(), 2U * 32 + 16 + 3 * 2 + 2);
  std::vector<std::int16_t> sent(d.layout->frame_bytes() / 2);
  for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<std::int16_t>(k);
  std::vector<std::int16_t> got(16);
  d.layout->convert(std::as_bytes(std::span(sent)), std::as_writable_bytes(std::span(got)));
  std::vector<std::int16_t> expected;
  for (const int transmit : {0, 1}) {
    for (const int channel : {2, 0}) {
      for (int i = 0; i < 4; ++i) expected.push_back(static_cast<std::int16_t>(channel * 16 + transmit * 8 + i));
    }
  }
  EXPECT_EQ(got, expected);
}

bool assumes(const LiveDescription& d, const std::string& words) {
  return std::ranges::any_of(d.acquisition->assumptions,
                             [&](const Assumption& a) { return a.text.find(words) != std::string::npos; });
}

// Rows that are not named belong to no element; one that is named twice is said, as it may be a slip.
TEST(LiveDescription, ElementsThatShareAChannelAreSaid) {
  const auto described = [](const std::string& channels) {
    const std::string json = small_scan(8, "\"channel_of_element\": " + channels + ",");
    return describe_live("description", std::as_bytes(std::span(json.data(), json.size())), LikeFiles::refused);
  };
  EXPECT_TRUE(assumes(described("[0, 1, 1, 3]"), "4 elements on 3 channels"));
  EXPECT_FALSE(assumes(described("[3, 1]"), "channels"));
}

// Unsigned samples: zero is where `offset` says, and without it the answer says that none was given.
TEST(LiveDescription, TheOffsetIsSubtracted) {
  const auto described = [](const std::string& type, const std::string& more) {
    std::string json = small_scan(8, more);
    json.replace(json.find("int16"), 5, type);
    return describe_live("description", std::as_bytes(std::span(json.data(), json.size())), LikeFiles::refused);
  };
  const auto converted = [](const LiveDescription& d, const auto& sent) {
    std::vector<std::int16_t> got(32);
    EXPECT_EQ(d.acquisition->sample_type, SampleType::int16);
    d.layout->convert(std::as_bytes(std::span(sent)), std::as_writable_bytes(std::span(got)));
    return got;
  };
  std::vector<std::uint8_t> bytes(32);
  std::vector<std::uint16_t> words(32);
  std::vector<std::int16_t> expected(32);
  for (int k = 0; k < 32; ++k) {
    bytes[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(8 * k);
    words[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(32640 + 8 * k);
    expected[static_cast<std::size_t>(k)] = static_cast<std::int16_t>(8 * k - 128);
  }
  EXPECT_EQ(converted(described("uint8", R"("offset": 128,)"), bytes), expected);
  EXPECT_EQ(converted(described("uint16", R"("offset": 32768,)"), words), expected);
  EXPECT_EQ(described("uint16", R"("offset": 2048,)").acquisition->sample_type, SampleType::float32);
  EXPECT_EQ(described("uint8", R"("offset": 0.5,)").acquisition->sample_type, SampleType::float32);
  EXPECT_EQ(described("int16", R"("offset": 1,)").acquisition->sample_type, SampleType::float32);
  EXPECT_TRUE(assumes(described("uint8", ""), "'offset'"));
  EXPECT_FALSE(assumes(described("uint8", R"("offset": 128,)"), "'offset'"));
  EXPECT_FALSE(assumes(described("int16", ""), "'offset'"));
}

std::string refusal_of(const std::string& json) {
  return testing::error_of([&] {
    static_cast<void>(
        describe_live("description", std::as_bytes(std::span(json.data(), json.size())), LikeFiles::refused));
  });
}

// `more`: keys put at the head of a complete description, or in the place of one of its keys.
std::string scan_with(const std::string& more, const std::string& replaced = {}) {
  std::string json = small_scan(8, more);
  if (!replaced.empty()) json.replace(json.find("\"" + replaced), replaced.size() + 2, "\"x_\"");
  return json;
}

TEST(LiveDescription, NothingIsGuessed) {
  EXPECT_EQ(refusal_of(small_scan()), "no error");
  const auto without = [](const std::string& key) {
    std::string json = small_scan();
    json.replace(json.find("\"" + key), 1, "\"x_");
    return refusal_of(json);
  };
  for (const char* key : {"axes", "shape", "dtype", "fs_hz", "fc_hz", "t0_s", "t_zero", "pitch_m"}) {
    EXPECT_TRUE(testing::contains(without(key), key));
  }
  EXPECT_TRUE(testing::contains(refusal_of(R"({"like": "/etc/passwd"})"), "another machine"));
  EXPECT_TRUE(testing::contains(refusal_of(scan_with(R"("offset": 1e11,)")), "-1e10 to 1e10"));
}

TEST(LiveDescription, AnUnknownKeyIsRefusedWithTheOneThatWasMeant) {
  EXPECT_EQ(refusal_of(scan_with(R"("pitch_mm": 0.3,)", "pitch_m")),
            "description: unknown key 'pitch_mm'; expected 'pitch_m'");
  const std::pair<const char*, const char*> slips[] = {
      {"device_mhz", "device_hz"},   {"Device_Hz", "device_hz"},      {"devise_hz", "device_hz"},
      {"strides", "strides_bytes"},  {"frame_rate", "frame_rate_hz"}, {"radius_mm", "radius_m"},
      {"elment_x_m", "element_x_m"}, {"bandwith_hz", "bandwidth_hz"}};
  for (const auto& [slip, meant] : slips) {
    const std::string line = refusal_of(scan_with("\"" + std::string(slip) + "\": 1,"));
    EXPECT_TRUE(testing::contains(line, "'" + std::string(slip) + "'; expected '" + meant + "'"));
  }
  std::string tx = small_scan();
  tx.replace(tx.find("angle_rad"), 9, "angle_deg");
  EXPECT_TRUE(testing::contains(refusal_of(tx), "'angle_deg'; expected 'angle_rad'"));
  const std::string other = refusal_of(scan_with(R"("note": "wires",)"));
  EXPECT_TRUE(testing::contains(other, "unknown key 'note'; expected a known key, or one of your own"));
  EXPECT_EQ(refusal_of(scan_with(R"("x_note": "wires", "x_points_m": [1, 2],)")), "no error");
}

// The stream that begins with it would end at once.
TEST(LiveDescription, OneWhoseDepthNoParameterCanHaveIsRefused) {
  std::string json = small_scan();
  json.replace(json.find("\"t0_s\": "), 8, "\"t0_s\": 0.05, \"x_\": ");  // 38 m
  EXPECT_TRUE(testing::contains(refusal_of(json), "t0 = 0.05 s, a depth of 38.5 m"));
}

// 10^6 keys took 2.2 s, 4.5 10^6 keys 747 MB: what comes after too many is not read.
TEST(LiveDescription, KeysAreCountedWhileTheyAreRead) {
  std::string many = "{";
  for (int k = 0; k < 130'000; ++k) many += (k == 0 ? "\"x_" : ",\"x_") + std::to_string(k) + "\":0";
  EXPECT_TRUE(testing::contains(refusal_of(many + "]"), "JSON with more than 120000 keys"));
  const std::string longer = "{\"x_" + std::string(std::size_t{2} << 20, 'a') + "\": 0}";
  EXPECT_TRUE(testing::contains(refusal_of(longer), "keys of 1 MiB together"));
}

TEST(LiveDescription, OtherKeysAreSaid) {
  const auto unused = [](const std::string& json) {
    return describe_live("description", std::as_bytes(std::span(json.data(), json.size())), LikeFiles::refused).unused;
  };
  EXPECT_EQ(unused(small_scan()), "");
  EXPECT_EQ(unused(scan_with(R"("demod_hz": 5e6,)")), "demod_hz (the samples are not IQ)");
}

TEST(Live, KeysWithoutEffectAreInTheAnswerAndInTheLog) {
  LiveRig rig;
  const auto sender = rig.connect();
  ASSERT_TRUE(sender->hello());
  ASSERT_TRUE(sender->expect(2).has_value());
  ASSERT_TRUE(sender->describe(0, scan_with(R"("demod_hz": 5e6,)")));
  const auto accepted = sender->expect(4);
  ASSERT_TRUE(accepted.has_value());
  EXPECT_TRUE(accepted->text(24).ends_with("; keys without effect: demod_hz (the samples are not IQ)"))
      << accepted->text(24);
  EXPECT_TRUE(rig.wait_until([&] { return rig.has_note("keys without effect: demod_hz"); })) << rig.notes;
}

TEST(LiveDescription, EveryBitOfAnAcquisitionComesThrough) {
  const LiveDescription first =
      describe_live("a", std::as_bytes(std::span(small_scan().data(), small_scan().size())), LikeFiles::refused);
  const std::string json = live_description_json(*first.acquisition, "copy");
  const LiveDescription second =
      describe_live("b", std::as_bytes(std::span(json.data(), json.size())), LikeFiles::refused);
  EXPECT_TRUE(second.layout->in_place());
  EXPECT_EQ(second.layout->frame_bytes(), first.acquisition->frame_bytes());
  EXPECT_EQ(live_description_json(*second.acquisition, "copy"), json);
  EXPECT_EQ(second.name, "copy");
}

TEST(LiveAddress, SaysWhatItAccepts) {
  EXPECT_EQ(parse_live_address("live:").text, "live:default");
  EXPECT_EQ(parse_live_address("live:scan-2").socket.filename(), "scan-2.sock");
  const LiveAddress tcp = parse_live_address("live:tcp:0.0.0.0:9000,token=/tmp/t");
  EXPECT_EQ(tcp.port, 9000);
  EXPECT_EQ(tcp.token, "/tmp/t");
  for (const char* bad : {"live:../x", "live:tcp:0.0.0.0:9000", "live:tcp:127.0.0.1", "live:tcp:127.0.0.1:70000",
                          "live:tcp:127.0.0.1:9000,token="}) {
    EXPECT_THROW(static_cast<void>(parse_live_address(bad)), Error) << bad;
  }
}

TEST(LiveAddress, TheTokenIsTheWordOfAFile) {
  const testing::TemporaryFolder folder;
  const auto token_in = [](const std::filesystem::path& file) {
    return read_token(parse_live_address("live:tcp:127.0.0.1:0,token=" + file.string()));
  };
  testing::write_text_file(folder / "word", "\n 12345678 and more\n");
  EXPECT_EQ(token_in(folder / "word"), "12345678");
  testing::write_text_file(folder / "short", "1234567");
  testing::write_text_file(folder / "long", std::string(1'000'000, 'x'));
  testing::write_text_file(folder / "blank", " \n");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  testing::expect_refusal([&] { (void)token_in(folder / "short"); }, "a token of 7 characters");
  testing::expect_refusal([&] { (void)token_in(folder / "long"); }, "a token of more than 1000 characters");
  for (const char* name : {"blank", "pipe", "missing", "."})
    testing::expect_refusal([&] { (void)token_in(folder / name); }, "no readable token");
  testing::expect_refusal([&] { (void)token_in("/dev/zero"); }, "no readable token");
}

TEST(LiveAddress, IsOfOneViewer) {
  LiveRig rig;
  EXPECT_THROW(LiveWaiting("live:test"), Error);
  rig.waiting.reset();
  EXPECT_NO_THROW(LiveWaiting("live:test"));
}

TEST(LiveProtocol, ChecksumIsCastagnolis) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(text.data(), text.size()))), 0xe3069283U);
}

}  // namespace
}  // namespace echoloop::live_test
