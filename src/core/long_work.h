// End of long work: tables of very large images need seconds, on one thread, and a program that ends does not wait for
// them. Process-wide. Any thread.
#pragma once

#include <stop_token>

namespace echoloop {

void end_long_work();    // makes check_long_work() throw from now on; may be called in a signal handler
void check_long_work();  // throws Fault after the end; call regularly in long work
[[nodiscard]] bool long_work_ended();

// Makes check_long_work() on this thread also throw once `stop` is requested, during the object's lifetime.
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
