
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "app/options/options.h"
#include "app/options/terminal.h"
#include "app/outputs/film_job.h"
#include "app/outputs/report.h"
#include "core/error.h"
#include "core/units.h"
#include "history/export.h"
#include "history/file_sinks.h"

namespace echoloop {
namespace {

FrameMemory pageable(std::size_t bytes) {
  const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  return {.bytes = *memory, .owner = memory, .kind = HostMemory::pageable};
}

}  // namespace

ArrayFile::ArrayFile(const std::filesystem::path& file, NpyItems items) : memory_(pageable(items.bytes)) {
  const std::size_t bytes = items.bytes;
  recorder_.begin({.frame_bytes = bytes, .frame_rate_hz = 0.0, .allocate = pageable, .lend = nullptr});
  recorder_.start(make_growing_npy(file, std::move(items)), bytes);
}

std::span<std::byte> ArrayFile::room(std::size_t bytes) {
  if (memory_.bytes.size() != bytes) memory_ = pageable(bytes);
  return memory_.bytes;
}

void ArrayFile::put(const Image& image) {
  const FrameStamp& stamp = image.stamp;
  torn_ = torn_ || image.torn_share > 0.0;
  while (!recorder_.ready({.now_ns = now_ns()})) std::this_thread::sleep_for(std::chrono::microseconds(200));
  if (recorder_.status().frames == 0 && first_.acquired_ns == 0) first_ = stamp;
  last_ = stamp;
  RfFrame frame{.stamp = stamp, .samples = memory_.bytes};
  frame.stamp.acquired_ns = now_ns();
  memory_ = recorder_.offer(frame, std::move(memory_));
}

RecorderStatus ArrayFile::end() {
  recorder_.finish();
  return recorder_.status();
}

nlohmann::json ArrayFile::frames_json() const {
  return {{"count", status().frames}, {"first", frame_json(first_)}, {"last", frame_json(last_)}};
}

void ArrayFile::add_command(nlohmann::json& about, const EndedImages& run, const ImagingParams& params,
                            const std::string& option) const {
  const std::uint64_t frames = status().frames;
  if (torn_) return set_no_command(about, std::string(kTornFrame));
  set_command(about,
              {.on_cpu = !run.backend.computes_elsewhere(),
               .source = run.named,
               .acquisition = run.last->acquisition,
               .frames = frames,
               .params = &params,
               .complete = first_.sequence == 0 && last_.sequence + 1 == frames},
              option);
}

void ArrayFile::describe(nlohmann::json about) const {
  const std::filesystem::path file = status().path;
  about["file"] = file.filename().string();
  about["frames"] = frames_json();
  write_text(std::filesystem::path(file).replace_extension(".json"), json_text(about, 1) + "\n");
}

int say_ended(const RecorderStatus& ended, RunTotals& totals) {
  if (ended.problem.empty()) {
    if (ended.frames > 0) print_out("{}\n", recording_text(ended));
    return 0;
  }
  print_error("echoloop: {}\n", recording_text(ended));
  ++totals.errors;
  return 1;
}

// --images-out: all images of a run in an array for NumPy [frame][nz][nx]; metadata in F.json.

namespace {

// Maps the dynamic range below 0 dB to 0 to 255, rounded as std::lround, which compilers do not vectorise.
std::byte level8(float level_db, float range_db) {
  const float level = 1.0f + level_db / range_db;
  const float scaled = level > 0.0f ? 255.0f * std::min(level, 1.0f) : 0.0f;
  const int below = static_cast<int>(scaled);
  return static_cast<std::byte>(below + (scaled - static_cast<float>(below) >= 0.5f ? 1 : 0));
}

class ImageSequence final : public ImageSink {
 public:
  // Images of `grid`. Throws Error if the file cannot be made.
  ImageSequence(const std::filesystem::path& file, ImageValues values, const Grid& grid);

  void take(const Image& image) override;
  // Completes the file, writes its description, from the last image, and prints one line about the end.
  int finish(const EndedImages& run, RunTotals& totals) override;
  [[nodiscard]] nlohmann::json report() const override { return recording_json(file_.status()); }

 private:
  ImageValues values_;
  std::size_t bytes_;  // of an image in the file
  ArrayFile file_;
};

}  // namespace

ImageSequence::ImageSequence(const std::filesystem::path& file, ImageValues values, const Grid& grid)
    : values_(values),
      bytes_(grid.pixels() * (values == ImageValues::float32 ? sizeof(float) : 1)),
      file_(file, {.type = values == ImageValues::float32 ? "<f4" : "|u1",
                   .shape = std::to_string(grid.nz) + ", " + std::to_string(grid.nx),
                   .bytes = bytes_}) {}

void ImageSequence::take(const Image& image) {
  const std::span<const float> levels_db = image.host();
  if (values_ == ImageValues::float32 || levels_db.size() != bytes_) {
    std::memcpy(file_.room(levels_db.size_bytes()).data(), levels_db.data(), levels_db.size_bytes());
  } else {
    const auto range_db = static_cast<float>(image.params.display.dynamic_range_db);
    std::transform(levels_db.begin(), levels_db.end(), file_.room(bytes_).begin(),
                   [range_db](float level_db) { return level8(level_db, range_db); });
  }
  file_.put(image);
}

// Makes the sink of a row of output_rows().
std::unique_ptr<ImageSink> make_image_sequence(const ImageSinkRequest& request) {
  return std::make_unique<ImageSequence>(request.options.files["--images-out"], request.options.image_values,
                                         make_grid(request.params, *request.source.acquisition));
}

int ImageSequence::finish(const EndedImages& run, RunTotals& totals) {
  const RecorderStatus ended = file_.end();
  const bool whole = ended.problem.empty() && ended.frames > 0;
  if (const Image* last = run.last; whole && last != nullptr) {
    nlohmann::json about = image_json(run.backend, run.named, *last);
    const std::string type = values_ == ImageValues::float32 ? "" : " --images-type uint8";
    file_.add_command(about, run, last->params, "--images-out images.npy" + type);
    if (run.doubts != nullptr) add_doubts(about, *run.doubts);
    about["order"] =
        std::string("image[frame]") +
        (last->grid.polar() ? "[i_radius][i_line]: (frame, r, angle), " : "[iz][ix]: (frame, z, x), ") +
        (values_ == ImageValues::float32 ? "float32 dB" : "uint8: 0 to 255 over the dynamic range below 0 dB");
    about["grid"] = grid_json(last->grid);
    about["parameters"] = params_json(last->params);
    file_.describe(std::move(about));
  }
  return say_ended(ended, totals);
}

namespace {

constexpr const char* kPixelValues =
    "Sum over transmits and elements of the analytic signal at the two-way delay, with all weights of the parameters, "
    "in units of the samples; with an adaptive method its pixel, or the sum times its weight.";
constexpr const char* kPhase =
    "The carrier is kept: an echo A cos(2 pi f t + phi) gives A exp(i (2 pi f t + phi)) at the pixel's two-way delay "
    "t, and the real part is the beamformed RF signal. Below a plane wave the phase increases with depth by 4 pi f / c "
    "per metre.";
constexpr const char* kLevels =
    "20 log10(abs(iq)) - reference_db is the image in dB before scan conversion (where image_grid is another), before "
    "the temporal average (persistence_s) and before the image filters (median, smoothing, speckle reduction, edge "
    "enhancement). Gain, TGC and dynamic range act on the display only.";

nlohmann::json convention_json(const Image& last) {
  const double reference_db = last.params.level.reference_db;
  return {{"values", kPixelValues},
          {"phase", kPhase},
          {"levels", kLevels},
          {"reference_db", reference_db},
          {"magnitude_of_0_db", std::pow(10.0, reference_db / 20.0)}};
}

}  // namespace

IqSequence::IqSequence(const std::filesystem::path& file, const Grid& grid)
    : grid_(grid),
      file_(file, {.type = "<c8",
                   .shape = std::to_string(grid.nz) + ", " + std::to_string(grid.nx),
                   .bytes = grid.pixels() * sizeof(Complex)}) {}

void IqSequence::take(const KeptPixels& pixels) {
  const std::size_t bytes = pixels.values.size_bytes();
  std::memcpy(file_.room(bytes).data(), pixels.values.data(), bytes);
  file_.put(pixels.image);
  last_.stamp = pixels.image.stamp;
  last_.grid = pixels.image.grid;
  last_.params = pixels.image.params;
  last_.acquisition = pixels.image.acquisition;
}

RecorderStatus IqSequence::end(const Backend& backend, const std::string& named) {
  return end(EndedImages{.last = &last_, .backend = backend, .named = named});
}

RecorderStatus IqSequence::end(EndedImages run) {
  const RecorderStatus ended = file_.end();
  if (!ended.problem.empty() || ended.frames == 0) return ended;
  run.last = &last_;
  nlohmann::json about = image_json(run.backend, run.named, last_);
  ImagingParams params = last_.params;
  params.refine.persistence_s = 0.0;  // applied after the pixels
  file_.add_command(about, run, params, "--iq-out iq.npy");
  if (run.doubts != nullptr) add_doubts(about, *run.doubts);
  about["order"] = std::string("iq[frame]") +
                   (grid_.polar() ? "[i_radius][i_line]: (frame, r, angle)" : "[iz][ix]: (frame, z, x)") +
                   ", complex64";
  about["grid"] = grid_json(grid_);
  if (last_.grid != grid_) about["image_grid"] = grid_json(last_.grid);
  about["parameters"] = params_json(last_.params);
  about["iq"] = convention_json(last_);
  file_.describe(std::move(about));
  return ended;
}

RecorderStatus IqSequence::discard() {
  RecorderStatus ended = file_.end();
  std::error_code ignored;
  if (ended.frames > 0) std::filesystem::remove(ended.path, ignored);
  return ended;
}

int IqSequence::finish(const EndedImages& run, RunTotals& totals) {
  const RecorderStatus ended = end(run);
  return say_ended(ended, totals);
}

// Makes the sink of a row of output_rows().
std::unique_ptr<ImageSink> make_iq_sequence(const ImageSinkRequest& request) {
  require_pixels(request.params, "--iq-out");
  return std::make_unique<IqSequence>(request.options.files["--iq-out"],
                                      pixel_grid(request.params, *request.source.acquisition));
}

void require_pixels(const ImagingParams& params, const std::string& asked) {
  if (const std::string why = why_no_pixels(params); !why.empty())
    throw Error(asked, "no complex pixels: " + why, "delay-and-sum, or a method that forms or weighs complex pixels");
}

Grid pixel_grid(const ImagingParams& params, const Acquisition& acquisition) {
  return make_beam_grid(params, acquisition, make_grid(params, acquisition));
}

}  // namespace echoloop
