// The files that take all frames of a run, as the options name them (file_sinks.h): a Recorder each, in a chain before
// the history. Main thread only.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/report.h"
#include "history/file_sinks.h"
#include "history/recorder.h"

namespace echoloop {

class FrameOutputs {
 public:
  // Makes the files. `last` is offered each frame after them. Throws Error when a file cannot be made.
  FrameOutputs(const Options& options, const AcquisitionPtr& acquisition, const RecordingAbout& about, FrameSink& last);

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

}  // namespace echoloop
