// What takes the images, the frames and the results of analyses of a run, by the rows of output_files.h, and writes
// them to files. Main or UI thread only.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/outputs/film_job.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/stream/session.h"
#include "backend/backend.h"
#include "core/results/live_images.h"
#include "history/file_sinks.h"
#include "history/recorder.h"

namespace echoloop {

// Those that the options name.
class ImageSinks {
 public:
  explicit ImageSinks(const ImageSinkRequest& request);

  [[nodiscard]] bool empty() const { return sinks_->empty(); }
  // For the stream, which keeps them; empty: none takes images, or complex pixels.
  [[nodiscard]] std::function<void(const Image&)> taker() const;
  [[nodiscard]] std::shared_ptr<PixelSink> pixel_taker() const;
  int finish(const EndedImages& run, RunTotals& totals);  // as each of them
  void add_to(nlohmann::json& report) const;
  void require_files() const;    // throws the first failure
  void print_summaries() const;  // of those without failure

 private:
  struct Sink {
    const OutputRow* row;
    std::unique_ptr<ImageSink> sink;
  };
  std::shared_ptr<std::vector<Sink>> sinks_;
};

// The files that take all frames of a run, as the options name them (file_sinks.h): a Recorder each, in a chain before
// the history.
class FrameOutputs {
 public:
  // Makes the files. `last` is offered each frame after them. Throws Error when a file cannot be made.
  FrameOutputs(const OutputFiles& files, const AcquisitionPtr& acquisition, const RecordingAbout& about,
               FrameSink& last);

  [[nodiscard]] const std::vector<FrameSink*>& sinks() const {
    return sinks_;
  }               // in the order in which frames are offered
  void finish();  // waits until the files are ended
  // How each ended, a line each on the standard streams. Returns the exit status; counts the errors.
  int say_how_they_ended(RunTotals& totals) const;
  void add_to(nlohmann::json& report) const;

 private:
  struct Output {
    const FileSinkRow* row;
    std::unique_ptr<Recorder> recorder;
  };

  std::vector<FrameSink*> sinks_;
  std::vector<Output> outputs_;  // the last one first
};

// Throws Error when a file is wanted of something that the parameters do not turn on.
void require_live_outputs(const OutputFiles& files, const ImagingParams& params);

// A run whose stream has been stopped.
struct EndedRun {
  const OutputFiles& files;
  std::string source;  // as the user named it
  const ImagingParams& params;
  const Backend& backend;
  const Session& session;
};

// Of each of analysis_files() that is on: takes the last result from `live`, writes the file that the options name, and
// adds it to the report. A file that is wanted and of which nothing came is a refusal.
void end_live_outputs(const EndedRun& run, LiveImages& live, nlohmann::json& report, FileWriter& writer);

// Doubts about the facts of a recording in a run without a window (doubts.h): measured on a thread beside the run, on
// its first frame once that has been processed, so that no image is later because of them. A sink before all others.
class FirstFrameDoubts final : public FrameSink {
 public:
  // Measures nothing of phantoms and scanners. `next`: is offered each frame after this one.
  FirstFrameDoubts(const OpenedSource& opened, FrameSink& next);

  void begin(HistoryFeed feed) override;
  void end() override { lender_.reset(); }
  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override;
  [[nodiscard]] bool ready(const RingLoad& ring) const override { return next_.ready(ring); }

  std::vector<Doubt> take();  // waits; main thread, after the run

 private:
  FrameSink& next_;
  bool wanted_;
  AcquisitionPtr acquisition_;
  std::shared_ptr<const void> lender_;  // of frames that lie in place
  std::future<std::vector<Doubt>> work_;
};

}  // namespace echoloop
