// The flow of a kept frame: the image of the ensemble that ends with it, made of the kept frames before it. They are
// beamformed one at a time, between the live frames, and stay beamformed: the ensemble of the next frame, or of the one
// before, needs one more, and other filters need none. The image is made by a FlowWorker. Processing thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/flow_worker.h"

namespace echoloop {

struct EnsembleFrame {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
};

struct FlowReviewRequest {
  std::vector<EnsembleFrame> frames;  // params.color_flow.frames of them that follow each other, oldest first
  ImagingParams params;               // images are not averaged over time: it would depend on what was looked at before
};

class FlowReviewer {
 public:
  FlowReviewer(Backend& backend, AcquisitionPtr acquisition, StreamMode mode);

  // Takes the place of a request that is not answered yet. Throws Error when the parameters cannot be.
  void begin(FlowReviewRequest request);

  void cancel() { request_.reset(); }  // that request

  // One turn: beamforms one frame at most, or has the image made. `held_reference_db` stands in for an automatic
  // level. Throws when there will be no more images.
  void step(double held_reference_db);
  [[nodiscard]] bool beamforming() const { return request_.has_value(); }
  [[nodiscard]] bool busy() const { return beamforming() || worker_.busy(); }

  // The image that was finished last, once; null: nothing new. It may be swapped away.
  [[nodiscard]] FlowImage* take();

 private:
  [[nodiscard]] bool fit(std::size_t n_pixels);
  [[nodiscard]] int slot_of(const FrameStamp& stamp) const {
    return static_cast<int>(stamp.sequence % static_cast<std::uint64_t>(n_slots_));
  }
  [[nodiscard]] const EnsembleFrame* missing() const;
  void beamform(const EnsembleFrame& frame, double reference_db);
  void start(double reference_db);

  Backend& backend_;
  AcquisitionPtr acquisition_;
  std::unique_ptr<Lane> lane_;
  std::shared_ptr<const Plan> plan_;
  FlowPlan flow_;
  std::optional<FlowReviewRequest> request_;
  std::shared_ptr<const void> owner_;  // of the frame in the lane
  bool lane_busy_ = false;
  int n_slots_ = 0;
  std::size_t n_pixels_ = 0;
  struct Held {  // sequences begin again with a stream that is started again; moments do not
    std::uint64_t sequence = 0;
    std::int64_t acquired_ns = 0;
    friend bool operator==(const Held&, const Held&) = default;
  };
  [[nodiscard]] static Held held(const FrameStamp& s) { return {.sequence = s.sequence, .acquired_ns = s.acquired_ns}; }

  std::vector<std::optional<Held>> held_;  // [slot]
  Held newest_;                            // frame of the last ensemble that was started
  std::uint64_t run_ = 1;                  // counts what formed the pixels
  Mailbox<FlowImage> made_;                // by the worker
  FlowWorker worker_;                      // last: ends first
};

}  // namespace echoloop
