// The echo of a point mark, beamformed again from its frame on a fine grid (measure/point_spread.h) with everything
// else as it was for the image: the widths then do not depend on the image's pixels. UI or main thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/stream/session.h"
#include "gui/state/marks.h"
#include "measure/point_spread.h"

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
  Session* session = nullptr;                 // where it is waited for; null: none runs
  std::optional<KeptFrame> kept = {};         // the image's frame; nothing: it is not at hand any more
  std::vector<FinePoint> known = {};          // of the window
  std::chrono::milliseconds longest{10'000};  // for all points, and for the levels
};
inline constexpr const char* kNoAnswer = "processing did not answer in time";

// What processing has to make again for the numbers of an image: its points that are not known yet, one after another,
// and, where its method is measured against delay-and-sum, the levels of that. Nothing here waits.
class ImageAgain {
 public:
  // `measured`: of the image's pixels.
  ImageAgain(const Measured& measured, PointsAgain again);
  // True when all is there, or the time is over. `session`: null, where none runs any more.
  bool step(Session* session);
  // Points that did not come in time say so: kNoAnswer. Levels in dB, empty: none were wanted, or could be made.
  [[nodiscard]] std::vector<FinePoint> take_points() { return std::move(points_); }
  [[nodiscard]] std::vector<float> take_levels();

 private:
  [[nodiscard]] std::string why_no_points(Session* session) const;
  void refine(const MeasuredPoint& point, Session* session);

  Measured measured_;  // without its pixels
  PointsAgain again_;
  std::chrono::steady_clock::time_point end_;
  bool wants_levels_ = false;
  std::vector<FinePoint> points_;  // of measured_.points, those with a peak, as far as they are known
  std::size_t next_ = 0;           // in measured_.points
  std::optional<PatchWork> work_;
  std::shared_ptr<PatchAnswer> levels_;
};

// A frame, of the session's recording or of another one, with these parameters; waits. No levels: it could not be made.
struct MadeAgain {
  Image image;  // without its pixels
  std::vector<float> db;
};
MadeAgain make_again(Session& session, const KeptFrame& kept, const ImagingParams& params);

}  // namespace echoloop
