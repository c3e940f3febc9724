// Kept frames processed again, between the live ones: on lanes of its own, so that the live stream keeps its plan.
// The window asks for a frame with parameters, and for the same frame with other ones beside it; only the latest
// request counts. For films there are requests beside these, each of which counts. Their lanes, like those of flow and
// of the inspector, all have the number kMaxLanes: it is for timed spans, and none are kept of them.
// Requests: any thread. Everything else: processing thread.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/flow_engine.h"
#include "backend/frame_processor.h"
#include "backend/inspector.h"
#include "core/results/live_images.h"

namespace echoloop {

// A frame of another recording, which is compared with one of the stream.
struct ComparedFrame {
  AcquisitionPtr acquisition;
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
};

// at_once: long work under way is given up for it, and done again later where it is still wanted.
enum class ReviewTurn { next, at_once };

struct ReprocessRequest {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
  ImagingParams params;
  std::optional<ImagingParams> compare;  // the same frame with these goes into the second mailbox
  // Not empty: the image goes there, on the host, and not to the window, with its flow where there is an ensemble;
  // null = it could not be made. Each of these requests counts, in their order. [processing thread]
  std::function<void(const Image*, const FlowImage*)> deliver = {};
  // With `deliver`: takes the complex pixels before, if the parameters give any.
  std::shared_ptr<PixelSink> pixels = {};
  // Not empty: the flow image of these frames, which end with `frame`, is wanted as well. See FlowReviewRequest.
  std::vector<EnsembleFrame> ensemble = {};
  // With `compare`: this frame goes into the second mailbox in place of `frame`. Where the parameters leave the 0 dB
  // level open, its recording has a level of its own: the brightest pixel of the first frame.
  std::optional<ComparedFrame> compared = {};
  AcquisitionPtr acquisition = {};  // of `frame` and `ensemble`; null: the stream's
  ReviewTurn turn = ReviewTurn::next;
};

// Whether a live frame waits: those of the past then take turns only.
enum class LiveFrame { none, waits };

class Reprocessor {
 public:
  // `answers`: where what inspections find goes; null: there are none.
  // `held_reference_db` stands in for an automatic level: the one of the moment when an image is made.
  Reprocessor(Backend& backend, AcquisitionPtr acquisition, StreamMode mode,
              const std::atomic<double>& held_reference_db, PastImages& images, InspectionAnswers* answers = nullptr);

  // Who looks at each image for the first mailbox before it is swapped away. [processing thread]
  void set_on_picture(std::function<void(const Image&)> on_picture) { on_picture_ = std::move(on_picture); }

  void request(ReprocessRequest request);   // any thread
  void inspect(InspectionRequest request);  // only the latest counts; any thread
  void end_inspection();                    // and gives back what it needed; any thread
  void forget_request();                    // also the one under way, which is not tried again; any thread
  [[nodiscard]] bool asked_at_once() const { return inbox_.at_once; }  // and not begun; any thread
  [[nodiscard]] bool forming() const { return inbox_.forming; }        // an image for the window; any thread
  void end_flow();                                                     // gives back what flow needed; any thread
  void end();   // forgets a request that has not begun, ends wait(); any thread
  void wait();  // until there is a request, or end(); processing thread

  // One turn: begins the latest request when the lanes are free, hands over what is finished. True while frames are in
  // its lanes. Throws only where the device is lost.
  bool step(HostCopy copy, LiveFrame live = LiveFrame::none);

  // Why the last request could not be answered, once; empty = nothing to say. [any thread]
  std::string take_refusal();

 private:
  struct Slot {
    AcquisitionPtr acquisition;  // of the lane's frames
    std::unique_ptr<Lane> lane;
    std::shared_ptr<const Plan> plan;
    std::span<const std::byte> samples;  // of the frame in the lane
    std::shared_ptr<const void> owner;   // keeps them
    std::function<void(const Image*, const FlowImage*)> deliver;
    std::shared_ptr<PixelSink> pixels;  // with `deliver`; null: not wanted
    double reference_db = 0.0;
    double own_reference_db = kAutoReference;  // held for frames of another recording
    bool busy = false;
  };

  struct FlowOf {
    std::unique_ptr<FlowReviewer> reviewer;
    AcquisitionPtr acquisition;  // that it was made for
  };
  struct FlowCounts {
    std::uint64_t turns = 0, made = 0;
  };
  // What other threads ask for.
  struct Inbox {
    std::atomic<bool> asked{false};            // `request` holds something: spares the lock
    std::atomic<bool> at_once{false};          // and it does not wait for its turn
    std::atomic<bool> forming{false};          // of a request for the window
    std::atomic<bool> to_deliver{false};       // so does `deliveries`
    std::atomic<bool> inspection_news{false};  // `inspection` or `inspecting` changed
    std::atomic<bool> flow_ended{false};       // the window does not show flow any more
    std::mutex mutex;
    std::condition_variable changed;
    // All below under the mutex.
    std::optional<ReprocessRequest> request;
    std::deque<ReprocessRequest> deliveries;
    std::optional<InspectionRequest> inspection;
    bool inspecting = false;  // inspections are wanted
    bool wanted = false;      // the images of the last request; also while it is under way
    bool ended = false;
    std::string refusal;
  };

  void begin_requests(HostCopy copy);
  void begin_shown();
  [[nodiscard]] bool try_to_begin(const ReprocessRequest& request);
  void begin(Slot& slot, const ComparedFrame& frame, const ImagingParams& params);
  void form(Slot& slot, const ComparedFrame& frame, const ImagingParams& params);
  void make(Slot& slot);
  [[nodiscard]] double slot_reference_db(Slot& slot) const;
  void collect(std::size_t slot);
  void refuse(const std::string& why);
  [[nodiscard]] std::optional<ReprocessRequest> take_delivery();
  [[nodiscard]] std::optional<ReprocessRequest> take_request();
  bool step_inspection();
  bool step_flow(LiveFrame live);
  bool step_shown_flow();
  bool step_film_flow();
  [[nodiscard]] const AcquisitionPtr& acquisition_of(const ReprocessRequest& request) const {
    return request.acquisition != nullptr ? request.acquisition : acquisition_;
  }
  void make_flow(FlowOf& flow, const AcquisitionPtr& acquisition);
  void begin_flow(ReprocessRequest& request);
  void begin_film_flow(ReprocessRequest& request);
  void drop_flow();
  void say_refused(const std::string& why);
  [[nodiscard]] bool looking() const { return slots_[kShown].busy || slots_[kCompared].busy; }

  Backend& backend_;
  AcquisitionPtr acquisition_;
  StreamMode mode_;
  const std::atomic<double>& held_reference_db_;
  PastImages& images_;
  std::function<void(const Image&)> on_picture_;
  static constexpr std::size_t kShown = 0, kCompared = 1, kDelivered = 2;
  std::array<Slot, 3> slots_;                  // the panels' parameters (B), those compared with (A), what is delivered
  std::unique_ptr<FrameInspector> inspector_;  // null: nothing is inspected
  InspectionAnswers* answers_;
  FlowOf flow_;
  bool flow_wanted_ = false;
  bool flow_awaited_ = false;             // an ensemble is in work
  FlowOf film_flow_;                      // of what is delivered
  bool film_awaited_ = false;             // the image to deliver waits for its flow
  const FlowImage* film_made_ = nullptr;  // which is here, until the next one
  FlowCounts flow_counts_;
  HostCopy host_copy_ = HostCopy::made;
  std::uint64_t finished_ = 0;
  Inbox inbox_;
};

}  // namespace echoloop
