#include "app/outputs/output_files.h"

#include <fstream>
#include <vector>

#include "app/opening/source_kinds.h"
#include "core/error.h"
#include "gui/figure/figure_file.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "history/film.h"
#include "history/json_text.h"

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
                               {"--flow-out", o.flow_out, ".npy", ".json"},
                               {"--structure-out", o.structure_out, ".json", ".npy"},
                               {"--sonogram-out", o.spectrogram_out, ".npy", ".json"},
                               {"--png", o.png, ".png", nullptr},
                               {"--png16", o.png16, ".png", nullptr},
                               {"--figure", o.figure, nullptr, nullptr},
                               {"--screenshot", o.screenshot, ".png", nullptr},
                               {"--video", o.video, nullptr, nullptr},
                               {"--report", o.report, nullptr, nullptr},
                               {"--trace", o.trace, nullptr, nullptr},
                               {"--csv", o.csv, nullptr, nullptr},
                               {"--measurements", o.measurements, nullptr, nullptr},
                               {"--find-sound-speed", o.find_sound_speed, ".json", nullptr}}) {
    if (!output.file.empty()) wanted.push_back(output);
  }
  for (const FileSinkRow& row : file_sinks()) {
    const auto file = o.frame_files.find(row.option);
    if (file == o.frame_files.end() || file->second.empty()) continue;
    if (!o.headless && row.option != kRecordOption) throw Error(row.option, "found without --headless", "--headless");
    wanted.push_back({row.option, file->second, row.ending, nullptr});
  }
  return wanted;
}

void require_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::is_directory(folder)) {
    throw Error(file.string(), "missing folder " + folder.string(), "a file in an existing folder");
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) return fs::equivalent(a, b, error);
  return fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error);
}

// Devices and pipes take any number of outputs.
bool takes_one(const fs::path& file) {
  std::error_code error;
  return !fs::exists(file, error) || fs::is_regular_file(file, error);
}

// The files that the run reads: marks, the recording, and where its description can be.
std::vector<fs::path> inputs_of(const Options& options) {
  std::vector<fs::path> inputs;
  if (!options.marks.empty()) inputs.push_back(options.marks);
  if (!is_file_source(options.source)) return inputs;
  const fs::path recording = options.source;
  inputs.push_back(recording);
  if (recording.extension() == ".npy" || recording.extension() == ".npz") {
    inputs.push_back(fs::path(recording).replace_extension(".json"));
    inputs.push_back(recording.parent_path() / "params.json");
  }
  return inputs;
}

// --report out.json beside --image-out out.npy: one file contains both.
bool report_is_beside_image(const Options& o) {
  if (o.report.empty() || o.image_out.empty()) return false;
  return same_file(o.report, fs::path(o.image_out).replace_extension(".json"));
}

struct Taken {
  fs::path file;
  std::string by;
};

// Every file has one use. Throws Error.
void require_own_files(const Options& options, const std::vector<Output>& outputs) {
  std::vector<Taken> taken;
  for (const fs::path& input : inputs_of(options)) taken.push_back({input, "is the input recording"});
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
    throw Error("--measurements", "found '" + options.measurements.string() + "'", "a name that ends in .csv or .json");
  }
  if (options.marks.empty() && options.session == nullptr)
    throw Error("--measurements", "found without --marks", "a file of marks to measure");
}

}  // namespace

void require_outputs(const Options& options) {
  if (!options.images_out.empty() && !options.headless) {
    throw Error("--images-out", "found without --headless", "--headless");
  }
  const std::vector<Output> outputs = outputs_of(options);
  for (const Output& output : outputs) {
    require_folder(output.file);
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
