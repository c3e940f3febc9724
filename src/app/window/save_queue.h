// Files that the user saves, written one after another on a thread, so that no turn of the window waits for drawing,
// encoding or a disk. What is written is a copy of the moment of the command.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace echoloop {

class SaveQueue {
 public:
  // The line that reports it; throws Error. [save thread]
  using Write = std::function<std::string()>;
  struct Result {
    std::string text;
    bool failed = false;
  };

  SaveQueue();
  ~SaveQueue();  // after all files
  SaveQueue(const SaveQueue&) = delete;
  SaveQueue& operator=(const SaveQueue&) = delete;

  void add(Write write);            // UI thread
  std::optional<Result> take();     // of the files in their order, each once; nothing: none has been written; UI thread
  [[nodiscard]] bool busy() const;  // results are still to be taken; UI thread
  void finish();                    // waits until all files are written; UI thread

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Write> waiting_;   // under mutex_
  bool writing_ = false;        // likewise
  std::deque<Result> written_;  // likewise
  bool quit_ = false;           // likewise
  std::thread thread_;
};

}  // namespace echoloop
