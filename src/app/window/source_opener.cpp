#include "app/window/source_opener.h"

#include <utility>

#include "app/opening/source_kinds.h"
#include "source/live/live_address.h"

namespace echoloop {

void SourceOpener::open(const std::string& name, const Facts& facts) {
  cancel();
  name_ = without_last_separator(name);
  facts_ = facts;
  busy_ = true;
  attempt_ = std::make_shared<Attempt>();
  attempt_->listens = name.starts_with(kLivePrefix);
  std::vector<std::shared_ptr<Attempt>> before;  // whose addresses are free once they have ended
  for (const Worker& worker : threads_) {
    if (attempt_->listens && worker.attempt->listens) before.push_back(worker.attempt);
  }
  threads_.emplace_back(
      [attempt = attempt_, before = std::move(before), name = name_, facts](const std::stop_token& stop) {
        for (const std::shared_ptr<Attempt>& one : before) one->done.wait(false);
        run(*attempt, name, facts, stop);
      },
      attempt_);
}

void SourceOpener::open_again() { open(std::string(name_), Facts(facts_)); }

void SourceOpener::cancel() {
  for (Worker& worker : threads_) worker.thread.request_stop();
  std::erase_if(threads_,
                [](const Worker& worker) { return worker.attempt->done.load(); });  // joins those that are done
  attempt_.reset();
  busy_ = false;
}

void SourceOpener::run(Attempt& attempt, const std::string& name, const Facts& facts, const std::stop_token& stop) {
  try {
    attempt.result.opened = open_source(
        name, facts, [&](double fraction) { attempt.fraction = fraction; }, stop,
        [&](const LiveWaiting& waiting) {
          const std::scoped_lock lock(attempt.mutex);
          attempt.waiting = waiting;
        });
  } catch (...) {
    attempt.result.error = std::current_exception();
  }
  {
    const std::scoped_lock lock(attempt.mutex);
    attempt.waiting.reset();  // the source has the sockets, or nothing has
  }
  if (stop.stop_requested()) attempt.result = {};  // cancelled: its address has to be free
  attempt.done = true;
  attempt.done.notify_all();
}

std::optional<LiveWaiting> SourceOpener::waiting() const {
  if (attempt_ == nullptr) return std::nullopt;
  const std::scoped_lock lock(attempt_->mutex);
  return attempt_->waiting;
}

std::optional<SourceOpener::Result> SourceOpener::take() {
  if (attempt_ == nullptr || !attempt_->done) return std::nullopt;
  busy_ = false;
  return std::move(std::exchange(attempt_, nullptr)->result);
}

}  // namespace echoloop
