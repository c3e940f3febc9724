#include "app/outputs/run_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "app/opening/source_kinds.h"
#include "app/options/terminal.h"
#include "app/outputs/dicom.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/patch_request.h"
#include "core/error.h"
#include "core/process_memory.h"
#include "gui/overlay/mark_drawing.h"
#include "history/export.h"

namespace echoloop {
namespace {

class FilmSink final : public ImageSink {
 public:
  FilmSink(const char* name, FilmOrder order, WhenFull when_full)
      : name_(name), job_(std::move(order)), when_full_(when_full) {}
  void take(const Image& image) override { job_.offer(image, when_full_); }
  int finish(const EndedImages& /*run*/, RunTotals& /*totals*/) override {
    job_.end();
    job_.wait();
    return 0;
  }
  [[nodiscard]] nlohmann::json report() const override { return job_.report(); }
  [[nodiscard]] std::exception_ptr failure() const override { return job_.failure(); }
  [[nodiscard]] std::string summary() const override { return name_ + job_.summary(); }

 private:
  const std::string name_;
  FilmJob job_;
  const WhenFull when_full_;
};

}  // namespace

namespace {

FilmOrder order_of(const ImageSinkRequest& request, const char* option) {
  FilmOrder order{.path = request.options.files[option],
                  .source = request.source.name,
                  .display = request.params,
                  .numbers = numbers_of(request.source),
                  .samples = request.source.samples,
                  .named = request.named,
                  .option = option};
  pace_film(order, request.source);
  return order;
}

}  // namespace

// Make the sinks of rows of output_rows().
std::unique_ptr<ImageSink> make_film(const ImageSinkRequest& request) {
  return std::make_unique<FilmSink>("Video: ", order_of(request, "--video"), request.when_full);
}

std::unique_ptr<ImageSink> make_dicom(const ImageSinkRequest& request) {
  FilmOrder order = order_of(request, "--dicom");
  order.make = make_dicom_file;
  order.note.clear();  // its frames have their own time
  return std::make_unique<FilmSink>("DICOM: ", std::move(order), request.when_full);
}

ImageSinks::ImageSinks(const ImageSinkRequest& request) : sinks_(std::make_shared<std::vector<Sink>>()) {
  for (const OutputRow& row : output_rows())
    if (row.make != nullptr && !request.options.files[row.option].empty()) sinks_->push_back({&row, row.make(request)});
}

std::function<void(const Image&)> ImageSinks::taker() const {
  if (std::ranges::all_of(*sinks_, [](const Sink& s) { return s.sink->pixels() != nullptr; })) return {};
  return [sinks = sinks_](const Image& image) {
    for (const Sink& s : *sinks) s.sink->take(image);
  };
}

std::shared_ptr<PixelSink> ImageSinks::pixel_taker() const {
  for (const Sink& s : *sinks_)
    if (PixelSink* const pixels = s.sink->pixels(); pixels != nullptr) return {sinks_, pixels};
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
  for (const Sink& s : *sinks_)
    if (s.sink->failure() != nullptr) std::rethrow_exception(s.sink->failure());
}

void ImageSinks::print_summaries() const {
  for (const Sink& s : *sinks_) {
    if (s.sink->failure() != nullptr) continue;
    if (const std::string line = s.sink->summary(); !line.empty()) print_out("{}\n", line);
  }
}

FrameOutputs::FrameOutputs(const OutputFiles& files, const AcquisitionPtr& acquisition, const RecordingAbout& about,
                           FrameSink& last)
    : sinks_{&last} {
  for (const FileSinkRow& row : file_sinks()) {
    const std::filesystem::path& file = files[row.option];
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

void require_live_outputs(const OutputFiles& files, const ImagingParams& params) {
  for (const AnalysisFileRow* const row : analysis_files())
    if (!files[row->option].empty() && !row->is_on(params)) throw Error(row->option, row->off, row->on);
}

void end_live_outputs(const EndedRun& run, LiveImages& live, nlohmann::json& report, FileWriter& writer) {
  const AnalysisCounts counts = run.session.analysis_counts();
  for (const AnalysisFileRow* const row : analysis_files()) {
    if (!row->is_on(run.params)) continue;
    AnalysisEnd end = row->end(live, counts);
    report[row->report] = std::move(end.report);
    const std::filesystem::path& file = run.files[row->option];
    if (file.empty()) continue;
    writer([&] {
      if (!end.write) throw Error(row->option, row->missing, row->needs);
      end.write(file, program_json(run.backend, run.source));
    });
  }
}

FirstFrameDoubts::FirstFrameDoubts(const OpenedSource& opened, FrameSink& next)
    : next_(next),
      on_(opened.source->live() != nullptr || (is_file_source(opened.name) && opened.source->seekable() != nullptr)),
      live_(opened.source->live() != nullptr),
      wanted_(on_),
      acquisition_(opened.info.acquisition) {}

void FirstFrameDoubts::begin(HistoryFeed feed) {
  // A sender fills its memory again.
  lender_ = !live_ && feed.lend != nullptr ? feed.lend(0).owner : nullptr;
  if (!live_ || feed.acquisition == nullptr || feed.acquisition == acquisition_) return;
  acquisition_ = feed.acquisition;
  wanted_ = on_;
}

FrameMemory FirstFrameDoubts::offer(const RfFrame& frame, FrameMemory memory) {
  if (std::exchange(wanted_, false)) {
    const auto copy = std::make_shared<std::vector<std::byte>>();
    if (lender_ == nullptr) copy->assign(frame.samples.begin(), frame.samples.end());
    const std::span<const std::byte> samples = lender_ == nullptr ? std::span<const std::byte>(*copy) : frame.samples;
    work_.push_back(
        std::async(std::launch::async, [acquisition = acquisition_, copy, lender = lender_, samples, live = live_] {
          std::vector<Doubt> doubts =
              live ? measure_live_doubts(acquisition, samples) : measure_doubts(acquisition, samples);
          require_readable(samples);
          return doubts;
        }));
  }
  return next_.offer(frame, std::move(memory));
}

std::vector<Doubt> FirstFrameDoubts::take() {
  std::vector<Doubt> all;
  for (auto& work : std::exchange(work_, {})) std::ranges::move(work.get(), std::back_inserter(all));
  return all;
}

bool wants_measures(const OutputFiles& files, const Marks& marks) {
  return !files["--measurements"].empty() || (!files["--figure"].empty() && !marks.list.empty());
}

namespace {

LevelImage levels_of(const Image& image) {
  return {.db = image.host(), .grid = image.grid, .number = image.number, .time_s = image.stamp.time_s};
}

}  // namespace

Measured measure_pixels(const Image& image, const Marks& marks) {
  Measured m;
  m.image = image;
  m.image.host_db = m.image.device_db = nullptr;
  m.image.storage.reset();
  if (shows_weight(image.params.formation)) return m;  // weights are no levels
  RegionPixelCache pixels;
  measure_marks(m, marks, levels_of(image), pixels);
  return m;
}

void measure_again(Measured& m, const Image& image, const Marks& marks, ImageAgain& again) {
  if (shows_weight(image.params.formation)) return;
  RegionPixelCache pixels;
  m.fine = again.take_points();
  if (!m.fine.empty()) measure_marks(m, marks, levels_of(image), pixels);
  const std::vector<float> das = again.take_levels();
  if (!das.empty()) measure_slopes(m, marks, levels_of(image), {.db = das, .grid = image.grid}, pixels);
}

Measured measure_image(const Image& image, const Marks& marks, const PointsAgain& again) {
  Measured m = measure_pixels(image, marks);
  ImageAgain made(m, again);
  while (!made.step(again.session)) std::this_thread::sleep_for(std::chrono::microseconds(200));
  measure_again(m, image, marks, made);
  return m;
}

std::optional<KeptFrame> frame_again(Source& source, const FrameStamp& stamp) {
  SeekableSource* const seekable = source.seekable();
  if (seekable == nullptr) return std::nullopt;
  auto memory = std::make_shared<std::vector<std::byte>>(source.acquisition()->frame_bytes());
  try {
    const std::span<const std::byte> samples = seekable->at(stamp.source_index, *memory);
    return KeptFrame{.frame = {.stamp = stamp, .samples = samples}, .owner = std::move(memory)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string frame_comment(const FrameStamp& stamp, const std::string& source) {
  return fmt::format("# frame: {}, acquired at {:.6f} s\n", numbers_of(source).of(stamp), stamp.time_s);
}

std::string measurement_comments(const Backend& backend, const std::string& source, const Image& image) {
  std::string comments = "# Measured by Echoloop. Levels are in dB relative to 0 dB of the image.\n";
  comments += fmt::format("# source: {}\n", source);
  return comments + frame_comment(image.stamp, source) +
         "# parameters: " + json_text(image_json(backend, source, image)) + "\n";
}

nlohmann::json marked_image_json(const MeasuredRun& run) {
  const Image& image = run.measured.image;
  nlohmann::json json = image_json(run.backend, run.source, image);
  json["parameters"] = params_json(image.params);
  json["grid"] = grid_json(image.grid);
  json["frame"] = frame_json(image.stamp);
  json["marks"] = marks_json(run.marks);
  json["values"] = measurements_json(run.measured, run.marks);
  if (run.doubts != nullptr) add_doubts(json, *run.doubts);
  return json;
}

std::string comments_on_a(const MeasuredRun& a) {
  const Image& image = a.measured.image;
  return fmt::format("# compared: \"now\" is B, table A is {}, frame {}, with the parameters {}\n", a.source,
                     numbers_of(a.source).of(image.stamp), json_text(image_json(a.backend, a.source, image)));
}

}  // namespace echoloop
