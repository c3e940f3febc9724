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
                          .texts = {{"Source", order.named},
                                    {"Version", kVersion},
                                    {"Frame", std::to_string(order.images.back().numbers.of(image.stamp))},
                                    {"Parameters", json_text(params_json(image.params))},
                                    {"Command", repeat_image(order.named, image).text()}}};
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

FigureSize figure_size(const Options& options) {
  if (options.figure_pixels > 0) {
    return {.by = FigureSizing::factor, .value = static_cast<double>(options.figure_pixels), .dpi = kScreenDpi};
  }
  FigureSize size{.dpi = options.figure_dpi};
  if (options.figure_width_mm) size.value = *options.figure_width_mm;
  if (options.figure_mm_per_cm) size.by = FigureSizing::scale, size.value = *options.figure_mm_per_cm;
  return size;
}

// Spectral Doppler of the run, where there is any.
std::vector<FigureStrip> last_strips(const Image& image, LiveImages& live) {
  live.spectrogram.take();
  const Spectrogram& s = live.spectrogram.front();
  if (image.params.doppler.gate == Gate::off || s.number == 0 || s.end == 0) return {};
  return {figure_doppler(s, image.params, kDopplerSpan_s, DopplerCurves::shown)};
}

}  // namespace

void require_figure_size(const Options& options, const std::vector<FigurePlan>& images) {
  if (options.figure.empty()) return;
  Figure figure{.images = {}, .caption = options.source, .size = figure_size(options)};
  for (const FigurePlan& plan : images) {
    Image image;
    image.grid = make_grid(plan.params, plan.acquisition);
    image.params = plan.params;
    figure.images.push_back({.image = std::move(image), .display = plan.params});
  }
  require_figure_size(options.figure, figure);
}

void write_last_figure(const Options& options, const SourceInfo& source, LiveImages& live, const Image& image,
                       const MeasuredRun& run, const FigureA& a) {
  AnalysisViews views;
  take_last(views, live, image);
  FigureOrder order{.images = {},
                    .source = source.name,
                    .named = run.source,
                    .marks = run.marks,
                    .key = {},
                    .strips = last_strips(image, live),
                    .size = figure_size(options),
                    .ground = options.figure_dark ? PageGround::dark : PageGround::white};
  std::vector<const Measured*> values;
  if (a.image != nullptr) {
    order.images.push_back({.image = a.image->image,
                            .display = a.image->image.params,
                            .numbers = {.count = a.image->frame_count},
                            .faults = faults_of(a.image->samples, a.image->image.stamp.source_index)});
    values.push_back(&a.run->measured);
  }
  std::vector<float> mapped;
  const bool matched = a.image != nullptr && options.compare.match_levels && can_match(image, a.image->image);
  order.images.push_back({.image = matched ? matched_levels(image, a.image->image, mapped) : image,
                          .display = image.params,
                          .over = overlays_of(views),
                          .numbers = numbers_of(source),
                          .faults = faults_of(source.samples, image.stamp.source_index),
                          .matched = matched});
  if (!run.marks.list.empty()) values.push_back(&run.measured);
  order.key = figure_key(run.marks, values);
  write_figure_of(options.figure, std::move(order));
  if (a.image == nullptr) return;
  const ComparedFigure both{.a = *a.run,
                            .b = run,
                            .frames_of_a = a.image->frame_count,
                            .match = matched ? LevelMatch::to_a : LevelMatch::none,
                            .file = options.figure.filename(),
                            .marks = options.marks.empty() && !options.settings_files.empty()
                                         ? options.settings_files.front()
                                         : options.marks,
                            .size = figure_size(options),
                            .ground = options.figure_dark ? PageGround::dark : PageGround::white};
  write_text(std::filesystem::path(options.figure).replace_extension(".json"),
             json_text(compared_figure_json(both), 2) + "\n");
}

}  // namespace echoloop
