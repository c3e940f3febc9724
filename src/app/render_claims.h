// Claims of the outputs of `render`, so that several programs, also of several hosts, share a folder and make each of
// them once. A claim is a file made with O_EXCL that names host and process; renewed while the work lasts, removed at
// its end. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace echoloop {

class RenderClaims {
 public:
  RenderClaims();
  ~RenderClaims();  // removes the claims that are held
  RenderClaims(const RenderClaims&) = delete;
  RenderClaims& operator=(const RenderClaims&) = delete;

  // Makes the file, or takes over that of a process of this host that has ended, or one that was not renewed for
  // kLongest. Returns false if another program, or another thread, works on it. Throws Fault.
  [[nodiscard]] bool take(const std::filesystem::path& file);
  // Returns false after another program has taken the claim over: this one was stopped for a time.
  [[nodiscard]] bool holds(const std::filesystem::path& file) const;
  void release(const std::filesystem::path& file);

  static constexpr std::chrono::seconds kLongest{60}, kRenewal{10};

 private:
  void renew_all();

  mutable std::mutex mutex_;
  std::condition_variable_any ended_;
  std::map<std::filesystem::path, std::string> held_;  // the files' texts; under mutex_
  std::jthread thread_;                                // last: end first
};

}  // namespace echoloop
