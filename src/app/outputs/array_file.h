// Arrays [frame][nz][nx] for NumPy that grow while a stream runs, written by a Recorder on its thread; the stream waits
// for a slower disk.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "app/outputs/film_job.h"
#include "app/outputs/report.h"
#include "backend/frame_processor.h"
#include "history/file_sinks.h"
#include "history/recorder.h"

namespace echoloop {

class ArrayFile {
 public:
  // Throws Error if the file cannot be made.
  ArrayFile(const std::filesystem::path& file, NpyItems items);

  // Returns the memory of the next frame's values; put() adds them. [processing thread]
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);
  void put(const Image& image);

  RecorderStatus end();  // waits until the file is complete; the members below are valid afterwards
  [[nodiscard]] RecorderStatus status() const { return recorder_.status(); }
  [[nodiscard]] nlohmann::json frames_json() const;  // number, first, last
  // Sets the command for all frames, with the option of the file, in place of the last image's. `params`: of all.
  void add_command(nlohmann::json& about, const EndedImages& run, const ImagingParams& params,
                   const std::string& option) const;
  // Writes the description of the file next to it.
  void describe(nlohmann::json about) const;

 private:
  FrameMemory memory_;
  FrameStamp first_, last_;
  bool torn_ = false;  // one of the images
  Recorder recorder_{nullptr};
};

// Prints one line about the end of a file; returns the exit status and counts an error.
int say_ended(const RecorderStatus& ended, RunTotals& totals);

// --iq-out: complex pixels of every frame of a run, before detection, in an array for NumPy [frame][nz][nx]; grid,
// parameters and conventions in F.json. The window saves history frames in the same way.

class IqSequence final : public ImageSink, public PixelSink {
 public:
  // Pixels of `grid`, the beamformed one. Throws Error if the file cannot be made.
  IqSequence(const std::filesystem::path& file, const Grid& grid);

  [[nodiscard]] bool wanted() const override { return true; }
  void take(const KeptPixels& pixels) override;
  void take(const Image& /*image*/) override {}
  [[nodiscard]] PixelSink* pixels() override { return this; }
  // Completes the file, writes its description, from the last frame, and prints one line about the end.
  int finish(const EndedImages& run, RunTotals& totals) override;
  [[nodiscard]] nlohmann::json report() const override { return recording_json(file_.status()); }
  [[nodiscard]] RecorderStatus status() const { return file_.status(); }
  // Same as finish(), without output; discard() without a file. Any one thread, after the last frame.
  RecorderStatus end(const Backend& backend, const std::string& named);
  RecorderStatus discard();

 private:
  RecorderStatus end(EndedImages run);

  Grid grid_;
  ArrayFile file_;
  Image last_;  // without levels
};

// Throws Error if images with these parameters have no complex pixels. `asked`: the option, or the window's command.
void require_pixels(const ImagingParams& params, const std::string& asked);

// Returns the grid of these pixels, the beamformed one.
Grid pixel_grid(const ImagingParams& params, const Acquisition& acquisition);

}  // namespace echoloop
