// What takes every image of a run while it runs: a video, an array. Each has a queue and a thread of its own.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/outputs/report.h"
#include "backend/backend.h"
#include "backend/pixel_sink.h"
#include "core/results/image.h"
#include "source/source.h"

namespace echoloop {

enum class WhenFull { wait, leave_out };

struct ImageSinkRequest {
  const OutputOptions& options;
  const SourceInfo& source;
  const std::string& named;  // the source, as the user named it
  const ImagingParams& params;
  const Backend& backend;
  WhenFull when_full;  // of a sink that is slower than the stream
};

struct EndedImages {
  const Image* last;  // null: none came
  const Backend& backend;
  const std::string& named;                    // the source, as the user named it
  const std::vector<Doubt>* doubts = nullptr;  // about the recording; null: not measured
};

class ImageSink {
 public:
  virtual ~ImageSink() = default;
  virtual void take(const Image& image) = 0;  // with a host copy; processing thread
  // What takes complex pixels in place of images; null: images are taken.
  [[nodiscard]] virtual PixelSink* pixels() { return nullptr; }
  // Waits until the file is ended. Returns the exit status; counts the errors. Throws Error as write_text(). The rest
  // is for afterwards.
  virtual int finish(const EndedImages& run, RunTotals& totals) = 0;
  [[nodiscard]] virtual nlohmann::json report() const = 0;
  [[nodiscard]] virtual std::exception_ptr failure() const { return nullptr; }  // why there is no file
  [[nodiscard]] virtual std::string summary() const { return {}; }              // without failure: a line
};

}  // namespace echoloop
