// Every option of the viewer's command line, with the help that --help prints, in its order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"

namespace CLI {
class App;
}

namespace echoloop {

// Options that need a second look after CLI11 has read them: as they were typed.
struct OptionTexts {
  std::string policy, memory, streams, frame_wait, backend, rate, recipe, grid, preset, inject, image_values, kiosk,
      description, compare;
  std::optional<double> history_mb;
  struct {
    std::optional<double> width_mm, mm_per_cm;  // of the whole figure; or of the image plane
    int pixels = 0;                             // of a grid step; 0: not given
    double dpi = 300.0;
    bool dark = false;
    std::string layout;  // of A and B
  } figure;
  std::vector<std::string> sets, compare_sets;
  bool list_params = false;
  bool version = false;
};

// Parsing then fills `options` and `texts`, which must live as long as `app`.
void add_options(CLI::App& app, Options& options, OptionTexts& texts);

// What an option needs to have an effect.
struct OptionNeed {
  std::string_view text = {};                // "--figure"; "no --kiosk"
  bool (*is_met)(const Options&) = nullptr;  // null: nothing is needed
};
// An option without what it needs is refused; where every output of the run stays the same, only a line says so.
enum class WithoutNeed { refused, said };
struct OptionNeedRow {
  std::string_view option;
  OptionNeed need;
  WithoutNeed without = WithoutNeed::refused;
};
std::span<const OptionNeedRow> option_needs();              // one of every option
void require_needs(const CLI::App& app, Options& options);  // throws Error; adds to Options::warnings

// A word before the source that does something else than view it; `bench` and `send` have options of their own.
struct CommandWord {
  std::string_view word;
  Command command;
  std::string_view help, usage;
  std::span<const std::string_view> options;  // of add_options(): those that it takes
};
const CommandWord* find_command(std::string_view word);  // nullptr: none
// The help of a command: its own text, and of the options those that it takes.
void describe_command(CLI::App& app, const CommandWord& command);
void require_of_command(const CLI::App& app, const CommandWord& command);  // throws Error: other options were given

}  // namespace echoloop
