// An analysis beside the live stream: it takes beamformed frames or finished images, works on a thread of its own and
// publishes into a mailbox. The stream never waits for it. Processing thread, unless said.
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

// Complex pixels of a frame of the stream, on their way to an analysis.
struct BeamformedFrame {
  std::shared_ptr<const Plan> plan;
  PixelView pixels;
  FrameStamp stamp;
  double reference_db = 0.0;
};

// Live images follow each other so fast that most need not be analysed; others have been requested.
enum class Claim { live, wanted };

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void take(const BeamformedFrame& /*frame*/) {}
  // False: a live image that comes too soon after the one before, and is left out.
  virtual bool take(const Image& /*image*/, Claim /*claim*/) { return true; }
  virtual void drain() = 0;                              // until all that was taken is published
  [[nodiscard]] virtual bool busy() const = 0;           // something taken is not published yet
  virtual std::string take_fault() = 0;                  // why no more results come, once; empty: none
  virtual void count(AnalysisCounts& counts) const = 0;  // any thread
};

// What an analysis takes: pixels of the stream, or images of the stream and of the history.
enum class AnalysisInput { pixels, images };

struct AnalysisRow {
  std::string_view refusal;  // before the reason why there are no results
  AnalysisInput input;
  bool (*is_on)(const ImagingParams&);
  bool (*has_mailbox)(const AnalysisMailboxes&);
  std::unique_ptr<Analysis> (*make)(Backend&, const AnalysisMailboxes&);
};

// The thread of what works beside the live stream (flow, objects, spectrogram), so that the stream never waits for
// it. It does one job at a time; one that waits gives way to a newer one. What throws is the fault that ends its work:
// jobs that come later are not done, and drain() does not wait for them.

class JobThread {
 public:
  static constexpr int kSlots = 2;  // where jobs lie: the one in work, and one that waits

  // All on the thread.
  struct Work {
    std::function<void()> begin = {};         // what it does first; empty: nothing
    std::function<void(int slot)> job;        // does the job that lies there
    std::chrono::milliseconds look_every{0};  // > 0: it calls job(0) that often without a job
  };

  explicit JobThread(Work work);
  ~JobThread();  // waits for the job in work, not for one that waits
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  // fill(slot) writes a job where none is in work; if it throws, no job waits. Meanwhile the thread takes no other job;
  // the caller never waits for the thread. True: the job took the place of one that waited. [one thread]
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

  void drain();                                          // until no job waits or is in work; who hands over
  [[nodiscard]] bool busy() const;                       // one waits or is in work; any thread
  [[nodiscard]] bool failed() const { return failed_; }  // any thread
  [[nodiscard]] std::string take_fault();                // why it failed, once; any thread

 private:
  void run();
  template <class Step>
  void attempt(Step&& step);

  const Work work_;
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = -1;   // slot; -1: none; under mutex_
  int in_work_ = -1;   // likewise
  bool quit_ = false;  // under mutex_
  std::string fault_;  // under mutex_
  std::thread thread_;
};

// Sends one column of every image to the M-mode: which column, and on its way to the window. The window says where the
// line is; without a line nothing is copied.

// The writer's side of a LineQueue. Processing thread.
class LineWriter {
 public:
  explicit LineWriter(LineQueue& queue) : queue_(queue) {}
  void write(const Image& image, int column, std::span<const float> levels_db);
  // Of an image with a host copy.
  void write(const Image& image, PlanePoint at);

 private:
  LineQueue& queue_;
  std::shared_ptr<const LineOrigin> origin_;  // of the last column
  std::vector<float> levels_db_;
};

class LineTap {
 public:
  explicit LineTap(LineQueue* queue);  // null: no M-mode

  void look_at(const std::optional<PlanePoint>& at);  // nothing: no line; UI thread

  // The column to keep of the next image on this grid; nothing: none. [processing thread]
  [[nodiscard]] std::optional<int> column(const Grid& grid);
  void take(const Image& image, int column, std::span<const float> levels_db);  // processing thread

 private:
  std::optional<LineWriter> writer_;
  Mailbox<std::optional<PlanePoint>> at_;
};

}  // namespace echoloop
