// --images-out: every image of a run, one after the other, in an array for NumPy [frame][nz][nx]; the metadata beside
// it in F.json.
#pragma once

#include <filesystem>

#include "app/options/options.h"
#include "app/outputs/array_file.h"
#include "app/outputs/image_sink.h"

namespace echoloop {

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

}  // namespace echoloop
