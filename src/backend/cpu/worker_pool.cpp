#include "backend/cpu/worker_pool.h"

#include <algorithm>

#include "core/units.h"

namespace echoloop {

WorkerPool::WorkerPool(int threads) {
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
}

WorkerPool::~WorkerPool() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::take_chunks(const Job& job, int thread) {
  for (;;) {
    const int begin = next_.fetch_add(job.grain, std::memory_order_relaxed);
    if (begin >= job.n || skips()) return;
    job.call(job.context, begin, std::min(begin + job.grain, job.n), thread);
  }
}

void WorkerPool::begin_work() {
  superseded_ = false;
  skipped_ = false;
  working_ = true;
}

bool WorkerPool::end_work() {
  working_ = false;
  const bool skipped = skipped_.exchange(false);
  return !skipped && !abandoned_;
}

// Counts chunks in work as done: the estimate is a little short.
double WorkerPool::remaining_s() const {
  const std::int64_t began_ns = job_began_ns_.load(std::memory_order_relaxed);
  const int begun = ended_items_.load(std::memory_order_relaxed) + next_.load(std::memory_order_relaxed);
  const int items = job_items_.load(std::memory_order_relaxed);
  if (began_ns == 0 || begun <= 0 || begun >= items) return 0.0;
  const double passed_s = static_cast<double>(now_ns() - began_ns) * 1e-9;
  return passed_s * static_cast<double>(items - begun) / static_cast<double>(begun);
}

bool WorkerPool::skips() {
  if (abandoned_.load(std::memory_order_relaxed) || skipped_.load(std::memory_order_relaxed)) return true;
  if (!superseded_.load(std::memory_order_relaxed) || !working_ || remaining_s() < kWorthSkipping_s) return false;
  skipped_ = true;
  return true;
}

void WorkerPool::begin_job(int items) {
  job_items_ = items;
  ended_items_ = next_ = 0;
  job_began_ns_ = now_ns();
}

void WorkerPool::run_job(const Job& job) {
  if (!in_parts_) begin_job(job.n);
  const bool shared = !workers_.empty() && job.n > job.grain;  // one chunk wakes no thread
  if (shared) {
    const std::scoped_lock lock(mutex_);
    job_ = job;
    next_.store(0, std::memory_order_relaxed);
    busy_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  if (shared) start_.notify_all();
  take_chunks(job, 0);
  if (shared) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }
  next_ = 0;
  in_parts_ ? void(ended_items_ += job.n) : void(job_began_ns_ = 0);
}

void WorkerPool::work(int thread) {
  unsigned seen = 0;
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
      job = job_;
    }
    take_chunks(job, thread);
    const std::scoped_lock lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace echoloop
