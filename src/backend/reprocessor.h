// Reprocesses history frames between the live ones, on lanes of its own, so that the live stream keeps its plan. The
// window requests a frame with parameters, optionally also with a second set; only the latest request counts. Requests
// for films are separate, and each counts. All its lanes, and those of flow and inspector, have the number kMaxLanes;
// no timed spans are kept of them. Requests: any thread; all else: processing thread.
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

// Frame of another recording, compared with one of the stream.
struct ComparedFrame {
  AcquisitionPtr acquisition;
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
};

// at_once: interrupts long work, which is done again later if still wanted.
enum class ReviewTurn { next, at_once };

struct ReprocessRequest {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
  ImagingParams params;
  std::optional<ImagingParams> compare;  // parameters of a second image of the frame, for the second mailbox
  // If set: receives the image on the host (null: failed) in place of the window, with the flow image if there is an
  // ensemble. Each of these requests counts, in order. [processing thread]
  std::function<void(const Image*, const FlowImage*)> deliver = {};
  // With `deliver`: receives the complex pixels first, if there are any.
  std::shared_ptr<PixelSink> pixels = {};
  // If not empty: requests the flow image of these frames, of which `frame` is the last. See FlowReviewRequest.
  std::vector<EnsembleFrame> ensemble = {};
  // With `compare`: replaces `frame` for the second mailbox. With an automatic 0 dB level its recording has a level of
  // its own: the brightest pixel of the first frame.
  std::optional<ComparedFrame> compared = {};
  AcquisitionPtr acquisition = {};  // of `frame` and `ensemble`; null: the stream's
  ReviewTurn turn = ReviewTurn::next;
  bool coarse = false;  // an image that takes long, and is not compared, has a coarse one before
};

// waits: history frames only get alternate turns.
enum class LiveFrame { none, waits };

class Reprocessor {
 public:
  // `answers` receives inspections; null: none. `held_reference_db`, read when an image is made, replaces an automatic
  // level.
  Reprocessor(Backend& backend, AcquisitionPtr acquisition, StreamMode mode,
              const std::atomic<double>& held_reference_db, PastImages& images, InspectionAnswers* answers = nullptr);

  // Sets the function called with each image of the first mailbox before it is published. [processing thread]
  void set_on_picture(std::function<void(const Image&)> on_picture) { on_picture_ = std::move(on_picture); }

  void request(ReprocessRequest request);   // any thread
  void inspect(InspectionRequest request);  // only the latest request counts; any thread
  void end_inspection();                    // and frees its memory; any thread
  void forget_request();                    // also the one in work, which is not retried; any thread
  [[nodiscard]] bool asked_at_once() const { return inbox_.at_once; }  // and not begun; any thread
  [[nodiscard]] bool forming() const { return inbox_.forming; }        // an image for the window; any thread
  void end_flow();                                                     // and frees its memory; any thread
  void end();   // drops a request not begun, ends wait(); any thread
  void wait();  // waits for a request or end(); processing thread

  // Performs one turn: begins the latest request if the lanes are free, delivers finished images. Returns true while
  // its lanes have frames. Throws only if the device is lost.
  bool step(HostCopy copy, LiveFrame live = LiveFrame::none);

  // Returns why the last request failed, once; empty: no failure. [any thread]
  std::string take_refusal();

 private:
  struct Slot {
    AcquisitionPtr acquisition;  // of the lane's frames
    std::unique_ptr<Lane> lane;
    std::shared_ptr<const Plan> plan;
    std::span<const std::byte> samples;  // of the frame in the lane
    std::shared_ptr<const void> owner;   // keeps them
    std::function<void(const Image*, const FlowImage*)> deliver;
    std::shared_ptr<PixelSink> pixels;  // with `deliver`; null: none
    double reference_db = 0.0;
    double own_reference_db = kAutoReference;  // held for frames of another recording
    bool busy = false;
  };

  struct FlowOf {
    std::unique_ptr<FlowReviewer> reviewer;
    AcquisitionPtr acquisition;  // of the reviewer
  };
  struct FlowCounts {
    std::uint64_t turns = 0, made = 0;
  };
  // Requests of other threads.
  struct Inbox {
    std::atomic<bool> asked{false};            // `request` is set: avoids the lock
    std::atomic<bool> at_once{false};          // `request` has ReviewTurn::at_once
    std::atomic<bool> forming{false};          // a request for the window is in work
    std::atomic<bool> to_deliver{false};       // `deliveries` is not empty
    std::atomic<bool> inspection_news{false};  // `inspection` or `inspecting` changed
    std::atomic<bool> flow_ended{false};       // the window no longer shows flow
    std::mutex mutex;
    std::condition_variable changed;
    // All below under the mutex.
    std::optional<ReprocessRequest> request;
    std::deque<ReprocessRequest> deliveries;
    std::optional<InspectionRequest> inspection;
    bool inspecting = false;  // the inspector is in use
    bool wanted = false;      // images of the last request, also while in work
    bool ended = false;
    std::string refusal;
  };

  void begin_requests(HostCopy copy);
  void begin_shown();
  [[nodiscard]] bool try_to_begin(const ReprocessRequest& request);
  [[nodiscard]] bool make_coarse(const ReprocessRequest& request);
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
  std::array<Slot, 3> slots_;                  // parameters of the panels (B), of the comparison (A), deliveries
  std::unique_ptr<FrameInspector> inspector_;  // null: no inspection
  InspectionAnswers* answers_;
  FlowOf flow_;
  bool flow_wanted_ = false;
  bool flow_awaited_ = false;             // an ensemble is in work
  FlowOf film_flow_;                      // of deliveries
  bool film_awaited_ = false;             // the image to deliver waits for flow
  const FlowImage* film_made_ = nullptr;  // of the image to deliver, valid until the next
  FlowCounts flow_counts_;
  HostCopy host_copy_ = HostCopy::made;
  std::uint64_t finished_ = 0;
  bool coarse_due_ = false;  // before the next image for the window
  Inbox inbox_;
};

}  // namespace echoloop
