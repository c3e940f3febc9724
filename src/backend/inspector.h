// Inspects the processing of a history frame: makes its image on a lane with the ordinary verbs, reads the lane's
// buffers back and extracts the terms of a pixel; then the images of single transmits. One piece of work per step, so
// that live frames pass between. Exists only while the dock is open. Processing thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/plan.h"
#include "core/frame.h"
#include "core/results/inspection.h"

namespace echoloop {

struct InspectionRequest {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
  ImagingParams params;
  PlanePoint at{};
  int transmit = -1;                // see PixelInspection
  std::vector<int> pictures;        // transmits whose images are requested
  std::uint64_t number = 0;         // returned with the answers
  AcquisitionPtr acquisition = {};  // of the frame; null: the stream's
};

class FrameInspector {
 public:
  // `answers` must outlive the inspector.
  FrameInspector(Backend& backend, AcquisitionPtr acquisition, StreamMode mode, InspectionAnswers& answers);

  // Begins a request, only if not busy(). `held_reference_db` replaces an automatic level.
  void begin(InspectionRequest request, double held_reference_db);
  // Delivers finished work and begins the next; returns true while busy. Errors are in the answer; throws nothing.
  bool step();
  [[nodiscard]] bool busy() const { return request_.has_value(); }
  [[nodiscard]] const AcquisitionPtr& acquisition() const { return acquisition_; }

 private:
  struct OneTransmit {
    int transmit;
    AcquisitionPtr acquisition;
    ImagingParams params;  // of the image of all transmits
    std::shared_ptr<const Plan> plan;
  };

  void work();
  void start_all();
  void collect_all();
  void start_picture(int transmit);
  void collect_picture();
  const OneTransmit& one_transmit(int transmit);
  void start(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame, double reference_db);
  void answer();
  void end();

  Backend& backend_;
  AcquisitionPtr acquisition_;
  StreamMode mode_;
  InspectionAnswers& answers_;
  std::unique_ptr<Lane> lane_, small_lane_;  // of the whole image, of single transmits
  std::shared_ptr<const Plan> plan_;
  std::vector<OneTransmit> kept_;  // plans of single transmits in recent requests
  std::optional<InspectionRequest> request_;
  InspectionAnswer answer_;
  double held_reference_db_ = 0.0;
  double reference_db_ = 0.0;  // of the whole image
  Lane* working_ = nullptr;    // lane with a frame
  std::int64_t turn_ns_ = 0;   // start of this step
  std::size_t picture_ = 0;    // index into request_->pictures
};

// Terms that the adaptive method of a plan compares at one pixel, for the inspector. Pure; any thread.

// `lines` as read back from a lane with this plan, in single precision; `sum` counts the plan's transmits.
MethodView inspect_method(const Plan& plan, const Complex* lines, int ix, int iz, int sum);

// Converts a lane's buffers, as read back, to the inspection of one pixel. The terms of the sum come from the functions
// of dsp/das.h and dsp/course.h that define the beamformer; nothing is filtered or beamformed again. Pure; any thread.

struct PixelInspection {
  const Plan& plan;
  const RfFrame& frame;
  const std::vector<float>& lines;   // Lane::Tap::conditioned
  const std::vector<float>& pixels;  // Lane::Tap::beamformed; course: Lane::Tap::envelope gives line_db
  const std::vector<float>& envelope;
  double reference_db = 0.0;  // level of 0 dB
  PlanePoint at{};
  int transmit = -1;  // transmit of the channels; -1, or one outside the pixel's sum: the sum's middle one
};

std::shared_ptr<const Inspection> inspect_pixel(const PixelInspection& wanted);

}  // namespace echoloop
