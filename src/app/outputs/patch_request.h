// Echo of a point mark, beamformed again from its frame on a fine grid (measure/point_spread.h) with otherwise
// unchanged parameters, so that widths do not depend on the image's pixels. UI or main thread.
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

// Returns why echoes of this image cannot be beamformed on another grid, as the end of a sentence; empty = they can.
std::string why_no_fine_grid(const Image& image);

// Returns the image's parameters on `patch`, without analyses and without an average of earlier frames.
ImagingParams patch_params(const Image& image, const Grid& patch);

FinePoint no_fine_point(const Measured& measured, const MeasuredPoint& point, const std::string& why);

// Written by the processing thread before `done`, then read by the requester.
struct PatchAnswer {
  std::atomic<bool> done{false};
  std::vector<float> db;  // [nz][nx]; empty: failed
  Image image;            // without its pixels
  [[nodiscard]] LevelImage picture() const { return {.db = db, .grid = image.grid}; }
};

// Returns the image's parameters without analyses and without an average of earlier frames.
ImagingParams of_one_frame(const Image& image);
// Requests the frame's image with these parameters.
std::shared_ptr<PatchAnswer> ask_for(Session& session, const KeptFrame& kept, const ImagingParams& params);

// Patches of a point, one after another.
class PatchWork {
 public:
  // `image`: without its pixels; `point`: measured on it, with a peak; `kept`: the image's frame.
  PatchWork(Image image, const MeasuredPoint& point, KeptFrame kept);

  void ask(Session& session);
  [[nodiscard]] std::uint64_t configuration() const { return configuration_; }  // of the request
  // Returns true when `result` is complete; false: no answer yet, or another patch was requested.
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

// Returns why another recording's image is not possible: the lanes are made for the stream's; empty: it is.
std::string why_not_of(const Image& image, const Session& session);

// Means to beamform the points of an image again that is written to a file.
struct PointsAgain {
  Session* session = nullptr;                 // waited for; null: none runs
  std::optional<KeptFrame> kept = {};         // the image's frame; nullopt: no longer available
  std::vector<FinePoint> known = {};          // of the window
  std::chrono::milliseconds longest{10'000};  // for all points, and for the levels
};
inline constexpr const char* kNoAnswer = "processing did not answer in time";

// Reprocessing for the values of an image: unknown points, one after another, and, if its method is measured against
// delay-and-sum, the levels of that. Nothing here waits.
class ImageAgain {
 public:
  // `measured`: of the image's pixels.
  ImageAgain(const Measured& measured, PointsAgain again);
  // Returns true when complete or timed out. `session`: null if none runs.
  bool step(Session* session);
  // Returns the points; late ones have kNoAnswer. take_levels(): dB; empty: not requested or failed.
  [[nodiscard]] std::vector<FinePoint> take_points() { return std::move(points_); }
  [[nodiscard]] std::vector<float> take_levels();

 private:
  [[nodiscard]] std::string why_no_points(Session* session) const;
  void refine(const MeasuredPoint& point, Session* session);

  Measured measured_;  // without its pixels
  PointsAgain again_;
  std::chrono::steady_clock::time_point end_;
  bool wants_levels_ = false;
  std::vector<FinePoint> points_;  // of measured_.points, those with a peak, as far as known
  std::size_t next_ = 0;           // in measured_.points
  std::optional<PatchWork> work_;
  std::shared_ptr<PatchAnswer> levels_;
};

// Makes the image of a frame of this or another recording with these parameters; waits. No levels: failed.
struct MadeAgain {
  Image image;  // without its pixels
  std::vector<float> db;
};
MadeAgain make_again(Session& session, const KeptFrame& kept, const ImagingParams& params);

}  // namespace echoloop
