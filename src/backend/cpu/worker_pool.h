// Threads that share the rows of a loop. In place of OpenMP, because thread sanitizer supports it and the waiting
// caller helps with the work. One caller at a time (the processing thread); run() never allocates.
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

  // Skips chunks not yet begun, until resume(). [any thread]
  void abandon() { abandoned_ = true; }
  void resume() { abandoned_ = false; }
  [[nodiscard]] bool abandoned() const { return abandoned_; }

  // Begins one piece of work, up to end_work(). After supersede() the rest is skipped if it would take longer than
  // kWorthSkipping_s. end_work() returns true if all was done. [the pool's caller]
  void begin_work();
  [[nodiscard]] bool end_work();
  void supersede() { superseded_ = true; }  // any thread
  // Returns the remaining time of the job, or of all its parts, from its finished chunks; 0: no job. [any thread]
  [[nodiscard]] double remaining_s() const;
  static constexpr double kWorthSkipping_s = 0.5;

  // Calls body(begin, end, thread) for chunks of [0, n) of at most `grain` items, in any order, on any thread (0 ..
  // threads()-1). Returns when all are done. `body` must not throw.
  template <class Body>
  void run(int n, int grain, Body&& body) {
    run_job({[](void* context, int begin, int end, int thread) {
               (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end, thread);
             },
             &body, n, grain});
  }

  // Treats the jobs in run_them() as parts of one job of n items.
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
  std::atomic<bool> superseded_{false};  // the current work is obsolete
  std::atomic<bool> skipped_{false};     // the rest of the work was not done
  std::atomic<bool> working_{false};
  bool in_parts_ = false;  // of the pool's caller
  std::atomic<int> job_items_{0};
  std::atomic<int> ended_items_{0};            // of earlier parts of the job
  std::atomic<std::int64_t> job_began_ns_{0};  // 0: no job
  std::vector<std::thread> workers_;
};

}  // namespace echoloop
