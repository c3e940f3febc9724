#include "backend/frame_processor.h"

#include "core/units.h"

namespace echoloop {

void form_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame,
                const FrameForming& forming) {
  form_frames(lane, plan, {&frame, 1}, forming);
}

void form_frames(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const RfFrame> frames,
                 const FrameForming& forming) {
  lane.set_plan(plan);
  lane.upload(frames);
  if (forming.load_ms > 0.0) lane.load(forming.load_ms);
  if (forming.fault.has_value()) lane.fail(*forming.fault);
  lane.condition();
  if (forming.expected_db.has_value()) lane.expect_reference(*forming.expected_db);
  lane.beamform();
  lane.envelope();
}

void make_image(Lane& lane, const Plan& plan, const ImageMaking& making) {
  lane.compress(making.reference_db);
  if (plan.refine != nullptr) lane.refine(making.average);
  if (making.line.has_value()) lane.keep_line(*making.line);
  if (making.pixels == HostCopy::made) lane.keep_pixels();
  lane.finish(making.copy);
}

void describe(Image& image, const Plan& plan, double reference_db, double averaged_frames) {
  image.ready_ns = now_ns();
  image.params = plan.params;
  image.params.level.reference_db = reference_db;
  image.acquisition = plan.acquisition;
  image.averaged_frames = averaged_frames;
}

}  // namespace echoloop
