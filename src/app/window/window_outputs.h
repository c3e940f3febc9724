// The files that the command line asks for: the video of the stream, made while it runs, and all others, written when
// the window closes. UI thread only.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/outputs/run_outputs.h"
#include "app/window/window_parts.h"
#include "history/recorder.h"

namespace echoloop {

class WindowOutputs {
 public:
  explicit WindowOutputs(WindowParts& parts);

  // Whether a file needs the images on the host.
  [[nodiscard]] bool need_host_image() const { return need_host_image_; }
  // Of the images that the stream processes, as far as the sinks can follow; empty: there are none.
  [[nodiscard]] std::function<void(const Image&)> image_taker();

  void write_screenshot();
  // All other files, of a stream that has been stopped. `display`: of the report; `recording`: of --record.
  struct Run {
    RunTotals totals;
    nlohmann::json display;
    RecorderStatus recording;
  };
  void write(const Run& run);

 private:
  void write_report_of(const Run& run, FileWriter& writer);

  WindowParts& parts_;
  const bool need_host_image_;
  std::unique_ptr<ImageSinks> sinks_;  // null: no stream yet
};

}  // namespace echoloop
