#include "app/source_opener.h"

#include <utility>

namespace echoloop {

void SourceOpener::open(const std::string& name) {
  cancel();
  name_ = name;
  fraction_ = 0.0;
  busy_ = true;
  thread_ = std::jthread([this, name](const std::stop_token& stop) { run(name, stop); });
}

void SourceOpener::cancel() {
  thread_ = {};  // asks to stop and joins
  const std::scoped_lock lock(mutex_);
  result_.reset();
  busy_ = false;
}

void SourceOpener::run(const std::string& name, const std::stop_token& stop) {
  Result result;
  try {
    result.opened = open_source(
        name, [this](double fraction) { fraction_ = fraction; }, stop);
  } catch (...) {
    result.error = std::current_exception();
  }
  const std::scoped_lock lock(mutex_);
  result_ = std::move(result);
}

std::optional<SourceOpener::Result> SourceOpener::take() {
  const std::scoped_lock lock(mutex_);
  if (result_.has_value()) busy_ = false;
  return std::exchange(result_, std::nullopt);
}

}  // namespace echoloop
