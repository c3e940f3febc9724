// The thread of what works beside the live stream (flow, objects, spectrogram), so that the stream never waits for
// it. It does one job at a time; one that waits gives way to a newer one. What throws is the fault that ends its work:
// jobs that come later are not done, and drain() does not wait for them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace echoloop {

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

}  // namespace echoloop
