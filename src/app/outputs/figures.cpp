#include "app/outputs/figures.h"

#include <utility>
#include <vector>

#include "app/outputs/comparison.h"
#include "app/outputs/provenance.h"
#include "gui/figure/figure_caption.h"
#include "gui/figure/figure_key.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/sample_fault_text.h"
#include "history/export.h"
#include "history/json_text.h"
#include "version.h"

namespace echoloop {

void write_figure_of(const std::filesystem::path& path, FigureOrder order) {
  title_images(order.images);
  std::string note = std::string("Echoloop ") + kVersion + ".";
  if (!order.note.empty()) note = order.note + " " + note;
  const Image& image = order.images.back().image;
  const FigureAbout about{.title = order.source,
                          .command = order.command,
                          .texts = {{"Source", whole_name(order.named)},
                                    {"Version", kVersion},
                                    {"Frame", std::to_string(order.images.back().numbers.of(image.stamp))},
                                    {"Parameters", json_text(params_json(image.params))}}};
  std::string caption = figure_caption(order.images, order.source, note);
  write_figure(path,
               {.images = std::move(order.images),
                .strips = std::move(order.strips),
                .caption = std::move(caption),
                .marks = std::move(order.marks),
                .key = std::move(order.key),
                .size = order.size,
                .ground = order.ground},
               about);
}

namespace {

// Spectral Doppler of the run, where there is any.
std::vector<FigureStrip> last_strips(const Image& image, LiveImages& live) {
  live.spectrogram.take();
  const Spectrogram& s = live.spectrogram.front();
  if (image.params.doppler.gate == Gate::off || s.number == 0 || s.end == 0) return {};
  return {figure_doppler(s, image.params, kDopplerSpan_s, DopplerCurves::shown)};
}

}  // namespace

void require_figure_size(const OutputOptions& options, const std::string& source,
                         const std::vector<FigurePlan>& images) {
  const std::filesystem::path& file = options.files["--figure"];
  if (file.empty()) return;
  Figure figure{.images = {}, .caption = source, .size = options.figure_size};
  for (const FigurePlan& plan : images) {
    Image image;
    image.grid = make_grid(plan.params, plan.acquisition);
    image.params = plan.params;
    figure.images.push_back({.image = std::move(image), .display = plan.params});
  }
  require_figure_size(file, figure);
}

void write_last_figure(const OutputOptions& options, const SourceInfo& source, LiveImages& live, const Image& image,
                       const MeasuredRun& run, const FigureA& a) {
  const std::filesystem::path& file = options.files["--figure"];
  AnalysisViews views;
  take_last(views, live, image);
  FigureOrder order{.images = {},
                    .source = source.name,
                    .named = run.source,
                    .command = {},
                    .marks = run.marks,
                    .key = {},
                    .strips = last_strips(image, live),
                    .size = options.figure_size,
                    .ground = options.figure_ground};
  std::vector<const Measured*> values;
  if (a.image != nullptr) {
    order.images.push_back({.image = a.image->image,
                            .display = a.image->image.params,
                            .numbers = {.count = a.image->frame_count},
                            .faults = faults_of(a.image->samples, a.image->image.stamp.source_index)});
    values.push_back(&a.run->measured);
  }
  std::vector<float> mapped;
  const bool matched = a.image != nullptr && a.image->match_levels && can_match(image, a.image->image);
  order.images.push_back({.image = matched ? matched_levels(image, a.image->image, mapped) : image,
                          .display = image.params,
                          .over = overlays_of(views),
                          .numbers = numbers_of(source),
                          .faults = faults_of(source.samples, image.stamp.source_index),
                          .matched = matched});
  if (!run.marks.list.empty()) values.push_back(&run.measured);
  order.key = figure_key(run.marks, values);
  if (a.image == nullptr) {
    order.command = command_text(run.backend, run.source, image, "--image-out image.npy");
    return write_figure_of(file, std::move(order));
  }
  const ComparedFigure both{.a = *a.run,
                            .b = run,
                            .match = matched ? LevelMatch::to_a : LevelMatch::none,
                            .file = file.filename(),
                            .marks = options.marks.empty() && !options.settings_files.empty()
                                         ? options.settings_files.front()
                                         : options.marks,
                            .size = options.figure_size,
                            .ground = options.figure_ground};
  const nlohmann::json json = compared_figure_json(both);
  order.command = command_text(json);
  write_figure_of(file, std::move(order));
  write_text(std::filesystem::path(file).replace_extension(".json"), json_text(json, 2) + "\n");
}

}  // namespace echoloop
