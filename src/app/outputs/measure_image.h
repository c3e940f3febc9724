// The marks' numbers on one image whose pixels are on the host: for files. UI or main thread.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/outputs/patch_request.h"
#include "app/stream/session.h"
#include "backend/backend.h"
#include "gui/state/measured.h"
#include "source/source.h"

namespace echoloop {

// Whether a file of this run needs the marks' numbers.
bool wants_measures(const OutputFiles& files, const Marks& marks);

// As the Measure panel has them: of the image's pixels, and then with what processing has made again.
Measured measure_pixels(const Image& image, const Marks& marks);
void measure_again(Measured& measured, const Image& image, const Marks& marks, ImageAgain& again);
// Both; waits for processing.
Measured measure_image(const Image& image, const Marks& marks, const PointsAgain& again);

// A frame of a source that no thread asks any more; nothing when its file was lost.
std::optional<KeptFrame> frame_again(Source& source, const FrameStamp& stamp);

std::string frame_comment(const FrameStamp& stamp, const std::string& source);  // its line
// Lines about source, frame and parameters for measurements_csv().
std::string measurement_comments(const Backend& backend, const std::string& source, const Image& image);

struct MeasuredRun {
  const Measured& measured;
  const Marks& marks;
  const Backend& backend;
  std::string source;                          // as the user named it
  const std::vector<Doubt>* doubts = nullptr;  // about its recording; null: not measured
  std::uint64_t frames_of_a = 0;               // of A: of its source; 0: no end
};
// Of the image that B's is compared with, for measurements_csv().
std::string comments_on_a(const MeasuredRun& a);

// The description of a saved image, with marks, their values and parameters.
nlohmann::json marked_image_json(const MeasuredRun& run);

}  // namespace echoloop
