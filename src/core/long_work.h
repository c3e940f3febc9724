// Tables of very large images take seconds, on one thread. A program that is asked to end does not wait for them.
// Process-wide, as ending is. Any thread.
#pragma once

#include <stop_token>

namespace echoloop {

void end_long_work();    // from now on check_long_work() throws; also for a signal handler
void check_long_work();  // now and then in work that may take longer than a moment. Throws Fault
[[nodiscard]] bool long_work_ended();

// While it lives, check_long_work() on this thread throws once `stop` is requested, too: what is made is not wanted.
class LongWork {
 public:
  explicit LongWork(std::stop_token stop);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  std::stop_token before_;
};

}  // namespace echoloop
