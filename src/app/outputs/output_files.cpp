#include "app/outputs/output_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/options/preset.h"
#include "app/options/terminal.h"
#include "app/outputs/dicom.h"
#include "app/outputs/report.h"
#include "app/outputs/stored_maps.h"
#include "core/error.h"
#include "formats/open_recording.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/caption.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "history/film.h"
#include "history/part_file.h"
#include "version.h"

namespace echoloop {

// Defined in the files of their sinks.
std::unique_ptr<ImageSink> make_film(const ImageSinkRequest& request);
std::unique_ptr<ImageSink> make_dicom(const ImageSinkRequest& request);
std::unique_ptr<ImageSink> make_image_sequence(const ImageSinkRequest& request);
std::unique_ptr<ImageSink> make_iq_sequence(const ImageSinkRequest& request);

namespace {

namespace fs = std::filesystem;

void check_table_name(const fs::path& file) {
  if (file.extension() != ".csv" && file.extension() != ".json")
    throw Error("--measurements", "'" + file.string() + "'", "a file name ending in .csv or .json");
}

constexpr auto kArrayRows = std::to_array<OutputRow>({
    {"--image-out", "F.npy", "Last image: float32 dB [nz][nx], with metadata in F.json", MadeOf::last_image, ".npy",
     ".json"},
    {"--images-out", "F.npy",
     "All images of a run: [frame][nz][nx], float32 dB, with metadata in F.json; with --headless", MadeOf::all_images,
     ".npy", ".json", OutputNeed::headless, nullptr, "images_out", make_image_sequence},
    {"--iq-out", "F.npy",
     "Complex pixels of all frames of a run, before detection: [frame][nz][nx], complex64, with grid, "
     "phase and 0 dB in F.json; with --headless",
     MadeOf::all_images, ".npy", ".json", OutputNeed::headless, nullptr, "iq_out", make_iq_sequence},
});
constexpr auto kPictureRows = std::to_array<OutputRow>({
    {"--png", "F.png", "Last image as displayed, 8 bit", MadeOf::last_image, ".png"},
    {"--png16", "F.png", "Levels of the last image, 16 bit gray: the dynamic range below 0 dB maps to 0 to 65535",
     MadeOf::last_image, ".png"},
    {"--figure", "F.svg",
     "Last image as a figure with rulers, colour bar, scale bar, marks, spectral Doppler and caption: .png, "
     ".svg or .pdf",
     MadeOf::last_image, nullptr, nullptr, OutputNeed::nothing, [](const fs::path& file) { figure_format(file); }},
    {"--screenshot", "F.png", "Screenshot of the whole window", MadeOf::window, ".png"},
    {"--video", "F.mp4",
     "Video of all processed images with scale and caption, .mp4, .webm or .mkv, at the frame rate of the "
     "recording (slower above 60 Hz); with a window, frames are skipped if encoding falls behind",
     MadeOf::all_images, nullptr, nullptr, OutputNeed::no_kiosk, check_film_name, "video", make_film},
    {"--dicom", "F.dcm",
     "All processed images as on screen, in a DICOM file of ultrasound (one image: a still), with their scale; with a "
     "window, frames are skipped if writing falls behind",
     MadeOf::all_images, ".dcm", nullptr, OutputNeed::no_kiosk, check_dicom_name, "dicom", make_dicom},
    {"--measurements", "F.csv|F.json",
     "Numbers of the marks on the last image: regions, pairs, points, lines, as the Measure panel has them",
     MadeOf::last_image, nullptr, nullptr, OutputNeed::marks, check_table_name},
    {"--find-sound-speed", "F.json",
     "Search for the speed of sound at which the channels of one frame (the last of --frames, default the "
     "first) agree best, over elements and over transmits, in the regions of --marks or the whole image: "
     "curves, peaks and warnings; without a window",
     MadeOf::run, ".json"},
});
constexpr auto kMapRows = std::to_array<OutputRow>({
    {"--map-out", "F.npy",
     "Map of the recording (--set map=NAME) on the pixels of the last image: float32 [nz][nx] in its unit, NaN "
     "outside, "
     "with metadata in F.json",
     MadeOf::last_image, ".npy", ".json"},
    {"--difference-out", "F.npy",
     "Last image minus a map of levels (--set map=NAME): float32 dB [nz][nx] without the median, NaN where one of them "
     "is below -40 dB, with metadata in F.json",
     MadeOf::last_image, ".npy", ".json"},
    {"--traces-out", "F.csv", "Signals of the recording: signal,time_s,value", MadeOf::run, ".csv"},
});
constexpr auto kReportRows = std::to_array<OutputRow>({
    {"--report", "F.json", "Run report as JSON"},
    {"--trace", "F.json", "Newest 16384 timed spans as a Chrome/Perfetto trace"},
    {"--csv", "F.csv", "Newest 16384 timed spans as CSV: frame,stage,lane,start_ns,end_ns"},
});

std::vector<OutputRow> make_rows() {
  std::vector<OutputRow> rows(kArrayRows.begin(), kArrayRows.end());
  for (const AnalysisFileRow* const row : analysis_files())
    rows.push_back({row->option, row->type_name, row->help, MadeOf::run, row->ending, row->beside});
  rows.insert(rows.end(), kPictureRows.begin(), kPictureRows.end());
  for (const FileSinkRow& row : file_sinks()) {
    const OutputNeed need = row.option == kRecordOption ? OutputNeed::no_kiosk : OutputNeed::headless;
    rows.push_back({row.option, row.type_name, row.help, MadeOf::all_frames, row.ending, nullptr, need});
  }
  rows.insert(rows.end(), kMapRows.begin(), kMapRows.end());
  rows.insert(rows.end(), kReportRows.begin(), kReportRows.end());
  return rows;
}

}  // namespace

std::span<const OutputRow> output_rows() {
  static const std::vector<OutputRow> kRows = make_rows();
  return kRows;
}

namespace {

std::vector<const OutputRow*> outputs_of(const OutputFiles& files) {
  std::vector<const OutputRow*> wanted;
  for (const OutputRow& row : output_rows())
    if (!files[row.option].empty()) wanted.push_back(&row);
  return wanted;
}

// Returns false for devices and pipes, which accept any number of outputs.
bool takes_one(const fs::path& file) {
  std::error_code error;
  return !fs::exists(file, error) || fs::is_regular_file(file, error);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) return fs::equivalent(a, b, error);
  return fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error);
}

struct Taken {
  fs::path file;
  std::string by;
};

// Returns the input files of the run. JSON written by this program next to a recording is not its description.
std::vector<Taken> inputs_of(const Options& options) {
  std::vector<Taken> inputs;
  if (!options.marks.empty()) inputs.push_back({options.marks, "is the file of --marks"});
  for (const fs::path& file : options.settings_files) inputs.push_back({file, "is the preset or session in use"});
  for (const std::string& source : {options.compare.source, options.source})
    if (!source.empty() && is_file_source(source)) inputs.push_back({source, "is the input recording"});
  if (!is_file_source(options.source)) return inputs;
  const fs::path recording = options.source;
  for (const fs::path& file : description_places(recording)) {
    std::error_code error;
    if (fs::exists(file, error) && !is_of_program(file)) inputs.push_back({file, "describes the input recording"});
  }
  std::error_code none;  // a file
  for (const fs::path& file : fs::directory_iterator(recording, none))
    inputs.push_back({file, "is part of the input recording"});
  return inputs;
}

// Returns true for --report out.json with --image-out out.npy: one file contains both.
bool report_is_beside_image(const OutputFiles& files) {
  const fs::path &report = files["--report"], &image = files["--image-out"];
  return !report.empty() && !image.empty() && same_file(report, fs::path(image).replace_extension(".json"));
}

// Checks that every file has one use. Throws Error.
void require_own_files(const Options& options) {
  std::vector<Taken> taken = inputs_of(options);
  for (const OutputRow* const row : outputs_of(options.files)) {
    std::vector<fs::path> files = {options.files[row->option]};
    const bool of_pair = row->option == std::string_view("--figure") && options.compare.wanted();
    const char* const beside = of_pair ? ".json" : row->beside;
    if (beside != nullptr) files.push_back(fs::path(files.front()).replace_extension(beside));
    const bool joined = row->option == std::string_view("--report") && report_is_beside_image(options.files);
    for (const fs::path& file : files) {
      if (!takes_one(file) || joined) continue;
      for (const Taken& other : taken)
        if (same_file(file, other.file))
          throw Error(row->option, "'" + file.string() + "' " + other.by, "a separate file");
      taken.push_back({file, std::string("is also written by ") + row->option});
    }
  }
}

}  // namespace

// Files are written under a temporary name and renamed; devices and pipes are written to.
void require_place(const fs::path& file) {
  std::error_code error;
  const fs::path target = link_target(file);
  if (const std::size_t bytes = target.filename().native().size(); bytes > kLongestFileName) {
    throw Error(file.string(), "a name of " + std::to_string(bytes) + " bytes",
                "a name of up to " + std::to_string(kLongestFileName) + " bytes");
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (!fs::is_directory(folder, error))
    throw Error(file.string(), "missing folder " + folder.string(), "a file in an existing folder");
  if (fs::is_directory(target, error)) throw Error(file.string(), "a folder", "a file name");
  if (takes_one(target) && ::access(folder.c_str(), W_OK) != 0)
    throw Error(file.string(), "cannot be written: " + disk_error_text(errno), "a writable folder");
}

void require_outputs(const Options& options) {
  const std::vector<const OutputRow*> outputs = outputs_of(options.files);
  for (const OutputRow* const row : outputs) {
    const fs::path& file = options.files[row->option];
    require_place(file);
    if (row->ending != nullptr && file.extension() != row->ending)
      throw Error(row->option, "'" + file.string() + "'", std::string("a file name ending in ") + row->ending);
  }
  for (const OutputRow* const row : outputs)
    if (row->check != nullptr) row->check(options.files[row->option]);
  for (const char* const option : {"--map-out", "--difference-out"})
    if (!options.files[option].empty() && options.map.name.empty())
      throw Error(option, "no map was chosen", "--set map=NAME (echoloop info lists them)");
  require_own_files(options);
}

bool names_output(const OutputFiles& files) { return !outputs_of(files).empty(); }

bool names_output(const OutputFiles& files, std::initializer_list<MadeOf> of) {
  return std::ranges::any_of(outputs_of(files),
                             [&](const OutputRow* row) { return std::ranges::find(of, row->of) != of.end(); });
}

void require_no_other_output(const OutputFiles& files, std::string_view own) {
  for (const OutputRow* const row : outputs_of(files))
    if (row->option != own) throw Error(std::string(own), std::string("found ") + row->option, "no other output file");
}

void FileWriter::operator()(const std::function<void()>& write) {
  try {
    write();
  } catch (const std::exception& error) {
    if (refused_ > 0) print_error("echoloop: {}\n", error.what());
    if (refused_++ == 0) first_ = std::current_exception();
  }
}

void FileWriter::require_all() const {
  if (refused_ > 0) std::rethrow_exception(first_);
}

void write_times(const OutputFiles& files, const TimingTrace& trace, FileWriter& writer) {
  const fs::path &spans = files["--trace"], &table = files["--csv"];
  if (!spans.empty()) writer([&] { write_text(spans, trace.chrome_json()); });
  if (!table.empty()) writer([&] { write_text(table, trace.csv()); });
}

nlohmann::json given_json(const Options& options) {
  nlohmann::json given = {{"settings", options.settings},
                          {"facts", given_facts_json(options.facts)},
                          {"frames", options.frames},
                          {"duration_s", options.duration_s},
                          {"images_type", kImageValueNames[static_cast<std::size_t>(options.image_values)]}};
  if (options.preset.preset != nullptr) given["preset_of_probe"] = settings_of(options.preset.preset->probe_values);
  if (!options.files["--measurements"].empty()) given["marks"] = marks_json(marks_of(options));
  if (!options.files["--iq-out"].empty() || options.render_iq) given["iq"] = true;
  return given;
}

void write_report(const OutputFiles& files, const nlohmann::json& report) {
  const fs::path& file = files["--report"];
  if (file.empty()) return;
  nlohmann::json all = nlohmann::json::object();
  if (report_is_beside_image(files)) {
    std::ifstream beside(file);
    const nlohmann::json description = nlohmann::json::parse(beside, nullptr, false);
    if (description.is_object()) all = description;
  }
  all.update(report);
  write_text(file, json_text(all, 1) + "\n");
}

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

// Returns the spectral Doppler of the run, if any.
std::vector<FigureStrip> last_strips(const Image& image, LiveImages& live) {
  live.of<Spectrogram>().take();
  const Spectrogram& s = live.of<Spectrogram>().front();
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
    FigureImage& left = order.images.emplace_back();
    left.image = a.image->image;
    left.display = a.image->image.params;
    left.numbers = {.count = a.image->frame_count};
    left.faults = faults_of(a.image->samples, a.image->image.stamp.source_index);
    values.push_back(&a.run->measured);
  }
  std::vector<float> mapped;
  ImageOverlays over = overlays_of(views);
  over.map = map_overlay(map_over_image(source, options.map, image), options.map, image);
  const bool matched = a.image != nullptr && a.image->match_levels && can_match(image, a.image->image);
  FigureImage& main = order.images.emplace_back();
  main.image = matched ? matched_levels(image, a.image->image, mapped) : image;
  main.display = image.params;
  main.over = over;
  main.numbers = numbers_of(source);
  main.faults = faults_of(source.samples, image.stamp.source_index);
  main.matched = matched;
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
