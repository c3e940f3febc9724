// The files that the command line asks for, a row each: --help, what they need, the check before anything starts, the
// run and its report read these rows. The report, written last.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/comparison.h"
#include "app/outputs/measured_values.h"
#include "core/results/live_images.h"
#include "core/timing_trace.h"
#include "gui/figure/figure.h"
#include "gui/state/marks.h"
#include "gui/state/ui_state.h"

namespace echoloop {

struct ImageSinkRequest;
class ImageSink;

enum class OutputNeed { nothing, headless, no_kiosk, marks };
enum class MadeOf { run, last_image, window, all_images, all_frames };

struct OutputRow {
  const char* option;
  const char* type_name;  // of its file, in --help
  const char* help;
  MadeOf of = MadeOf::run;
  const char* ending = nullptr;  // that its file's name must have; null: any
  const char* beside = nullptr;  // of a second file that it writes; null: none
  OutputNeed need = OutputNeed::nothing;
  void (*check)(const std::filesystem::path& file) = nullptr;  // of its name; throws Error
  // Of what takes all images: its key in the run report, and its maker, which throws Error when there can be no file.
  const char* report = nullptr;
  std::unique_ptr<ImageSink> (*make)(const ImageSinkRequest& request) = nullptr;
};
// In the order of --help; those of file_sinks() and analysis_files() among them.
std::span<const OutputRow> output_rows();

// Throws Error for what could not be written in the end: a folder that is not there, a name of the wrong kind, two
// outputs in one file, or an output in place of the recording or of the text that describes it.
void require_outputs(const Options& options);
[[nodiscard]] bool names_output(const OutputFiles& files);
[[nodiscard]] bool names_output(const OutputFiles& files, std::initializer_list<MadeOf> of);

// For a command that is an option for its own file and writes none of the other files. Throws Error.
void require_no_other_output(const OutputFiles& files, std::string_view own);
// Throws Error for a file that could not be written in the end.
void require_place(const std::filesystem::path& file);

// Writes the files at the end of a run, one call each: one that cannot be written does not keep the others from it.
class FileWriter {
 public:
  void operator()(const std::function<void()>& write);
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  void require_all() const;  // throws the first refusal; the others are printed

 private:
  std::uint64_t refused_ = 0;
  std::exception_ptr first_;
};

void write_times(const OutputFiles& files, const TimingTrace& trace, FileWriter& writer);  // --trace, --csv

// What of the command line decides the images of a recording, for the report: settings, facts, frames, duration_s,
// images_type.
nlohmann::json given_json(const Options& options);

// --report, after the other files: where the image's description has its name, the file holds both. Throws Error.
void write_report(const OutputFiles& files, const nlohmann::json& report);

// Figures that leave the program: of the last image of a run, and of the window's.

struct FigureOrder {
  std::vector<FigureImage> images;  // one, or A and B; their titles are filled in
  std::string source;               // its name, for the caption
  std::string named;                // as the user named it
  std::string command;              // that reproduces the image, or A and B
  Marks marks = {};
  std::vector<FigureKeyRow> key = {};
  std::vector<FigureStrip> strips = {};
  FigureSize size = {};
  PageGround ground = PageGround::white;
  std::string note = {};  // last sentence of the caption
};
// Throws Error.
void write_figure_of(const std::filesystem::path& path, FigureOrder order);

// An image of a figure that will be made.
struct FigurePlan {
  const Acquisition& acquisition;
  const ImagingParams& params;
};
// Throws Error where the figure of such images would be too large, without marks and curves. `source`: as named.
void require_figure_size(const OutputOptions& options, const std::string& source,
                         const std::vector<FigurePlan>& images);

struct FigureA {
  const ImageA* image = nullptr;  // null: the figure is of one image
  const MeasuredRun* run = nullptr;
};
// --figure, of the last image (with a host copy), with the last flow and objects in `live`; with A beside it, and then
// with a description in a file of its own. Throws Error.
void write_last_figure(const OutputOptions& options, const SourceInfo& source, LiveImages& live, const Image& image,
                       const MeasuredRun& run, const FigureA& a);

}  // namespace echoloop
