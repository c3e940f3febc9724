#include "app/outputs/output_files.h"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <vector>

#include "app/opening/source_kinds.h"
#include "app/options/preset.h"
#include "app/options/terminal.h"
#include "app/outputs/marks_json.h"
#include "app/outputs/provenance.h"
#include "core/error.h"
#include "formats/own_descriptions.h"
#include "gui/figure/figure_file.h"
#include "history/analysis_files.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "history/film.h"
#include "history/json_text.h"
#include "history/part_file.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

struct Output {
  const char* option;
  const fs::path& file;
  const char* ending;  // that its name must have; null: any
  const char* beside;  // of a second file that it writes; null: none
};

std::vector<Output> outputs_of(const Options& o) {
  std::vector<Output> wanted;
  for (const Output& output : {Output{"--image-out", o.image_out, ".npy", ".json"},
                               {"--images-out", o.images_out, ".npy", ".json"},
                               {"--iq-out", o.iq_out, ".npy", ".json"},
                               {"--png", o.png, ".png", nullptr},
                               {"--png16", o.png16, ".png", nullptr},
                               {"--figure", o.figure, nullptr, o.compare.wanted() ? ".json" : nullptr},
                               {"--screenshot", o.screenshot, ".png", nullptr},
                               {"--video", o.video, nullptr, nullptr},
                               {"--report", o.report, nullptr, nullptr},
                               {"--trace", o.trace, nullptr, nullptr},
                               {"--csv", o.csv, nullptr, nullptr},
                               {"--measurements", o.measurements, nullptr, nullptr},
                               {"--find-sound-speed", o.find_sound_speed, ".json", nullptr}}) {
    if (!output.file.empty()) wanted.push_back(output);
  }
  for (const AnalysisFileRow* const row : analysis_files()) {
    const auto file = o.analysis_files.find(row->option);
    if (file == o.analysis_files.end() || file->second.empty()) continue;
    wanted.push_back({row->option, file->second, row->ending, row->beside});
  }
  for (const FileSinkRow& row : file_sinks()) {
    const auto file = o.frame_files.find(row.option);
    if (file == o.frame_files.end() || file->second.empty()) continue;
    wanted.push_back({row.option, file->second, row.ending, nullptr});
  }
  return wanted;
}

// Devices and pipes take any number of outputs.
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

// The files that the run reads. JSON that this program has written beside a recording describes no recording.
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
  for (const fs::path& file : fs::directory_iterator(recording, none)) {
    inputs.push_back({file, "is part of the input recording"});
  }
  return inputs;
}

// --report out.json beside --image-out out.npy: one file contains both.
bool report_is_beside_image(const Options& o) {
  if (o.report.empty() || o.image_out.empty()) return false;
  return same_file(o.report, fs::path(o.image_out).replace_extension(".json"));
}

// Every file has one use. Throws Error.
void require_own_files(const Options& options, const std::vector<Output>& outputs) {
  std::vector<Taken> taken = inputs_of(options);
  for (const Output& output : outputs) {
    std::vector<fs::path> files = {output.file};
    if (output.beside != nullptr) files.push_back(fs::path(output.file).replace_extension(output.beside));
    for (const fs::path& file : files) {
      if (!takes_one(file) || (&output.file == &options.report && report_is_beside_image(options))) continue;
      for (const Taken& other : taken) {
        if (same_file(file, other.file)) {
          throw Error(output.option, "'" + file.string() + "' " + other.by, "a separate file");
        }
      }
      taken.push_back({file, std::string("is also written by ") + output.option});
    }
  }
}

void require_measurements(const Options& options) {
  if (options.measurements.empty()) return;
  const fs::path ending = options.measurements.extension();
  if (ending != ".csv" && ending != ".json") {
    throw Error("--measurements", "'" + options.measurements.string() + "'", "a file name ending in .csv or .json");
  }
}

}  // namespace

// Files are written beside their place and renamed; devices and pipes are written to.
void require_place(const fs::path& file) {
  std::error_code error;
  const fs::path target = link_target(file);
  if (const std::size_t bytes = target.filename().native().size(); bytes > kLongestFileName) {
    throw Error(file.string(), "a name of " + std::to_string(bytes) + " bytes",
                "a name of up to " + std::to_string(kLongestFileName) + " bytes");
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (!fs::is_directory(folder, error)) {
    throw Error(file.string(), "missing folder " + folder.string(), "a file in an existing folder");
  }
  if (fs::is_directory(target, error)) throw Error(file.string(), "a folder", "a file name");
  if (takes_one(target) && ::access(folder.c_str(), W_OK) != 0) {
    throw Error(file.string(), "cannot be written: " + disk_error_text(errno), "a writable folder");
  }
}

void require_outputs(const Options& options) {
  const std::vector<Output> outputs = outputs_of(options);
  for (const Output& output : outputs) {
    require_place(output.file);
    if (output.ending != nullptr && output.file.extension() != output.ending) {
      throw Error(output.option, "'" + output.file.string() + "'",
                  std::string("a file name ending in ") + output.ending);
    }
  }
  if (!options.video.empty()) check_film_name(options.video);
  require_measurements(options);
  if (!options.figure.empty()) figure_format(options.figure);
  require_own_files(options, outputs);
}

bool names_output(const Options& options) { return !outputs_of(options).empty(); }

void require_no_other_output(const Options& options, const std::string& command, const fs::path& own) {
  for (const Output& output : outputs_of(options)) {
    if (&output.file != &own) throw Error(command, std::string("found ") + output.option, "no other output file");
  }
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

void write_times(const Options& options, const TimingTrace& trace, FileWriter& writer) {
  if (!options.trace.empty()) writer([&] { write_text(options.trace, trace.chrome_json()); });
  if (!options.csv.empty()) writer([&] { write_text(options.csv, trace.csv()); });
}

nlohmann::json given_json(const Options& options) {
  nlohmann::json given = {{"settings", options.settings},
                          {"facts", options.facts},
                          {"frames", options.frames},
                          {"duration_s", options.duration_s},
                          {"images_type", kImageValueNames[static_cast<std::size_t>(options.image_values)]}};
  if (options.preset.preset != nullptr) given["preset_of_probe"] = settings_of(options.preset.preset->probe_values);
  if (!options.measurements.empty()) given["marks"] = marks_json(marks_of(options));
  if (!options.iq_out.empty() || options.render_iq) given["iq"] = true;
  return given;
}

void write_report(const Options& options, const nlohmann::json& report) {
  if (options.report.empty()) return;
  nlohmann::json all = nlohmann::json::object();
  if (report_is_beside_image(options)) {
    std::ifstream beside(options.report);
    const nlohmann::json description = nlohmann::json::parse(beside, nullptr, false);
    if (description.is_object()) all = description;
  }
  all.update(report);
  write_text(options.report, json_text(all, 1) + "\n");
}

}  // namespace echoloop
