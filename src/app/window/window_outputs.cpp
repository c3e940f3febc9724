#include "app/window/window_outputs.h"

#include <fmt/format.h>

#include "app/image_files.h"
#include "app/outputs/output_files.h"
#include "app/outputs/run_outputs.h"
#include "history/file_sinks.h"
#include "history/png.h"

namespace echoloop {
WindowOutputs::WindowOutputs(WindowParts& parts)
    : parts_(parts), need_host_image_(names_output(parts.options.files, {MadeOf::last_image, MadeOf::all_images})) {}

std::function<void(const Image&)> WindowOutputs::image_taker() {
  if (sinks_ == nullptr) {
    sinks_ = std::make_unique<ImageSinks>(ImageSinkRequest{.options = parts_.options,
                                                           .source = parts_.state.source,
                                                           .named = parts_.named,
                                                           .params = parts_.state.params,
                                                           .backend = *parts_.backend,
                                                           .when_full = WhenFull::leave_out});
  }
  return sinks_->taker();
}

void WindowOutputs::write_screenshot() {
  const std::filesystem::path& file = parts_.options.files["--screenshot"];
  if (file.empty()) return;
  parts_.viewer->frame(parts_.state);
  const RgbImage picture = parts_.viewer->screenshot();
  write_png(file, picture.width, picture.height, picture.rgb);
}

void WindowOutputs::write(const Run& run) {
  const OutputOptions& options = parts_.options;
  parts_.live.images.take();
  FileWriter writer;
  write_times(options.files, parts_.trace, writer);
  RunTotals totals = run.totals;
  const Image& last = parts_.live.images.front();
  if (sinks_ != nullptr) writer([&] { sinks_->finish({&last, *parts_.backend, parts_.named}, totals); });
  if (last.host_db != nullptr) {
    write_image_files({.options = options,
                       .window = parts_.options,
                       .info = parts_.state.source,
                       .source = *parts_.source,
                       .named = parts_.named,
                       .backend = *parts_.backend,
                       .session = *parts_.session,
                       .live = parts_.live,
                       .marks = parts_.state.marks,
                       .doubts = parts_.doubts ? &*parts_.doubts : nullptr},
                      last, nullptr, writer);
  }
  write_report_of(run, writer);
  if (sinks_ != nullptr) writer([&] { sinks_->require_files(); });
  if (sinks_ != nullptr) sinks_->print_summaries();
  writer.require_all();
}

void WindowOutputs::write_report_of(const Run& run, FileWriter& writer) {
  const OutputOptions& options = parts_.options;
  const ImagingParams& params = parts_.state.params;
  nlohmann::json report = make_report(*parts_.backend, *parts_.session, parts_.named, params, parts_.trace, run.totals);
  report["samples"] = samples_json(parts_.state.source.samples, parts_.live.images.front().stamp);
  if (parts_.doubts) report["doubts"] = doubts_json(*parts_.doubts);
  writer([&] { require_live_outputs(options.files, params); });
  end_live_outputs({.files = options.files,
                    .source = parts_.named,
                    .params = params,
                    .backend = *parts_.backend,
                    .session = *parts_.session},
                   parts_.live, report, writer);
  if (!options.files[kRecordOption].empty()) report["recording"] = recording_json(run.recording);
  report["display"] = run.display;
  if (sinks_ != nullptr) sinks_->add_to(report);
  report["frames"]["errors"] = run.totals.errors + writer.refused();
  writer([&] { write_report(options.files, report); });
}

}  // namespace echoloop
