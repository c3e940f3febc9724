#include "app/window/window_saving.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "app/image_files.h"
#include "app/options/folders.h"
#include "app/outputs/comparison.h"
#include "app/outputs/dicom.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/outputs/save_queue.h"
#include "app/outputs/stored_maps.h"
#include "app/review/playback.h"
#include "app/window/window_review.h"
#include "core/error.h"
#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/figure/figure.h"
#include "gui/overlay/caption.h"
#include "gui/screen.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "history/film.h"

namespace echoloop {
namespace {

UserFolder folder_kind(SaveWhat what) {
  if (what == SaveWhat::picture || what == SaveWhat::levels) return UserFolder::pictures;
  return what == SaveWhat::film ? UserFolder::videos : UserFolder::documents;
}

// Returns the image with its own pixels, which are passed with it to the writing thread.
Image with_pixels(Image image, std::vector<float> pixels) {
  auto own = std::make_shared<std::vector<float>>(std::move(pixels));
  image.host_db = own->data();
  image.device_db = nullptr;
  image.storage = std::move(own);
  return image;
}

std::string points_note(const Measured& measured) {
  const auto late = std::count_if(measured.fine.begin(), measured.fine.end(),
                                  [](const FinePoint& f) { return f.why_not == kNoAnswer; });
  if (late == 0) return "";
  return fmt::format(", {} measured on the image's pixels: {}", counted(late, "point"), kNoAnswer);
}

}  // namespace

void WindowSaving::report(const std::string& text, Severity severity) {
  state_.saving.last = text;                                    // next to the folder's name
  const std::string folder = state_.saving.place.folder + "/";  // for images, while the panel is visible
  if (const auto at = text.find(folder); folder.size() > 1 && at != std::string::npos)
    state_.saving.last.erase(at, folder.size());
  state_.saving.failed = severity == Severity::error;
  if (severity != Severity::error) state_.notices.messages.resolve("saving");
  state_.say(severity, text, severity == Severity::error ? "saving" : "");
}

// Reports an unwritable folder, and opens the panel at its field.
bool WindowSaving::folder_ready(UserFolder kind) {
  const std::filesystem::path folder = save_folder(viewer_.settings().saving, kind);
  const std::string why = why_not_writable(folder);
  if (why.empty()) return true;
  state_.save.ask = true;
  state_.saving.place = describe_place(viewer_.settings().saving, state_.source, viewer_.shown_image().stamp);
  report(fmt::format("{} Choose another folder, for example {}", why, user_folder(kind).string()), Severity::error);
  return false;
}

// Returns a name not used by any file, written or pending.
std::filesystem::path WindowSaving::new_save(UserFolder kind, const std::string& name, const char* ending) {
  const std::filesystem::path folder = save_folder(viewer_.settings().saving, kind);
  std::filesystem::path file = new_file(folder, name, ending);
  for (int i = 2; std::ranges::find(promised_, file) != promised_.end(); ++i)
    file = new_file(folder, fmt::format("{}-{}", name, i), ending);
  return promised_.emplace_back(std::move(file));
}

void WindowSaving::save_text(const std::filesystem::path& path, std::function<std::string()> text, std::string note) {
  files_.add([path, text = std::move(text), note = std::move(note)] {
    write_text(path, text());
    return "Saved " + path.string() + note;
  });
}

void WindowSaving::advance() {
  while (!pictures_.empty() && pictures_.front().step(engine_.session.get())) {
    write_picture_of(std::move(pictures_.front()));
    pictures_.pop_front();
  }
  while (const auto written = files_.take()) report(written->text, written->failed ? Severity::error : Severity::info);
  if (!busy()) promised_.clear();
  state_.saving.writing = busy();
}

void WindowSaving::flush() {
  for (; !pictures_.empty(); pictures_.pop_front()) {
    while (!pictures_.front().step(nullptr)) {
    }
    write_picture_of(std::move(pictures_.front()));
  }
}

void WindowSaving::finish() {
  for (advance(); busy(); advance()) {
    files_.finish();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

// Shows a failure next to the folder, too.
void WindowSaving::try_to_save(UserFolder kind, const std::function<void()>& act) {
  if (!folder_ready(kind)) return;
  try {
    act();
  } catch (const std::exception& error) {
    report(error.what(), Severity::error);
  }
}

void WindowSaving::save_timing_file(TimingFile format) {
  try_to_save(UserFolder::documents, [&] { save_timings(format); });
}

void WindowSaving::save(SaveWhat what, SavedMoment moment) {
  try_to_save(folder_kind(what), [&] {
    if (what == SaveWhat::film) return save_film(moment);
    if (what == SaveWhat::iq || what == SaveWhat::iq_range) return save_iq(what);
    if (what == SaveWhat::timings) return save_timings(TimingFile::csv);
    if (what == SaveWhat::measurements) return save_measurements();
    if (what == SaveWhat::session) return save_session(moment);
    if (what == SaveWhat::description) return save_description();
    save_picture(what);
  });
}

// Returns the image on screen, even if images are never copied to the host.
Image WindowSaving::image_on_screen() const {
  Image shown = with_pixels(viewer_.shown_image(), viewer_.shown_db());
  shown.params.display = state_.params.display;
  return shown;
}

// A's numbers wait for its points, the same as B's.
nlohmann::json WindowSaving::describe_compared(const std::filesystem::path& figure, Picture& picture) const {
  measure_again(picture.measured_a, *picture.a, state_.marks, *picture.again_a);
  const SaveChoice& choice = viewer_.settings().saving;
  const MeasuredRun a{picture.measured_a,
                      state_.marks,
                      *engine_.backend,
                      name_of_a(),
                      picture.a->acquisition == picture.shown.acquisition ? doubts() : nullptr,
                      state_.kept.a_recording.frame_count};
  const MeasuredRun b{picture.measured, state_.marks, *engine_.backend, in_use_.named, doubts()};
  return compared_figure_json(
      {.a = a,
       .b = b,
       .match = matched_to(picture) != nullptr ? LevelMatch::to_a : LevelMatch::none,
       .file = "compared" + figure.extension().string(),
       .marks = std::filesystem::path(figure).replace_extension(".json"),
       .size = figure_size(picture),
       .ground = choice.ground,
       .why_no_command = viewer_.strips_on_screen(state_).empty()
                             ? ""
                             : "strips of M-mode and spectral Doppler as shown are drawn in a window only"});
}

// Uses the window's fine-grid points if they are of this image; requests the others.
void WindowSaving::save_picture(SaveWhat what) {
  if (viewer_.shown_image().number == 0) return;
  Image shown = image_on_screen();
  std::optional<Image> a;
  std::optional<double> wipe_mm;
  if (const Image* compared = viewer_.compared_image(); compared != nullptr && compared->number != 0) {
    a = with_pixels(*compared, viewer_.compared_db());
    a->params.display = state_.cine.a.display;
    const Screen& screen = viewer_.screen();
    if (state_.cine.compare_look == CompareLook::wipe)
      wipe_mm = screen.image_layout().x_m(screen.wipe_x()) / kMetresPerMillimetre;
  }
  Measured measured = measure_pixels(shown, state_.marks);
  ImageAgain again(measured, {.kept = find_kept(engine_.history, shown.stamp.sequence), .known = state_.measured.fine});
  pictures_.push_back({.what = what,
                       .shown = std::move(shown),
                       .a = std::move(a),
                       .wipe_mm = wipe_mm,
                       .measured = std::move(measured),
                       .again = std::move(again)});
  if (Picture& picture = pictures_.back(); picture.a) {
    picture.measured_a = measure_pixels(*picture.a, state_.marks);
    picture.again_a.emplace(
        picture.measured_a,
        PointsAgain{.kept = find_kept(engine_.history, picture.a->stamp.sequence), .known = state_.measured_a.fine});
  }
  advance();
}

void WindowSaving::write_picture_of(Picture picture) {
  const SaveWhat what = picture.what;
  const Image& shown = picture.shown;
  const std::string stem = file_stem(state_.source, shown.stamp);
  const SaveChoice& choice = viewer_.settings().saving;
  std::filesystem::path path;
  std::string note;
  const Image* const matched = matched_to(picture);
  const bool figure = what == SaveWhat::picture && is_figure(choice.format);
  const auto description = [&] {
    measure_again(picture.measured, shown, state_.marks, picture.again);
    note = points_note(picture.measured);
    if (figure && picture.a) return describe_compared(path, picture);
    nlohmann::json json =
        marked_image_json({picture.measured, state_.marks, *engine_.backend, in_use_.named, doubts()});
    if (matched != nullptr && what == SaveWhat::picture) {
      json["levels_matched_to"] = {
          {"source", name_of_a()}, {"frame", frame_json(matched->stamp)}, {"parameters", params_json(matched->params)}};
    }
    return json;
  };
  std::vector<std::function<void()>> writes;
  if (what == SaveWhat::levels) {
    path = new_save(UserFolder::pictures, stem + "_16bit", ".png");
    writes.emplace_back([path, shown, named = in_use_.named,
                         command = command_text(*engine_.backend, in_use_.named, shown, kLevelsOption)] {
      write_levels(path, shown, named, command);
    });
  } else if (what == SaveWhat::data) {
    path = new_save(UserFolder::documents, stem, ".npy");
    writes.emplace_back([path, shown, json = description()] { write_image_npy(path, shown, json); });
  } else {
    constexpr std::array<const char*, 5> kEndings = {".png", ".svg", ".pdf", ".png", ".dcm"};
    path = new_save(UserFolder::pictures, choice.name.empty() ? stem : choice.name,
                    kEndings[static_cast<std::size_t>(choice.format)]);
    nlohmann::json about;
    const bool mapped = state_.Model::map != nullptr && choice.format != SaveFormat::dicom;
    if (figure || mapped || matched != nullptr || !state_.marks.list.empty()) about = description();
    writes.push_back(figure ? figure_of(path, picture, command_text(about)) : image_of(path, picture));
    if (!about.empty()) {
      if (mapped) about["map"] = map_settings(state_.Edits::map);
      writes.emplace_back([json = std::move(about), file = std::filesystem::path(path).replace_extension(".json")] {
        write_text(file, json_text(json, 2) + "\n");
      });
    }
    if (matched != nullptr) note += std::string(", ") + kLevelsMatched;
  }
  if (choice.source == MethodSource::beside)
    writes.emplace_back([path, params = shown.params] { write_method_source(path, params); });
  const ImageOverlays over = overlays_of(state_.analyses);
  const std::string overlays = what == SaveWhat::picture ? overlay_note(over, shown, numbers_of(state_.source))
                               : over.flow != nullptr    ? ", the B-mode image without flow"
                                                         : "";
  files_.add([writes = std::move(writes), text = "Saved " + path.string() + overlays + note] {
    for (const auto& write : writes) write();
    return text;
  });
}

// Returns window and map of `shown`, with the flow on screen, its threshold and its priority.
ImagingParams WindowSaving::display_on_screen(const Image& shown) const {
  ImagingParams display = shown.params;
  display.color_flow.mode = state_.params.color_flow.mode;
  display.color_flow.threshold_db = state_.params.color_flow.threshold_db;
  display.color_flow.priority_db = state_.params.color_flow.priority_db;
  return display;
}

FigureSize WindowSaving::figure_size(const Picture& picture) const {
  FigureSize size = viewer_.settings().saving.figure_size();
  size.wipe_mm = picture.wipe_mm;
  return size;
}

std::string WindowSaving::name_of_a() const {
  const std::string& other = state_.kept.a_recording.opened_as;
  return other.empty() ? in_use_.named : other;
}

const Image* WindowSaving::matched_to(const Picture& picture) const {
  const Image* a = state_.cine.match_levels && picture.a ? &*picture.a : nullptr;
  return a == nullptr || !can_match(picture.shown, *a) ? nullptr : a;
}

std::function<Image()> WindowSaving::as_drawn(const Picture& picture) const {
  const Image* a = matched_to(picture);
  if (a == nullptr) return [shown = picture.shown] { return shown; };
  return [shown = picture.shown, a = *a] {
    std::vector<float> pixels;
    (void)matched_levels(shown, a, pixels);
    return with_pixels(shown, std::move(pixels));
  };
}

std::function<MapOverlayPtr(const Image&)> WindowSaving::map_on_screen() const {
  return [map = state_.Model::map, choice = state_.Edits::map, from = state_.cine.wipe](const Image& image) {
    return map_overlay(map, choice, image, static_cast<double>(from));
  };
}

std::function<void()> WindowSaving::image_of(const std::filesystem::path& path, const Picture& picture) const {
  return [path, drawn = as_drawn(picture), display = display_on_screen(picture.shown), marks = state_.marks,
          views = state_.analyses, map = map_on_screen()] {
    const Image image = drawn();
    ImageOverlays over = overlays_of(views);
    if (path.extension() == ".dcm") return write_dicom(path, image, display, over.flow);
    over.map = map(image);
    write_picture(path, image, display, marks, over);
  };
}

std::function<void()> WindowSaving::figure_of(const std::filesystem::path& path, const Picture& picture,
                                              const std::string& command) const {
  const SaveChoice& choice = viewer_.settings().saving;
  const Image& shown = picture.shown;
  FigureOrder order{.images = {},
                    .source = state_.source.name,
                    .named = in_use_.named,
                    .command = command,
                    .marks = state_.marks,
                    .strips = viewer_.strips_on_screen(state_),
                    .size = figure_size(picture),
                    .ground = choice.ground};
  if (picture.a) {
    const Image& a = *picture.a;
    const ComparedRecording& other = state_.kept.a_recording;
    FigureImage& left = order.images.emplace_back();
    left.image = a;
    left.display = a.params;
    left.numbers = other.name.empty() ? numbers_of(state_.source) : FrameNumbers{.count = other.frame_count};
    left.faults = faults_of(other.name.empty() ? state_.source.samples : other.samples, a.stamp.source_index);
  }
  FigureImage& main = order.images.emplace_back();
  main.image = shown;
  main.display = display_on_screen(shown);
  main.numbers = numbers_of(state_.source);
  main.faults = faults_of(state_.source.samples, shown.stamp.source_index);
  main.matched = matched_to(picture) != nullptr;
  std::vector<const Measured*> values{&picture.measured};
  if (picture.a) values.insert(values.begin(), &picture.measured_a);
  order.key = figure_key(state_.marks, values);
  return [path, order = std::move(order), drawn = as_drawn(picture), views = state_.analyses,
          map = map_on_screen()]() mutable {
    order.images.back().image = drawn();
    order.images.back().over = overlays_of(views);
    order.images.back().over.map = map(order.images.back().image);
    write_figure_of(path, std::move(order));
  };
}

void WindowSaving::save_description() {
  const std::optional<LiveStatus>& scanner = state_.scanner;
  if (!scanner || scanner->description == nullptr) return;
  save_text(new_save(UserFolder::documents, file_stem(state_.source) + "_description", ".json"),
            [text = scanner->description] { return *text; });
}

void WindowSaving::save_timings(TimingFile format) {
  const bool csv = format == TimingFile::csv;
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(state_.source) + "_timings", csv ? ".csv" : ".json");
  const std::size_t n = engine_.trace.spans().size();
  save_text(
      path, [&trace = engine_.trace, csv] { return csv ? trace.csv() : trace.chrome_json(); },
      fmt::format(": {}{}", counted(n, "timed span"), n == kTracedSpans ? ", the newest available" : ""));
}

void WindowSaving::save_measurements() {
  const Measured& m = state_.measured;
  if (m.image.number == 0) return;
  std::string comments = measurement_comments(*engine_.backend, in_use_.named, m.image);
  if (const Image& a = state_.measured_a.image; a.number != 0) {
    comments += comments_on_a({state_.measured_a, state_.marks, *engine_.backend, name_of_a()});
  }
  save_text(new_save(UserFolder::documents, file_stem(state_.source, m.image.stamp) + "_measurements", ".csv"),
            [text = measurements_csv(m, comments, state_.measured_a)] { return text; });
}

void WindowSaving::save_table(const ResultTable& table) {
  Image of = viewer_.shown_image();  // live, the table may be from an earlier image than the one on screen
  if (of.number == 0) return;
  of.stamp = table.stamp;
  of.params = table.params;
  try_to_save(UserFolder::documents, [&] {
    std::string text = table.heading + fmt::format("# source: {}\n", in_use_.named);
    text += frame_comment(of.stamp, in_use_.named);
    text += "# parameters: " + json_text(image_json(*engine_.backend, in_use_.named, of)) + "\n" + table.rows;
    save_text(new_save(UserFolder::documents, file_stem(state_.source, of.stamp) + table.suffix, ".csv"),
              [text = std::move(text)] { return text; });
  });
}

void WindowSaving::save_session(SavedMoment moment) {
  if (in_use_.source == nullptr) return;
  if (!is_utf8(in_use_.named))
    throw Error(in_use_.named, "a name that is not UTF-8", "a UTF-8 name for a session", "rename the file");
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(state_.source, viewer_.shown_image().stamp), kSessionEnding.data());
  save_text(path, [session = session_now(in_use_, state_, viewer_, moment), path] {
    return json_text(session_json(session, path), 2) + "\n";
  });
}

void WindowSaving::save_film(SavedMoment moment) {
  if (job_ != nullptr || engine_.session == nullptr || moment == SavedMoment::live) return;
  const FilmPlan plan = plan_film(state_.kept, state_.cine, state_.save.film);
  const bool flow = state_.params.color_flow.mode != FlowMode::off;
  std::vector<CineFilm::Frame> frames;
  std::size_t unreadable = 0;
  for (const FilmFrame& frame : film_frames(state_.kept, plan)) {
    auto kept = engine_.history.at(frame.index);
    if (!kept) {
      ++unreadable;
      continue;
    }
    Ensemble ensemble;
    if (flow) ensemble = ensemble_before(engine_.history, frame.index, state_.params.color_flow.frames);
    if (!ensemble.why_not.empty()) ensemble.frames.clear();
    frames.push_back({.kept = std::move(*kept), .place = frame.place, .ensemble = std::move(ensemble.frames)});
  }
  if (frames.empty()) return report("No video: the recording cannot be read any more", Severity::error);
  constexpr std::array<const char*, 4> kEnds = {".mp4", ".webm", ".mkv", ".dcm"};
  FilmOrder order{.path = new_save(UserFolder::videos, file_stem(state_.source),
                                   kEnds[static_cast<std::size_t>(state_.save.film.container)]),
                  .source = state_.source.name,
                  .display = state_.params,
                  .rate_hz = plan.rate_hz,
                  .flow = flow ? FilmFlow::shown : FilmFlow::none,
                  .numbers = numbers_of(state_.source),
                  .samples = state_.source.samples,
                  .named = in_use_.named};
  if (state_.save.film.container == FilmContainer::dicom) {
    check_dicom_name(order.path);
    order.make = make_dicom_file;
    order.option = "--dicom";
  } else {
    check_film_name(order.path);
  }
  FilmOrder of_run;
  pace_film(of_run, state_.source);
  if (flow || order.rate_hz != of_run.rate_hz)
    order.why_no_command = "flow, and a rate that is not the recording's, come from the window only";
  if (state_.save.film.speed != 1.0) order.note = fmt::format("{:g}× speed", state_.save.film.speed);
  job_ = std::make_unique<CineFilm>(std::move(order), std::move(frames), state_.params, unreadable);
}

// Saves IQ of the frame on screen, with its image's parameters; or of the history between the loop marks.
void WindowSaving::save_iq(SaveWhat what) {
  if (job_ != nullptr || engine_.session == nullptr) return;
  const Image& shown = viewer_.shown_image();
  const bool range = what == SaveWhat::iq_range;
  IqOrder order{.path = {},
                .named = in_use_.named,
                .backend = *engine_.backend,
                .params = without_analyses(range ? state_.params : shown.params)};
  std::vector<CineJob::Frame> frames;
  const auto add = [&](std::optional<KeptFrame> kept) {
    if (kept) frames.push_back({.kept = std::move(*kept)});
    if (!kept) ++order.unreadable;
  };
  if (range) {
    const Cine& cine = state_.cine;
    for (std::size_t i = cine.mark_in; i <= cine.mark_out && i < state_.kept.frames; ++i) add(engine_.history.at(i));
  } else if (shown.number != 0) {
    add(find_kept(engine_.history, shown.stamp.sequence));
  }
  if (frames.empty()) {
    return report("No complex pixels: the frame is not in the history; freeze (Space), then save", Severity::error);
  }
  order.path =
      new_save(UserFolder::documents, file_stem(state_.source, frames.back().kept.frame.stamp) + "_iq", ".npy");
  job_ = std::make_unique<CineIq>(std::move(order), std::move(frames));
}

void WindowSaving::advance_job() {
  if (job_ == nullptr || engine_.session == nullptr) return;
  job_->ask(*engine_.session);
  if (!job_->done()) {
    if (!state_.opening.progress)
      state_.opening.progress = Progress{.text = job_->progress(), .fraction = job_->fraction()};
    return;
  }
  report(job_->result(), job_->failed() ? Severity::error : job_->complete() ? Severity::info : Severity::warning);
  job_.reset();
}

// Cancels the job, as its stream ends.
void WindowSaving::cancel_job(const std::string& why) {
  if (job_ == nullptr) return;
  job_->give_up(why);
  report(job_->result(), Severity::error);
  job_.reset();
}

void WindowSaving::describe() {
  if (state_.save.seen) {
    state_.saving.place = describe_place(viewer_.settings().saving, state_.source, viewer_.shown_image().stamp);
  }
  state_.save.seen = false;
  state_.saving.busy = job_ != nullptr ? job_->busy() : "";
  state_.saving.why_no_iq = why_no_pixels(state_.params);
  state_.saving.why_no_film = why_no_films();
}

}  // namespace echoloop
