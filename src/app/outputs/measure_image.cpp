#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "app/outputs/measured_values.h"
#include "app/outputs/patch_request.h"
#include "app/outputs/report.h"
#include "core/error.h"
#include "gui/overlay/mark_drawing.h"
#include "history/export.h"
#include "history/file_sinks.h"

namespace echoloop {

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
  if (run.doubts != nullptr) json["doubts"] = doubts_json(*run.doubts);
  return json;
}

std::string comments_on_a(const MeasuredRun& a) {
  const Image& image = a.measured.image;
  return fmt::format("# compared: \"now\" is B, table A is {}, frame {}, with the parameters {}\n", a.source,
                     numbers_of(a.source).of(image.stamp), json_text(image_json(a.backend, a.source, image)));
}

}  // namespace echoloop
