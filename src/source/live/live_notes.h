// Lines about a connection, for the window or the terminal: of one kind at most one a second, the newest, with the
// number of those that were like it. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/live_status.h"

namespace echoloop {

class LiveNotes {
 public:
  // `about`: of lines with the same one the first is kept, and the newest a second later.
  void add(LiveNote::Kind kind, const std::string& about, std::string text, std::int64_t now_ns);
  std::vector<LiveNote> take(std::int64_t now_ns);

 private:
  static constexpr std::int64_t kApart_ns = 1'000'000'000;
  static constexpr std::size_t kMost = 100;  // that wait to be taken

  struct Last {
    std::int64_t at_ns = 0;
    std::uint64_t held_back = 0;  // since
    LiveNote newest;              // of these
  };
  void keep(Last& last, LiveNote note, std::uint64_t more, std::int64_t now_ns);

  std::mutex mutex_;
  std::map<std::string, Last> last_;  // under mutex_
  std::vector<LiveNote> waiting_;     // under mutex_
};

}  // namespace echoloop
