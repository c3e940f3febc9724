// Receivers of the images, frames and analyses of a run, by the rows of output_files.h, that write them to files. Main
// or UI thread only.
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

// Image sinks named by the options.
class ImageSinks {
 public:
  explicit ImageSinks(const ImageSinkRequest& request);

  [[nodiscard]] bool empty() const { return sinks_->empty(); }
  // For the stream, which keeps them; empty: no sink of images, or of complex pixels.
  [[nodiscard]] std::function<void(const Image&)> taker() const;
  [[nodiscard]] std::shared_ptr<PixelSink> pixel_taker() const;
  int finish(const EndedImages& run, RunTotals& totals);  // finishes each sink
  void add_to(nlohmann::json& report) const;
  void require_files() const;    // throws the first failure
  void print_summaries() const;  // of successful ones

 private:
  struct Sink {
    const OutputRow* row;
    std::unique_ptr<ImageSink> sink;
  };
  std::shared_ptr<std::vector<Sink>> sinks_;
};

// Files of all frames of a run named by the options (file_sinks.h): a Recorder each, in a chain before the history.
class FrameOutputs {
 public:
  // Makes the files. `last` is offered each frame after them. Throws Error if a file cannot be made.
  FrameOutputs(const OutputFiles& files, const AcquisitionPtr& acquisition, const RecordingAbout& about,
               FrameSink& last);

  [[nodiscard]] const std::vector<FrameSink*>& sinks() const { return sinks_; }  // in order of offers
  void finish();                                                                 // waits until the files are complete
  // Prints one line about the end of each on the standard streams. Returns the exit status; counts the errors.
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

// Throws Error if a file needs an analysis that the parameters do not enable.
void require_live_outputs(const OutputFiles& files, const ImagingParams& params);

// Run whose stream has been stopped.
struct EndedRun {
  const OutputFiles& files;
  std::string source;  // as named by the user
  const ImagingParams& params;
  const Backend& backend;
  const Session& session;
};

// Ends each enabled row of analysis_files(): gets the last result from `live`, writes the file named by the options,
// and adds it to the report. A requested file without a result is a refusal.
void end_live_outputs(const EndedRun& run, LiveImages& live, nlohmann::json& report, FileWriter& writer);

// Doubts about the facts of a recording in a run without a window (doubts.h): measured on a thread of its own, on the
// first frame after its processing, so that no image is delayed. A sink before all others.
class FirstFrameDoubts final : public FrameSink {
 public:
  // Measures nothing for phantoms; of a scanner the first frame of each description. `next`: is offered each frame
  // after this sink.
  FirstFrameDoubts(const OpenedSource& opened, FrameSink& next);

  void begin(HistoryFeed feed) override;
  void end() override { lender_.reset(); }
  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override;
  [[nodiscard]] bool ready(const RingLoad& ring) const override { return next_.ready(ring); }

  void leave() { on_ = wanted_ = false; }  // before begin(): measures nothing
  std::vector<Doubt> take();               // waits; main thread, after the run

 private:
  FrameSink& next_;
  bool on_, live_;
  bool wanted_;
  AcquisitionPtr acquisition_;
  std::shared_ptr<const void> lender_;  // of frames lent in place
  std::vector<std::future<std::vector<Doubt>>> work_;
};

}  // namespace echoloop
