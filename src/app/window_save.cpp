// WindowApp's saving: picture, levels, numbers, timings, and the film of kept frames.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "app/figures.h"
#include "app/measure_image.h"
#include "app/measurements_csv.h"
#include "app/objects_csv.h"
#include "app/pictures.h"
#include "app/provenance.h"
#include "app/window_app.h"
#include "core/param_table.h"
#include "gui/figure_key.h"
#include "gui/film_plan.h"
#include "gui/sample_fault_text.h"
#include "history/export.h"
#include "history/film.h"
#include "history/json_text.h"

namespace echoloop {
namespace {

UserFolder folder_kind(SaveWhat what) {
  if (what == SaveWhat::picture || what == SaveWhat::levels) return UserFolder::pictures;
  return what == SaveWhat::film ? UserFolder::videos : UserFolder::documents;
}

// What the levels and numbers of the picture do not hold.
std::string flow_note(SaveWhat what, const UiState& state) {
  const bool flow = state.flow.image != nullptr;
  return flow && what != SaveWhat::picture ? ", the B-mode image without flow" : "";
}

// Live, the objects on screen may be an earlier frame's.
std::string objects_note(SaveWhat what, const UiState& state, const Image& shown) {
  const StructureImage* found = state.structure.image;
  if (what != SaveWhat::picture || found == nullptr || found->stamp.sequence == shown.stamp.sequence) return "";
  return fmt::format(", with the objects of frame {}", found->stamp.sequence);
}

std::string points_note(const Measured& measured) {
  const auto late = std::count_if(measured.fine.begin(), measured.fine.end(),
                                  [](const FinePoint& f) { return f.why_not == kNoAnswer; });
  if (late == 0) return "";
  return fmt::format(", {} point{} measured on the image's pixels: {}", late, late == 1 ? "" : "s", kNoAnswer);
}

}  // namespace

void WindowApp::report_saved(const std::string& text, Severity severity) {
  state_.saving.last = text;                                    // beside the folder's name
  const std::string folder = state_.saving.place.folder + "/";  // of images, while the panel is seen
  if (const auto at = text.find(folder); folder.size() > 1 && at != std::string::npos)
    state_.saving.last.erase(at, folder.size());
  state_.saving.failed = severity == Severity::error;
  if (severity != Severity::error) resolve(state_.messages, "saving");
  say(severity, text, severity == Severity::error ? "saving" : "");
}

// Says so, and opens the panel at the folder's field, where nothing can be written.
bool WindowApp::folder_ready(UserFolder kind) {
  const std::filesystem::path folder = save_folder(viewer_->settings().saving, kind);
  const std::string why = why_not_writable(folder);
  if (why.empty()) return true;
  state_.saving.ask = true;
  state_.saving.place = describe_place(viewer_->settings().saving, state_.source, viewer_->shown_image().stamp);
  report_saved(fmt::format("{} Choose another folder, for example {}", why, user_folder(kind).string()),
               Severity::error);
  return false;
}

std::filesystem::path WindowApp::new_save(UserFolder kind, const std::string& name, const char* ending) const {
  return new_file(save_folder(viewer_->settings().saving, kind), name, ending);
}

// A failure is told beside the folder too.
void WindowApp::try_to_save(UserFolder kind, const std::function<void()>& act) {
  if (!folder_ready(kind)) return;
  try {
    act();
  } catch (const std::exception& error) {
    report_saved(error.what(), Severity::error);
  }
}

void WindowApp::save_timings_as(TimingFile format) {
  try_to_save(UserFolder::documents, [&] { save_timings(format); });
}

void WindowApp::save(SaveWhat what) {
  try_to_save(folder_kind(what), [&] {
    if (what == SaveWhat::film) return save_film();
    if (what == SaveWhat::timings) return save_timings(TimingFile::csv);
    if (what == SaveWhat::measurements) return save_measurements();
    if (what == SaveWhat::session) return save_session();
    if (what == SaveWhat::objects) return save_objects();
    save_picture(what);
  });
}

// What is on screen, also where images never come to the host: `pixels` is filled.
Image WindowApp::image_on_screen(std::vector<float>& pixels) const {
  pixels = viewer_->shown_db();
  Image shown = viewer_->shown_image();
  shown.host_db = pixels.data();
  shown.params.display = state_.params.display;
  return shown;
}

// The numbers on screen where they are of this image; the window waits for other points, but not for long.
Measured WindowApp::measured_on(const Image& shown) const {
  constexpr std::chrono::milliseconds kLongestWait(500);
  return measure_image(shown, state_.marks,
                       {.session = session_.get(),
                        .kept = find_kept(history_, shown.stamp.sequence),
                        .known = state_.measured.fine,
                        .longest = kLongestWait});
}

void WindowApp::save_picture(SaveWhat what) {
  if (viewer_->shown_image().number == 0) return;
  std::vector<float> pixels;
  const Image shown = image_on_screen(pixels);
  const std::string stem = file_stem(state_.source, shown.stamp);
  const SaveChoice& choice = viewer_->settings().saving;
  std::filesystem::path path;
  std::string note;
  const auto description = [&] {
    const Measured measured = measured_on(shown);
    note = points_note(measured);
    return marked_image_json({measured, state_.marks, *backend_, named_});
  };
  if (what == SaveWhat::levels) {
    path = new_save(UserFolder::pictures, stem + "_16bit", ".png");
    write_levels(path, shown, named_);
  } else if (what == SaveWhat::data) {
    path = new_save(UserFolder::documents, stem, ".npy");
    write_image_npy(path, shown, description());
  } else {
    constexpr std::array<const char*, 4> kEndings = {".png", ".svg", ".pdf", ".png"};
    path = new_save(UserFolder::pictures, choice.name.empty() ? stem : choice.name,
                    kEndings[static_cast<std::size_t>(choice.format)]);
    const bool figure = choice.format != SaveFormat::image_only;
    if (figure) {
      save_figure(path, shown);
    } else {
      write_picture(path, shown, display_on_screen(shown), state_.marks, state_.flow.image, &state_.structure);
    }
    if (figure || !state_.marks.list.empty()) {
      write_text(std::filesystem::path(path).replace_extension(".json"), json_text(description(), 2) + "\n");
    }
  }
  report_saved("Saved " + path.string() + flow_note(what, state_) + objects_note(what, state_, shown) + note,
               Severity::info);
}

// Window and map of `shown`, with the flow that is on screen, its threshold and its priority.
ImagingParams WindowApp::display_on_screen(const Image& shown) const {
  ImagingParams display = shown.params;
  display.color_flow.mode = state_.params.color_flow.mode;
  display.color_flow.threshold_db = state_.params.color_flow.threshold_db;
  display.color_flow.priority_db = state_.params.color_flow.priority_db;
  return display;
}

// A beside B while two are compared.
void WindowApp::save_figure(const std::filesystem::path& path, const Image& shown) const {
  const SaveChoice& choice = viewer_->settings().saving;
  FigureOrder order{.images = {},
                    .source = state_.source.name,
                    .named = named_,
                    .marks = state_.marks,
                    .strips = viewer_->strips_on_screen(state_),
                    .size = choice.figure_size(),
                    .ground = choice.ground};
  std::vector<float> pixels = viewer_->compared_db();
  if (!pixels.empty()) {
    Image a = *viewer_->compared_image();
    a.host_db = pixels.data();
    a.params.display = state_.params.display;
    const ComparedRecording& other = state_.cine.a_recording;
    order.images.push_back(
        {.image = a,
         .display = a.params,
         .faults = faults_of(other.name.empty() ? state_.source.samples : other.samples, a.stamp.source_index)});
  }
  const bool objects = state_.structure.image != nullptr && pixels.empty();
  order.images.push_back({.image = shown,
                          .display = display_on_screen(shown),
                          .flow = state_.flow.image,
                          .objects = objects ? &state_.structure : nullptr,
                          .faults = faults_of(state_.source.samples, shown.stamp.source_index)});
  std::vector<const Measured*> values;  // of A, then of B
  const bool compared = !pixels.empty() && state_.measured_a.image.number == order.images.front().image.number;
  if (compared) values.push_back(&state_.measured_a);
  if ((compared || pixels.empty()) && state_.measured.image.number == shown.number) values.push_back(&state_.measured);
  if (!pixels.empty() && values.size() < 2) values.clear();
  order.key = figure_key(state_.marks, values);
  write_figure_of(path, std::move(order));
}

void WindowApp::save_timings(TimingFile format) {
  const bool csv = format == TimingFile::csv;
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(state_.source) + "_timings", csv ? ".csv" : ".json");
  write_text(path, csv ? trace_.csv() : trace_.chrome_json());
  const std::size_t n = trace_.spans().size();
  report_saved(
      fmt::format("Saved {}: {} timed spans{}", path.string(), n, n == kTracedSpans ? ", the newest available" : ""),
      Severity::info);
}

void WindowApp::save_measurements() {
  const Measured& m = state_.measured;
  if (m.image.number == 0) return;
  std::string comments = measurement_comments(*backend_, named_, m.image);
  if (const Image& a = state_.measured_a.image; a.number != 0) {
    const std::string& other = state_.cine.a_recording.name;
    comments += fmt::format("# compared: \"now\" is B, table A is {}, frame {}, with the parameters {}\n",
                            other.empty() ? named_ : other, a.stamp.sequence,
                            json_text(image_json(*backend_, other.empty() ? named_ : other, a)));
  }
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(state_.source, m.image.stamp) + "_measurements", ".csv");
  write_text(path, measurements_csv(m, comments, state_.measured_a));
  report_saved("Saved " + path.string(), Severity::info);
}

void WindowApp::save_objects() {
  const StructureView& view = state_.structure;
  const Image& shown = viewer_->shown_image();
  if (view.image == nullptr || view.image->number == 0 || shown.number == 0) return;
  Image of = shown;  // which picture: live it may be an older one than the one on screen
  of.stamp = view.image->stamp;
  of.params = view.image->params;
  std::string comments = "# Objects found by Echoloop. Levels are in dB relative to 0 dB of the image.\n";
  comments += fmt::format("# source: {}\n", named_);
  comments += fmt::format("# frame: {}, acquired at {:.6f} s\n", of.stamp.sequence, of.stamp.time_s);
  comments += "# parameters: " + json_text(image_json(*backend_, named_, of)) + "\n";
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(state_.source, of.stamp) + "_objects", ".csv");
  write_text(path, objects_csv(view, comments));
  report_saved("Saved " + path.string(), Severity::info);
}

void WindowApp::save_film() {
  if (film_ != nullptr || session_ == nullptr || !review_.frozen()) return;
  const FilmPlan plan = plan_film(state_.cine, state_.saving.film);
  const bool flow = state_.params.color_flow.mode != FlowMode::off;
  std::vector<CineFilm::Frame> frames;
  std::size_t unreadable = 0;
  for (const FilmFrame& frame : film_frames(state_.cine, plan)) {
    auto kept = history_.at(frame.index);
    if (!kept) {
      ++unreadable;
      continue;
    }
    Ensemble ensemble;
    if (flow) ensemble = ensemble_before(history_, frame.index, state_.params.color_flow.frames);
    if (!ensemble.why_not.empty()) ensemble.frames.clear();
    frames.push_back({.kept = std::move(*kept), .place = frame.place, .ensemble = std::move(ensemble.frames)});
  }
  if (frames.empty()) return report_saved("No video: the recording cannot be read any more", Severity::error);
  constexpr std::array<const char*, 3> kEnds = {".mp4", ".webm", ".mkv"};
  FilmOrder order{.path = new_save(UserFolder::videos, file_stem(state_.source),
                                   kEnds[static_cast<std::size_t>(state_.saving.film.container)]),
                  .source = state_.source.name,
                  .display = state_.params,
                  .rate_hz = plan.rate_hz,
                  .flow = flow ? FilmFlow::shown : FilmFlow::none,
                  .named = named_,
                  .samples = state_.source.samples};
  check_film_name(order.path);
  if (state_.saving.film.speed != 1.0) order.note = fmt::format("{:g}× speed", state_.saving.film.speed);
  film_ = std::make_unique<CineFilm>(std::move(order), std::move(frames), state_.params, unreadable);
}

void WindowApp::go_on_with_film() {
  if (film_ == nullptr) return;
  film_->ask(*session_);
  if (!film_->done()) {
    if (!state_.progress) state_.progress = Progress{.text = film_->progress(), .fraction = film_->fraction()};
    return;
  }
  report_saved(film_->result(), film_->failed()     ? Severity::error
                                : film_->complete() ? Severity::info
                                                    : Severity::warning);
  film_.reset();
}

// The stream that makes its pictures goes.
void WindowApp::give_up_film(const std::string& why) {
  if (film_ == nullptr) return;
  film_->give_up(why);
  report_saved(film_->result(), Severity::error);
  film_.reset();
}

void WindowApp::describe_saving() {
  if (state_.saving.seen) {
    state_.saving.place = describe_place(viewer_->settings().saving, state_.source, viewer_->shown_image().stamp);
  }
  state_.saving.seen = false;
  state_.saving.making_film = film_ != nullptr;
  state_.saving.why_no_film = why_no_films();
}

// --video: of what the stream processes, as far as encoding can follow.
std::function<void(const Image&)> WindowApp::video_taker() {
  if (options_.video.empty()) return {};
  if (video_ == nullptr) {
    FilmOrder order{.path = options_.video,
                    .source = state_.source.name,
                    .display = state_.params,
                    .named = named_,
                    .samples = state_.source.samples};
    pace_film(order, state_.source);
    video_ = std::make_shared<FilmJob>(std::move(order));
  }
  return [video = video_](const Image& image) { video->offer(image, WhenFull::leave_out); };
}

}  // namespace echoloop
