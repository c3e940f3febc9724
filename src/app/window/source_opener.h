// Opens a source on its own thread, so that a big file never holds up the image. The result crosses as a value.
// An attempt that is cancelled is asked to stop and left alone: a library that does not react holds up nothing.
// Owned and asked by the UI thread.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/opening/open_source.h"

namespace echoloop {

class SourceOpener {
 public:
  struct Result {
    std::optional<OpenedSource> opened;  // empty when it failed
    std::exception_ptr error;            // why
  };

  // Starts opening; an earlier attempt that is still going on is cancelled.
  void open(const std::string& name, const Facts& facts = {});
  void open_again();  // the source of the last open()
  void cancel();

  [[nodiscard]] bool busy() const { return busy_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double fraction() const { return attempt_ == nullptr ? 0.0 : attempt_->fraction.load(); }
  // A scanner whose sender has not come yet: what is known about its address.
  [[nodiscard]] std::optional<LiveWaiting> waiting() const;
  std::optional<Result> take();  // the result, once it is there

 private:
  // Shared with the thread that works on it. `result` is the thread's until `done`.
  struct Attempt {
    std::atomic<double> fraction{0.0};
    std::atomic<bool> done{false};
    bool listens = false;  // at a scanner's address
    std::mutex mutex;
    std::optional<LiveWaiting> waiting;  // under mutex
    Result result;
  };
  struct Worker {
    template <class Body>
    Worker(Body body, std::shared_ptr<Attempt> of) : attempt(std::move(of)), thread(std::move(body)) {}
    std::shared_ptr<Attempt> attempt;
    std::jthread thread;
  };

  static void run(Attempt& attempt, const std::string& name, const Facts& facts, const std::stop_token& stop);

  std::string name_;
  Facts facts_;
  bool busy_ = false;  // between open() and take() or cancel()
  std::shared_ptr<Attempt> attempt_;
  std::vector<Worker> threads_;
};

}  // namespace echoloop
