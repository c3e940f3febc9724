#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "app/commands.h"
#include "app/opening/source_kinds.h"
#include "app/options/options.h"
#include "app/outputs/output_files.h"
#include "core/error.h"
#include "core/own_method.h"
#include "formats/open_recording.h"
#include "source/live/live_listener.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

template <class Specs>
std::string settings_help(std::string text, const Specs& specs) {
  for (const auto& spec : specs)
    text += spec.unit.empty() ? fmt::format(" {}", spec.key) : fmt::format(" {} [{}]", spec.key, spec.unit);
  return text;
}

void add_run_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_option("source", o.source, source_names_text());
  app.add_flag(
      "--headless", o.headless,
      "Run the same pipeline without a window, up to the limits below; without: a recording once, a phantom for 5 s");
  app.add_flag("--doubts,!--no-doubts", o.doubts, "Test the facts of a recording by its samples (default)");
  app.add_flag("--strict", o.strict, "Exit status 3 if the samples contradict the facts");
  app.add_flag_callback("--unsandboxed", allow_reading_unsandboxed,
                        "Open recordings also where the kernel has neither seccomp nor Landlock");
  add_number(app, "--frames", o.frames, "Stop after N processed frames")->type_name("N");
  add_number(app, "--duration", o.duration_s, "Stop after S seconds")->type_name("S");
  app.add_option("--backend", t.backend, "Processing device: auto, cuda or cpu");
  app.add_option("--device", t.device, "auto, cpu, a GPU by its number, or list: print all of them")->type_name("N");
  app.add_option("--recipe", t.recipe,
                 "Processing recipe: analytic or course (a phantom without probe= is then that of a linear array)");
}

void add_stream_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_option("--rate", t.stream.rate, "Frame rate in Hz, or max")->type_name("HZ");
  app.add_flag("--loop,!--no-loop", o.stream.loop, "Repeat the recording at the end (default)");
  app.add_option("--policy", t.stream.policy, "Action when the buffer is full: block, error, drop-oldest, drop-newest");
  add_number(app, "--pace", o.stream.pace_ms, "Minimum gap after each frame, ms")->type_name("MS");
  app.add_option("--inject", t.stream.inject, settings_help("Fault injection:", injection_specs()))
      ->type_name("KEY=VALUE,...");
  add_number(app, "--history-mb", t.history_mb,
             "History memory, MB; default: 1/4 of free memory, max 4000 (0 when headless)")
      ->type_name("MB");
  add_number(app, "--slots", o.stream.slots, "Buffer slots, 2 to 64")->type_name("N");
  add_number(app, "--lanes", o.stream.lanes, "Frames in flight, 1 to 4")->type_name("N");
  app.add_option("--streams", t.stream.streams,
                 "Copies and kernels: overlap, serial, or default (copies on the default stream)");
  app.add_option("--host-memory", t.stream.memory, "Host memory: pageable, pinned, write-combined or mapped");
  app.add_option("--copy", t.stream.copy, settings_help("Copies to the device:", copy_specs()))
      ->type_name("KEY=VALUE,...");
  app.add_option("--frame-wait", t.stream.frame_wait,
                 "Wait for a scanner's next frame: sleep, or spin (lower latency; uses a processor core)");
}

void add_parameter_options(CLI::App& app, OptionTexts& t) {
  app.add_option("--preset", t.preset, "Parameters from a TOML file")->type_name("FILE");
  app.add_option("--pipeline", t.pipeline,
                 "Parameters from a pipeline.yaml of zea; others than those of this program are listed")
      ->type_name("F.yaml");
  app.add_option(
         "--method", t.method.name,
         "Own method of image formation: a C++ file, compiled for the GPU or the CPU, and again at every save (see "
         "echoloop method --new); or a function of a Python program that runs (el.method)")
      ->type_name("F.h|python:NAME");
  add_number(app, "--wait-method", t.method.wait_s, "Wait S seconds at most for the method python:NAME (default 10)")
      ->type_name("S");
  add_number(app, "--method-limit-ms", t.method.limit_ms,
             "Answers of the method python:NAME later than MS milliseconds are not used, 1 to 600000 (default 200; "
             "10000 with --policy block)")
      ->type_name("MS");
  app.add_option("--set", t.sets,
                 "Parameter, or property missing in the file (center_hz, frame_rate_hz, ...), in SI units; repeatable")
      ->type_name("KEY=VALUE,...");
  app.add_option("--description", t.description,
                 "Open the recording with this description, whatever lies beside it: JSON text or a file "
                 "(describe --help lists all keys)")
      ->type_name("F.json|{...}");
  app.add_flag("--list-params", t.list_params, "Print all parameters with unit, range and description");
  app.add_option("--grid", t.grid, "Pixel grid X0:X1:NX,Z0:Z1:NZ in millimetres, end points included")
      ->type_name("GRID");
}

void add_compare_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_option("--lesson", o.lesson, "Lesson: JSON of steps with checks; headless: runs and marks each step")
      ->type_name("F.json");
  app.add_option("--answers", o.answers, "Answers to --lesson: settings by step; without: the lesson's own solutions")
      ->type_name("G.json");
  app.add_option("--compare", t.compare,
                 "Image A beside the run's image B in --figure and --measurements: another recording or phantom, or "
                 "B's frame with the parameters of a preset (.toml) or of a session")
      ->type_name("SOURCE|F.toml|F.json");
  app.add_option("--compare-set", t.compare_sets,
                 "Parameters of A in place of B's, and properties of its recording; repeatable")
      ->type_name("KEY=VALUE,...");
  add_number(app, "--compare-frame", o.compare.frame,
             "Frame of A's recording, from 1 (default: the one acquired at the time of B's)")
      ->type_name("N");
  app.add_option("--compare-layout", t.figure.layout,
                 "Of the figure: side-by-side (default), or wipe: A left of the middle of B's image, or of x = MM")
      ->type_name("side-by-side|wipe[=MM]");
  app.add_flag("--match-levels", o.compare.match_levels,
               "In the figure, draw B with the histogram of A's levels: only the order of brightness then differs");
}

void add_figure_options(CLI::App& app, OptionTexts& t) {
  add_number(app, "--figure-width", t.figure.width_mm, "Width of the figure, mm (default 170)")->type_name("MM");
  add_number(app, "--figure-scale", t.figure.mm_per_cm, "Scale of the figure's image, mm per cm, instead of its width")
      ->type_name("MM");
  add_number(app, "--figure-pixels", t.figure.pixels,
             "Pixels of a step of the image's grid, 1 to 4, instead of its width, at 96 dots per inch")
      ->type_name("N");
  add_number(app, "--figure-dpi", t.figure.dpi, "Resolution of the figure, dots per inch (default 300)")
      ->type_name("N");
  app.add_flag("--figure-dark", t.figure.dark, "Dark ground of the figure in place of white");
  app.add_flag("--method-source", t.method.source,
               "Source of the method beside the last image's files, as NAME.method.h or NAME.method.py");
}

void add_output_options(CLI::App& app, Options& o, OptionTexts& t) {
  for (const OutputRow& row : output_rows()) {
    const std::string_view option = row.option;
    app.add_option(row.option, o.files[option], row.help)->type_name(row.type_name);
    if (option == "--images-out") {
      app.add_option("--images-type", t.image_values,
                     "Values of --images-out: float32 dB (default), or uint8, 0 to 255 over the dynamic range below "
                     "0 dB")
          ->type_name("float32|uint8");
    } else if (option == kRecordOption) {
      app.add_option("--record-format", t.record_format, "Layout of --record (default: by the ending of its name)")
          ->type_name("auto|uff|zea");
    } else if (option == "--figure") {
      add_figure_options(app, t);
      add_compare_options(app, o, t);
    } else if (option == "--video") {
      app.add_option("--marks", o.marks,
                     "Marks to measure: the .json beside a saved image, a session, or any JSON object with such an "
                     "array named marks")
          ->type_name("F.json");
    }
  }
}

void add_outlet_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_flag("--tap{default}", o.tap,
               "Let programs of this user read images, complex pixels and results of analyses through the socket "
               "NAME.tap beside those of senders (default: default)")
      ->type_name("[=NAME]");
  add_number(app, "--tap-wait", o.tap_wait_s, "Start the stream when a program reads, after S seconds at the latest")
      ->type_name("S");
  app.add_flag("--igtl{18944}", t.igtl.port,
               "Send the newest image, at most 60/s, to OpenIGTLink clients such as 3D Slicer (port; default 18944)")
      ->type_name("[PORT]");
  app.add_option("--igtl-address", o.igtl_address,
                 "Address of --igtl: 127.0.0.1, for programs of this machine (default); 0.0.0.0, for all")
      ->type_name("IPV4");
  app.add_option("--igtl-values", t.igtl.values,
                 "Values of --igtl: float32 dB (default), or uint8, as on screen, in RGB with colour flow")
      ->type_name("float32|uint8");
}

void add_window_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_flag("--interop,!--no-interop", o.interop, "CUDA-OpenGL interop where available (default)");
  app.add_flag("--motion,!--no-motion", o.motion,
               "Zoom and panels move in 120 ms, unless switched off in F1 (default)");
  add_number(app, "--scale", o.ui_scale, "Scale of the user interface, 0.75 to 3; 0 = automatic")->type_name("S");
  app.add_flag("--kiosk{60}", t.kiosk,
               "Unattended display: resets everything after S seconds without input (default 60); no opening, saving, "
               "recording, deleting, and quitting only by a signal")
      ->type_name("[S]");
  app.add_flag("--control{default}", o.control,
               "Let programs of this user control the run through the socket NAME.control beside those of senders "
               "(JSON-RPC; default: default)")
      ->type_name("[=NAME]");
  add_number(app, "--width", o.width, "Window width, pixels")->type_name("N");
  add_number(app, "--height", o.height, "Window height, pixels")->type_name("N");
  app.add_flag("--json", o.json, "With info: output as JSON");
  app.add_flag("--version", t.version, "Print the version");
}

constexpr auto kInfoOptions = std::to_array<std::string_view>(
    {"--help", "--set", "--description", "--json", "--doubts", "--strict", "--unsandboxed"});
constexpr auto kFileOptions = std::to_array<std::string_view>({"--help", "--unsandboxed"});
constexpr auto kRenderOptions = std::to_array<std::string_view>(
    {"--help",     "--headless",    "--out",         "--iq",     "--root",         "--part",       "--frames",
     "--duration", "--backend",     "--device",      "--recipe", "--preset",       "--pipeline",   "--method",
     "--set",      "--grid",        "--images-type", "--marks",  "--measurements", "--slots",      "--lanes",
     "--streams",  "--host-memory", "--copy",        "--doubts", "--strict",       "--unsandboxed"});

constexpr auto kCommands = std::to_array<CommandWord>({
    {"info", Command::info, "Describe a recording.", "echoloop info FILE [--json]", kInfoOptions},
    {"describe", Command::describe,
     "Arrays of a file, and a JSON description to complete (describe --help lists all keys).", "echoloop describe FILE",
     kFileOptions},
    {"repair", Command::repair, "Complete a recording that a killed program has left.", "echoloop repair F.uff.partial",
     kFileOptions},
    {"send",
     Command::send,
     "Send frames to a viewer that waits for a scanner.",
     "echoloop send SOURCE --to ADDRESS",
     {}},
    {"render", Command::render,
     "Images, and with --iq complex pixels, of recordings and of folders of recordings: DIR/NAME.npy with all images "
     "of NAME ([frame][nz][nx], float32 dB), metadata in NAME.json, and the report of the run in NAME.report.json; "
     "with --marks and --measurements one table of all marks on the last image of each. Complete ones are skipped. "
     "Several "
     "runs may share DIR: each recording is made by one of them.",
     "echoloop render FILE... --out DIR", kRenderOptions},
    {"method",
     Command::method,
     "Write the file of an own method of image formation, or list the examples.",
     "echoloop method --new F.h | --list",
     {}},
    {"bench", Command::bench, "Measure the speed of this machine.", "echoloop bench [CASE...]", {}},
});

// Returns one line per command: the first clause of its help.
std::string commands_help() {
  std::string text = "\nCommands:\n";
  for (const CommandWord& command : kCommands)
    text += fmt::format("  {:<36}{}\n", command.usage, command.help.substr(0, command.help.find_first_of(".:")));
  return text;
}

bool takes(const CommandWord& command, const CLI::Option& option) {
  return option.get_positional() || std::ranges::any_of(command.options, [&](std::string_view name) {
           return option.check_name(std::string(name));
         });
}

}  // namespace

const CommandWord* find_command(std::string_view word) {
  const auto found = std::ranges::find(kCommands, word, &CommandWord::word);
  return found == kCommands.end() ? nullptr : &*found;
}

void describe_command(CLI::App& app, const CommandWord& command) {
  app.name("echoloop " + std::string(command.word));
  app.description(std::string(command.help));
  app.footer("");
  for (CLI::Option* const option : app.get_options())
    if (!takes(command, *option)) option->group("");
}

void require_of_command(const CLI::App& app, const CommandWord& command) {
  for (const CLI::Option* const option : app.get_options()) {
    if (option->count() > 0 && !takes(command, *option))
      throw Error(std::string(command.word), "found " + option->get_name(),
                  "the options of echoloop " + std::string(command.word) + " --help");
  }
}

void add_options(CLI::App& app, Options& o, OptionTexts& t) {
  add_run_options(app, o, t);
  add_stream_options(app, o, t);
  add_parameter_options(app, t);
  add_output_options(app, o, t);
  add_outlet_options(app, o, t);
  add_window_options(app, o, t);
  app.footer(phantom_help() + commands_help() + "\nA file named 'info' opens as ./info.");
}

namespace {

bool is_live(const Options& o) { return std::string_view(o.source).starts_with(kLivePrefix); }
bool reads_file(const Options& o) {
  const std::string& other = o.compare.source;
  return o.command != Command::view || is_file_source(o.source) || (!other.empty() && is_file_source(other));
}

constexpr OptionNeed kNothing{};
constexpr OptionNeed kHeadless{"--headless", [](const Options& o) { return o.headless; }};
constexpr OptionNeed kWindow{"a window", [](const Options& o) { return !o.headless; }};
constexpr OptionNeed kScreen{"a window or --screenshot",
                             [](const Options& o) { return !o.headless || !o.files["--screenshot"].empty(); }};
// A window may open other sources later.
constexpr OptionNeed kRecording{
    "a recording", [](const Options& o) { return is_file_source(o.source) || (!o.headless && !is_live(o)); }};
constexpr OptionNeed kFile{"a recording", [](const Options& o) { return !o.headless || reads_file(o); }};
constexpr OptionNeed kScanner{"a scanner (live:)", [](const Options& o) { return !o.headless || is_live(o); }};
constexpr OptionNeed kFigure{"--figure", [](const Options& o) { return !o.files["--figure"].empty(); }};
constexpr OptionNeed kImages{
    "--images-out", [](const Options& o) { return !o.files["--images-out"].empty() || o.command == Command::render; }};
constexpr OptionNeed kRecord{"--record", [](const Options& o) { return !o.files[kRecordOption].empty(); }};
constexpr OptionNeed kTap{"--tap and --headless", [](const Options& o) { return !o.tap.empty() && o.headless; }};
constexpr OptionNeed kPython{"--method python:NAME", [](const Options& o) { return !o.python_method.empty(); }};
constexpr OptionNeed kSourceOfMethod{
    "--method and --image-out, --png, --png16 or --figure", [](const Options& o) {
      return loaded_own_method() != nullptr &&
             std::ranges::any_of(kImageFiles, [&](const char* option) { return !o.files[option].empty(); });
    }};
constexpr OptionNeed kIgtl{"--igtl", [](const Options& o) { return o.igtl_port.has_value(); }};
constexpr OptionNeed kMarks{"--marks, a session or --method python:NAME", [](const Options& o) {
                              return !o.marks.empty() || o.session != nullptr || !o.python_method.empty();
                            }};
constexpr OptionNeed kUseOfMarks{
    "--measurements, --figure, --screenshot, --find-sound-speed or a window", [](const Options& o) {
      return !o.headless || !o.files["--measurements"].empty() || !o.files["--figure"].empty() ||
             !o.files["--screenshot"].empty() || !o.files["--find-sound-speed"].empty();
    }};
constexpr OptionNeed kPairOfImages{"--headless and --figure or --measurements", [](const Options& o) {
                                     return o.headless &&
                                            (!o.files["--figure"].empty() || !o.files["--measurements"].empty());
                                   }};
constexpr OptionNeed kOtherRecording{"--compare with a recording",
                                     [](const Options& o) { return !o.compare.source.empty(); }};
constexpr OptionNeed kPairInFigure{"--figure and --compare or --compare-set",
                                   [](const Options& o) { return !o.files["--figure"].empty() && o.compare.wanted(); }};
constexpr OptionNeed kNoKiosk{"no --kiosk", [](const Options& o) { return o.kiosk_idle_s == 0.0; }};
constexpr OptionNeed kMarkedLesson{"--lesson and --headless",
                                   [](const Options& o) { return o.headless && !o.lesson.empty(); }};
constexpr OptionNeed kInfo{"info", [](const Options& o) { return o.command == Command::info; }};

// Every option of add_options() except those of output_rows(); a flag with an opposite by its first name.
constexpr auto kRows = std::to_array<OptionNeedRow>({
    {"--headless", kNothing},
    {"--doubts", kNothing},
    {"--strict", kFile, WithoutNeed::said},
    {"--unsandboxed", kFile, WithoutNeed::said},
    {"--frames", kNothing},
    {"--duration", kNothing},
    {"--backend", kNothing},
    {"--device", kNothing},
    {"--recipe", kNothing},
    {"--rate", kNothing},
    {"--loop", kRecording, WithoutNeed::said},
    {"--policy", kNothing},
    {"--pace", kNothing},
    {"--inject", kNothing},
    {"--history-mb", kNothing},
    {"--slots", kNothing},
    {"--lanes", kNothing},
    {"--streams", kNothing},
    {"--host-memory", kNothing},
    {"--copy", kNothing},
    {"--lesson", kNothing},
    {"--answers", kMarkedLesson},
    {"--frame-wait", kScanner, WithoutNeed::said},
    {"--preset", kNothing},
    {"--pipeline", kNothing},
    {"--set", kNothing},
    {"--method", kNothing},
    {"--wait-method", kPython},
    {"--method-limit-ms", kPython},
    {"--method-source", kSourceOfMethod},
    {"--description", kFile},
    {"--list-params", kNothing},
    {"--grid", kNothing},
    {"--images-type", kImages},
    {"--record-format", kRecord},
    {"--figure-width", kFigure},
    {"--figure-scale", kFigure},
    {"--figure-pixels", kFigure},
    {"--figure-dpi", kFigure},
    {"--figure-dark", kFigure},
    {"--compare", kPairOfImages},
    {"--compare-set", kPairOfImages},
    {"--compare-frame", kOtherRecording},
    {"--compare-layout", kPairInFigure},
    {"--match-levels", kPairInFigure},
    {"--marks", kUseOfMarks},
    {"--interop", kScreen, WithoutNeed::said},
    {"--motion", kScreen, WithoutNeed::said},
    {"--scale", kScreen, WithoutNeed::said},
    {"--kiosk", kWindow},
    {"--control", kNothing},
    {"--tap", kNothing},
    {"--tap-wait", kTap},
    {"--igtl", kNothing},
    {"--igtl-address", kIgtl},
    {"--igtl-values", kIgtl},
    {"--width", kScreen, WithoutNeed::said},
    {"--height", kScreen, WithoutNeed::said},
    {"--json", kInfo},
    {"--version", kNothing},
});

constexpr std::array kOutputNeeds{kNothing, kHeadless, kNoKiosk, kMarks};  // by OutputNeed

}  // namespace

std::span<const OptionNeedRow> option_needs() {
  static const std::vector<OptionNeedRow> kAll = [] {
    std::vector<OptionNeedRow> all(kRows.begin(), kRows.end());
    for (const OutputRow& row : output_rows())
      all.push_back({row.option, kOutputNeeds[static_cast<std::size_t>(row.need)]});
    return all;
  }();
  return kAll;
}

void require_needs(const CLI::App& app, Options& options) {
  for (const CLI::Option* const given : app.get_options()) {
    const std::string option = given->get_name();
    const auto row = std::ranges::find(option_needs(), std::string_view(option), &OptionNeedRow::option);
    if (given->count() == 0 || row == option_needs().end()) continue;
    if (row->need.is_met == nullptr || row->need.is_met(options)) continue;
    const std::string needs(row->need.text);
    if (row->without == WithoutNeed::said) {
      options.warnings.push_back(option + ": no effect without " + needs);
      continue;
    }
    if (needs.starts_with("no ")) throw Error(option, "found with " + needs.substr(3), option + " without it");
    throw Error(option, "no effect without " + needs, needs + ", or no " + option);
  }
}

}  // namespace echoloop
