// Output files of the command line, one row each: --help, requirements, the check before the start, the run and its
// report read these rows. The report is written last.
#pragma once

#include <array>
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

// Options of files that show the last image, or have its levels.
inline constexpr std::array<const char*, 4> kImageFiles = {"--image-out", "--png", "--png16", "--figure"};

struct ImageSinkRequest;
class ImageSink;

enum class OutputNeed { nothing, headless, no_kiosk, marks };
enum class MadeOf { run, last_image, window, all_images, all_frames };

struct OutputRow {
  const char* option;
  const char* type_name;  // of the file, in --help
  const char* help;
  MadeOf of = MadeOf::run;
  const char* ending = nullptr;  // required ending of the file's name; null: any
  const char* beside = nullptr;  // ending of a second file; null: none
  OutputNeed need = OutputNeed::nothing;
  void (*check)(const std::filesystem::path& file) = nullptr;  // checks the file's name; throws Error
  // Sinks of all images: key in the run report, and maker, which throws Error if the file is not possible.
  const char* report = nullptr;
  std::unique_ptr<ImageSink> (*make)(const ImageSinkRequest& request) = nullptr;
};
// Returns the rows in the order of --help, including those of file_sinks() and analysis_files().
std::span<const OutputRow> output_rows();

// Throws Error for outputs that would fail: a missing folder, a wrong kind of name, two outputs in one file, or an
// output that replaces the recording or its description.
void require_outputs(const Options& options);
[[nodiscard]] bool names_output(const OutputFiles& files);
[[nodiscard]] bool names_output(const OutputFiles& files, std::initializer_list<MadeOf> of);

// Refuses other outputs than a command's own file, an option of its own. Throws Error.
void require_no_other_output(const OutputFiles& files, std::string_view own);
// Throws Error for a file that cannot be written.
void require_place(const std::filesystem::path& file);

// Writes the files at the end of a run, one call each: a failure does not prevent the others.
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

// Returns the options that determine the images of a recording, for the report: settings, facts, frames, duration_s,
// images_type.
nlohmann::json given_json(const Options& options);

// Writes --report, after the other files: into the image's description if the names are the same. Throws Error.
void write_report(const OutputFiles& files, const nlohmann::json& report);

// Figures in files: of the last image of a run, and of the window's.
struct FigureOrder {
  std::vector<FigureImage> images;  // one, or A and B; titles are added
  std::string source;               // name for the caption
  std::string named;                // as named by the user
  std::string command;              // reproduces the image, or A and B
  Marks marks = {};
  std::vector<FigureKeyRow> key = {};
  std::vector<FigureStrip> strips = {};
  FigureSize size = {};
  PageGround ground = PageGround::white;
  std::string note = {};  // last sentence of the caption
};
// Throws Error.
void write_figure_of(const std::filesystem::path& path, FigureOrder order);

// Image of a planned figure.
struct FigurePlan {
  const Acquisition& acquisition;
  const ImagingParams& params;
};
// Throws Error if the figure of such images would be too large, without marks and curves. `source`: as named.
void require_figure_size(const OutputOptions& options, const std::string& source,
                         const std::vector<FigurePlan>& images);

struct FigureA {
  const ImageA* image = nullptr;  // null: a figure of one image
  const MeasuredRun* run = nullptr;
};
// Writes --figure, of the last image (with a host copy), with the last flow and objects in `live`; with A if given, and
// then with a description in a file of its own. Throws Error.
void write_last_figure(const OutputOptions& options, const SourceInfo& source, LiveImages& live, const Image& image,
                       const MeasuredRun& run, const FigureA& a);

}  // namespace echoloop
