// Recording too big for memory, streamed by the reader process through a whole session: every frame in order, kept by
// the history in the memory that the process read it into, and still correct after the process has ended. On any
// backend: that memory is page-locked if frames go to a GPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "formats/open_recording.h"
#include "formats/sandbox/reader_child.h"
#include "formats/stand_in/made_up.h"
#include "history/rf_history.h"
#include "source/source.h"
#include "support/set_stream.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {

// Returns a valid name of a test.
inline std::string memory_name(HostMemory kind) {
  std::string name(kHostMemoryNames[static_cast<std::size_t>(kind)]);
  std::ranges::replace(name, '-', '_');
  return name;
}

class StreamedFile {
 public:
  StreamedFile() : settings_(reader_settings()) {
    reader_settings().memory_budget = 10'000;
    write_text_file(folder_ / "streamed", "\x89HDF\r\n\x1a\n" + std::string(200'000, '.'));
  }
  ~StreamedFile() { reader_settings() = settings_; }
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;
  [[nodiscard]] std::shared_ptr<SeekableSource> open() const {
    return make_replay(open_recording(folder_ / "streamed"));
  }

 private:
  ReaderSettings settings_;
  TemporaryFolder folder_;
};

inline void expect_kept_as_read(Backend& backend, HostMemory kind) {
  const StreamedFile file;
  constexpr std::size_t kKept = 50;
  Mailbox<Image> images;
  TimingTrace trace;
  RfHistory history(kKept * 8192);
  std::vector<std::uint64_t> sequences;
  {
    StreamSettings stream = unpaced();
    stream.host_memory = kind;
    const std::shared_ptr<SeekableSource> source = file.open();
    Session session(backend, source, images, trace,
                    {.stream = stream,
                     .params = small_picture(*source->acquisition(), 16, 16),
                     .on_image = [&](const Image& image) { sequences.push_back(image.stamp.sequence); },
                     .sinks = {&history}});
    // Frames are kept once there is memory to exchange, which another thread allocates.
    wait_until([&] { return session.counts().processed >= 300 && history.extent().frames >= kKept / 2; });
    session.stop();
    EXPECT_EQ(session.producer_report(), "");
    expect_counts_add_up(session.counts());
  }
  ASSERT_GE(sequences.size(), 300U);
  for (std::size_t k = 0; k < sequences.size(); ++k) EXPECT_EQ(sequences[k], k);
  const HistoryExtent extent = history.extent();
  ASSERT_GE(extent.frames, kKept / 2);
  for (std::size_t k = 0; k < extent.frames; ++k) {
    const auto kept = history.at(k);
    EXPECT_TRUE(test::is_frame(kept->frame.samples, kept->frame.stamp.source_index)) << k;
    EXPECT_EQ(kept->frame.stamp.sequence, history.at(0)->frame.stamp.sequence + k);
  }
}

inline void expect_to_go_on_in_another_configuration(Backend& backend, HostMemory kind) {
  const StreamedFile file;
  Mailbox<Image> images;
  TimingTrace trace;
  RfHistory history(std::size_t{1} << 20);
  StreamSettings stream = unpaced();
  stream.host_memory = kind;
  const std::shared_ptr<SeekableSource> source = file.open();
  Session session(backend, source, images, trace,
                  {.stream = stream, .params = small_picture(*source->acquisition(), 16, 16), .sinks = {&history}});
  for (const int slots : {3, 16, 8}) {
    const std::uint64_t before = session.counts().processed;
    wait_until([&] { return session.counts().processed > before + 30; });
    stream.slots = slots;
    testing::set_stream(session, stream);
  }
  wait_until([&] { return history.extent().frames >= 30; });  // as above
  history.hold();
  session.stop();
  EXPECT_EQ(session.producer_report(), "");
  EXPECT_EQ(session.counts().sequence_gaps, 0U);
  ASSERT_GE(history.extent().frames, 30U);
  for (std::size_t k = 0; k < history.extent().frames; ++k) {
    const auto kept = history.at(k);
    EXPECT_TRUE(test::is_frame(kept->frame.samples, kept->frame.stamp.source_index)) << k;
  }
}

}  // namespace echoloop::testing
