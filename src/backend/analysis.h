// Interface of an analysis of the live stream: accepts beamformed frames or finished images, works on a thread of its
// own and publishes into a mailbox. The stream never waits for it. Processing thread, unless noted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "backend/backend.h"
#include "core/mailbox.h"
#include "core/results/image.h"
#include "core/results/live_images.h"

namespace echoloop {

// Complex pixels of a frame of the stream, as passed to an analysis.
struct BeamformedFrame {
  std::shared_ptr<const Plan> plan;
  PixelView pixels;
  FrameStamp stamp;
  double reference_db = 0.0;
};

// live: one of a fast sequence, most of which may be skipped; wanted: requested.
enum class Claim { live, wanted };

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void take(const BeamformedFrame& /*frame*/) {}
  // Returns false for a live image that comes too soon after its predecessor: it is dropped.
  virtual bool take(const Image& /*image*/, Claim /*claim*/) { return true; }
  virtual void drain() = 0;                              // waits until all accepted input is published
  [[nodiscard]] virtual bool busy() const = 0;           // accepted input is not yet published
  virtual std::string take_fault() = 0;                  // reason for missing results, returned once; empty: none
  virtual void count(AnalysisCounts& counts) const = 0;  // any thread
};

struct AnalysisRow {
  std::string_view refusal;  // precedes the reason for missing results
  AnalysisInput input;
  bool (*is_on)(const ImagingParams&);
  bool (*has_mailbox)(const AnalysisMailboxes&);
  std::unique_ptr<Analysis> (*make)(Backend&, const AnalysisMailboxes&);
};

template <class A, class Engine>
constexpr AnalysisRow analysis_row(std::string_view refusal) {
  using Result = typename A::Result;
  return {.refusal = refusal,
          .input = A::kInput,
          .is_on = is_on<A>,
          .has_mailbox = [](const AnalysisMailboxes& m) { return m.of<Result>() != nullptr; },
          .make = [](Backend& backend, const AnalysisMailboxes& m) -> std::unique_ptr<Analysis> {
            return std::make_unique<Engine>(backend.make_device<A>(), *m.of<Result>());
          }};
}

// Thread of one analysis (flow, objects, spectrogram), so that the stream never waits for it. Does one job at a time; a
// waiting job is replaced by a newer one. An exception is its fault and ends its work: later jobs are not done, and
// drain() does not wait for them.

class JobThread {
 public:
  static constexpr int kSlots = 2;  // one job in work, one waiting

  // Functions called on the thread.
  struct Work {
    std::function<void()> begin = {};         // called first; empty: nothing
    std::function<void(int slot)> job;        // does the job in `slot`
    std::chrono::milliseconds look_every{0};  // > 0: calls job(0) at this interval without a job
  };

  explicit JobThread(Work work);
  ~JobThread();  // waits for the job in work, not for a waiting one
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  // Calls fill(slot) to write a job into a free slot; if it throws, no job waits. Meanwhile the thread starts no other
  // job; the caller never waits for the thread. Returns true if the job replaced a waiting one. [one thread]
  template <class Fill>
  bool hand_over(Fill&& fill) {
    bool replaces = false;
    {
      const std::scoped_lock lock(mutex_);
      replaces = waiting_ >= 0;
      waiting_ = -1;
      const int slot = in_work_ == 0 ? 1 : 0;
      fill(slot);
      waiting_ = slot;
    }
    changed_.notify_all();
    return replaces;
  }

  void drain();                                          // waits until no job waits or is in work; the caller's thread
  [[nodiscard]] bool busy() const;                       // a job waits or is in work; any thread
  [[nodiscard]] bool failed() const { return failed_; }  // any thread
  [[nodiscard]] std::string take_fault();                // reason of the failure, returned once; any thread

 private:
  void run();
  template <class Step>
  void attempt(Step&& step);

  const Work work_;
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = -1;   // slot; -1: none; under mutex_
  int in_work_ = -1;   // slot; -1: none; under mutex_
  bool quit_ = false;  // under mutex_
  std::string fault_;  // under mutex_
  std::thread thread_;
};

// Sends one column of every image to the M-mode display. The window sets the position of the line; without a line
// nothing is copied.

// Writing end of a LineQueue. Processing thread.
class LineWriter {
 public:
  explicit LineWriter(LineQueue& queue) : queue_(queue) {}
  void write(const Image& image, int column, std::span<const float> levels_db);
  // The image has a host copy.
  void write(const Image& image, PlanePoint at);

 private:
  LineQueue& queue_;
  std::shared_ptr<const LineOrigin> origin_;  // of the last column
  std::vector<float> levels_db_;
};

class LineTap {
 public:
  explicit LineTap(LineQueue* queue);  // null: no M-mode

  void look_at(const std::optional<PlanePoint>& at);  // nullopt: no line; UI thread

  // Returns the column to keep of the next image on this grid; nullopt: none. [processing thread]
  [[nodiscard]] std::optional<int> column(const Grid& grid);
  void take(const Image& image, int column, std::span<const float> levels_db);  // processing thread

 private:
  std::optional<LineWriter> writer_;
  Mailbox<std::optional<PlanePoint>> at_;
};

}  // namespace echoloop
