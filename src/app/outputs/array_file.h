// Arrays [frame][nz][nx] for NumPy that grow while a stream runs: a Recorder with its thread writes them; the stream
// waits where the disk is slower.
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
  // Throws Error when the file cannot be made.
  ArrayFile(const std::filesystem::path& file, NpyItems items);

  // Where the values of the next frame go, and that they are there. [processing thread]
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);
  void put(const FrameStamp& stamp);

  RecorderStatus end();  // waits until the file is ended; the rest is for afterwards
  [[nodiscard]] RecorderStatus status() const { return recorder_.status(); }
  [[nodiscard]] nlohmann::json frames_json() const;  // how many, the first, the last
  // In place of the command of the last image: that of all frames, with the option of the file. `params`: of all.
  void add_command(nlohmann::json& about, const EndedImages& run, const ImagingParams& params,
                   const std::string& option) const;
  // Writes what describes the file beside it.
  void describe(nlohmann::json about) const;

 private:
  FrameMemory memory_;
  FrameStamp first_, last_;
  Recorder recorder_{nullptr};
};

// Says in a line how a file ended; returns the exit status and counts an error.
int say_ended(const RecorderStatus& ended, RunTotals& totals);

// --iq-out: the complex pixels of every frame of a run, before detection, in an array for NumPy [frame][nz][nx]; grid,
// parameters and conventions beside it in F.json. The window saves frames of the history in the same way.

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
