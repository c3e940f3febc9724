// The recorder behind a whole stream: every processed frame is in the file, in order; a slow disk follows the policy.
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "history/hdf5_recording.h"
#include "history/recorder.h"
#include "support/numbered_frames.h"
#include "support/set_stream.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"
#include "support/uff_file.h"

namespace echoloop::recording_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

const Acquisition kAcquisition = testing::integer_acquisition(8, 128);

struct Recorded {
  RecorderStatus status;
  RingCounts counts;
  ProducerState producer = ProducerState::running;
  std::string report;
  bool refused_by_recorder = false;
};

struct RecordRun {
  std::uint64_t frames = 200;
  StreamSettings stream = testing::unpaced();
  RecorderOptions recorder;
  std::size_t history_bytes = 0;
  std::shared_ptr<SeekableSource> source = std::make_shared<NumberedSource>(kAcquisition);
  std::function<void(Session&)> meanwhile = {};
};

Recorded record(const std::filesystem::path& path, const RecordRun& run) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  RfHistory history(run.history_bytes);
  Recorder recorder(&history, run.recorder);
  recorder.start(std::make_unique<Hdf5Writer>(path, run.source->acquisition(), RecordingAbout{.version = "test"}),
                 run.source->acquisition()->frame_bytes());
  Session session(*backend, run.source, images, trace,
                  {.stream = run.stream,
                   .params = testing::small_picture(*run.source->acquisition(), 16, 16),
                   .max_frames = run.frames,
                   .sinks = {&recorder, &history}});
  if (run.meanwhile) run.meanwhile(session);
  wait_until([&] { return session.done(); });
  session.stop();
  recorder.finish();
  EXPECT_EQ(session.fault(), "");
  testing::expect_counts_add_up(session.counts());
  return {.status = recorder.status(),
          .counts = session.counts(),
          .producer = session.producer_state(),
          .report = session.producer_report(),
          .refused_by_recorder = session.refusal().value_or(RingRefusal{}).keeper_full};
}

// Frames in the file are whole and are those of their numbers; the numbers.
std::vector<std::uint64_t> numbers_in(const std::filesystem::path& path) {
  const UffFile file(path);
  EXPECT_TRUE(file.is_open());
  std::vector<std::uint64_t> numbers = file.sequence();
  EXPECT_EQ(file.frames(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::vector<std::byte> samples = file.frame(i, kAcquisition);
    EXPECT_TRUE(testing::is_whole({.stamp = {.source_index = numbers[i]}, .samples = samples})) << i;
    if (i > 0) {
      EXPECT_GT(numbers[i], numbers[i - 1]);
    }
  }
  return numbers;
}

void expect_first_frames(const std::vector<std::uint64_t>& numbers, std::uint64_t n) {
  ASSERT_EQ(numbers.size(), n);
  for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(numbers[i], i);
}

RecorderOptions slow_disk(std::chrono::microseconds each) {
  return {.queue_bytes = 8 * kAcquisition.frame_bytes(),
          .before_write = [each](const RfFrame&) { testing::take_time(each); }};
}

TEST(Recording, HasEveryFrameThatWasProcessedInOrder) {
  for (const std::size_t history_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
    const TemporaryFolder folder;
    RecordRun run;
    run.frames = 2000;
    run.history_bytes = history_bytes;
    const Recorded recorded = record(folder / "a.uff", run);
    EXPECT_EQ(recorded.status.problem, "");
    EXPECT_EQ(recorded.status.frames, 2000U);
    EXPECT_EQ(recorded.status.not_recorded, 0U);
    expect_first_frames(numbers_in(folder / "a.uff"), 2000);
  }
}

TEST(Recording, GoesOnThroughAChangeOfSlotsAndLanes) {
  const TemporaryFolder folder;
  const auto change = [](Session& session) {
    for (const int slots : {2, 16, 4}) {
      wait_until([&, before = session.counts().processed] { return session.counts().processed > before + 50; });
      StreamSettings stream = session.stream();
      stream.slots = slots;
      stream.lanes = slots == 2 ? 1 : 3;
      testing::set_stream(session, stream);
    }
  };
  RecordRun run;
  run.frames = 1000;
  run.meanwhile = change;
  const Recorded recorded = record(folder / "a.uff", run);
  EXPECT_EQ(recorded.status.not_recorded, 0U);
  expect_first_frames(numbers_in(folder / "a.uff"), 1000);
}

// A source that lends its frames in place.
class LendingSource final : public SeekableSource {
 public:
  explicit LendingSource(int n) : acquisition_(testing::share(kAcquisition)) {
    for (int i = 0; i < n; ++i) {
      frames_.emplace_back(kAcquisition.frame_bytes());
      testing::number_frame(frames_.back(), static_cast<std::uint64_t>(i));
    }
  }
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "lent frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return frames_.size(); }
  [[nodiscard]] bool zero_copy() const override { return true; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/,
                                  const std::stop_token& /*stop*/) override {
    return frames_[static_cast<std::size_t>(index)];
  }

 private:
  AcquisitionPtr acquisition_;
  std::vector<std::vector<std::byte>> frames_;
};

TEST(Recording, OfFramesThatAreLent) {
  const TemporaryFolder folder;
  RecordRun run;
  run.frames = 40;
  run.source = std::make_shared<LendingSource>(40);
  const Recorded recorded = record(folder / "a.uff", run);
  EXPECT_EQ(recorded.status.frames, 40U);
  expect_first_frames(numbers_in(folder / "a.uff"), 40);
}

TEST(Recording, ASlowDiskHoldsABlockingStreamUp) {
  const TemporaryFolder folder;
  RecordRun run;
  run.frames = 200;
  run.recorder = slow_disk(2ms);
  const Recorded recorded = record(folder / "a.uff", run);
  EXPECT_EQ(recorded.status.not_recorded, 0U);
  EXPECT_GT(recorded.counts.producer_waited_ns, 100'000'000);
  expect_first_frames(numbers_in(folder / "a.uff"), 200);
}

// When each frame was asked for.
class TimedSource final : public SeekableSource {
 public:
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return numbered_.acquisition(); }
  [[nodiscard]] std::string name() const override { return numbered_.name(); }
  [[nodiscard]] std::uint64_t frame_count() const override { return 0; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    asked_ns.push_back(now_ns());
    return numbered_.at(index, slot.bytes);
  }
  std::vector<std::int64_t> asked_ns;  // [producer thread]

 private:
  NumberedSource numbered_{kAcquisition};
};

// A program that is killed at any moment loses frames of the last Recorder::kUnsafeNs of the stream only, whatever the
// disk is slow at.
TEST(Recording, FramesOfABlockingStreamAreSafeBeforeOthersAreAcquired) {
  struct Disk {
    std::chrono::milliseconds write, flush;
  };
  for (const Disk disk : {Disk{20ms, 0ms}, Disk{0ms, 700ms}, Disk{1ms, 300ms}}) {
    const TemporaryFolder folder;
    const auto source = std::make_shared<TimedSource>();
    std::vector<std::pair<std::int64_t, std::uint64_t>> flushes;
    RecordRun run;
    run.frames = 150;
    run.stream.rate_hz = 400.0;
    run.source = source;
    run.recorder.before_write = [&](const RfFrame&) { testing::take_time(disk.write); };
    run.recorder.before_flush = [&] { testing::take_time(disk.flush); };
    run.recorder.flushed = [&](std::uint64_t frames) { flushes.emplace_back(now_ns(), frames); };
    const Recorded recorded = record(folder / "a.uff", run);
    expect_first_frames(numbers_in(folder / "a.uff"), 150);
    EXPECT_EQ(recorded.status.not_recorded, 0U);
    const std::vector<std::int64_t> acquired_ns =
        UffFile(folder / "a.uff").all<std::int64_t>("/echoloop/acquired_ns", H5T_NATIVE_INT64);
    ASSERT_EQ(acquired_ns.size(), 150U);
    ASSERT_GE(source->asked_ns.size(), 150U);
    for (std::size_t f = 0; f + 1 < acquired_ns.size(); ++f) {
      std::uint64_t safe = 0;
      for (const auto& [when_ns, frames] : flushes) {
        if (when_ns <= source->asked_ns[f + 1]) safe = frames;  // a moment after frame f was acquired
      }
      for (std::size_t g = safe; g < f; ++g) {
        EXPECT_LE(acquired_ns[f] - acquired_ns[g], Recorder::kUnsafeNs) << g << " was not safe when " << f << " came";
      }
    }
  }
}

TEST(Recording, ASlowDiskEndsAStreamWithErrorOnOverride) {
  const TemporaryFolder folder;
  RecordRun run;
  run.frames = 100'000;
  run.recorder = slow_disk(60ms);
  run.stream.policy = RingPolicy::error;
  run.stream.slots = 16;
  run.stream.rate_hz = 150.0;  // that processing keeps up with, also under a sanitizer: only the disk does not
  const Recorded recorded = record(folder / "a.uff", run);
  EXPECT_EQ(recorded.producer, ProducerState::refused);
  EXPECT_TRUE(recorded.refused_by_recorder);
  EXPECT_NE(recorded.report.find("waiting for the disk"), std::string::npos) << recorded.report;
  EXPECT_EQ(recorded.counts.refused, 1U);
  EXPECT_EQ(recorded.status.not_recorded, 0U);
  expect_first_frames(numbers_in(folder / "a.uff"), recorded.counts.processed);
}

TEST(Recording, ASlowDiskLosesFramesWhereThePolicyDropsAndCountsThem) {
  for (const RingPolicy policy : {RingPolicy::drop_oldest, RingPolicy::drop_newest}) {
    const TemporaryFolder folder;
    RecordRun run;
    run.frames = 300;
    run.recorder = slow_disk(10ms);
    run.stream.policy = policy;
    run.stream.rate_hz = 1000.0;
    const Recorded recorded = record(folder / "a.uff", run);
    EXPECT_GT(recorded.status.not_recorded, 0U);
    EXPECT_EQ(recorded.status.frames + recorded.status.not_recorded, recorded.counts.processed);
    const std::vector<std::uint64_t> numbers = numbers_in(folder / "a.uff");
    EXPECT_EQ(numbers.size(), recorded.status.frames);
    const UffFile file(folder / "a.uff");
    EXPECT_EQ(file.all<std::uint64_t>("/echoloop/not_recorded", H5T_NATIVE_UINT64)[0], recorded.status.not_recorded);
    // The newest frames are there, or the oldest.
    if (policy == RingPolicy::drop_oldest) {
      // How many came after the last one that was asked for is a matter of timing.
      EXPECT_GT(2 * numbers.back(), recorded.counts.next_sequence);
    }
    if (policy == RingPolicy::drop_newest) {
      EXPECT_EQ(numbers[7], 7U);
    }
  }
}

TEST(Recording, ADiskThatFailsEndsItAndTheStreamGoesOn) {
  const TemporaryFolder folder;
  RecordRun run;
  run.frames = 500;
  run.recorder.before_write = [](const RfFrame& frame) {
    if (frame.stamp.sequence == 100) throw Error("a.uff", "cannot be recorded: the disk is full", "room");
  };
  const Recorded recorded = record(folder / "a.uff", run);
  EXPECT_EQ(recorded.counts.processed, 500U);
  EXPECT_EQ(recorded.status.frames, 100U);
  EXPECT_EQ(recorded.status.not_recorded, 400U);
  EXPECT_NE(recorded.status.problem.find("the disk is full"), std::string::npos);
  expect_first_frames(numbers_in(folder / "a.uff"), 100);
}

}  // namespace
}  // namespace echoloop::recording_test
