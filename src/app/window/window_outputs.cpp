#include "app/window/window_outputs.h"

#include <fmt/format.h>

#include <utility>

#include "app/image_files.h"
#include "app/options/terminal.h"
#include "app/outputs/figures.h"
#include "app/outputs/live_outputs.h"
#include "app/outputs/measure_image.h"
#include "app/outputs/output_files.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "history/png.h"

namespace echoloop {
namespace {

bool wants_pixels(const Options& o) {
  return !o.measurements.empty() || !o.figure.empty() || !o.image_out.empty() || !o.png.empty() || !o.png16.empty() ||
         !o.video.empty();
}

}  // namespace

WindowOutputs::WindowOutputs(WindowParts& parts) : parts_(parts), need_host_image_(wants_pixels(parts.options)) {}

std::function<void(const Image&)> WindowOutputs::image_taker() {
  if (sinks_ == nullptr) {
    sinks_ = std::make_unique<ImageSinks>(ImageSinkRequest{.options = parts_.options,
                                                           .source = parts_.state.source,
                                                           .named = parts_.named,
                                                           .params = parts_.state.params,
                                                           .when_full = WhenFull::leave_out});
  }
  return sinks_->taker();
}

void WindowOutputs::write_screenshot() {
  if (parts_.options.screenshot.empty()) return;
  parts_.viewer->frame(parts_.state);
  const RgbImage picture = parts_.viewer->screenshot();
  write_png(parts_.options.screenshot, picture.width, picture.height, picture.rgb);
}

void WindowOutputs::write(const Run& run) {
  const Options& options = parts_.options;
  parts_.live.images.take();
  if (!options.trace.empty()) write_text(options.trace, parts_.trace.chrome_json());
  if (!options.csv.empty()) write_text(options.csv, parts_.trace.csv());
  RunTotals totals = run.totals;
  if (sinks_ != nullptr) sinks_->finish({&parts_.live.images.front(), *parts_.backend, parts_.named}, totals);
  if (parts_.live.images.front().host_db != nullptr) write_last_image();
  write_report_of(run);
  if (sinks_ == nullptr) return;
  sinks_->require_files();
  sinks_->print_summaries();
}

// With its marks' numbers where a file needs them.
void WindowOutputs::write_last_image() {
  const Options& options = parts_.options;
  const Image& last = parts_.live.images.front();
  const Marks& marks = parts_.state.marks;
  write_image_files(options, last, *parts_.backend, parts_.named);
  std::optional<Measured> measured;
  if (wants_measures(options, marks)) {
    measured =
        measure_image(last, marks, {.session = parts_.session.get(), .kept = frame_again(*parts_.source, last.stamp)});
    if (!options.measurements.empty()) {
      write_measurements(options.measurements, {*measured, marks, *parts_.backend, parts_.named});
    }
  }
  if (options.figure.empty()) return;
  write_last_figure(options, parts_.state.source, last, parts_.live,
                    {.marks = marks, .measured = measured ? &*measured : nullptr});
}

void WindowOutputs::write_report_of(const Run& run) {
  const Options& options = parts_.options;
  const ImagingParams& params = parts_.state.params;
  nlohmann::json report = make_report(*parts_.backend, *parts_.session, parts_.named, params, parts_.trace, run.totals);
  report["samples"] = samples_json(parts_.state.source.samples, parts_.live.images.front().stamp);
  require_live_outputs(options, params);
  end_live_outputs({.options = options,
                    .source = parts_.named,
                    .params = params,
                    .backend = *parts_.backend,
                    .session = *parts_.session},
                   parts_.live, report);
  if (!frame_file(options, kRecordOption).empty()) report["recording"] = recording_json(run.recording);
  report["display"] = run.display;
  if (sinks_ != nullptr) sinks_->add_to(report);
  write_report(options, report);
}

}  // namespace echoloop
