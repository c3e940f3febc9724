// Runs frames through a whole Session (source, ring, threads, CPU backend) and keeps copies of the images.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/stream/session.h"
#include "backend/backend.h"
#include "backend/frame_processor.h"
#include "history/rf_history.h"
#include "source/source.h"
#include "support/acquisitions.h"
#include "support/waiting.h"

namespace echoloop::testing {

// Frames held in memory, written into the slots in turn; `before` may wait, throw or count.
class FrameList final : public SeekableSource {
 public:
  FrameList(AcquisitionPtr acquisition, std::vector<std::vector<std::byte>> frames)
      : acquisition_(std::move(acquisition)), frames_(std::move(frames)) {}
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "test frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return frames_.size(); }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    if (before) before(index);
    const std::vector<std::byte>& frame = frames_[static_cast<std::size_t>(index)];
    std::memcpy(slot.bytes.data(), frame.data(), frame.size());
    return slot.bytes.first(frame.size());
  }
  std::function<void(std::uint64_t)> before;  // [producer thread]

 private:
  AcquisitionPtr acquisition_;
  std::vector<std::vector<std::byte>> frames_;
};

// Returns a source of `n` different frames of noise.
inline std::shared_ptr<FrameList> noise_source(const AcquisitionPtr& acquisition, int n) {
  std::vector<std::vector<std::byte>> frames;
  for (int i = 0; i < n; ++i) frames.push_back(to_bytes(noise(acquisition->frame_values(), static_cast<unsigned>(i))));
  return std::make_shared<FrameList>(acquisition, std::move(frames));
}

struct Picture {
  FrameStamp stamp;
  std::uint64_t number = 0;
  Grid grid;
  ImagingParams params;
  std::vector<float> db;  // [nz][nx]

  static Picture of(const Image& image) {
    return {image.stamp, image.number, image.grid, image.params, {image.host().begin(), image.host().end()}};
  }
  [[nodiscard]] float at(int ix, int iz) const { return db[static_cast<std::size_t>(iz * grid.nx + ix)]; }
};

// Waits for the session; for on_image, which may be called before the session's maker has stored it.
inline Session& once_at_hand(const std::atomic<Session*>& session) {
  while (session == nullptr) std::this_thread::yield();
  return *session;
}

inline void expect_counts_add_up(const RingCounts& c) {
  EXPECT_EQ(c.produced, c.processed + c.dropped + c.refused + c.in_flight);
}

inline StreamSettings unpaced() {
  StreamSettings stream;
  stream.rate_hz = kRateMax;
  return stream;
}

struct Run {
  std::shared_ptr<Source> source;
  ImagingParams params;
  std::uint64_t frames = 1;
  int threads = 2;
  StreamSettings stream = unpaced();
  CpuKernel kernel = CpuKernel::automatic;
  Backend* backend = nullptr;  // null: a CPU backend
  AnalysisMailboxes analyses = {};
  AnalysisCounts* counts = nullptr;  // of them, at the end
};

// Returns the images of the first `frames` frames.
inline std::vector<Picture> process(const Run& run) {
  const std::unique_ptr<Backend> own = run.backend == nullptr ? make_cpu_backend(run.threads, run.kernel) : nullptr;
  Mailbox<Image> images;
  TimingTrace trace;
  std::vector<Picture> pictures;
  Session session(own != nullptr ? *own : *run.backend, run.source, images, trace,
                  {.stream = run.stream,
                   .params = run.params,
                   .max_frames = run.frames,
                   .host_copy = HostCopy::made,
                   .on_image = [&](const Image& image) { pictures.push_back(Picture::of(image)); },
                   .analyses = run.analyses});
  wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.take_refusal(), "");
  if (run.counts != nullptr) *run.counts = session.analysis_counts();
  EXPECT_EQ(session.producer_report(), "");
  expect_counts_add_up(session.counts());
  EXPECT_EQ(pictures.size(), run.frames);
  return pictures;
}

// Returns those of this processor, the specification first.
inline std::vector<CpuKernel> cpu_kernels_here() {
  std::vector<CpuKernel> kernels;
  for (const CpuKernel kernel : {CpuKernel::portable, CpuKernel::avx2, CpuKernel::avx512}) {
    if (has_cpu_kernel(kernel)) kernels.push_back(kernel);
  }
  return kernels;
}

// Processes one frame in a lane of the CPU backend, without threads around it: returns an intermediate result.
inline std::vector<float> tap_of(const AcquisitionPtr& acquisition, const ImagingParams& params,
                                 const std::vector<std::byte>& frame, Lane::Tap tap,
                                 CpuKernel kernel = CpuKernel::automatic) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2, kernel);
  const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
  form_frame(*lane, make_plan(acquisition, params), {.stamp = {}, .samples = frame});
  return lane->read_back(tap);
}

}  // namespace echoloop::testing
