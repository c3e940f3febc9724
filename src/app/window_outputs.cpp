// WindowApp's files, written when the window closes: what the command line asked for.
#include <fmt/format.h>

#include "app/figures.h"
#include "app/interrupts.h"
#include "app/live_outputs.h"
#include "app/measure_image.h"
#include "app/output_files.h"
#include "app/pictures.h"
#include "app/report.h"
#include "app/terminal.h"
#include "app/window_app.h"
#include "core/units.h"
#include "history/export.h"
#include "history/png.h"

namespace echoloop {

// The files asked for on the command line, from the window's last state.
void WindowApp::write_outputs() {
  if (session_ == nullptr) return;
  if (!options_.screenshot.empty()) {
    viewer_->frame(state_);
    const RgbPicture picture = viewer_->screenshot();
    write_png(options_.screenshot, picture.width, picture.height, picture.rgb);
  }
  nlohmann::json display = times_.report();
  display.update({{"renderer", viewer_->gl_renderer()},
                  {"picture", viewer_->interop_status()},
                  {"interop", !viewer_->needs_host_image()},
                  {"first_picture_s", first_picture_s_}});
  write_files(display);
}

// In the middle of a call of the window: nothing of it may be used any more.
void WindowApp::end_without_display(DisplayLoss loss) {
  try {
    if (session_ != nullptr) write_files(times_.report());
  } catch (const std::exception& error) {
    print_error("echoloop: {}\n", error.what());
  }
  print_error("echoloop: {}; the program ended after completing its files\n",
              loss == DisplayLoss::connection ? "the connection to the display was lost"
                                              : "the display server refused a request of the window");
}

// All but the screenshot. `display`: of the report.
void WindowApp::write_files(const nlohmann::json& display) {
  if (film_ != nullptr) {
    give_up_film("the program ended");
    print_error("echoloop: {}\n", state_.saving.last);  // the window that would say it is going
  }
  if (interrupted() || viewer_->should_close()) {
    session_->stop_soon();
  } else {
    session_->stop();
  }
  recording_.finish();
  recording_.look();
  live_.images.take();
  RunTotals totals{
      .seconds = static_cast<double>(now_ns() - started_ns_) * 1e-9, .shown = shown_, .errors = state_.errors};
  if (!options_.trace.empty()) write_text(options_.trace, trace_.chrome_json());
  if (!options_.csv.empty()) write_text(options_.csv, trace_.csv());
  if (video_ != nullptr) {
    video_->end();
    video_->wait();
  }
  const Image& last = live_.images.front();
  if (last.host_db != nullptr) write_image_files(options_, last, *backend_, named_);
  if (last.host_db != nullptr && wants_measures(options_, state_.marks)) {
    const Measured measured =
        measure_image(last, state_.marks, {.session = session_.get(), .kept = frame_again(*source_, last.stamp)});
    if (!options_.measurements.empty()) {
      write_measurements(options_.measurements, {measured, state_.marks, *backend_, named_});
    }
    if (!options_.figure.empty()) {
      write_last_figure(options_, state_.source, last, live_, {.marks = state_.marks, .measured = &measured});
    }
  } else if (last.host_db != nullptr && !options_.figure.empty()) {
    write_last_figure(options_, state_.source, last, live_, {.marks = state_.marks});
  }
  nlohmann::json report = make_report(*backend_, *session_, named_, state_.params, trace_, totals);
  report["samples"] = samples_json(state_.source.samples, last.stamp);
  require_live_outputs(options_, state_.params);
  end_live_outputs(
      {.options = options_, .source = named_, .params = state_.params, .backend = *backend_, .session = *session_},
      live_, report);
  if (!frame_file(options_, kRecordOption).empty()) report["recording"] = recording_json(recording_.status());
  report["display"] = display;
  if (video_ != nullptr) report["video"] = video_->report();
  write_report(options_, report);
  if (video_ == nullptr) return;
  if (video_->failure() != nullptr) std::rethrow_exception(video_->failure());
  print_out("Video: {}\n", video_->summary());
}

}  // namespace echoloop
