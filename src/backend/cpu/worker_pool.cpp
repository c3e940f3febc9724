#include "backend/cpu/worker_pool.h"

#include <algorithm>

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
    if (begin >= job.n || abandoned_.load(std::memory_order_relaxed)) return;
    job.call(job.context, begin, std::min(begin + job.grain, job.n), thread);
  }
}

void WorkerPool::run_job(const Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    job_ = job;
    next_.store(0, std::memory_order_relaxed);
    busy_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  start_.notify_all();
  take_chunks(job, 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
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
