// The echo of a point mark, beamformed again from its frame on a fine grid (measure/point_patch.h) with everything else
// as it was for the image: the widths then do not depend on the image's pixels. UI or main thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/stream/session.h"
#include "gui/state/measured.h"
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
  Image image;            // without its pixels
  [[nodiscard]] LevelImage picture() const { return {.db = db, .grid = image.grid}; }
};

// A point's patches, one after another.
class PatchWork {
 public:
  // `image`: without its pixels; `point`: measured on it, with a peak; `kept`: the image's frame.
  PatchWork(Image image, const MeasuredPoint& point, KeptFrame kept);

  void ask(Session& session);
  [[nodiscard]] std::uint64_t configuration() const { return configuration_; }  // that was asked
  // True when `result` is complete. False: no answer yet, or another patch has been asked for.
  bool take(Session& session);
  [[nodiscard]] const FinePoint& result() const { return result_; }

 private:
  Image image_;
  KeptFrame kept_;
  PointPatch patch_;
  FinePoint result_;
  std::shared_ptr<PatchAnswer> answer_;
  std::uint64_t configuration_ = 0;
};

// Another recording's image (of side A) cannot be: the stream's lanes are made for its own recording.
std::string why_not_of(const Image& image, const Session& session);  // empty: it is of the session's recording

// What the points of an image that is written to a file are beamformed again with.
struct PointsAgain {
  Session* session = nullptr;                 // null: none runs
  std::optional<KeptFrame> kept = {};         // the image's frame; nothing: it is not at hand any more
  std::vector<FinePoint> known = {};          // of the window
  std::chrono::milliseconds longest{10'000};  // for all points; in a window, which waits, much less
};
inline constexpr const char* kNoAnswer = "processing did not answer in time";

// The points of `measured` that are not known yet, one after another; waits for the answers. Those that did not come in
// time say so: kNoAnswer.
void refine_points(Measured& measured, const PointsAgain& again);

// A frame, of the session's recording or of another one, with these parameters; waits. No levels: it could not be made.
struct MadeAgain {
  Image image;  // without its pixels
  std::vector<float> db;
};
MadeAgain make_again(Session& session, const KeptFrame& kept, const ImagingParams& params);

// The image's frame by delay-and-sum, with all other parameters as they are, dB; waits. Empty: it could not be made.
std::vector<float> levels_without_method(const Image& image, const PointsAgain& again);

}  // namespace echoloop
