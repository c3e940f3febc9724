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

#include "core/error.h"
#include "core/facts.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "core/units.h"
#include "gui/state/dock_list.h"
#include "gui/state/marks.h"
#include "gui/state/rect.h"
#include "gui/toolkit/view_settings.h"

namespace echoloop {
struct SavedSession;
}

namespace echoloop {

struct Preset;

// The phantom that runs when no source is given.
std::string default_source();

enum class BackendChoice { automatic, cuda, cpu };
enum class Command { view, info, describe, repair, bench, list_params, version, help, send, render };
enum class ImageValues { float32, uint8 };
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

// Files of a run by the options that name them (app/outputs/output_files.h has the rows); empty: not wanted.
class OutputFiles {
 public:
  std::filesystem::path& operator[](std::string_view option) { return by_option_[std::string(option)]; }
  const std::filesystem::path& operator[](std::string_view option) const;

 private:
  std::map<std::string, std::filesystem::path, std::less<>> by_option_;
};

struct SourceOptions {
  std::string source = default_source();  // as source_kinds.h has it
  bool source_given = false;
  Facts facts;  // those of --set that are about the recording
  BackendChoice backend = BackendChoice::automatic;
  std::shared_ptr<const SavedSession> session;  // that was named in place of a source; null: none
};

struct RunLimits {
  std::uint64_t frames = 0;  // 0 = no limit
  double duration_s = 0.0;   // 0 = no limit
};

struct ImagingOptions {
  std::vector<std::string> settings;  // recipe, grid, preset and --set, as KEY=VALUE in the order they apply
  ProbePreset preset;                 // of --preset
};

struct StreamingOptions {
  StreamSettings stream;
  bool loop_given = false;                   // --loop: a recording of one frame repeats, too
  bool queue_given = false;                  // policy, slots or rate: a window then starts with what `stream` has
  std::optional<std::size_t> history_bytes;  // memory for looking back; empty = a quarter of what is free, at most 4 GB
};

struct WindowOptions {
  bool interop = true;
  double ui_scale = 0.0;      // 0 = the monitor's
  double kiosk_idle_s = 0.0;  // without input until everything is reset; 0 = no kiosk
  int width = 1600;
  int height = 900;
  bool size_given = false;
};

struct OutputOptions {
  OutputFiles files;
  ImageValues image_values = ImageValues::float32;  // of --images-out
  FigureSize figure_size;
  PageGround figure_ground = PageGround::white;
  std::filesystem::path marks;                        // read
  std::vector<std::filesystem::path> settings_files;  // read: preset and session
};

struct SendOptions {
  std::string send_to = "live:";
  bool list_viewers = false;
};

struct RenderOptions {
  std::vector<std::string> render_files;  // recordings and folders
  std::filesystem::path render_out;       // the folder of its files
  bool render_iq = false;                 // complex pixels too
};

// The parts, each for the functions that need no more.
struct Options : SourceOptions,
                 RunLimits,
                 ImagingOptions,
                 StreamingOptions,
                 WindowOptions,
                 OutputOptions,
                 SendOptions,
                 RenderOptions {
  Command command = Command::view;
  std::string help;  // Command::help
  bool headless = false;
  bool json = false;  // info
  CompareOptions compare;
  std::vector<std::string> warnings;  // for stderr: options without effect
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
ImagingParams given_params(const ImagingOptions& options, const ImagingParams& defaults,
                           const Acquisition& acquisition);

}  // namespace echoloop

namespace CLI {

// What option values are made of: one of some names, a number. Each refusal is one line with what is accepted.

class App;
class Option;
}  // namespace CLI

namespace echoloop {

// The place of `text` among `names`. Throws Error.
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

// A finite number and nothing else. Throws Error.
inline double parse_number(std::string_view text, const std::string& option, const std::string& accepted) {
  const auto value = finite_number(text);
  if (!value) throw invalid_value(option, std::string(text), accepted);
  return *value;
}

// An option with a number as its value: a plain decimal, which parsing stores in `into`. Parsing throws Error for
// others.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, int& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint64_t& into, const std::string& help);  // not 0

// Parses what was typed; false: the help was asked for. Throws Error, also for an option with an empty value (an unset
// variable in a script), which must not pass for one that was not given.
[[nodiscard]] bool parse_words(CLI::App& app, const std::vector<std::string>& words);

// Everything that can be set in the window, as one value: what a reset takes away, and gives back when it is undone.
// UI thread only.

struct Setup {
  std::string source;  // as it is opened
  Facts facts;
  ImagingParams params;
  StreamSettings stream;
  std::optional<StreamSettings> chosen_queue;  // policy and slots that no user chose; nothing: a user did
  Marks marks;
  PanZoom pan_zoom;
  std::optional<PlanePoint> inspected;
  std::filesystem::path preset;  // the active one; empty: none
  double speed = 1.0;            // of playing kept frames
  ViewSettings view;
};

}  // namespace echoloop
