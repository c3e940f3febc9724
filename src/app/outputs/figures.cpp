#include "app/outputs/figures.h"

#include <utility>
#include <vector>

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
                                    {"Frame", std::to_string(image.stamp.sequence)},
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

void require_figure_size(const Options& options, const Acquisition& acquisition, const ImagingParams& params) {
  if (options.figure.empty()) return;
  Image image;
  image.grid = make_grid(params, acquisition);
  image.params = params;
  require_figure_size(options.figure, {.images = {{.image = std::move(image), .display = params}},
                                       .caption = options.source,
                                       .size = figure_size(options)});
}

void write_last_figure(const Options& options, const SourceInfo& source, const Image& image, LiveImages& live,
                       const FigureMarks& marked) {
  AnalysisViews views;
  take_last(views, live, image);
  std::vector<const Measured*> values;
  if (marked.measured != nullptr) values.push_back(marked.measured);
  write_figure_of(options.figure, {.images = {{.image = image,
                                               .display = image.params,
                                               .over = overlays_of(views),
                                               .faults = faults_of(source.samples, image.stamp.source_index)}},
                                   .source = source.name,
                                   .named = options.source,
                                   .marks = marked.marks,
                                   .key = figure_key(marked.marks, values),
                                   .strips = last_strips(image, live),
                                   .size = figure_size(options)});
}

}  // namespace echoloop
