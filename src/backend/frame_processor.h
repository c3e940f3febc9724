// The stages of one frame in a lane, in their one order: form_frame() to the envelope, make_image() to the finished
// image. Pipeline, Reprocessor, inspector, flow of history frames, benchmark and tests call these; none of them calls a
// stage by itself. The thread of the lane.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "backend/backend.h"

namespace echoloop {

struct FrameForming {
  // Level of make_image() in dB, if known before and if the complex pixels are not read: decibels may then be written
  // while beamforming (Lane::expect_reference).
  std::optional<double> expected_db = {};
  double load_ms = 0.0;                   // injected, see Lane::load; 0 = none
  std::optional<DeviceFault> fault = {};  // injected, see Lane::fail
};

struct ImageMaking {
  double reference_db = 0.0;  // level that is shown as 0 dB
  HostCopy copy = HostCopy::made;
  const FrameAverage* average = nullptr;  // temporal average; null: the frame alone
  std::optional<int> line = {};           // column that is kept on the host, see Lane::keep_line
  HostCopy pixels = HostCopy::none;       // see Lane::keep_pixels
};

// upload, condition, beamform, envelope. The samples must stay until lane.uploaded(). Several frames: at most
// lane.frames_at_once() with this plan, and forming.expected_db is the level of make_image().
void form_frames(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const RfFrame> frames,
                 const FrameForming& forming = {});
void form_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame,
                const FrameForming& forming = {});

// compress, refine if the plan has filters of the image, finish. After form_frame() with the same plan.
void make_image(Lane& lane, const Plan& plan, const ImageMaking& making);

// What a lane does not know of its finished image: time, parameters, level, acquisition and average. ready_ns is now.
void describe(Image& image, const Plan& plan, double reference_db, double averaged_frames);

}  // namespace echoloop
