// Commands of the program, including the runs without a window. Each returns the exit status and throws Error for bad
// options.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"
#include "app/stream/session.h"

namespace CLI {
class App;
}

namespace echoloop {

// `echoloop describe FILE`: prints the arrays of a file and a description to complete.
int run_describe(const std::filesystem::path& file);
// Prints the GPUs by number, with their memory.
int run_list_devices();

// `echoloop repair FILE`: repairs a recording left by a killed program.
int run_repair(const std::filesystem::path& file);

// `echoloop method --new FILE`: writes an example; --list, an empty path: prints examples and built-in methods.
int run_method(const std::filesystem::path& new_file);

// `echoloop send`: runs the program as a sender to a viewer: a demonstration, a test, a load generator. Uses the users'
// header (senders/echoloop_sender.h). Runs until the end of the source, the requested number of frames, or an
// interrupt.
int run_send(const std::string& source, const SendOptions& options, const StreamSettings& stream, std::uint64_t frames);

// Device of `render`. Each run at a time has a backend of its own.
struct RenderDevice {
  std::string name;
  std::function<ChosenBackend()> make;  // throws Error
};
// `echoloop render FILE... --out DIR`: writes the images of many recordings, a few runs at a time on each device. Skips
// those completed by an earlier run, and leaves to other programs of the same folder what they work on, until they have
// ended. Returns 1 after a fault (another attempt may work), else 2 if a recording could not be read, else 0.
int run_render(const Options& options);
int run_render(const Options& options, const std::vector<RenderDevice>& devices);

// --find-sound-speed: runs the search (backend/sound_speed.h) on one frame, without a window. Writes curves, peaks and
// warnings as JSON. Frame: the last one of --frames, otherwise the first. Region: that of the marks, otherwise the
// whole image.
int run_find_sound_speed(const Options& options);

// Runs each step of --lesson without a window, with the answers of --answers or else the wanted states, and prints the
// verdicts. Returns 0 if all checks hold, else 1.
int run_lesson(const Options& options);

// Runs the stream without a window, for a number of frames or seconds, then writes images and report.

int run_headless(const Options& options);
int run_headless(const Options& options, const ChosenBackend& chosen);  // shares a backend between runs

// Without a display and without --headless: names the files to write, then runs the same loop for a few seconds.
int run_without_display(Options options);

// Options of the command line, with the text of --help, in its order.

// Options that need further parsing after CLI11: as typed.
inline constexpr const char* kListDevices = "list";  // of --device

struct OptionTexts {
  std::string backend, device, recipe, grid, preset, pipeline, image_values, record_format, kiosk, description, compare;
  struct {
    std::string name;  // file, or python:NAME
    double wait_s = 10.0;
    std::optional<double> limit_ms;
    bool source = false;
  } method;
  struct {
    std::string port, values;
  } igtl;
  struct {
    std::string policy, memory, streams, frame_wait, rate, inject, copy;
  } stream;
  std::optional<double> history_mb;
  struct {
    std::optional<double> width_mm, mm_per_cm;  // of the whole figure; of the image plane
    int pixels = 0;                             // per grid step; 0: not given
    double dpi = 300.0;
    bool dark = false;
    std::string layout;  // of A and B
  } figure;
  std::vector<std::string> sets, compare_sets;
  bool list_params = false;
  bool version = false;
};

// Adds the options; parsing then fills `options` and `texts`, which must live as long as `app`.
void add_options(CLI::App& app, Options& options, OptionTexts& texts);

// Requirement for an option to have an effect.
struct OptionNeed {
  std::string_view text = {};                // "--figure"; "no --kiosk"
  bool (*is_met)(const Options&) = nullptr;  // null: none
};
// An option without its requirement is rejected; if no output of the run changes, only a warning is printed.
enum class WithoutNeed { refused, said };
struct OptionNeedRow {
  std::string_view option;
  OptionNeed need;
  WithoutNeed without = WithoutNeed::refused;
};
std::span<const OptionNeedRow> option_needs();              // one per option
void require_needs(const CLI::App& app, Options& options);  // throws Error; adds to Options::warnings

// A command word before the source; `bench` and `send` have their own options.
struct CommandWord {
  std::string_view word;
  Command command;
  std::string_view help, usage;
  std::span<const std::string_view> options;  // accepted options of add_options()
};
const CommandWord* find_command(std::string_view word);  // nullptr if there is none
// Sets the help of a command: its own text, and its accepted options.
void describe_command(CLI::App& app, const CommandWord& command);
void require_of_command(const CLI::App& app, const CommandWord& command);  // throws Error for other options

}  // namespace echoloop
