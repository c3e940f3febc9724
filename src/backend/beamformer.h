// Frames to pixels without a stream: for programs that hold the frames themselves (src/python). The same plan, lanes
// and stages as the viewer's. One thread at a time; the backend must outlive it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/frame_processor.h"
#include "backend/plan.h"
#include "core/acquisition.h"
#include "core/grid.h"
#include "core/params.h"

namespace echoloop {

class Beamformer {
 public:
  // iq: complex64 pixels of the beamformed grid; envelope: their magnitudes, float32; db: levels of the image's grid
  // after the image filters, float32, against the reference level.
  enum class Output { iq, envelope, db };

  // Throws Error for contradictory parameters, and for persistence: each frame is processed alone.
  Beamformer(AcquisitionPtr acquisition, const ImagingParams& params, Backend& backend);

  // Throws Error and changes nothing if the parameters are contradictory.
  void set_params(const ImagingParams& params);

  [[nodiscard]] const AcquisitionPtr& acquisition() const { return acquisition_; }
  [[nodiscard]] const ImagingParams& params() const { return plan_->params; }
  [[nodiscard]] Grid grid(Output output) const;
  [[nodiscard]] std::size_t bytes_of(Output output) const;  // of a frame's result
  // Returns the level of 0 dB; kAutoReference before the first frame with output db: its brightest pixel decides.
  [[nodiscard]] double reference_db() const;
  [[nodiscard]] bool in_half_precision() const { return plan_->packed != nullptr; }
  // Returns the reason for single precision on a device with half precision; empty: none.
  [[nodiscard]] std::string why_single_precision() const;

  // frames: whole frames, one after another, [transmit][element][sample], of the host or lent to the backend; out: as
  // many results, of host or device. Returns when all results are written: how often each was copied on its way to
  // `out`, 0 if the last stage wrote it there. Throws Error for other sizes, and if these parameters give no complex
  // pixels (iq, envelope).
  int run(std::span<const std::byte> frames, Output output, std::span<std::byte> out);
  // Same for frames lent to a device and results in its memory, in the order of a CUDA stream (0: the legacy default
  // stream): returns when the work is queued.
  int queue(std::span<const std::byte> frames, Output output, std::span<std::byte> out, std::uintptr_t stream);

 private:
  void check(std::span<const std::byte> frames, Output output, std::span<std::byte> out) const;
  [[nodiscard]] bool level_known() const { return !holds_level(*plan_) || held_db_ > kAutoReference; }
  [[nodiscard]] double level(Lane& lane);
  [[nodiscard]] bool magnitudes_there(Output output) const;
  int queue_frames(std::span<const std::byte> frames, Output output, std::span<std::byte> out, std::size_t n_lanes);
  void begin(Lane& lane, const RfFrame& frame, Output output, std::span<std::byte> out);
  int end(Lane& lane, Output output, std::span<std::byte> out);

  AcquisitionPtr acquisition_;
  Backend& backend_;
  std::shared_ptr<const Plan> plan_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // of a device two: copies beside kernels
  double held_db_ = kAutoReference;
  std::vector<float> magnitudes_;  // of a result
};

}  // namespace echoloop
