#include "app/outputs/frame_outputs.h"

#include "app/options/terminal.h"

namespace echoloop {

FrameOutputs::FrameOutputs(const Options& options, const AcquisitionPtr& acquisition, const RecordingAbout& about,
                           FrameSink& last)
    : sinks_{&last} {
  for (const FileSinkRow& row : file_sinks()) {
    const std::filesystem::path file = frame_file(options, row.option);
    if (file.empty()) continue;
    auto recorder = std::make_unique<Recorder>(sinks_.front());
    recorder->start(row.make({.file = file, .acquisition = acquisition, .about = about}), acquisition->frame_bytes());
    sinks_.insert(sinks_.begin(), recorder.get());
    outputs_.push_back({&row, std::move(recorder)});
  }
}

void FrameOutputs::finish() {
  for (const Output& output : outputs_) output.recorder->finish();
}

int FrameOutputs::say_how_they_ended(RunTotals& totals) const {
  int status = 0;
  for (const Output& output : outputs_) {
    const RecorderStatus ended = output.recorder->status();
    if (ended.problem.empty()) {
      print_to(ended.not_recorded > 0 ? stderr : stdout, "{}\n", recording_text(ended));
      continue;
    }
    print_error("echoloop: {}\n", recording_text(ended));
    ++totals.errors;
    status = 1;
  }
  return status;
}

void FrameOutputs::add_to(nlohmann::json& report) const {
  for (const Output& output : outputs_) report[output.row->report] = recording_json(output.recorder->status());
}

}  // namespace echoloop
