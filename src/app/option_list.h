// Every option of the viewer's command line, with the text of --help, in its order.
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

// Options that need further parsing after CLI11: as typed.
struct OptionTexts {
  std::string policy, memory, streams, frame_wait, backend, rate, recipe, grid, preset, inject, image_values, kiosk,
      description, compare;
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
