// The echo of a point mark, beamformed again from its frame on a fine grid (measure/point_patch.h) with everything else
// as it was for the image: the widths then do not depend on the image's pixels. UI or main thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session.h"
#include "gui/measured.h"
#include "history/rf_history.h"
#include "measure/point_patch.h"

namespace echoloop {

// Why echoes of such an image cannot be beamformed on another grid, as the end of a sentence; empty = they can.
std::string why_no_fine_grid(const Image& image);

// Those of the image, of these pixels alone: nothing that is made beside the image, no average of earlier frames.
ImagingParams patch_params(const Image& image, const Grid& patch);

FinePoint no_fine_point(const Measured& measured, const MeasuredPoint& point, const std::string& why);

// Written by the processing thread before `done`, read by who asked after it.
struct PatchAnswer {
  std::atomic<bool> done{false};
  std::vector<float> db;  // [nz][nx]; empty: it could not be made
  Grid grid;
  [[nodiscard]] LevelPicture picture() const { return {.db = db, .grid = grid}; }
};

// A point's patches, one after another.
class PatchWork {
 public:
  // `image`: without its pixels; `point`: measured on it, with a peak; `kept`: the image's frame.
  PatchWork(Image image, const MeasuredPoint& point, KeptFrame kept);

  void ask(Session& session);
  [[nodiscard]] std::uint64_t arrangement() const { return arrangement_; }  // that was asked
  // True when `result` is complete. False: no answer yet, or another patch has been asked for.
  bool take(Session& session);
  [[nodiscard]] const FinePoint& result() const { return result_; }

 private:
  Image image_;
  KeptFrame kept_;
  PointPatch patch_;
  FinePoint result_;
  std::shared_ptr<PatchAnswer> answer_;
  std::uint64_t arrangement_ = 0;
};

// All points of `measured`, one after another; waits for the answers. `kept`: the frame of its image; nothing: the
// frame is not at hand any more. `session`: null: none runs. For files that are written at once.
void refine_points(Measured& measured, Session* session, const std::optional<KeptFrame>& kept);

}  // namespace echoloop
