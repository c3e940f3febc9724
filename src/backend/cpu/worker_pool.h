// A few threads that share the rows of a loop. Why not OpenMP: thread sanitizer understands this one, and a caller that
// waits helps with the work instead of sleeping. One caller at a time (the processing thread); run() never allocates.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace echoloop {

class WorkerPool {
 public:
  explicit WorkerPool(int threads);  // including the caller; at least 1
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // From abandon() to resume() chunks that have not begun are skipped. [any thread]
  void abandon() { abandoned_ = true; }
  void resume() { abandoned_ = false; }

  // The jobs from begin_work() to end_work() are one piece of work. After supersede() the rest of it is skipped as soon
  // as it would take longer than kWorthSkipping_s. end_work(): whether all of it was done. [the pool's caller]
  void begin_work();
  [[nodiscard]] bool end_work();
  void supersede() { superseded_ = true; }  // any thread
  // Of the job under way, or of all its parts, as its chunks were done so far; 0: none is. [any thread]
  [[nodiscard]] double remaining_s() const;
  static constexpr double kWorthSkipping_s = 0.5;

  // body(begin, end, thread) for chunks of [0, n) of at most `grain` items, any order, any thread (0 .. threads()-1).
  // Returns when all are done. `body` must not throw.
  template <class Body>
  void run(int n, int grain, Body&& body) {
    run_job({[](void* context, int begin, int end, int thread) {
               (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end, thread);
             },
             &body, n, grain});
  }

  // The jobs in run_them() are parts of one, which has n items in all.
  template <class RunThem>
  void run_parts(int n, RunThem&& run_them) {
    begin_job(n);
    in_parts_ = true;
    run_them();
    in_parts_ = false;
    job_began_ns_ = 0;
  }

 private:
  struct Job {
    void (*call)(void*, int, int, int) = nullptr;
    void* context = nullptr;
    int n = 0;
    int grain = 1;
  };

  void begin_job(int items);
  void run_job(const Job& job);
  void work(int thread);
  void take_chunks(const Job& job, int thread);
  [[nodiscard]] bool skips();

  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  Job job_;                  // under mutex_
  unsigned generation_ = 0;  // under mutex_
  int busy_ = 0;             // workers still in the job; under mutex_
  bool stop_ = false;        // under mutex_
  std::atomic<int> next_{0};
  std::atomic<bool> abandoned_{false};
  std::atomic<bool> superseded_{false};  // the work under way is not wanted any more
  std::atomic<bool> skipped_{false};     // its rest is not done
  std::atomic<bool> working_{false};
  bool in_parts_ = false;  // of the pool's caller
  std::atomic<int> job_items_{0};
  std::atomic<int> ended_items_{0};            // of the job's parts before
  std::atomic<std::int64_t> job_began_ns_{0};  // 0: no job is under way
  std::vector<std::thread> workers_;
};

}  // namespace echoloop
