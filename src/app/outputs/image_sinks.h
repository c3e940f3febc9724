// The files that all images of a run can be written to, each announced once: the run, in a window and without, and its
// report read these rows. A new one is one file with its ImageSink and one row. Main or UI thread only.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/film_job.h"
#include "app/outputs/image_sink.h"

namespace echoloop {

struct ImageSinkRequest {
  const Options& options;
  const SourceInfo& source;
  const std::string& named;  // the source, as the user named it
  const ImagingParams& params;
  const Backend& backend;
  WhenFull when_full;  // of a sink that is slower than the stream
};

struct ImageSinkRow;

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
    const ImageSinkRow* row;
    std::unique_ptr<ImageSink> sink;
  };
  std::shared_ptr<std::vector<Sink>> sinks_;
};

}  // namespace echoloop
