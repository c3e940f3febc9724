#include "app/outputs/image_sinks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "app/options/terminal.h"
#include "app/outputs/image_sequence.h"
#include "app/outputs/iq_sequence.h"

namespace echoloop {

struct ImageSinkRow {
  const char* report;  // its key in the run report
  std::filesystem::path Options::*file;
  std::unique_ptr<ImageSink> (*make)(const ImageSinkRequest& request);  // throws Error when there can be no file
};

namespace {

class FilmSink final : public ImageSink {
 public:
  FilmSink(FilmOrder order, WhenFull when_full) : job_(std::move(order)), when_full_(when_full) {}
  void take(const Image& image) override { job_.offer(image, when_full_); }
  int finish(const EndedImages& /*run*/, RunTotals& /*totals*/) override {
    job_.end();
    job_.wait();
    return 0;
  }
  [[nodiscard]] nlohmann::json report() const override { return job_.report(); }
  [[nodiscard]] std::exception_ptr failure() const override { return job_.failure(); }
  [[nodiscard]] std::string summary() const override { return "Video: " + job_.summary(); }

 private:
  FilmJob job_;
  const WhenFull when_full_;
};

std::unique_ptr<ImageSink> make_film(const ImageSinkRequest& request) {
  FilmOrder order{.path = request.options.video,
                  .source = request.source.name,
                  .display = request.params,
                  .named = request.named,
                  .numbers = numbers_of(request.source),
                  .samples = request.source.samples};
  pace_film(order, request.source);
  return std::make_unique<FilmSink>(std::move(order), request.when_full);
}

std::unique_ptr<ImageSink> make_sequence(const ImageSinkRequest& request) {
  return std::make_unique<ImageSequence>(request.options.images_out, request.options.image_values,
                                         make_grid(request.params, *request.source.acquisition));
}

std::unique_ptr<ImageSink> make_iq(const ImageSinkRequest& request) {
  require_pixels(request.params, "--iq-out");
  return std::make_unique<IqSequence>(request.options.iq_out, pixel_grid(request.params, *request.source.acquisition));
}

constexpr std::array kImageSinks{
    ImageSinkRow{.report = "video", .file = &Options::video, .make = make_film},
    ImageSinkRow{.report = "images_out", .file = &Options::images_out, .make = make_sequence},
    ImageSinkRow{.report = "iq_out", .file = &Options::iq_out, .make = make_iq},
};

}  // namespace

ImageSinks::ImageSinks(const ImageSinkRequest& request) : sinks_(std::make_shared<std::vector<Sink>>()) {
  for (const ImageSinkRow& row : kImageSinks) {
    if (!(request.options.*row.file).empty()) sinks_->push_back({&row, row.make(request)});
  }
}

std::function<void(const Image&)> ImageSinks::taker() const {
  if (std::ranges::all_of(*sinks_, [](const Sink& s) { return s.sink->pixels() != nullptr; })) return {};
  return [sinks = sinks_](const Image& image) {
    for (const Sink& s : *sinks) s.sink->take(image);
  };
}

std::shared_ptr<PixelSink> ImageSinks::pixel_taker() const {
  for (const Sink& s : *sinks_) {
    if (PixelSink* const pixels = s.sink->pixels(); pixels != nullptr) return {sinks_, pixels};
  }
  return nullptr;
}

int ImageSinks::finish(const EndedImages& run, RunTotals& totals) {
  int status = 0;
  for (const Sink& s : *sinks_) status = std::max(status, s.sink->finish(run, totals));
  return status;
}

void ImageSinks::add_to(nlohmann::json& report) const {
  for (const Sink& s : *sinks_) report[s.row->report] = s.sink->report();
}

void ImageSinks::require_files() const {
  for (const Sink& s : *sinks_) {
    if (s.sink->failure() != nullptr) std::rethrow_exception(s.sink->failure());
  }
}

void ImageSinks::print_summaries() const {
  for (const Sink& s : *sinks_) {
    if (s.sink->failure() != nullptr) continue;
    if (const std::string line = s.sink->summary(); !line.empty()) print_out("{}\n", line);
  }
}

}  // namespace echoloop
