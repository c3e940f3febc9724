// Tap of a running stream, read as its page says: every frame for readers that the stream waits for, the newest for the
// others, and neither is held up by a reader that stops.
#include "app/outputs/tap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "source/live/live_protocol.h"
#include "support/environment_variable.h"
#include "support/socket_client.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"

namespace echoloop::tap_test {
namespace {

using testing::TemporaryFolder;
using testing::Variable;

class Client : public testing::SocketClient {
 public:
  Client(const std::string& kind, bool every) : SocketClient("test.tap") {
    send(1, payload_of(std::uint16_t{1}, std::uint16_t{0}, kLiveByteOrder, std::uint64_t{1},
                       static_cast<std::uint32_t>(every), kind));
    welcome = receive();
  }

  struct Frame {
    FrameWord word;
    std::vector<float> values;
  };

  void ask() { send(14, {}); }
  // Returns the next frame; its block stays held.
  Frame take() {
    for (;;) {
      const Message message = receive();
      PayloadReader in(message.payload);
      if (message.kind == 4) {
        in.number<std::uint64_t>();
        block_bytes_ = in.number<std::uint64_t>();
        map(in.number<std::uint64_t>());
      }
      if (message.kind == 3) ++facts;
      if (message.kind != 7) {
        if (message.kind == 0 || message.kind == 13) return {};
        continue;
      }
      Frame frame{in.number<FrameWord>(), {}};
      frame.values.resize(frame.word.bytes / sizeof(float));
      std::memcpy(frame.values.data(), memory_ + frame.word.block * block_bytes_, frame.word.bytes);
      return frame;
    }
  }
  void give_back(const Frame& frame) { send(6, payload_of(frame.word.block, frame.word.generation)); }

  Message welcome;
  int facts = 0;

 private:
  void map(std::size_t bytes) {
    EXPECT_EQ(SocketClient::map(bytes, PROT_READ | PROT_WRITE), nullptr);
    EXPECT_NE(::ftruncate(file(), 0), 0);
    mapping_ = SocketClient::map(bytes, PROT_READ);
    ASSERT_NE(mapping_, nullptr);
    memory_ = mapping_->bytes().data();
  }

  std::shared_ptr<SharedMemory> mapping_;
  const std::byte* memory_ = nullptr;
  std::size_t block_bytes_ = 0;
};

struct Rig {
  static constexpr int kFrames = 40;

  explicit Rig(std::uint64_t frames = kFrames) {
    const AcquisitionPtr a = testing::share(testing::linear_acquisition(16, 256, {-8.0, 0.0, 8.0}));
    options = {
        .stream = testing::unpaced(),
        .params = testing::small_picture(*a),
        .max_frames = frames,
        .host_copy = HostCopy::none,
        .on_image = [this](const Image& image) { images.emplace_back(image.host().begin(), image.host().end()); },
        .outlets = {tap}};
    source = testing::noise_source(a, kFrames);
  }
  void start() { session = std::make_unique<Session>(*backend, source, mailbox, trace, options); }
  void end() {
    testing::wait_until([this] { return session->done(); });
    tap->end_waits();
    session->stop();
    EXPECT_EQ(session->fault(), "");
  }

  TemporaryFolder folder;
  Variable runtime{"XDG_RUNTIME_DIR", folder.path().string()};
  std::shared_ptr<Tap> tap = std::make_shared<Tap>("test", Tap::Blocking::allowed);
  std::unique_ptr<Backend> backend = make_cpu_backend(2);
  std::vector<std::vector<float>> images;
  std::shared_ptr<Source> source;
  Mailbox<Image> mailbox;
  TimingTrace trace;
  SessionOptions options;
  std::unique_ptr<Session> session;
};

TEST(Tap, GivesEveryFrameToAReaderThatTheStreamWaitsFor) {
  Rig rig;
  Client pixels("iq", true), image("image", true);
  ASSERT_EQ(pixels.welcome.kind, 2U);
  ASSERT_EQ(image.welcome.kind, 2U);
  rig.start();
  for (std::size_t k = 0; k < Rig::kFrames; ++k) {
    pixels.ask();
    image.ask();
    const Client::Frame iq = pixels.take(), frame = image.take();
    ASSERT_EQ(iq.word.sequence, k);
    ASSERT_EQ(frame.word.sequence, k);
    EXPECT_EQ(frame.word.lost_so_far + iq.word.lost_so_far, 0U);
    ASSERT_EQ(iq.values.size(), 2 * frame.values.size());
    pixels.give_back(iq);
    image.give_back(frame);
    if (k + 1 == Rig::kFrames) {
      rig.end();
      EXPECT_EQ(frame.values, rig.images.back());
    }
  }
  EXPECT_EQ(image.facts, 1);
  EXPECT_EQ(rig.images.size(), static_cast<std::size_t>(Rig::kFrames));
}

TEST(Tap, DoesNotWaitForTheOthers) {
  Rig rig(0);
  Client stopped("iq", false), holder("image", false), reader("image", false);
  rig.start();
  std::vector<Client::Frame> held;
  for (std::size_t k = 0; k < TapReader::kBlocks; ++k) {
    holder.ask();
    held.push_back(holder.take());
  }
  holder.ask();  // there is no block for it
  std::uint64_t last = held.back().word.sequence;
  for (int k = 0; k < 20; ++k) {
    reader.ask();
    const Client::Frame frame = reader.take();
    EXPECT_GT(frame.word.sequence, k == 0 ? 0U : last);
    last = frame.word.sequence;
    reader.give_back(frame);
  }
  holder.give_back(held.front());
  const Client::Frame next = holder.take();
  EXPECT_EQ(next.word.block, held.front().word.block);
  EXPECT_EQ(next.word.lost_so_far, next.word.sequence - held.back().word.sequence - 1 + held.back().word.lost_so_far);
  EXPECT_EQ(rig.tap->readers().size(), 3U);
  rig.tap->end_waits();
  rig.session->stop();
}

TEST(Tap, RefusesInOneLine) {
  const TemporaryFolder folder;
  const Variable runtime("XDG_RUNTIME_DIR", folder.path().string());
  const Tap tap("test", Tap::Blocking::refused);
  EXPECT_THROW(Tap("test", Tap::Blocking::refused), std::exception);
  const auto refusal = [](const Client& client) {
    if (client.welcome.kind != 5) return std::string("not refused");
    PayloadReader in(client.welcome.payload);
    in.number<std::uint64_t>();
    return in.text(1000);
  };
  EXPECT_EQ(refusal(Client("picture", false)), "kind 'picture'; expected image, screen, iq, flow, spectrum or objects");
  EXPECT_EQ(refusal(Client("image", true)), "block in a window; expected a run without one (--headless), or no block");
  std::vector<std::unique_ptr<Client>> many;
  for (std::size_t k = 0; k < Tap::kMostReaders; ++k) many.push_back(std::make_unique<Client>("image", false));
  EXPECT_EQ(refusal(Client("image", false)), "16 readers are connected; expected one fewer");
  many.clear();
  testing::wait_until([&] { return tap.readers().empty(); });
  EXPECT_EQ(Client("image", false).welcome.kind, 2U);
}

}  // namespace
}  // namespace echoloop::tap_test
