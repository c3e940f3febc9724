// What a source's samples are like, frame by frame, and of all frames that were processed since the stream started. The
// source writes as it checks a frame, the processing thread counts, the window and the report read. Frames are numbered
// as the source numbers them; of a frame without faults nothing is kept but that it was checked.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/sample_faults.h"

namespace echoloop {

class SampleLog {
 public:
  void keep(std::uint64_t frame, SampleFaults faults);             // any thread
  [[nodiscard]] bool has(std::uint64_t frame) const;               // any thread
  [[nodiscard]] SampleFaults of(std::uint64_t frame) const;        // not checked yet: of no frames; any thread
  [[nodiscard]] std::uint64_t invalid(std::uint64_t frame) const;  // samples; any thread

  void count(std::uint64_t frame);                 // it was processed; processing thread
  void restart();                                  // nothing was processed yet; any thread
  [[nodiscard]] SampleFaults since_start() const;  // any thread

 private:
  mutable std::mutex mutex_;
  // All below under mutex_.
  std::vector<bool> checked_;
  std::map<std::uint64_t, SampleFaults> faulty_;
  std::uint64_t samples_ = 0;  // of a frame
  SampleFaults since_start_;
};

using SampleLogPtr = std::shared_ptr<SampleLog>;

}  // namespace echoloop
