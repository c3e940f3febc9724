// Forces a growing file to the disk now and then, so that a power failure costs the last seconds only. On a thread of
// its own: it takes as long as the disk takes, and the writer must not wait for it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace echoloop {

class DiskSync {
 public:
  explicit DiskSync(int file);  // a descriptor that outlives this
  ~DiskSync();                  // waits for what is under way
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;

  void request();  // of what has been written until now; at most once in kEvery. Returns at once [writer's thread]
  [[nodiscard]] std::string problem() const;  // why it failed; empty: it did not [any thread]

  static constexpr std::chrono::seconds kEvery{1};

 private:
  void run(int file);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;  // under mutex_
  bool ended_ = false;   // under mutex_
  int error_ = 0;        // under mutex_
  std::thread thread_;
};

}  // namespace echoloop
