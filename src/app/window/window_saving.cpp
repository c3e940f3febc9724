#include "app/window/window_saving.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "app/image_files.h"
#include "app/options/folders.h"
#include "app/outputs/cine_film.h"
#include "app/outputs/cine_iq.h"
#include "app/outputs/csv_text.h"
#include "app/outputs/figures.h"
#include "app/outputs/measure_image.h"
#include "app/outputs/provenance.h"
#include "app/window/fine_points.h"
#include "app/window/playback.h"
#include "core/error.h"
#include "core/number.h"
#include "core/param_table.h"
#include "core/plain_text.h"
#include "core/transmits.h"
#include "gui/docks/film_plan.h"
#include "gui/figure/figure_key.h"
#include "gui/overlay/caption.h"
#include "gui/overlay/sample_fault_text.h"
#include "history/export.h"
#include "history/film.h"
#include "history/json_text.h"
#include "history/npy_text.h"
#include "measure/level_match.h"

namespace echoloop {
namespace {

UserFolder folder_kind(SaveWhat what) {
  if (what == SaveWhat::picture || what == SaveWhat::levels) return UserFolder::pictures;
  return what == SaveWhat::film ? UserFolder::videos : UserFolder::documents;
}

std::string points_note(const Measured& measured) {
  const auto late = std::count_if(measured.fine.begin(), measured.fine.end(),
                                  [](const FinePoint& f) { return f.why_not == kNoAnswer; });
  if (late == 0) return "";
  return fmt::format(", {} measured on the image's pixels: {}", counted(late, "point"), kNoAnswer);
}

}  // namespace

void WindowSaving::report(const std::string& text, Severity severity) {
  parts_.state.saving.last = text;                                    // beside the folder's name
  const std::string folder = parts_.state.saving.place.folder + "/";  // of images, while the panel is seen
  if (const auto at = text.find(folder); folder.size() > 1 && at != std::string::npos)
    parts_.state.saving.last.erase(at, folder.size());
  parts_.state.saving.failed = severity == Severity::error;
  if (severity != Severity::error) parts_.state.notices.messages.resolve("saving");
  parts_.say(severity, text, severity == Severity::error ? "saving" : "");
}

// Says so, and opens the panel at the folder's field, where nothing can be written.
bool WindowSaving::folder_ready(UserFolder kind) {
  const std::filesystem::path folder = save_folder(parts_.viewer->settings().saving, kind);
  const std::string why = why_not_writable(folder);
  if (why.empty()) return true;
  parts_.state.saving.ask = true;
  parts_.state.saving.place =
      describe_place(parts_.viewer->settings().saving, parts_.state.source, parts_.viewer->shown_image().stamp);
  report(fmt::format("{} Choose another folder, for example {}", why, user_folder(kind).string()), Severity::error);
  return false;
}

std::filesystem::path WindowSaving::new_save(UserFolder kind, const std::string& name, const char* ending) const {
  return new_file(save_folder(parts_.viewer->settings().saving, kind), name, ending);
}

void WindowSaving::save_text(const std::filesystem::path& path, const std::string& text) {
  write_text(path, text);
  report("Saved " + path.string(), Severity::info);
}

// A failure is shown beside the folder too.
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

// What is on screen, also where images never come to the host: `pixels` is filled.
Image WindowSaving::image_on_screen(std::vector<float>& pixels) const {
  pixels = parts_.viewer->shown_db();
  Image shown = parts_.viewer->shown_image();
  shown.host_db = pixels.data();
  shown.params.display = parts_.state.params.display;
  return shown;
}

// The numbers on screen where they are of this image; the window waits for other points, but not for long.
Measured WindowSaving::measured_on(const Image& shown) const {
  constexpr std::chrono::milliseconds kLongestWait(500);
  return measure_image(shown, parts_.state.marks,
                       {.session = parts_.session.get(),
                        .kept = find_kept(parts_.history, shown.stamp.sequence),
                        .known = parts_.state.image.measured.fine,
                        .longest = kLongestWait});
}

void WindowSaving::save_picture(SaveWhat what) {
  if (parts_.viewer->shown_image().number == 0) return;
  std::vector<float> pixels;
  const Image shown = image_on_screen(pixels);
  const std::string stem = file_stem(parts_.state.source, shown.stamp);
  const SaveChoice& choice = parts_.viewer->settings().saving;
  std::filesystem::path path;
  std::string note;
  const bool matched = matched_to() != nullptr;
  const auto description = [&] {
    const Measured measured = measured_on(shown);
    note = points_note(measured);
    nlohmann::json json = marked_image_json({measured, parts_.state.marks, *parts_.backend, parts_.named});
    if (matched && what == SaveWhat::picture) {
      json["levels_matched_to"] = {{"source", name_of_a()},
                                   {"frame", frame_json(matched_to()->stamp)},
                                   {"parameters", params_json(matched_to()->params)}};
    }
    return json;
  };
  if (what == SaveWhat::levels) {
    path = new_save(UserFolder::pictures, stem + "_16bit", ".png");
    write_levels(path, shown, parts_.named);
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
      std::vector<float> mapped;
      write_picture(path, as_drawn(shown, mapped), display_on_screen(shown), parts_.state.marks,
                    overlays_of(parts_.state.analyses));
    }
    if (figure || matched || !parts_.state.marks.list.empty()) {
      write_text(std::filesystem::path(path).replace_extension(".json"), json_text(description(), 2) + "\n");
    }
    if (matched) note += std::string(", ") + kLevelsMatched;
  }
  const ImageOverlays over = overlays_of(parts_.state.analyses);
  const std::string overlays = what == SaveWhat::picture ? overlay_note(over, shown)
                               : over.flow != nullptr    ? ", the B-mode image without flow"
                                                         : "";
  report("Saved " + path.string() + overlays + note, Severity::info);
}

// Window and map of `shown`, with the flow that is on screen, its threshold and its priority.
ImagingParams WindowSaving::display_on_screen(const Image& shown) const {
  ImagingParams display = shown.params;
  display.color_flow.mode = parts_.state.params.color_flow.mode;
  display.color_flow.threshold_db = parts_.state.params.color_flow.threshold_db;
  display.color_flow.priority_db = parts_.state.params.color_flow.priority_db;
  return display;
}

std::string WindowSaving::name_of_a() const {
  const std::string& other = parts_.state.cine.a_recording.name;
  return other.empty() ? parts_.named : other;
}

const Image* WindowSaving::matched_to() const {
  const Image* a = parts_.state.cine.match_levels ? parts_.viewer->compared_image() : nullptr;
  const bool weights = shows_weight(parts_.viewer->shown_image().params.formation);
  return a == nullptr || weights || shows_weight(a->params.formation) ? nullptr : a;
}

Image WindowSaving::as_drawn(const Image& shown, std::vector<float>& pixels) const {
  const Image* a = matched_to();
  if (a == nullptr) return shown;
  const std::vector<float> levels_of_a = parts_.viewer->compared_db();
  const LevelMap map = match_levels({.db = shown.host(), .grid = shown.grid}, {.db = levels_of_a, .grid = a->grid});
  pixels.assign(shown.host().begin(), shown.host().end());
  std::ranges::transform(pixels, pixels.begin(), [&map](float level_db) { return map.at(level_db); });
  Image drawn = shown;
  drawn.host_db = pixels.data();
  return drawn;
}

// A beside B while two are compared.
void WindowSaving::save_figure(const std::filesystem::path& path, const Image& shown) const {
  const SaveChoice& choice = parts_.viewer->settings().saving;
  FigureOrder order{.images = {},
                    .source = parts_.state.source.name,
                    .named = parts_.named,
                    .marks = parts_.state.marks,
                    .strips = parts_.viewer->strips_on_screen(parts_.state),
                    .size = choice.figure_size(),
                    .ground = choice.ground};
  std::vector<float> pixels = parts_.viewer->compared_db();
  if (!pixels.empty()) {
    Image a = *parts_.viewer->compared_image();
    a.host_db = pixels.data();
    a.params.display = parts_.state.params.display;
    const ComparedRecording& other = parts_.state.cine.a_recording;
    order.images.push_back(
        {.image = a,
         .display = a.params,
         .faults = faults_of(other.name.empty() ? parts_.state.source.samples : other.samples, a.stamp.source_index)});
  }
  std::vector<float> mapped;
  order.images.push_back({.image = as_drawn(shown, mapped),
                          .display = display_on_screen(shown),
                          .over = overlays_of(parts_.state.analyses),
                          .faults = faults_of(parts_.state.source.samples, shown.stamp.source_index),
                          .matched = !mapped.empty()});
  std::vector<const Measured*> values;  // of A, then of B
  const bool compared =
      !pixels.empty() && parts_.state.image.measured_a.image.number == order.images.front().image.number;
  if (compared) values.push_back(&parts_.state.image.measured_a);
  if ((compared || pixels.empty()) && parts_.state.image.measured.image.number == shown.number)
    values.push_back(&parts_.state.image.measured);
  if (!pixels.empty() && values.size() < 2) values.clear();
  order.key = figure_key(parts_.state.marks, values);
  write_figure_of(path, std::move(order));
}

void WindowSaving::save_description() {
  const std::optional<LiveStatus>& scanner = parts_.state.scanner;
  if (!scanner || scanner->description == nullptr) return;
  save_text(new_save(UserFolder::documents, file_stem(parts_.state.source) + "_description", ".json"),
            *scanner->description);
}

void WindowSaving::save_timings(TimingFile format) {
  const bool csv = format == TimingFile::csv;
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(parts_.state.source) + "_timings", csv ? ".csv" : ".json");
  write_text(path, csv ? parts_.trace.csv() : parts_.trace.chrome_json());
  const std::size_t n = parts_.trace.spans().size();
  report(fmt::format("Saved {}: {}{}", path.string(), counted(n, "timed span"),
                     n == kTracedSpans ? ", the newest available" : ""),
         Severity::info);
}

void WindowSaving::save_measurements() {
  const Measured& m = parts_.state.image.measured;
  if (m.image.number == 0) return;
  std::string comments = measurement_comments(*parts_.backend, parts_.named, m.image);
  if (const Image& a = parts_.state.image.measured_a.image; a.number != 0) {
    comments += fmt::format("# compared: \"now\" is B, table A is {}, frame {}, with the parameters {}\n", name_of_a(),
                            a.stamp.sequence, json_text(image_json(*parts_.backend, name_of_a(), a)));
  }
  save_text(new_save(UserFolder::documents, file_stem(parts_.state.source, m.image.stamp) + "_measurements", ".csv"),
            measurements_csv(m, comments, parts_.state.image.measured_a));
}

void WindowSaving::save_table(const ResultTable& table) {
  Image of = parts_.viewer->shown_image();  // live, the table may be of an earlier image than the one on screen
  if (of.number == 0) return;
  of.stamp = table.stamp;
  of.params = table.params;
  try_to_save(UserFolder::documents, [&] {
    std::string text = table.heading + fmt::format("# source: {}\n", parts_.named);
    text += fmt::format("# frame: {}, acquired at {:.6f} s\n", of.stamp.sequence, of.stamp.time_s);
    text += "# parameters: " + json_text(image_json(*parts_.backend, parts_.named, of)) + "\n" + table.rows;
    save_text(new_save(UserFolder::documents, file_stem(parts_.state.source, of.stamp) + table.suffix, ".csv"), text);
  });
}

void WindowSaving::save_session(SavedMoment moment) {
  if (parts_.source == nullptr) return;
  if (!is_utf8(parts_.named))
    throw Error(parts_.named, "a name that is not UTF-8", "a UTF-8 name for a session", "rename the file");
  const Image& shown = parts_.viewer->shown_image();
  SavedSession session{.source = parts_.named,
                       .facts = parts_.facts,
                       .settings = {},
                       .stream = parts_.state.stream,
                       .marks = parts_.state.marks,
                       .pan_zoom = parts_.state.image.pan_zoom,
                       .layout = layout_text(parts_.viewer->settings()),
                       .frame = shown.stamp.source_index,
                       .moment = moment};
  for (const ParamSpec& spec : param_table()) {
    session.settings.push_back(std::string(spec.key) + "=" +
                               (spec.choices.empty() ? fmt::format("{:.17g}", get_number(parts_.state.params, spec))
                                                     : get_text(parts_.state.params, spec)));
  }
  if (shown.number != 0) {  // of all transmits, as a stream holds it
    session.held_reference_db = shown.params.level.reference_db - transmit_level_db(shown.params, *shown.acquisition);
  }
  const std::filesystem::path path =
      new_save(UserFolder::documents, file_stem(parts_.state.source, shown.stamp), kSessionEnding.data());
  save_text(path, json_text(session_json(session, path), 2) + "\n");
}

void WindowSaving::save_film(SavedMoment moment) {
  if (job_ != nullptr || parts_.session == nullptr || moment == SavedMoment::live) return;
  const FilmPlan plan = plan_film(parts_.state.cine, parts_.state.saving.film);
  const bool flow = parts_.state.params.color_flow.mode != FlowMode::off;
  std::vector<CineFilm::Frame> frames;
  std::size_t unreadable = 0;
  for (const FilmFrame& frame : film_frames(parts_.state.cine, plan)) {
    auto kept = parts_.history.at(frame.index);
    if (!kept) {
      ++unreadable;
      continue;
    }
    Ensemble ensemble;
    if (flow) ensemble = ensemble_before(parts_.history, frame.index, parts_.state.params.color_flow.frames);
    if (!ensemble.why_not.empty()) ensemble.frames.clear();
    frames.push_back({.kept = std::move(*kept), .place = frame.place, .ensemble = std::move(ensemble.frames)});
  }
  if (frames.empty()) return report("No video: the recording cannot be read any more", Severity::error);
  constexpr std::array<const char*, 3> kEnds = {".mp4", ".webm", ".mkv"};
  FilmOrder order{.path = new_save(UserFolder::videos, file_stem(parts_.state.source),
                                   kEnds[static_cast<std::size_t>(parts_.state.saving.film.container)]),
                  .source = parts_.state.source.name,
                  .display = parts_.state.params,
                  .rate_hz = plan.rate_hz,
                  .flow = flow ? FilmFlow::shown : FilmFlow::none,
                  .named = parts_.named,
                  .samples = parts_.state.source.samples};
  check_film_name(order.path);
  if (parts_.state.saving.film.speed != 1.0) order.note = fmt::format("{:g}× speed", parts_.state.saving.film.speed);
  job_ = std::make_unique<CineFilm>(std::move(order), std::move(frames), parts_.state.params, unreadable);
}

// Of the frame on screen, with the parameters that made its image; or of the history between the loop marks.
void WindowSaving::save_iq(SaveWhat what) {
  if (job_ != nullptr || parts_.session == nullptr) return;
  const Image& shown = parts_.viewer->shown_image();
  const bool range = what == SaveWhat::iq_range;
  IqOrder order{.path = {},
                .named = parts_.named,
                .backend = *parts_.backend,
                .params = without_analyses(range ? parts_.state.params : shown.params)};
  std::vector<KeptFrame> frames;
  const auto add = [&](std::optional<KeptFrame> kept) {
    if (kept) frames.push_back(std::move(*kept));
    if (!kept) ++order.unreadable;
  };
  if (range) {
    const Cine& cine = parts_.state.cine;
    for (std::size_t i = cine.mark_in; i <= cine.mark_out && i < cine.frames; ++i) add(parts_.history.at(i));
  } else if (shown.number != 0) {
    add(find_kept(parts_.history, shown.stamp.sequence));
  }
  if (frames.empty()) {
    return report("No complex pixels: the frame is not in the history; freeze (Space), then save", Severity::error);
  }
  order.path =
      new_save(UserFolder::documents, file_stem(parts_.state.source, frames.back().frame.stamp) + "_iq", ".npy");
  job_ = std::make_unique<CineIq>(std::move(order), std::move(frames));
}

void WindowSaving::advance_job() {
  if (job_ == nullptr || parts_.session == nullptr) return;
  job_->ask(*parts_.session);
  if (!job_->done()) {
    if (!parts_.state.opening.progress)
      parts_.state.opening.progress = Progress{.text = job_->progress(), .fraction = job_->fraction()};
    return;
  }
  report(job_->result(), job_->failed() ? Severity::error : job_->complete() ? Severity::info : Severity::warning);
  job_.reset();
}

// The stream that makes its images goes.
void WindowSaving::cancel_job(const std::string& why) {
  if (job_ == nullptr) return;
  job_->give_up(why);
  report(job_->result(), Severity::error);
  job_.reset();
}

void WindowSaving::describe() {
  if (parts_.state.saving.seen) {
    parts_.state.saving.place =
        describe_place(parts_.viewer->settings().saving, parts_.state.source, parts_.viewer->shown_image().stamp);
  }
  parts_.state.saving.seen = false;
  parts_.state.saving.busy = job_ != nullptr ? job_->busy() : "";
  parts_.state.saving.why_no_iq = why_no_pixels(parts_.state.params);
  parts_.state.saving.why_no_film = why_no_films();
}

}  // namespace echoloop
