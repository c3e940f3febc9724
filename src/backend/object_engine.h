// Objects beside the live stream: finished images, as far as there is time for them, are handed to a thread of its
// own that finds background and objects. The stream never waits for it: an image that waits is replaced by the next.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/analysis.h"
#include "backend/job_thread.h"
#include "backend/object_device.h"
#include "core/mailbox.h"

namespace echoloop {

inline constexpr std::int64_t kObjectInterval_ns = 40'000'000;

class ObjectEngine final : public Analysis {
 public:
  // Its end waits for the image in work.
  ObjectEngine(std::unique_ptr<ObjectDevice> device, Mailbox<ObjectImage>& pictures);

  // Copies a finished image; never waits. False: a live one that comes less than kObjectInterval_ns after the last
  // that was taken (by Image::ready_ns), and is left out. [processing thread]
  using Analysis::take;
  bool take(const Image& image, Claim claim) override;

  void drain() override { thread_.drain(); }  // until no image waits or is in work
  [[nodiscard]] bool busy() const override { return thread_.busy(); }
  [[nodiscard]] ObjectCounts counts() const;  // any thread
  void count(AnalysisCounts& counts_of_all) const override { counts_of_all.objects = counts(); }
  [[nodiscard]] std::string take_fault() override { return thread_.take_fault(); }

 private:
  struct Job {
    FrameStamp stamp;
    Grid grid;
    AcquisitionPtr acquisition;
    ImagingParams params;
  };

  void make_picture(int slot);
  const ObjectPlan& plan_for(const Job& job);

  std::unique_ptr<ObjectDevice> device_;
  Mailbox<ObjectImage>& pictures_;

  std::int64_t last_live_ns_ = 0;  // processing thread; 0: none yet

  // Objects thread:
  ObjectPlan plan_;
  ImagingParams planned_;  // that plan_ was made of
  std::uint64_t number_ = 0;

  std::atomic<std::uint64_t> n_pictures_{0}, n_replaced_{0};
  std::array<Job, kObjectSlots> jobs_;
  JobThread thread_;  // last: ends first
};

}  // namespace echoloop
