#include "app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>

#include "app/option_text.h"
#include "app/preset.h"
#include "core/error.h"
#include "core/param_table.h"
#include "core/units.h"

namespace echoloop {
namespace {

struct GridAxis {
  double first_m, last_m;
  int n;
};

GridAxis parse_axis(const std::string& text, const std::string& whole) {
  const std::string rule =
      "X0:X1:NX,Z0:Z1:NZ in millimetres, X0 < X1, Z0 < Z1, 1 to " + std::to_string(kMaxGridSide) + " pixels a side";
  const std::size_t a = text.find(':');
  const std::size_t b = a == std::string::npos ? a : text.find(':', a + 1);
  if (b == std::string::npos) throw Error("--grid", "found '" + whole + "'", rule);
  const std::string_view view = text;
  const double first = parse_number(view.substr(0, a), "--grid", rule);
  const double last = parse_number(view.substr(a + 1, b - a - 1), "--grid", rule);
  const double n = parse_number(view.substr(b + 1), "--grid", rule);
  if (!(first < last) || n != std::floor(n) || n < 1 || n > kMaxGridSide)
    throw Error("--grid", "found '" + whole + "'", rule);
  return {first * kMetresPerMillimetre, last * kMetresPerMillimetre, static_cast<int>(n)};
}

void add_grid(std::vector<std::string>& settings, const std::string& text) {
  const std::size_t comma = text.find(',');
  const GridAxis x = parse_axis(text.substr(0, comma), text);
  const GridAxis z = parse_axis(comma == std::string::npos ? "" : text.substr(comma + 1), text);
  settings.push_back("grid_kind=cartesian");
  // 17 digits bring every double back as it was.
  settings.push_back(fmt::format("lateral_min_m={:.17g}", x.first_m));
  settings.push_back(fmt::format("lateral_max_m={:.17g}", x.last_m));
  settings.push_back(fmt::format("grid_nx={}", x.n));
  settings.push_back(fmt::format("depth_min_m={:.17g}", z.first_m));
  settings.push_back(fmt::format("depth_max_m={:.17g}", z.last_m));
  settings.push_back(fmt::format("grid_nz={}", z.n));
}

double parse_rate(const std::string& text) {
  if (text == "max") return kRateMax;
  const double rate = parse_number(text, "--rate", "max, or frames a second above 0 up to 1000000");
  if (rate <= 0.0 || rate > 1e6)
    throw Error("--rate", "found '" + text + "'", "max, or frames a second above 0 up to 1000000");
  return rate;
}

std::string injection_help() {
  std::string text = "Faults on purpose:";
  for (const InjectionSpec& spec : injection_specs()) {
    text += fmt::format(" {} [{}]", spec.key, spec.unit);
  }
  return text;
}

void check_ranges(const Options& o) {
  if (o.stream.slots < kMinSlots || o.stream.slots > kMaxSlots) {
    throw Error("--slots", "found " + std::to_string(o.stream.slots), fmt::format("{} to {}", kMinSlots, kMaxSlots));
  }
  if (!(o.stream.pace_ms >= 0.0 && o.stream.pace_ms <= 10'000.0)) {
    throw Error("--pace", fmt::format("found {:g}", o.stream.pace_ms), "0 to 10000 ms");
  }
  if (o.stream.lanes < 1 || o.stream.lanes > kMaxLanes) {
    throw Error("--lanes", "found " + std::to_string(o.stream.lanes), fmt::format("1 to {}", kMaxLanes));
  }
  if (o.width < 64 || o.width > 16384 || o.height < 64 || o.height > 16384) {
    throw Error("--width, --height", fmt::format("found {} x {}", o.width, o.height), "64 to 16384 pixels");
  }
  if (o.duration_s < 0.0 || !std::isfinite(o.duration_s))
    throw Error("--duration", "a negative time", "seconds above 0");
}

}  // namespace

Options parse_command_line(int argc, char** argv) {
  Options o;
  std::string policy, memory, streams, backend, rate, recipe, grid, preset, inject;
  double history_mb = 0.0;
  std::int64_t n_frames = 0;  // signed: CLI11 reads "-3" as a huge unsigned number
  std::vector<std::string> sets;
  bool list_params = false, version = false;
  CLI::App app("Echoloop: a viewer for live ultrasound cineloops.\nResearch use, not a medical device.", "echoloop");
  app.add_option("source", o.source, "A recording, or sim:points, sim:cyst, sim:flow, sim:heart (default)");
  app.add_flag("--headless", o.headless, "No window; the same pipeline, for the limits given below");
  const auto* frames = app.add_option("--frames", n_frames, "Stop after N processed frames")->type_name("N");
  const auto* duration = app.add_option("--duration", o.duration_s, "Stop after S seconds")->type_name("S");
  app.add_option("--backend", backend, "auto, cuda or cpu");
  app.add_option("--recipe", recipe, "analytic or course");
  app.add_option("--rate", rate, "Frames a second, or max")->type_name("HZ");
  app.add_flag("--loop,!--no-loop", o.stream.loop, "Start a recording again at its end (default)");
  app.add_option("--policy", policy, "When all slots are in use: block, error, drop-oldest, drop-newest");
  app.add_option("--pace", o.stream.pace_ms, "The source rests so many ms after each frame")->type_name("MS");
  app.add_option("--inject", inject, injection_help())->type_name("KEY=VALUE,...");
  const auto* history = app.add_option("--history-mb", history_mb,
                                       "Memory for looking back, MB; default: a quarter of what is free, at "
                                       "most 4000; without a window: 0")
                            ->type_name("MB");
  app.add_option("--slots", o.stream.slots, "Slots of the ring, 2 to 64")->type_name("N");
  app.add_option("--lanes", o.stream.lanes, "Frames in flight, 1 to 4")->type_name("N");
  app.add_option("--streams", streams, "overlap or serial");
  app.add_option("--host-memory", memory, "pageable, pinned, write-combined or mapped");
  app.add_option("--preset", preset, "Parameters from a TOML file")->type_name("FILE");
  app.add_option("--set", sets,
                 "A parameter, or what the file does not say (center_hz, frame_rate_hz, ...), in SI units; repeatable")
      ->type_name("KEY=VALUE");
  app.add_flag("--list-params", list_params, "All parameters with unit, range and meaning");
  app.add_option("--grid", grid, "Pixels, X0:X1:NX,Z0:Z1:NZ in millimetres, end points included")->type_name("GRID");
  app.add_option("--image-out", o.image_out, "Last image: float32 dB [nz][nx], with a .json beside it")
      ->type_name("F.npy");
  app.add_option("--flow-out", o.flow_out,
                 "Last flow picture: float32 [2][nz][nx], power in dB and velocity in m/s (positive: towards the "
                 "probe), with a .json beside it; needs --set flow=power, velocity or low_rank (then [3], the newest "
                 "frame from the kept components in dB)")
      ->type_name("F.npy");
  app.add_option("--structure-out", o.structure_out,
                 "Last picture's background level and objects (area, place, mean level), with their labels in a .npy "
                 "beside it: int32 [nz][nx]; needs --set structure=bright or dark")
      ->type_name("F.json");
  app.add_option("--sonogram-out", o.sonogram_out,
                 "The gate's newest 2048 spectra: float32 dB [column][velocity], with time and velocity axes, envelope "
                 "and mean in a .json beside it; needs --set gate=on")
      ->type_name("F.npy");
  app.add_option("--png", o.png, "Last image as displayed, 8 bit")->type_name("F.png");
  app.add_option("--png16", o.png16, "Last image's levels, 16 bit gray: the dynamic range below 0 dB on 0 to 65535")
      ->type_name("F.png");
  app.add_option("--screenshot", o.screenshot, "The whole window")->type_name("F.png");
  app.add_option("--video", o.video,
                 "Film of every processed picture (with a window: of those that encoding can follow) with scale and "
                 "caption, .mp4, .webm or .mkv; plays at the recording's frame rate, slower above 60 Hz")
      ->type_name("F.mp4");
  app.add_option("--record", o.record, "Every frame from the start to the end, raw, as UFF (HDF5)")->type_name("F.uff");
  app.add_option("--report", o.report, "What happened, as JSON")->type_name("F.json");
  app.add_option("--trace", o.trace, "The newest 16384 timed spans as a Chrome/Perfetto trace")->type_name("F.json");
  app.add_option("--csv", o.csv, "The newest 16384 timed spans: frame,stage,lane,start_ns,end_ns")->type_name("F.csv");
  app.add_flag("--interop,!--no-interop", o.interop, "CUDA-OpenGL interop where it works (default)");
  app.add_option("--scale", o.ui_scale, "Size of the interface; 0 = the monitor's")->type_name("S");
  app.add_option("--width", o.width, "Window width, pixels");
  app.add_option("--height", o.height, "Window height, pixels");
  app.add_flag("--json", o.json, "info: as JSON");
  app.add_flag("--version", version, "Version in one line");
  app.footer(
      "Phantoms take settings: sim:NAME,probe=L128,angles_deg=-10/0/10,noise_db=-30,attenuation_db_cm_mhz=0.3,\n"
      "rate_hz=100,sound_speed_m_s=1480,seed=7; sim:flow also peak_mm_s=20,pulsation=0,angle_deg=15,radius_mm=2.6,\n"
      "motion_mm_s=5 (blood on the axis; 0 = steady; vessel downwards to the right; tissue, up and down once a "
      "second)\n\nCommands:\n  echoloop info FILE [--json]   what a recording "
      "holds\n  echoloop bench [CASE...]      how fast this machine is\n\nA file named 'info' opens as ./info.");

  // `info` is a word before the source, not an option: take it out first.
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "bench") return parse_bench({words.begin() + 1, words.end()});
  if (!words.empty() && words.front() == "info") {
    o.command = Command::info;
    words.erase(words.begin());
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    o.command = Command::help;
    o.help = app.help();
    return o;
  } catch (const CLI::ParseError& error) {
    throw Error("command line", error.what(), "the options of echoloop --help");
  }
  o.source_given = app.count("source") > 0;
  o.size_given = app.count("--width") + app.count("--height") > 0;
  // An option with an empty value (an unset variable in a script) must not pass for one that was not given.
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) throw Error(option->get_name(), "found an empty value", "a value, or no such option");
    }
  }
  if (o.command == Command::info && !o.source_given) throw Error("info", "found no file", "echoloop info FILE");
  if (version) o.command = Command::version;
  if (list_params) o.command = Command::list_params;
  if (frames->count() > 0 && n_frames <= 0)
    throw Error("--frames", "found " + std::to_string(n_frames), "a whole number above 0");
  o.frames = static_cast<std::uint64_t>(n_frames);
  if (duration->count() > 0 && o.duration_s == 0.0) throw Error("--duration", "found 0", "seconds above 0");
  if (!policy.empty()) o.stream.policy = static_cast<RingPolicy>(index_of(kPolicyNames, "--policy", policy));
  if (!memory.empty())
    o.stream.host_memory = static_cast<HostMemory>(index_of(kHostMemoryNames, "--host-memory", memory));
  if (!streams.empty()) o.stream.streams = static_cast<StreamMode>(index_of(kStreamModeNames, "--streams", streams));
  if (!backend.empty()) o.backend = backend_choice(backend);
  if (!inject.empty()) o.stream.inject = parse_injection(inject);
  if (history->count() > 0) {
    if (!(history_mb >= 0.0 && history_mb <= 1e6)) {
      throw Error("--history-mb", fmt::format("found {:g}", history_mb), "0 to 1000000");
    }
    o.history_bytes = static_cast<std::size_t>(history_mb * 1e6);
  }
  if (!rate.empty()) o.stream.rate_hz = parse_rate(rate);
  if (!preset.empty()) o.settings = preset_settings(read_preset(preset));
  if (!recipe.empty()) o.settings.push_back("recipe=" + recipe);
  if (!grid.empty()) add_grid(o.settings, grid);
  o.facts = take_facts(sets);
  o.settings.insert(o.settings.end(), sets.begin(), sets.end());
  check_ranges(o);
  return o;
}

ImagingParams apply_settings(const ImagingParams& defaults, const std::vector<std::string>& settings) {
  ImagingParams params = defaults;
  for (const std::string& setting : settings) set_from_text(params, setting);
  return params;
}

}  // namespace echoloop
