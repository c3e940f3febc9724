#include "core/error.h"

#include <atomic>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

// Replaces line breaks by spaces, and control characters (e.g. in file names) by '?'.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return plain_text(text);
}

}  // namespace

Error::Error(const std::string& what, const std::string& found, const std::string& accepted, const std::string& hint)
    : std::runtime_error(
          one_line(what + ": " + found + "; expected " + accepted + (hint.empty() ? "" : " (" + hint + ")"))) {}

Error::Error(const std::string& line) : std::runtime_error(one_line(line)) {}

Error out_of_range(const std::string& name, const std::string& value, const std::string& range) {
  return Error::from_line(name + " = " + value + " is out of range (" + range + ")");
}

Error invalid_value(const std::string& name, const std::string& value, const std::string& expected) {
  return Error::from_line(name + " = '" + value + "' is not valid; expected " + expected);
}

namespace {

std::atomic<bool> ended{false};
thread_local std::stop_token given_up;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void end_long_work() { ended = true; }

bool long_work_ended() { return ended; }

LongWork::LongWork(std::stop_token stop) : before_(std::exchange(given_up, std::move(stop))) {}
LongWork::~LongWork() { given_up = std::move(before_); }

void check_long_work() {
  if (given_up.stop_requested()) throw Fault("image formation", "given up", "a stream that is still wanted");
  if (ended) throw Fault("image formation", "stopped, as the program ends", "a run to its end");
}

}  // namespace echoloop
