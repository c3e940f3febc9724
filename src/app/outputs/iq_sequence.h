// --iq-out: the complex pixels of every frame of a run, before detection, in an array for NumPy [frame][nz][nx]; grid,
// parameters and conventions beside it in F.json. The window saves frames of the history in the same way.
#pragma once

#include <filesystem>

#include "app/outputs/array_file.h"
#include "app/outputs/image_sink.h"
#include "backend/pixel_sink.h"

namespace echoloop {

class IqSequence final : public ImageSink, public PixelSink {
 public:
  // Pixels of `grid`, which is beamformed. Throws Error when the file cannot be made.
  IqSequence(const std::filesystem::path& file, const Grid& grid);

  [[nodiscard]] bool wanted() const override { return true; }
  void take(const KeptPixels& pixels) override;
  void take(const Image& /*image*/) override {}
  [[nodiscard]] PixelSink* pixels() override { return this; }
  // And writes what describes the file, from the last frame. How it ended is said in a line.
  int finish(const EndedImages& run, RunTotals& totals) override;
  [[nodiscard]] nlohmann::json report() const override { return recording_json(file_.status()); }
  [[nodiscard]] RecorderStatus status() const { return file_.status(); }
  // As finish(), without a word; and without a file. Any one thread, when no frame comes any more.
  RecorderStatus end(const Backend& backend, const std::string& named);
  RecorderStatus discard();

 private:
  RecorderStatus end(EndedImages run);

  Grid grid_;
  ArrayFile file_;
  Image last_;  // without levels
};

// Throws Error where images with these parameters consist of no complex pixels. `asked`: the option, or what the window
// was asked for.
void require_pixels(const ImagingParams& params, const std::string& asked);

// The grid that is beamformed, whose pixels these are.
Grid pixel_grid(const ImagingParams& params, const Acquisition& acquisition);

}  // namespace echoloop
