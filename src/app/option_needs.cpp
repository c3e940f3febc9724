#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "app/opening/source_kinds.h"
#include "app/option_list.h"
#include "core/error.h"
#include "history/file_sinks.h"
#include "source/live/live_address.h"

namespace echoloop {
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
                             [](const Options& o) { return !o.headless || !o.screenshot.empty(); }};
// A window may open other sources later.
constexpr OptionNeed kRecording{
    "a recording", [](const Options& o) { return is_file_source(o.source) || (!o.headless && !is_live(o)); }};
constexpr OptionNeed kFile{"a recording", [](const Options& o) { return !o.headless || reads_file(o); }};
constexpr OptionNeed kScanner{"a scanner (live:)", [](const Options& o) { return !o.headless || is_live(o); }};
constexpr OptionNeed kFigure{"--figure", [](const Options& o) { return !o.figure.empty(); }};
constexpr OptionNeed kImages{"--images-out",
                             [](const Options& o) { return !o.images_out.empty() || o.command == Command::render; }};
constexpr OptionNeed kMarks{"--marks or a session",
                            [](const Options& o) { return !o.marks.empty() || o.session != nullptr; }};
constexpr OptionNeed kUseOfMarks{"--measurements, --figure, --screenshot, --find-sound-speed or a window",
                                 [](const Options& o) {
                                   return !o.headless || !o.measurements.empty() || !o.figure.empty() ||
                                          !o.screenshot.empty() || !o.find_sound_speed.empty();
                                 }};
constexpr OptionNeed kPairOfImages{"--headless and --figure or --measurements", [](const Options& o) {
                                     return o.headless && (!o.figure.empty() || !o.measurements.empty());
                                   }};
constexpr OptionNeed kOtherRecording{"--compare with a recording",
                                     [](const Options& o) { return !o.compare.source.empty(); }};
constexpr OptionNeed kPairInFigure{"--figure and --compare or --compare-set",
                                   [](const Options& o) { return !o.figure.empty() && o.compare.wanted(); }};
constexpr OptionNeed kNoKiosk{"no --kiosk", [](const Options& o) { return o.kiosk_idle_s == 0.0; }};
constexpr OptionNeed kInfo{"info", [](const Options& o) { return o.command == Command::info; }};

// Every option of add_options(); a flag with an opposite by its first name.
constexpr auto kRows = std::to_array<OptionNeedRow>({
    {"--headless", kNothing},
    {"--unsandboxed", kFile, WithoutNeed::said},
    {"--frames", kNothing},
    {"--duration", kNothing},
    {"--backend", kNothing},
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
    {"--frame-wait", kScanner, WithoutNeed::said},
    {"--preset", kNothing},
    {"--set", kNothing},
    {"--description", kFile},
    {"--list-params", kNothing},
    {"--grid", kNothing},
    {"--image-out", kNothing},
    {"--images-out", kHeadless},
    {"--iq-out", kHeadless},
    {"--images-type", kImages},
    {"--flow-out", kNothing},  // needs parameters: history/analysis_files.h
    {"--structure-out", kNothing},
    {"--sonogram-out", kNothing},
    {"--png", kNothing},
    {"--png16", kNothing},
    {"--figure", kNothing},
    {"--figure-width", kFigure},
    {"--figure-scale", kFigure},
    {"--figure-pixels", kFigure},
    {"--figure-dpi", kFigure},
    {"--figure-dark", kFigure},
    {"--compare", kPairOfImages},
    {"--compare-set", kPairOfImages},
    {"--compare-frame", kOtherRecording},
    {"--match-levels", kPairInFigure},
    {"--screenshot", kNothing},
    {"--video", kNoKiosk},
    {"--marks", kUseOfMarks},
    {"--measurements", kMarks},
    {"--find-sound-speed", kNothing},
    {"--record", kNoKiosk},
    {"--raw-out", kHeadless},
    {"--report", kNothing},
    {"--trace", kNothing},
    {"--csv", kNothing},
    {"--interop", kScreen, WithoutNeed::said},
    {"--scale", kScreen, WithoutNeed::said},
    {"--kiosk", kWindow},
    {"--width", kScreen, WithoutNeed::said},
    {"--height", kScreen, WithoutNeed::said},
    {"--json", kInfo},
    {"--version", kNothing},
});

}  // namespace

std::span<const OptionNeedRow> option_needs() { return kRows; }

void require_needs(const CLI::App& app, Options& options) {
  for (const OptionNeedRow& row : kRows) {
    const std::string option(row.option);
    if (row.need.is_met == nullptr || app.count(option) == 0 || row.need.is_met(options)) continue;
    const std::string needs(row.need.text);
    if (row.without == WithoutNeed::said) {
      options.warnings.push_back(option + ": no effect without " + needs);
      continue;
    }
    if (needs.starts_with("no ")) throw Error(option, "found with " + needs.substr(3), option + " without it");
    throw Error(option, "no effect without " + needs, needs + ", or no " + option);
  }
}

}  // namespace echoloop
