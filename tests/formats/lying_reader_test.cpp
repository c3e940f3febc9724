// A reader process that was taken over may say anything (stand_in/lies.cpp): each lie costs one line, in little time,
// and leaves neither a process nor memory. Nothing that it does or leaves undone keeps the viewer from stopping.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "formats/fake_reader.h"
#include "support/one_line.h"

namespace echoloop::lying_reader_test {
namespace {

using namespace test;
using std::chrono::milliseconds;

constexpr const char* kInvalid = "sent an invalid message";
constexpr const char* kSilent = "did not answer in time";
constexpr const char* kGone = "the reader process stopped";

struct Lie {
  const char* role;
  const char* naming;  // in the line
};

const Lie kLies[] = {
    // impossible descriptions
    {"bad-geometry", "sampling frequency"},
    {"bad-kind", kInvalid},
    {"bad-signal", kInvalid},
    {"bad-data", kInvalid},
    {"bad-probe", kInvalid},
    {"bad-transmit", kInvalid},
    {"sampling-zero", "sampling frequency"},
    {"sampling-infinite", "sampling frequency"},
    {"sampling-negative", "sampling frequency"},
    {"center-nan", "centre frequency"},
    {"center-zero", "centre frequency"},
    {"bandwidth-negative", "bandwidth"},
    {"bandwidth-infinite", "bandwidth"},
    {"demodulation-nan", "demodulation frequency"},
    {"sound-speed-zero", "sound speed"},
    {"sound-speed-nan", "sound speed"},
    {"rate-negative", "frame rate"},
    {"rate-infinite", "frame rate"},
    {"samples-zero", "samples"},
    {"samples-negative", "samples"},
    {"samples-huge", "samples"},
    {"elements-none", "number of elements"},
    {"elements-many", kInvalid},
    {"frame-huge", "frame size"},
    {"element-nan", "element x"},
    {"element-far", "element z"},
    {"normal-wrong", "element normal"},
    {"pitch-nan", "pitch"},
    {"width-negative", "element width"},
    {"transmits-none", "number of transmits"},
    {"transmits-many", kInvalid},
    {"angle-nan", "transmit angle"},
    {"clock-infinite", "t0"},
    {"focus-far", "source z"},
    {"delays-missing", "number of transmit delays"},
    {"delays-silent", "transmit delays"},
    {"delays-many", kInvalid},
    {"columns-of-rf", "samples of beamformed data"},
    // the wrong frames
    {"huge-count", kInvalid},
    {"no-frames", kInvalid},
    {"offset-outside", "outside the file"},
    {"offset-crosses-end", "outside the file"},
    {"offset-odd", "outside the file"},
    {"offsets-missing", kInvalid},
    {"offsets-more", kInvalid},
    {"more-after-the-end", kInvalid},
    // talk that nothing asked for
    {"noise", kInvalid},
    {"huge-message", kInvalid},
    {"huge-progress", kInvalid},
    {"huge-refusal", kInvalid},
    {"cut-message", kGone},
    {"half-a-message", kSilent},
    {"half-a-header", kSilent},
    {"unknown-message", kInvalid},
    {"message-0", kInvalid},
    {"too-early", kInvalid},
    {"frames-too-early", kInvalid},
    {"a-command", kInvalid},
    {"short-payload", kInvalid},
    {"empty-payload", kInvalid},
    {"empty-refusal", kInvalid},
    {"refusal-of-one-word", "no; expected an undamaged file"},
    {"progress-of-a-text", kInvalid},
    {"endless-progress", kSilent},
    {"endless-nan", kSilent},
    {"byte-by-byte", kSilent},
    {"colourful-refusal", "red?li"},
    {"dies-at-once", "signal 9: killed, probably for lack of memory"},
    {"forbidden-call", "signal 31: a forbidden system call"},
    {"hangs-up-at-once", kGone},
    // descriptions of other files
    {"describes-a-path", kInvalid},
    {"describes-nothing", kInvalid},
    {"describes-a-folder", kInvalid},
    {"describes-itself", kInvalid},
    {"describes-a-missing-file", "no such file"},
    // answers to questions
    {"answers-another-frame", kInvalid},
    {"answers-no-frame", kInvalid},
    {"answers-all-ready", kInvalid},
    {"answers-progress", kInvalid},
    {"answers-opened", kInvalid},
    {"answers-a-command", kInvalid},
    {"answers-noise", kInvalid},
    {"answers-twice", kInvalid},
    {"answers-many-offsets", kInvalid},
    {"answers-half", kSilent},
    {"answers-huge", kInvalid},
    {"refuses-without-text", kInvalid},
    {"refuses-with-garbage", kInvalid},
    {"refuses-everything", "no?[2J?"},
    {"dies-of-memory", "signal 9"},
    {"dies-of-time", "signal 24: too much computing time"},
    {"dies-of-a-bus-error", "signal 7: part of the file cannot be read"},
    {"aborts", "signal 6: aborted"},
    {"leaves", "exit status 0"},
    {"falls-silent", kSilent},
    {"hangs-up", kGone},
    {"answers-without-reading", "did not read in time"},
};

void read_on(const std::filesystem::path& file, const std::stop_token& stop = {}) {
  const Recording recording = open_recording(file, {}, stop);
  for (std::uint64_t k = 0; k < 4000; ++k) read_frame(recording, k % recording.frame_count, stop);
}

class LyingReader : public ::testing::TestWithParam<Lie> {
 public:
  LyingReader() {
    reader_settings().memory_budget = 10'000;
    reader_settings().opening_patience = reader_settings().frame_patience = milliseconds(200);
  }
  const FakeReader fake;
};

TEST_P(LyingReader, CostsOneLine) {
  const auto file = fake.file(GetParam().role);
  const std::string line = testing::refusal_of([&] { read_on(file); });
  EXPECT_TRUE(line.starts_with(file.string())) << line;
  EXPECT_TRUE(contains(line, GetParam().naming));
  EXPECT_LT(line.size(), 2300U);
  EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; }));
  EXPECT_TRUE(::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) << "a reader process was left, or a zombie";
}

INSTANTIATE_TEST_SUITE_P(Roles, LyingReader, ::testing::ValuesIn(kLies), [](const auto& info) {
  std::string name = info.param.role;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Readers that would be waited for longest: while opening, between frames, and where questions are not read.
class WaitingForAReader : public ::testing::TestWithParam<const char*> {
 public:
  WaitingForAReader() {
    reader_settings().memory_budget = 10'000;
    reader_settings().opening_patience = reader_settings().frame_patience = milliseconds(60'000);
  }
  const FakeReader fake;
};

TEST_P(WaitingForAReader, EndsWithTheStopToken) {
  const auto file = fake.file(GetParam());
  std::stop_source stop;
  const std::jthread later([&, viewer = ::gettid()] {
    wait_for_standstill(viewer);
    stop.request_stop();
  });
  const std::string line = testing::refusal_of([&] { read_on(file, stop.get_token()); });
  EXPECT_TRUE(contains(line, "was stopped"));
}

TEST_P(WaitingForAReader, EndsWithTheProgram) {
  const auto file = fake.file(GetParam());
  std::atomic<bool> ends{false};
  stop_reading_when([&] { return ends.load(); });
  const std::jthread later([&, viewer = ::gettid()] {
    wait_for_standstill(viewer);
    ends = true;
  });
  const std::string line = testing::refusal_of([&] { read_on(file); });
  EXPECT_TRUE(contains(line, "was stopped"));
}

INSTANTIATE_TEST_SUITE_P(Roles, WaitingForAReader,
                         ::testing::Values("hang-opening", "half-a-message", "hang-frame-5", "falls-silent",
                                           "answers-half", "answers-without-reading"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A stop between two answers loses nothing: the same stream goes on.
TEST(StoppedReader, GoesOn) {
  const FakeReader fake;
  reader_settings().memory_budget = 10'000;
  const Recording recording = open_recording(fake.file("slow"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(contains(testing::refusal_of([&] { read_frame(recording, 12, stop.get_token()); }), "was stopped"));
  for (std::uint64_t k = 10; k < kFakeFrames; ++k) EXPECT_NO_THROW(read_frame(recording, k)) << k;
}

}  // namespace
}  // namespace echoloop::lying_reader_test
