// --images-out: every image of a run, one after the other, in an array for NumPy [frame][nz][nx]; the metadata beside
// it in F.json.

#include <algorithm>
#include <cstring>
#include <utility>

#include "app/options/options.h"
#include "app/outputs/array_file.h"
#include "app/outputs/image_sink.h"
#include "app/outputs/provenance.h"
#include "history/export.h"

namespace echoloop {
namespace {

// 0 to 255 over the dynamic range below 0 dB, rounded as std::lround does, of which compilers make no vectors.
std::byte level8(float level_db, float range_db) {
  const float level = 1.0f + level_db / range_db;
  const float scaled = level > 0.0f ? 255.0f * std::min(level, 1.0f) : 0.0f;
  const int below = static_cast<int>(scaled);
  return static_cast<std::byte>(below + (scaled - static_cast<float>(below) >= 0.5f ? 1 : 0));
}

class ImageSequence final : public ImageSink {
 public:
  // Images of `grid`. Throws Error when the file cannot be made.
  ImageSequence(const std::filesystem::path& file, ImageValues values, const Grid& grid);

  void take(const Image& image) override;
  // And writes what describes the file, from the last image. How it ended is said in a line.
  int finish(const EndedImages& run, RunTotals& totals) override;
  [[nodiscard]] nlohmann::json report() const override { return recording_json(file_.status()); }

 private:
  ImageValues values_;
  std::size_t bytes_;  // of an image in the file
  ArrayFile file_;
};

}  // namespace

ImageSequence::ImageSequence(const std::filesystem::path& file, ImageValues values, const Grid& grid)
    : values_(values),
      bytes_(grid.pixels() * (values == ImageValues::float32 ? sizeof(float) : 1)),
      file_(file, {.type = values == ImageValues::float32 ? "<f4" : "|u1",
                   .shape = std::to_string(grid.nz) + ", " + std::to_string(grid.nx),
                   .bytes = bytes_}) {}

void ImageSequence::take(const Image& image) {
  const std::span<const float> levels_db = image.host();
  if (values_ == ImageValues::float32 || levels_db.size() != bytes_) {
    std::memcpy(file_.room(levels_db.size_bytes()).data(), levels_db.data(), levels_db.size_bytes());
  } else {
    const auto range_db = static_cast<float>(image.params.display.dynamic_range_db);
    std::transform(levels_db.begin(), levels_db.end(), file_.room(bytes_).begin(),
                   [range_db](float level_db) { return level8(level_db, range_db); });
  }
  file_.put(image.stamp);
}

// A row of output_rows().
std::unique_ptr<ImageSink> make_image_sequence(const ImageSinkRequest& request) {
  return std::make_unique<ImageSequence>(request.options.files["--images-out"], request.options.image_values,
                                         make_grid(request.params, *request.source.acquisition));
}

int ImageSequence::finish(const EndedImages& run, RunTotals& totals) {
  const RecorderStatus ended = file_.end();
  const bool whole = ended.problem.empty() && ended.frames > 0;
  if (const Image* last = run.last; whole && last != nullptr) {
    nlohmann::json about = image_json(run.backend, run.named, *last);
    const std::string type = values_ == ImageValues::float32 ? "" : " --images-type uint8";
    file_.add_command(about, run, last->params, "--images-out images.npy" + type);
    if (run.doubts != nullptr) about["doubts"] = doubts_json(*run.doubts);
    about["order"] =
        std::string("image[frame]") +
        (last->grid.polar() ? "[i_radius][i_line]: (frame, r, angle), " : "[iz][ix]: (frame, z, x), ") +
        (values_ == ImageValues::float32 ? "float32 dB" : "uint8: 0 to 255 over the dynamic range below 0 dB");
    about["grid"] = grid_json(last->grid);
    about["parameters"] = params_json(last->params);
    file_.describe(std::move(about));
  }
  return say_ended(ended, totals);
}

}  // namespace echoloop
