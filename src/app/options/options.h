// The command line as plain values. Parsing refuses what cannot be meant, before anything is opened or started.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/acquisition_facts.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "gui/state/marks.h"

namespace echoloop {
struct SavedSession;
}

namespace echoloop {

struct Options;
struct Preset;
// The file of one of file_sinks(), and of one of analysis_files(); empty: not wanted.
std::filesystem::path frame_file(const Options& options, std::string_view option);
std::filesystem::path analysis_file(const Options& options, std::string_view option);

// The phantom that runs when no source is given.
std::string default_source();

enum class BackendChoice { automatic, cuda, cpu };
enum class Command { view, info, describe, repair, bench, list_params, version, help, send, render };
enum class ImageValues { float32, uint8 };
inline constexpr auto kBenchCases =
    std::to_array<std::string_view>({"S1", "S1L", "S2", "demo", "sector", "flow", "structure", "methods"});
inline constexpr std::array<std::string_view, 2> kImageValueNames = {"float32", "uint8"};

// What a preset sets on its own probe only, and where it applies among the settings.
struct ProbePreset {
  std::shared_ptr<const Preset> preset;  // null: none
  std::size_t at = 0;                    // after so many settings
};

// Image A of a figure of two; the run makes B.
struct CompareOptions {
  std::string source;  // empty: B's frame
  Facts facts;
  std::vector<std::string> settings;  // KEY=VALUE in place of B's
  ProbePreset preset;
  std::uint64_t frame = 0;  // from 1; 0: the one acquired when B's was
  bool match_levels = false;
  [[nodiscard]] bool wanted() const { return !source.empty() || !settings.empty() || preset.preset != nullptr; }
};

struct Options {
  Command command = Command::view;
  std::string help;                       // Command::help
  std::string source = default_source();  // as source_kinds.h has it
  bool source_given = false;
  bool headless = false;
  std::uint64_t frames = 0;  // 0 = no limit
  double duration_s = 0.0;   // 0 = no limit
  BackendChoice backend = BackendChoice::automatic;
  StreamSettings stream;
  bool loop_given = false;                   // --loop: a recording of one frame repeats, too
  bool queue_given = false;                  // policy, slots or rate: a window then starts with what `stream` has
  std::vector<std::string> settings;         // recipe, grid, preset and --set, as KEY=VALUE in the order they apply
  ProbePreset preset;                        // of --preset
  Facts facts;                               // those of --set that are about the recording
  std::optional<std::size_t> history_bytes;  // memory for looking back; empty = a quarter of what is free, at most 4 GB
  bool interop = true;
  double ui_scale = 0.0;      // 0 = the monitor's
  double kiosk_idle_s = 0.0;  // without input until everything is reset; 0 = no kiosk
  int width = 1600;
  int height = 900;
  bool size_given = false;
  bool json = false;                      // info
  std::string send_to = "live:";          // send
  bool list_viewers = false;              // send
  std::vector<std::string> render_files;  // render: recordings and folders
  std::filesystem::path render_out;       // render: the folder of its files
  bool render_iq = false;                 // render: complex pixels too
  std::vector<std::string> bench_cases{kBenchCases.begin(), kBenchCases.end()};
  double bench_seconds = 0.5;  // of each measurement
  std::string bench_revision;
  std::filesystem::path figure;                             // .png, .svg or .pdf
  std::optional<double> figure_width_mm, figure_mm_per_cm;  // of the whole figure; or of the image plane
  int figure_pixels = 0;                                    // of a grid step; 0: not given
  double figure_dpi = 300.0;
  bool figure_dark = false;
  CompareOptions compare;
  ImageValues image_values = ImageValues::float32;  // of --images-out
  std::filesystem::path image_out, images_out, iq_out, png, png16, screenshot, video, report, trace, csv, measurements,
      find_sound_speed;
  std::map<std::string, std::filesystem::path> frame_files;     // by the options of file_sinks()
  std::map<std::string, std::filesystem::path> analysis_files;  // likewise, of analysis_files()
  std::filesystem::path marks;                                  // read
  std::vector<std::filesystem::path> settings_files;            // read: preset and session
  std::vector<std::string> warnings;                            // for stderr: options without effect
  std::shared_ptr<const SavedSession> session;                  // that was named in place of a source; null: none
};

// Throws Error for bad input.
Options parse_command_line(int argc, char** argv);

// Those of --marks, or else of the session. Throws Error.
Marks marks_of(const Options& options);

// The source's defaults with the user's settings on top. Throws Error.
ImagingParams apply_settings(const ImagingParams& defaults, const std::vector<std::string>& settings);
// With those of the preset that are for this probe.
std::vector<std::string> settings_for(const Acquisition& acquisition, std::vector<std::string> settings,
                                      const ProbePreset& preset);
ImagingParams given_params(const Options& options, const ImagingParams& defaults, const Acquisition& acquisition);

}  // namespace echoloop
