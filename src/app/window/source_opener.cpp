#include "app/window/source_opener.h"

#include <utility>

namespace echoloop {

void SourceOpener::open(const std::string& name, const Facts& facts) {
  cancel();
  name_ = name;
  facts_ = facts;
  busy_ = true;
  attempt_ = std::make_shared<Attempt>();
  threads_.emplace_back(
      [attempt = attempt_, name, facts](const std::stop_token& stop) { run(*attempt, name, facts, stop); }, attempt_);
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
  attempt.done = true;
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
