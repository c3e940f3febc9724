// The program's window as a viewer of a scanner, offscreen: the sender stays connected through a reset and through its
// address being opened again, a stream that stopped on overrun resumes, and a sender that has gone is said.
#include <gtest/gtest.h>
#include <imgui.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "app/options/folders.h"
#include "core/units.h"
#include "formats/live_description.h"
#include "gui/scene.h"
#include "gui/state/stream_text.h"
#include "gui/turning.h"
#include "source/scripted_sender.h"
#include "support/environment_variable.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing::scanner_window_test {
namespace {

// 16 elements, 256 samples.
const std::string kScan =
    R"({"axes": ["transmit", "element", "time"], "shape": [1, 16, 256], "dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6,
        "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin", "frame_rate_hz": 50,
        "tx": [{"kind": "plane", "angle_rad": 0}]})";

class ScannerWindow : public WindowTest {
 protected:
  void start(RingPolicy policy = RingPolicy::block) {
    program_file() = ECHO_PROGRAM;
    Options options = script_options("live:test");
    options.source_given = true;
    options.stream.policy = policy;
    options.stream.slots = 2;
    options.queue_given = true;
    options.history_bytes = std::size_t{64} << 20;
    options.width = 1280;
    options.height = 900;
    begin(options);
    ASSERT_TRUE(until([&] { return status() != nullptr; }));
  }
  void connect() {
    sender_ = std::make_unique<ScriptedSender>(folder_ / "echoloop" / "test.sock");
    ASSERT_TRUE(sender_->begin(kScan));
  }
  // The frames are sent, taken and shown.
  void send(int frames) {
    for (int k = 0; k < frames; ++k) {
      ASSERT_TRUE(until([&] { return app_->state().run == RunState::live; })) << "a stream that lends blocks";
      const std::uint64_t processed = app_->state().numbers.counts.processed;
      ASSERT_TRUE(sender_->frame(next_++, 1));
      ASSERT_TRUE(until([&] { return app_->state().numbers.counts.processed > processed; }));
    }
  }
  [[nodiscard]] const LiveStatus* status() const {
    return app_->state().scanner.has_value() ? &*app_->state().scanner : nullptr;
  }
  void open_source_panel(const std::string& id) {
    if (app_->viewer().screen().ui().rect_of(id).width() == 0.0F) click("panel_source");
    ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of(id).width() > 0.0F; })) << id;
  }
  [[nodiscard]] bool said(const std::string& words) const {
    return std::ranges::any_of(app_->state().notices.messages.list(),
                               [&](const Message& m) { return m.text.find(words) != std::string::npos; });
  }

  [[nodiscard]] std::string last_message() const {
    const auto& list = app_->state().notices.messages.list();
    return list.empty() ? "no message" : list.back().text;
  }

  Variable runtime_{"XDG_RUNTIME_DIR", folder_.path().string()};
  std::unique_ptr<ScriptedSender> sender_;
  std::uint64_t next_ = 0;
};

TEST_F(ScannerWindow, TheAddressOpenedAgainKeepsTheSender) {
  start();
  connect();
  send(3);
  drop("live:test");
  send(2);
  EXPECT_EQ(app_->state().numbers.counts.processed, 5U) << "the counts go on";
  press(Key::f9);
  ASSERT_TRUE(until([&] { return app_->state().numbers.counts.processed == 0; })) << "counters begin anew";
  send(2);
  EXPECT_EQ(status()->connections, 1U);
  EXPECT_EQ(status()->link, LiveLink::connected);
  EXPECT_FALSE(said("in use by another viewer"));
}

TEST_F(ScannerWindow, TheAddressOpenedAgainWhileItIsWaitedAtIsWaitedAt) {
  start();
  drop("live:test");
  drop("live:test");
  connect();
  send(1);
  EXPECT_FALSE(said("in use by another viewer"));
  drop("live:other");
  ASSERT_TRUE(until([&] { return status() != nullptr && status()->address == "live:other"; }));
  drop("live:test");
  ASSERT_TRUE(until([&] { return status() != nullptr && status()->address == "live:test"; }));
  send(1);
  EXPECT_EQ(status()->connections, 1U) << "the other one was only waited at";
}

// A phantom between two visits, also one that is left before it has opened; shared memory and TCP.
TEST_F(ScannerWindow, AnAddressIsFreeAtOnceAfterAnotherSource) {
  start();
  connect();
  send(2);
  const std::string port = std::to_string(20000 + (::getpid() + 29) % 20000);
  const std::string addresses[] = {"live:test", "live:tcp:127.0.0.1:" + port};
  for (const std::string& address : addresses) {
    for (const bool opened : {true, false}) {
      drop("sim:points");
      ASSERT_TRUE(!opened || until([&] { return status() == nullptr && app_->state().numbers.counts.processed > 0; }));
      drop(address);
      ASSERT_TRUE(until([&] { return status() != nullptr && status()->address == address; }))
          << address << (opened ? "" : ", the phantom is left before it has opened") << ": " << last_message();
      EXPECT_FALSE(said("in use"));
    }
  }
  drop("live:test");
  ASSERT_TRUE(until([&] { return status() != nullptr && status()->address == "live:test"; }));
  connect();
  ASSERT_TRUE(until([&] { return app_->state().source.live; })) << "the stream of the scanner, not of the phantom";
  next_ = 0;
  send(2);
}

class ScannerWindowCures : public ScannerWindow, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Buttons, ScannerWindowCures, ::testing::Values("Resume", "Resume with Drop oldest"),
                         [](const auto& cure) { return cure.index == 0 ? "Resume" : "DropOldest"; });

TEST_P(ScannerWindowCures, AStreamThatStoppedOnOverrunResumes) {
  start(RingPolicy::error);
  connect();
  for (int k = 0; k < 200 && app_->state().kept.frames < 3; ++k) send(1);  // memory for the history grows meanwhile
  ASSERT_GE(app_->state().kept.frames, 3U);
  const std::uint64_t before = app_->state().numbers.counts.produced;
  // More than slots and lanes hold, and no turn of the window between them.
  std::optional<ScriptedSender::Message> stopped;
  for (int k = 0; k < 200 && app_->state().run != RunState::fault; ++k) {
    for (int n = 0; n < 4 && sender_->soon_frame(next_, {}); ++n) ++next_;
    app_->turn();
  }
  ASSERT_EQ(app_->state().run, RunState::fault) << "no overrun";
  EXPECT_TRUE(sender_->seen.contains(9) || sender_->expect(9).has_value()) << "STOPPED";
  EXPECT_EQ(status()->link, LiveLink::connected);
  EXPECT_NE(app_->state().notices.fault->title.find("the scanner is faster"), std::string::npos)
      << app_->state().notices.fault->title;
  app_->turn();
  ASSERT_GT(app_->viewer().screen().ui().rect_of("cure/Resume").width(), 0.0F);
  click("cure/" + std::string(GetParam()));
  // The stream that stopped may need more turns of the window to end; none comes while the sender waits.
  ASSERT_TRUE(until([&] { return app_->state().run == RunState::live; }));
  EXPECT_TRUE(sender_->seen.contains(10) || sender_->expect(10).has_value()) << "RESUME";
  sender_->credits.clear();
  EXPECT_TRUE(said("Resumed"));
  EXPECT_GT(app_->state().numbers.counts.produced, before) << "the counts go on";
  EXPECT_GE(app_->state().kept.frames, 3U) << "and the history stays";
  EXPECT_EQ(status()->connections, 1U);
  send(5);
  EXPECT_EQ(app_->state().run, RunState::live) << "what came before the stop does not fill the slots again";
  const RingCounts& n = app_->state().numbers.counts;
  EXPECT_EQ(n.produced, n.processed + n.dropped + n.refused + n.in_flight);
  EXPECT_EQ(n.missing(), 0U);
}

// 8 elements, two transmits.
const std::string kOtherScan =
    R"({"axes": ["transmit", "element", "time"], "shape": [2, 8, 300], "dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6,
        "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin", "frame_rate_hz": 30, "name": "Other probe",
        "tx": [{"kind": "plane", "angle_rad": 0}, {"kind": "plane", "angle_rad": 0.1}]})";

TEST_F(ScannerWindow, KeptFramesStayWithTheirOwnDescriptionWhenAnotherOneComes) {
  start();
  connect();
  for (int k = 0; k < 200 && app_->state().kept.frames < 3; ++k) send(1);  // memory for the history grows meanwhile
  const std::size_t before = app_->state().kept.frames;
  ASSERT_GE(before, 3U);
  const std::uint64_t change = next_;
  ASSERT_TRUE(sender_->describe(1, kOtherScan) && sender_->expect(4).has_value());
  ASSERT_TRUE(until([&] { return said("New description: 8 elements, 2 transmits. History of the old one stays"); }));
  EXPECT_EQ(app_->state().source.name, "Other probe");
  EXPECT_EQ(app_->state().source.rate_hz, 30.0);
  for (int k = 0; k < 200 && app_->state().kept.frames < before + 2; ++k) send(1);
  ASSERT_GE(app_->state().kept.frames, before + 2);
  const auto shows = [&](int elements) {
    const Image& image = app_->viewer().shown_image();
    return image.acquisition != nullptr && image.acquisition->n_elements() == elements;
  };
  ASSERT_TRUE(until([&] { return shows(8); }));
  app_->state().cine.keep_acquiring = true;
  press(Key::space);
  ASSERT_TRUE(until([&] { return app_->state().run == RunState::frozen; }));
  app_->state().cine.index = 0;
  ASSERT_TRUE(until([&] { return shows(16); })) << "the first frame, as it was described";
  EXPECT_LT(app_->viewer().shown_image().stamp.sequence, change);
  // Frozen, while the stream goes on with a third one.
  ASSERT_TRUE(sender_->describe(2, kScan) && sender_->expect(4).has_value());
  const std::uint64_t processed = app_->state().numbers.counts.processed;
  ASSERT_TRUE(
      until([&] { return sender_->soon_frame(next_, {}) && app_->state().numbers.counts.processed > processed; }));
  EXPECT_EQ(app_->state().run, RunState::frozen);
  EXPECT_TRUE(shows(16));
  app_->state().cine.index = app_->state().kept.frames - 1;
  ASSERT_TRUE(until([&] { return shows(8); })) << "the newest of those that are held";
  press(Key::space);
  ++next_;
  send(2);
  EXPECT_TRUE(until([&] { return shows(16); }));
  const RingCounts& n = app_->state().numbers.counts;
  EXPECT_EQ(n.produced, n.processed + n.dropped + n.refused + n.in_flight);
}

TEST_F(ScannerWindow, ASenderThatHasGoneIsSaidWithTheTime) {
  start();
  connect();
  send(2);
  EXPECT_EQ(no_sender_text(*status(), now_ns()), "");
  sender_.reset();
  ASSERT_TRUE(until([&] { return status()->link == LiveLink::gone; }));
  const std::int64_t gone_ns = status()->since_ns;
  EXPECT_EQ(no_sender_text(*status(), gone_ns + 3'200'000'000), "No sender since 3.2 s");
  EXPECT_EQ(no_sender_text(*status(), gone_ns + 252'000'000'000), "No sender since 4 min 12 s");
  EXPECT_EQ(no_sender_text(*status(), gone_ns + 7'500'000'000'000), "No sender since 2 h 05 min");
  EXPECT_LT(std::abs(now_ns() - gone_ns), 60'000'000'000);
  EXPECT_EQ(app_->state().numbers.pace.held_back, HeldBack::no);
  EXPECT_TRUE(until([&] { return app_->state().numbers.idle; }));
  EXPECT_TRUE(until([&] { return app_->state().numbers.processed_fps == 0.0; }));
}

TEST_F(ScannerWindow, TheSenderIsDisconnectedAndLetInAgain) {
  start();
  connect();
  send(2);
  open_source_panel("scanner_accept");
  click("scanner_accept");
  const auto bye = sender_->expect(13);
  ASSERT_TRUE(bye.has_value());
  EXPECT_EQ(bye->text(0), "disconnected by the viewer's user");
  ASSERT_TRUE(until([&] { return status()->link == LiveLink::gone && !status()->accepting; }));
  const std::uint64_t processed = app_->state().numbers.counts.processed;
  click("scanner_accept");
  ASSERT_TRUE(until([&] { return status()->accepting; }));
  connect();
  send(1);
  EXPECT_EQ(app_->state().numbers.counts.processed, processed + 1);
}

// As it came, every key in its line; copied, and saved as a file that is the same.
TEST_F(ScannerWindow, TheDescriptionIsShownCopiedAndSaved) {
  const Variable documents("XDG_DOCUMENTS_DIR", folder_.path().string());
  start();
  EXPECT_EQ(app_->viewer().screen().ui().rect_of("scanner_description").width(), 0.0F) << "there is none yet";
  connect();
  send(2);
  open_source_panel("scanner_description");
  ASSERT_NE(status()->description, nullptr);
  EXPECT_TRUE(status()->description->starts_with("{\n  \"axes\": [\"transmit\",\"element\",\"time\"],\n"))
      << *status()->description;
  click("scanner_description");
  ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of("description_copy").width() > 0.0F; }));
  click("description_copy");
  click("description_save");
  ASSERT_TRUE(until([&] { return said("_description.json"); }));
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().string().ends_with("_description.json")) file = entry.path();
  }
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, *status()->description);
  const LiveDescription again =
      describe_live("saved", std::as_bytes(std::span(text.data(), text.size())), LikeFiles::refused);
  EXPECT_EQ(again.acquisition->n_elements(), 16);
  click("description_close");
  send(1);
}

// Nothing listens before the question is answered; the token file is made for this user alone.
TEST_F(ScannerWindow, TheNetworkIsListenedAtAfterAQuestion) {
  start();
  open_source_panel("scanner_access/Network");
  const std::filesystem::path token = folder_ / "config/echoloop/scanner_token";
  click("scanner_access/Network");
  ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of("network_listen").width() > 0.0F; }));
  EXPECT_EQ(status()->address, "live:test");
  EXPECT_FALSE(std::filesystem::exists(token));
  const Rect port = app_->viewer().screen().ui().rect_of("network_port");
  ASSERT_GT(port.width(), 0.0F);
  const RgbImage shot = app_->viewer().screenshot();
  int light = 0;  // of words behind the field: it has no label there
  for (int y = static_cast<int>(port.y0); y < static_cast<int>(port.y1); ++y) {
    for (int x = static_cast<int>(port.x1) + 2; x < static_cast<int>(port.x1) + 80; ++x) {
      light += shot.rgb[3 * static_cast<std::size_t>(y * shot.width + x)] > 90 ? 1 : 0;
    }
  }
  EXPECT_EQ(light, 0);
  click("network_cancel");
  EXPECT_EQ(status()->address, "live:test");
  click("scanner_access/Network");
  ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of("network_listen").width() > 0.0F; }));
  click("network_listen");
  ASSERT_TRUE(until([&] { return status() != nullptr && status()->address == "live:tcp:0.0.0.0:18483"; }));
  EXPECT_EQ(status()->reach, "Reachable from other machines on this network, with a token.");
  EXPECT_EQ(app_->state().opening.scanner_token, token.string());
  EXPECT_EQ(std::filesystem::file_size(token), 33U);
  EXPECT_EQ(std::filesystem::status(token).permissions(), std::filesystem::perms(0600));
  const std::filesystem::path own = folder_ / "own";
  std::ofstream(own) << "correct-horse\n";
  drop("live:tcp:0.0.0.0:" + std::to_string(20000 + (::getpid() + 31) % 20000) + ",token=" + own.string());
  ASSERT_TRUE(until([&] { return app_->state().opening.scanner_token == own.string(); }));
  click("scanner_access/Local");
  ASSERT_TRUE(until([&] { return status() != nullptr && status()->address == "live:default"; }));
}

// The line stays on screen where a sender is waited for, and goes with the next one.
TEST_F(ScannerWindow, ARefusedDescriptionIsKnownWhileItIsWaitedFor) {
  start();
  sender_ = std::make_unique<ScriptedSender>(folder_ / "echoloop" / "test.sock");
  std::string scan = kScan;
  scan.replace(scan.find("pitch_m"), 7, "pitch_mm");
  ASSERT_TRUE(sender_->hello() && sender_->expect(2).has_value() && sender_->describe(0, scan));
  const auto refused = sender_->expect(5);
  ASSERT_TRUE(refused.has_value());
  ASSERT_TRUE(until([&] { return !status()->last_refusal.empty(); }));
  EXPECT_EQ(status()->last_refusal, "description: unknown key 'pitch_mm'; expected 'pitch_m'");
  EXPECT_EQ(refused->text(8), status()->last_refusal);
  ASSERT_TRUE(until([&] { return said("Description refused: description: unknown key 'pitch_mm'"); }));
  const auto error_stands = [&] {
    const auto& list = app_->state().notices.messages.list();
    const auto at = standing(list);
    return at.has_value() && list[*at].severity == Severity::error;
  };
  EXPECT_TRUE(error_stands());
  sender_->generation = 0;
  ASSERT_TRUE(sender_->describe(1, kScan) && sender_->expect(4).has_value());
  send(1);
  EXPECT_EQ(status()->last_refusal, "");
  EXPECT_TRUE(until([&] { return !error_stands(); }));
}

// The program itself, as a sender: from the page, from the panel, and each way that it ends.
TEST_F(ScannerWindow, TheHeartPhantomIsSentAndEndsWithItsScanner) {
  start();
  const auto sends = [&] { return app_->state().opening.sends_phantom; };
  const auto shows_images = [&] {
    const std::uint64_t before = app_->state().numbers.shown;
    return until([&] { return app_->state().numbers.shown > before + 3; });
  };
  click("send_phantom");
  ASSERT_TRUE(sends());
  ASSERT_TRUE(shows_images());
  EXPECT_EQ(status()->sender, "echoloop send");
  EXPECT_EQ(app_->viewer().screen().ui().rect_of("send_phantom").width(), 0.0F) << "the image is in its place";
  open_source_panel("scanner_phantom");
  click("scanner_phantom");
  ASSERT_TRUE(until([&] { return !sends() && status()->link == LiveLink::gone; }));
  EXPECT_TRUE(said("echoloop send: Heart phantom: sent "));
  EXPECT_FALSE(said("ended with status"));
  click("scanner_phantom");
  ASSERT_TRUE(until([&] { return status()->link == LiveLink::connected; }));
  ASSERT_TRUE(shows_images());
  drop("sim:points");
  ASSERT_TRUE(until([&] { return !sends(); })) << "it ends with another source";
  drop("live:other");
  ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of("scanner_phantom").width() > 0.0F; }));
  click("scanner_phantom");
  ASSERT_TRUE(until([&] { return status()->link == LiveLink::connected; }));
  const auto sender = static_cast<pid_t>(status()->pid);
  ASSERT_EQ(::kill(sender, 0), 0);
  app_.reset();
  EXPECT_EQ(::kill(sender, 0), -1) << "it ends with the window";
}

TEST_F(ScannerWindow, TheWaitingPageCopiesAddressAndLines) {
  start();
  const std::pair<const char*, const char*> copies[] = {
      {"waiting_copy", "live:test"},
      {"scanner_copy", "live:test"},
      {"copy_python",
       "from echoloop import Sender\nwith Sender({\"like\": \"setup.mat\"}, \"live:test\") as s:\n"
       "    while True: s.send(scanner.read())\n"},
      {"copy_c",
       "echoloop_sender* s = echoloop_open(\"live:test\", \"my scanner\");\n"
       "echoloop_describe(s, json, 1000);\n"
       "echoloop_send(s, samples, bytes, NULL, 100);  /* every frame */\n"},
      {"copy_matlab",
       "json = fileread('setup.json');\necholoop('describe', json, 'live:test');\n"
       "echoloop('send', RcvData{1}, rows);  % every frame\n"},
      {"copy_command", "echoloop send sim:heart --to live:test"}};
  open_source_panel("scanner_copy");
  for (const auto& [button, text] : copies) {
    click(button);
    EXPECT_STREQ(ImGui::GetClipboardText(), text) << button;
  }
}

TEST(ScannerText, APortOfAllNetworksIsNamedByTheMachine) {
  EXPECT_EQ(sender_address("live:default", "host"), "live:default");
  EXPECT_EQ(sender_address("live:tcp:127.0.0.1:5000", "host"), "live:tcp:127.0.0.1:5000");
  EXPECT_EQ(sender_address("live:tcp:0.0.0.0:5000", "host"), "live:tcp:host:5000,token=FILE");
}

std::vector<std::uint8_t> pixels(Scene& scene, const std::string& id) {
  const RgbImage picture = scene.shot();
  const Rect r = scene.rect(id);
  std::vector<std::uint8_t> inside;
  for (int y = static_cast<int>(r.y0); y < static_cast<int>(r.y1); ++y) {
    const auto* row =
        picture.rgb.data() + (static_cast<std::ptrdiff_t>(y) * picture.width + static_cast<int>(r.x0)) * 3;
    inside.insert(inside.end(), row, row + static_cast<std::ptrdiff_t>(r.width()) * 3);
  }
  return inside;
}

// Values of an acquisition that there is not: nothing to see and nothing to set.
TEST(ScannerPanels, WithoutAnAcquisitionRowsShowNoValues) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.source.acquisition.reset();
  scene.state.scanner.emplace().address = "live:default";
  scene.frames(3);
  for (const char* id : {"depth", "band"}) {
    scene.state.params.formation.depth_max_m = 0.03;
    scene.state.params.formation.band_high_hz = 6e6;
    scene.frames(3);
    const auto before = pixels(scene, id);
    ASSERT_FALSE(before.empty()) << id;
    scene.state.params.formation.depth_max_m = 0.05;
    scene.state.params.formation.band_high_hz = 8e6;
    scene.frames(3);
    EXPECT_EQ(pixels(scene, id), before) << id;
    const ImagingParams params = scene.state.params;
    scene.click(id, true);
    EXPECT_EQ(scene.state.params, params) << id;
  }
}

}  // namespace
}  // namespace echoloop::testing::scanner_window_test
