// Opens a source on its own thread, so that a big file never holds up the picture. The result crosses as a value.
// Owned and asked by the UI thread.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/open_source.h"

namespace echoloop {

class SourceOpener {
 public:
  struct Result {
    std::optional<OpenedSource> opened;  // empty when it failed
    std::exception_ptr error;            // why
  };

  // Starts opening; an earlier attempt that is still going on is cancelled.
  void open(const std::string& name);
  void cancel();

  [[nodiscard]] bool busy() const { return busy_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double fraction() const { return fraction_; }
  std::optional<Result> take();  // the result, once it is there

 private:
  void run(const std::string& name, const std::stop_token& stop);

  std::string name_;
  bool busy_ = false;  // UI thread: between open() and take() or cancel()
  std::atomic<double> fraction_{0.0};
  std::mutex mutex_;
  std::optional<Result> result_;  // under mutex_
  std::jthread thread_;
};

}  // namespace echoloop
