// Structure beside the live stream: finished pictures, as far as there is time for them, are handed to a thread of its
// own that finds background and objects. The stream never waits for it: a picture that waits is replaced by the next.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/job_thread.h"
#include "backend/structure_device.h"
#include "core/mailbox.h"

namespace echoloop {

// Live pictures follow each other so fast that most need not be looked at; others have been asked for.
enum class Claim { live, wanted };
inline constexpr std::int64_t kStructureInterval_ns = 40'000'000;

class StructureEngine {
 public:
  // Its end waits for the picture in work.
  StructureEngine(std::unique_ptr<StructureDevice> device, Mailbox<StructureImage>& pictures);

  // Copies a finished picture; never waits. False: a live one that comes less than kStructureInterval_ns after the last
  // that was taken (by Image::ready_ns), and is left out. [processing thread]
  bool take(const Image& image, Claim claim);

  void settle() { thread_.settle(); }                         // until no picture waits or is in work; processing thread
  [[nodiscard]] bool busy() const { return thread_.busy(); }  // one waits or is in work; any thread
  [[nodiscard]] StructureCounts counts() const;               // any thread
  // Why no more pictures come, once; any thread.
  [[nodiscard]] std::string take_fault() { return thread_.take_fault(); }

 private:
  struct Job {
    FrameStamp stamp;
    Grid grid;
    AcquisitionPtr acquisition;
    ImagingParams params;
  };

  void make_picture(int slot);
  const StructurePlan& plan_for(const Job& job);

  std::unique_ptr<StructureDevice> device_;
  Mailbox<StructureImage>& pictures_;

  std::int64_t last_live_ns_ = 0;  // processing thread; 0: none yet

  // Structure thread:
  StructurePlan plan_;
  ImagingParams planned_;  // that plan_ was made of
  std::uint64_t number_ = 0;

  std::atomic<std::uint64_t> n_pictures_{0}, n_replaced_{0};
  std::array<Job, kStructureSlots> jobs_;
  JobThread thread_;  // last: ends first
};

}  // namespace echoloop
