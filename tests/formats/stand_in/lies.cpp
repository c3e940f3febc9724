#include "formats/stand_in/lies.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "formats/sandbox/message_channel.h"
#include "formats/sandbox/reader_child.h"
#include "support/take_time.h"
#include "transport/message_stream.h"

namespace echoloop::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kMark = 0x4f4843e1U;

[[noreturn]] void die_of(int signal) {
  ::signal(signal, SIG_DFL);
  ::syscall(SYS_tgkill, ::getpid(), ::gettid(), signal);
  ::_exit(kDiedOf + signal);  // the first process of a name space, ended only by the kernel's own signals
}

// Sends words without the program's own code.
void send_raw(const std::vector<std::uint64_t>& words) {
  ::send(kReaderSocket, words.data(), words.size() * sizeof(std::uint64_t), MSG_NOSIGNAL);
}

constexpr std::uint64_t header(MessageKind kind) {
  return (std::uint64_t{static_cast<std::uint32_t>(kind)} << 32) | kMark;
}

constexpr std::uint64_t header(std::uint32_t kind) { return header(static_cast<MessageKind>(kind)); }

using Change = std::function<void(Acquisition&)>;

template <class Enum>
Change no_such(Enum Acquisition::*member) {
  return [member](Acquisition& a) { a.*member = static_cast<Enum>(9); };
}

Change number(double Acquisition::*member, double value) {
  return [member, value](Acquisition& a) { a.*member = value; };
}

Change transmit(const std::function<void(Transmit&)>& change) {
  return [change](Acquisition& a) { change(a.transmits.at(0)); };
}

// Impossible descriptions.
const std::map<std::string, Change>& wrong_descriptions() {
  static const std::map<std::string, Change> kAll = {
      {"bad-geometry", number(&Acquisition::sampling_hz, NAN)},
      {"bad-kind", no_such(&Acquisition::sample_type)},
      {"bad-signal", no_such(&Acquisition::signal)},
      {"bad-data", no_such(&Acquisition::data)},
      {"bad-probe", [](Acquisition& a) { a.probe.kind = static_cast<ProbeKind>(77); }},
      {"bad-transmit", transmit([](Transmit& t) { t.kind = static_cast<TransmitKind>(0x7fffffff); })},
      {"sampling-zero", number(&Acquisition::sampling_hz, 0.0)},
      {"sampling-infinite", number(&Acquisition::sampling_hz, kInfinity)},
      {"sampling-negative", number(&Acquisition::sampling_hz, -20e6)},
      {"center-nan", number(&Acquisition::center_hz, NAN)},
      {"center-zero", number(&Acquisition::center_hz, 0.0)},
      {"bandwidth-negative", number(&Acquisition::bandwidth_hz, -1.0)},
      {"bandwidth-infinite", number(&Acquisition::bandwidth_hz, kInfinity)},
      {"demodulation-nan", number(&Acquisition::demod_hz, NAN)},
      {"sound-speed-zero", number(&Acquisition::sound_speed_m_s, 0.0)},
      {"sound-speed-nan", number(&Acquisition::sound_speed_m_s, NAN)},
      {"rate-negative", number(&Acquisition::frame_rate_hz, -50.0)},
      {"rate-infinite", number(&Acquisition::frame_rate_hz, kInfinity)},
      {"samples-zero", [](Acquisition& a) { a.n_samples = 0; }},
      {"samples-negative", [](Acquisition& a) { a.n_samples = -1; }},
      {"samples-huge", [](Acquisition& a) { a.n_samples = std::numeric_limits<int>::max(); }},
      {"elements-none", [](Acquisition& a) { a.probe.elements.clear(); }},
      {"elements-many", [](Acquisition& a) { a.probe.elements.resize(kMaxElements + 1); }},
      {"frame-huge",
       [](Acquisition& a) {
         a.probe.elements.resize(kMaxElements);
         a.n_samples = kMaxSamples;
       }},
      {"element-nan", [](Acquisition& a) { a.probe.elements.at(1).x_m = NAN; }},
      {"element-far", [](Acquisition& a) { a.probe.elements.at(0).z_m = 1e300; }},
      {"normal-wrong", [](Acquisition& a) { a.probe.elements.at(0).normal_rad = 4.0; }},
      {"pitch-nan", [](Acquisition& a) { a.probe.pitch_m = NAN; }},
      {"width-negative", [](Acquisition& a) { a.probe.element_width_m = -1e-3; }},
      {"transmits-none", [](Acquisition& a) { a.transmits.clear(); }},
      {"transmits-many", [](Acquisition& a) { a.transmits.resize(kMaxTransmits + 1); }},
      {"angle-nan", transmit([](Transmit& t) { t.angle_rad = NAN; })},
      {"clock-infinite", transmit([](Transmit& t) { t.t0_s = kInfinity; })},
      {"focus-far", transmit([](Transmit& t) { t.kind = TransmitKind::focused, t.source_z_m = 1e9; })},
      {"delays-missing", transmit([](Transmit& t) { t.kind = TransmitKind::delays; })},
      {"delays-silent",
       transmit([](Transmit& t) { t.kind = TransmitKind::delays, t.element_delays_s.assign(2, NAN); })},
      {"delays-many", transmit([](Transmit& t) { t.element_delays_s.resize(kMaxElements + 1); })},
      {"columns-of-rf", [](Acquisition& a) { a.data = DataKind::beamformed; }},
  };
  return kAll;
}

// Descriptions of a recording with the wrong frames.
const std::map<std::string, std::function<void(LibraryRecording&)>>& wrong_recordings() {
  using R = LibraryRecording;
  static const std::map<std::string, std::function<void(R&)>> kAll = {
      {"huge-count", [](R& r) { r.frame_count = ~std::uint64_t{0}, r.frame_offsets.clear(); }},
      {"no-frames", [](R& r) { r.frame_count = 0, r.frame_offsets.clear(); }},
      {"offset-outside", [](R& r) { r.frame_offsets[3] = ~std::uint64_t{0} - 3; }},
      {"offset-crosses-end", [](R& r) { r.frame_offsets.back() += 4; }},
      {"offset-odd", [](R& r) { r.frame_offsets[2] -= 1; }},
      {"offsets-missing", [](R& r) { r.frame_offsets.pop_back(); }},
      {"offsets-more", [](R& r) { r.frame_offsets.push_back(64); }},
  };
  return kAll;
}

using Answer = std::function<void(MessageChannel&, const FrameRun&)>;

// Wrong answers of a reader of frames one by one.
const std::map<std::string, Answer>& wrong_answers() {
  const auto ready = [](MessageChannel& channel, std::uint64_t frame) {
    channel.send(MessageKind::frames_ready, encode_run({.first = frame, .offsets = {}}));
  };
  static const std::map<std::string, Answer> kAll = {
      {"answers-another-frame", [ready](auto& channel, const FrameRun& run) { ready(channel, run.first + 1); }},
      {"answers-no-frame", [](auto& channel, const FrameRun&) { channel.send(MessageKind::frames_ready); }},
      {"answers-all-ready", [](auto& channel, const FrameRun&) { channel.send(MessageKind::all_ready); }},
      {"answers-progress",
       [](auto& channel, const FrameRun&) { channel.send(MessageKind::progress, encode_number(0.5)); }},
      {"answers-opened", [](auto& channel, const FrameRun&) { channel.send(MessageKind::opened); }},
      {"answers-a-command", [](auto& channel, const FrameRun&) { channel.send(MessageKind::read_all); }},
      {"answers-noise",
       [](auto&, const FrameRun&) {
         send_raw({1, 2, 3});
       }},
      {"answers-twice",
       [ready](auto& channel, const FrameRun& run) {
         ready(channel, run.first);
         ready(channel, run.first);
       }},
      {"answers-many-offsets",
       [](auto& channel, const FrameRun& run) {
         channel.send(MessageKind::frames_ready, encode_run({run.first, std::vector<std::uint64_t>(5000)}));
       }},
      {"answers-half",
       [](auto&, const FrameRun&) {
         send_raw({header(MessageKind::frames_ready), 16, 1});
         hang();
       }},
      {"answers-huge",
       [](auto&, const FrameRun&) {
         send_raw({header(MessageKind::frames_ready), std::uint64_t{200} << 20});
       }},
      {"refuses-without-text", [](auto& channel, const FrameRun&) { channel.send(MessageKind::refused); }},
      {"refuses-with-garbage",
       [](auto& channel, const FrameRun&) { channel.send(MessageKind::refused, encode_number(NAN)); }},
      {"refuses-everything",
       [](auto& channel, const FrameRun&) { channel.send(MessageKind::refused, encode_text("no\x1b[2J\n")); }},
      {"dies-of-memory", [](auto&, const FrameRun&) { die_of(SIGKILL); }},
      {"dies-of-time", [](auto&, const FrameRun&) { die_of(SIGXCPU); }},
      {"dies-of-a-bus-error", [](auto&, const FrameRun&) { die_of(SIGBUS); }},
      {"aborts", [](auto&, const FrameRun&) { die_of(SIGABRT); }},
      {"leaves", [](auto&, const FrameRun&) { ::_exit(0); }},
      {"falls-silent", [](auto&, const FrameRun&) { hang(); }},
      {"hangs-up",
       [](auto&, const FrameRun&) {
         ::close(kReaderSocket);
         hang();
       }},
  };
  return kAll;
}

// Messages sent without a request.
const std::map<std::string, std::function<void(MessageChannel&)>>& wrong_talk() {
  static const std::map<std::string, std::function<void(MessageChannel&)>> kAll = {
      {"noise",
       [](auto&) {
         send_raw({0x1234567812345678, 5, 7});
       }},
      {"huge-message",
       [](auto&) {
         send_raw({header(MessageKind::opened), ~std::uint64_t{0}});
       }},
      {"huge-progress",
       [](auto&) {
         send_raw({header(MessageKind::progress), std::uint64_t{1} << 20});
       }},
      {"huge-refusal",
       [](auto&) {
         send_raw({header(MessageKind::refused), std::uint64_t{255} << 20});
       }},
      {"cut-message",
       [](auto&) {
         send_raw({header(MessageKind::opened), 1000, 5});
         ::_exit(0);
       }},
      {"half-a-message",
       [](auto&) {
         send_raw({header(MessageKind::opened), 1000, 5});
       }},
      {"half-a-header", [](auto&) { send_raw({header(MessageKind::opened)}); }},
      {"unknown-message",
       [](auto&) {
         send_raw({header(77), 0});
       }},
      {"message-0",
       [](auto&) {
         send_raw({header(0), 0});
       }},
      {"too-early",
       [](auto&) {
         send_raw({header(MessageKind::all_ready), 0});
       }},
      {"frames-too-early",
       [](auto&) {
         send_raw({header(MessageKind::frames_ready), 0});
       }},
      {"a-command",
       [](auto&) {
         send_raw({header(MessageKind::read_frames), 0});
       }},
      {"short-payload", [](auto& channel) { channel.send(MessageKind::opened, encode_number(1.0)); }},
      {"empty-payload", [](auto& channel) { channel.send(MessageKind::opened); }},
      {"empty-refusal", [](auto& channel) { channel.send(MessageKind::refused); }},
      {"refusal-of-one-word", [](auto& channel) { channel.send(MessageKind::refused, encode_text("no")); }},
      {"progress-of-a-text", [](auto& channel) { channel.send(MessageKind::progress, encode_text("half")); }},
      {"endless-progress",
       [](auto& channel) {
         while (channel.send(MessageKind::progress, encode_number(0.5))) {
         }
       }},
      {"endless-nan",
       [](auto& channel) {
         while (channel.send(MessageKind::progress, encode_number(NAN))) {
         }
       }},
      {"byte-by-byte",
       [](auto&) {
         const std::uint64_t words[] = {header(MessageKind::opened), 100'000};
         const auto* bytes = reinterpret_cast<const char*>(words);
         for (std::size_t k = 0; ::send(kReaderSocket, bytes + k % sizeof words, 1, MSG_NOSIGNAL) == 1; ++k) {
           testing::take_time(std::chrono::milliseconds(5));
         }
       }},
      {"colourful-refusal",
       [](auto& channel) {
         channel.send(MessageKind::refused, encode_text("\x1b[31mred\nlines\r" + std::string(9999, 'x')));
       }},
      {"describes-a-path",
       [](auto& channel) { channel.send(MessageKind::described, encode_text("../../etc/passwd")); }},
      {"describes-nothing", [](auto& channel) { channel.send(MessageKind::described, encode_text("")); }},
      {"describes-a-folder", [](auto& channel) { channel.send(MessageKind::described, encode_text("..")); }},
      {"describes-itself",
       [](auto& channel) { channel.send(MessageKind::described, encode_text("describes-itself")); }},
      {"describes-a-missing-file",
       [](auto& channel) { channel.send(MessageKind::described, encode_text("describes-a-missing-file.npy")); }},
      {"dies-at-once", [](auto&) { die_of(SIGKILL); }},
      {"forbidden-call", [](auto&) { die_of(SIGSYS); }},
      {"hangs-up-at-once", [](auto&) { ::close(kReaderSocket); }},
  };
  return kAll;
}

// Answers correctly at first; then announces the next frames in advance and reads no further request.
[[noreturn]] void answer_without_reading(MessageChannel& channel) {
  constexpr int kHonest = 100;
  FrameRun run;
  const auto answer = [&] { return channel.send(MessageKind::frames_ready, encode_run({run.first, {}})); };
  for (int k = 0; k < kHonest; ++k) {
    const std::optional<ReaderMessage> question = channel.receive();
    if (!question) hang();
    run = decode_run(question->payload);
    answer();
  }
  do {
    run.first += run.offsets.size();
  } while (answer());
  hang();
}

void describe(MessageChannel& channel, const LibraryRecording& recording) {
  channel.send(MessageKind::opened, encode_opened(recording));
}

[[noreturn]] void stream(MessageChannel& channel, LibraryRecording recording, const Answer& answer) {
  recording.frame_offsets.clear();
  describe(channel, recording);
  while (const std::optional<ReaderMessage> question = channel.receive()) {
    if (question->kind == MessageKind::read_frames) answer(channel, decode_run(question->payload));
  }
  hang();
}

}  // namespace

void tell_lie(const std::string& role, const LibraryRecording& honest) {
  MessageChannel channel(kReaderSocket);
  LibraryRecording said = honest;
  if (wrong_descriptions().contains(role)) {
    Acquisition wrong = *said.acquisition;
    wrong_descriptions().at(role)(wrong);
    said.acquisition = std::make_shared<const Acquisition>(std::move(wrong));
    describe(channel, said);
    hang();
  }
  if (wrong_recordings().contains(role)) {
    wrong_recordings().at(role)(said);
    describe(channel, said);
    hang();
  }
  if (wrong_talk().contains(role)) {
    wrong_talk().at(role)(channel);
    hang();
  }
  if (wrong_answers().contains(role)) stream(channel, said, wrong_answers().at(role));
  if (role == "answers-without-reading") {
    said.frame_offsets.clear();
    said.frame_count = 10'000'000;  // too many for memory: requested one by one
    describe(channel, said);
    answer_without_reading(channel);
  }
  if (role == "more-after-the-end") {
    std::vector<std::byte> bytes = encode_opened(said);
    bytes.resize(bytes.size() + 8);
    channel.send(MessageKind::opened, bytes);
    hang();
  }
}

void hang() {
  for (;;) ::poll(nullptr, 0, -1);
}

}  // namespace echoloop::test
