// A recording too big for memory, streamed by the reader process through a whole session: every frame in order, kept by
// the history in the memory that the process read it into, and still right when the process is gone.
#include <gtest/gtest.h>

#include <cstring>

#include "formats/reader_process.h"
#include "formats/stand_in/made_up.h"
#include "history/rf_history.h"
#include "source/replay.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"

namespace echoloop {
namespace {

using testing::wait_until;

bool is_frame(std::span<const std::byte> samples, std::uint64_t index) {
  std::vector<float> values(samples.size() / sizeof(float));
  std::memcpy(values.data(), samples.data(), samples.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] != test::fake_value(index, k)) return false;
  }
  return !values.empty();
}

class StreamedRecording : public ::testing::TestWithParam<HostMemory> {
 public:
  StreamedRecording() : settings_(reader_settings()) {
    reader_settings().memory_budget = 10'000;
    testing::write_text_file(folder_ / "streamed", "\x89HDF\r\n\x1a\n" + std::string(200'000, '.'));
  }
  ~StreamedRecording() override { reader_settings() = settings_; }
  std::shared_ptr<Source> open() { return make_replay(open_recording(folder_ / "streamed")); }

 private:
  ReaderSettings settings_;
  testing::TemporaryFolder folder_;
};

TEST_P(StreamedRecording, IsKeptAsItWasRead) {
  constexpr std::size_t kKept = 50;
  const std::unique_ptr<Backend> backend = make_cpu_backend(2, CpuKernel::automatic);
  Mailbox<Image> images;
  TimingTrace trace;
  RfHistory history(kKept * 8192);
  std::vector<std::uint64_t> sequences;
  {
    StreamSettings stream = testing::unpaced();
    stream.host_memory = GetParam();
    const std::shared_ptr<Source> source = open();
    Session session(*backend, source, images, trace,
                    {.stream = stream,
                     .params = testing::small_picture(*source->acquisition(), 16, 16),
                     .max_frames = 300,
                     .on_image = [&](const Image& image) { sequences.push_back(image.stamp.sequence); },
                     .history = &history});
    wait_until([&] { return session.done(); });
    session.stop();
    EXPECT_EQ(session.producer_report(), "");
    testing::expect_counts_add_up(session.counts());
  }
  ASSERT_EQ(sequences.size(), 300U);
  for (std::size_t k = 0; k < sequences.size(); ++k) EXPECT_EQ(sequences[k], k);
  const HistoryExtent extent = history.extent();
  ASSERT_GE(extent.frames, kKept / 2);
  for (std::size_t k = 0; k < extent.frames; ++k) {
    const auto kept = history.at(k);
    EXPECT_TRUE(is_frame(kept->frame.samples, kept->frame.stamp.source_index)) << k;
    EXPECT_EQ(kept->frame.stamp.sequence, history.at(0)->frame.stamp.sequence + k);
  }
}

TEST_P(StreamedRecording, GoesOnInAnotherArrangement) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2, CpuKernel::automatic);
  Mailbox<Image> images;
  TimingTrace trace;
  RfHistory history(std::size_t{1} << 20);
  StreamSettings stream = testing::unpaced();
  stream.host_memory = GetParam();
  const std::shared_ptr<Source> source = open();
  Session session(
      *backend, source, images, trace,
      {.stream = stream, .params = testing::small_picture(*source->acquisition(), 16, 16), .history = &history});
  for (const int slots : {3, 16, 8}) {
    const std::uint64_t before = session.counts().processed;
    wait_until([&] { return session.counts().processed > before + 30; });
    stream.slots = slots;
    session.set_stream(stream);
  }
  history.hold(true);
  session.stop();
  EXPECT_EQ(session.producer_report(), "");
  EXPECT_EQ(session.counts().sequence_gaps, 0U);
  ASSERT_GE(history.extent().frames, 30U);
  for (std::size_t k = 0; k < history.extent().frames; ++k) {
    const auto kept = history.at(k);
    EXPECT_TRUE(is_frame(kept->frame.samples, kept->frame.stamp.source_index)) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, StreamedRecording,
                         ::testing::Values(HostMemory::pageable, HostMemory::pinned, HostMemory::mapped),
                         [](const auto& info) {
                           return std::string(kHostMemoryNames[static_cast<std::size_t>(info.param)]);
                         });

}  // namespace
}  // namespace echoloop
