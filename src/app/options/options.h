// Command line as plain values. Parsing refuses invalid input before anything is opened or started.
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

#include "core/error.h"
#include "core/facts.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "core/units.h"
#include "gui/state/dock_list.h"
#include "gui/state/map_state.h"
#include "gui/state/marks.h"
#include "gui/state/rect.h"
#include "gui/toolkit/view_settings.h"
#include "history/file_sinks.h"

namespace echoloop {
struct SavedSession;
}

namespace echoloop {

struct Preset;

// Returns the phantom that runs without a source.
std::string default_source();

enum class BackendChoice { automatic, cuda, cpu };
// Where images are formed: with CUDA on the GPU of that number, or on any.
struct DeviceChoice {
  DeviceChoice(BackendChoice by = BackendChoice::automatic) : backend(by) {}  // NOLINT: most need no more
  BackendChoice backend;
  int gpu = -1;  // any
  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};
enum class Command {
  view,
  info,
  describe,
  repair,
  bench,
  list_params,
  list_devices,
  version,
  help,
  send,
  render,
  method
};
enum class ImageValues { float32, uint8 };
inline constexpr std::array<std::string_view, 2> kImageValueNames = {"float32", "uint8"};

// Part of a preset for its own probe only, and its position among the settings.
struct ProbePreset {
  std::shared_ptr<const Preset> preset;  // null: none
  std::size_t at = 0;                    // after this many settings
};

// Image A of a figure of two; B is the run's.
struct CompareOptions {
  std::string source;  // empty: B's frame
  Facts facts;
  std::vector<std::string> settings;  // KEY=VALUE that replace B's
  ProbePreset preset;
  std::uint64_t frame = 0;  // from 1; 0: the one at B's acquisition time
  bool match_levels = false;
  [[nodiscard]] bool wanted() const { return !source.empty() || !settings.empty() || preset.preset != nullptr; }
};

// Output files of a run by option (app/outputs/output_files.h has the rows); empty: not requested.
class OutputFiles {
 public:
  std::filesystem::path& operator[](std::string_view option) { return by_option_[std::string(option)]; }
  const std::filesystem::path& operator[](std::string_view option) const;

 private:
  std::map<std::string, std::filesystem::path, std::less<>> by_option_;
};

inline constexpr int kDoubted = 3;  // exit status

struct SourceOptions {
  std::string source = default_source();  // as in source_kinds.h
  bool source_given = false;
  Facts facts;          // facts of the recording among --set
  bool doubts = true;   // tests the facts by the samples
  bool strict = false;  // a doubt is exit status kDoubted
  DeviceChoice backend = {};
  std::shared_ptr<const SavedSession> session;  // named in place of a source; null: none
};

struct RunLimits {
  std::uint64_t frames = 0;  // 0 = no limit
  double duration_s = 0.0;   // 0 = no limit
};

struct ImagingOptions {
  std::vector<std::string> settings;  // recipe, grid, preset and --set, as KEY=VALUE in order of application
  ProbePreset preset;                 // of --preset
};

struct StreamingOptions {
  StreamSettings stream;
  bool loop_given = false;                   // --loop: also repeats a recording of one frame
  bool queue_given = false;                  // policy, slots or rate: a window then starts with those of `stream`
  std::optional<std::size_t> history_bytes;  // history memory; empty = a quarter of the free memory, at most 4 GB
};

struct WindowOptions {
  bool interop = true;
  bool motion = true;
  double ui_scale = 0.0;      // 0 = from the monitor
  double kiosk_idle_s = 0.0;  // time without input until a complete reset; 0 = no kiosk
  std::string control;        // name of the socket for programs that control the window; empty: none
  int width = 1600;
  int height = 900;
  bool size_given = false;
};

struct OutputOptions {
  OutputFiles files;
  ImageValues image_values = ImageValues::float32;             // of --images-out
  RecordingFormat record_format = RecordingFormat::by_ending;  // of --record
  FigureSize figure_size;
  PageGround figure_ground = PageGround::white;
  bool method_source = false;                         // beside images
  std::filesystem::path marks;                        // input
  MapChoice map;                                      // shown or written
  std::vector<std::filesystem::path> settings_files;  // input: preset and session
};

struct TapOptions {
  std::string tap;          // name of the socket for programs that read images; empty: none
  double tap_wait_s = 0.0;  // limit of the wait for the first of them
};

// Method of --method that another process computes.
struct PythonMethodOptions {
  std::string python_method;             // empty: none
  std::optional<double> method_limit_s;  // of the wait for a frame; none: the default of the stream
};

struct IgtlOptions {
  std::optional<std::uint16_t> igtl_port;  // of the OpenIGTLink server; 0: any free one; none: no server
  std::string igtl_address = "127.0.0.1";
  ImageValues igtl_values = ImageValues::float32;
};

struct SendOptions {
  std::string send_to = "live:";
  bool list_viewers = false;
};

struct MethodOptions {
  std::filesystem::path new_method;  // file to be written; empty: the examples are listed
};

struct RenderOptions {
  std::vector<std::string> render_files;  // recordings and folders
  std::filesystem::path render_out;       // folder of the output files
  std::filesystem::path render_root;      // outputs keep the folders of recordings below it; empty: they have none
  struct Part {
    std::size_t index = 1, of = 1;
  } render_part;                             // of the sorted recordings
  std::vector<DeviceChoice> render_devices;  // empty: all GPUs, or else the CPU
  bool render_iq = false;                    // complex pixels too
  int host_share = 1;                        // devices of the command, which share cores and memory
};

// All parts; functions use those they need.
struct Options : SourceOptions,
                 RunLimits,
                 ImagingOptions,
                 StreamingOptions,
                 WindowOptions,
                 OutputOptions,
                 TapOptions,
                 PythonMethodOptions,
                 IgtlOptions,
                 SendOptions,
                 MethodOptions,
                 RenderOptions {
  Command command = Command::view;
  std::string help;  // Command::help
  bool headless = false;
  bool json = false;  // info
  CompareOptions compare;
  std::filesystem::path lesson, answers;  // app/lesson.h; empty: none
  std::vector<std::string> warnings;      // for stderr: ineffective options
};

// Throws Error for invalid input.
Options parse_command_line(int argc, char** argv);

// Returns the marks of --marks, or else of the session. Throws Error.
Marks marks_of(const Options& options);

// Returns the source's defaults with the user's settings applied. Throws Error.
ImagingParams apply_settings(const ImagingParams& defaults, const std::vector<std::string>& settings);
// Returns the settings including those of the preset for this probe.
std::vector<std::string> settings_for(const Acquisition& acquisition, std::vector<std::string> settings,
                                      const ProbePreset& preset);
ImagingParams given_params(const ImagingOptions& options, const ImagingParams& defaults,
                           const Acquisition& acquisition);

}  // namespace echoloop

namespace CLI {

// Parsers of option values: names and numbers. Each refusal is one line with the accepted values.

class App;
class Option;
}  // namespace CLI

namespace echoloop {

// Returns the index of `text` in `names`. Throws Error.
template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, const std::string& option, const std::string& text) {
  std::string accepted;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return i;
    accepted += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw invalid_value(option, text, accepted);
}

inline BackendChoice backend_choice(const std::string& text) {
  constexpr std::array<std::string_view, 3> kBackends = {"auto", "cuda", "cpu"};
  return static_cast<BackendChoice>(index_of(kBackends, "--backend", text));
}

// Parses the name of a device: cpu, cuda:N or N. Throws Error.
DeviceChoice device_choice(const std::string& text);
// Parses "I/N" of --part. Throws Error.
RenderOptions::Part part_choice(const std::string& text);

// Parses a finite number and nothing else. Throws Error.
inline double parse_number(std::string_view text, const std::string& option, const std::string& accepted) {
  const auto value = finite_number(text);
  if (!value) throw invalid_value(option, std::string(text), accepted);
  return *value;
}

// Adds an option with a plain decimal number as its value, stored in `into`. Parsing throws Error for others.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, int& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint64_t& into, const std::string& help);  // not 0

// Parses the words; returns false if help was requested. Throws Error, also for an option with an empty value (an unset
// variable in a script), which must not count as absent.
[[nodiscard]] bool parse_words(CLI::App& app, const std::vector<std::string>& words);

// All settings of the window as one value, reset and restored by undo. UI thread only.

struct Setup {
  std::string source;  // as opened
  Facts facts;
  std::string description;             // JSON used to open it; empty: that of its files
  std::vector<std::string> dismissed;  // texts of dismissed doubts about it
  ImagingParams params;
  StreamSettings stream;
  std::optional<StreamSettings> chosen_queue;  // default policy and slots; nullopt: set by the user
  Marks marks;
  PanZoom pan_zoom;
  std::optional<PlanePoint> inspected;
  MapChoice map = {};
  std::filesystem::path preset;  // active one; empty: none
  double speed = 1.0;            // of playing history frames
  ViewSettings view;
};

}  // namespace echoloop
