#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/commands.h"
#include "app/lesson.h"
#include "app/opening/source_kinds.h"
#include "app/options/folders.h"
#include "app/options/options.h"
#include "app/options/preset.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/method_server.h"
#include "app/outputs/output_files.h"
#include "app/outputs/stored_maps.h"
#include "app/own_builder.h"
#include "app/session_file.h"
#include "backend/backend.h"
#include "backend/own_kernels.h"
#include "core/error.h"
#include "core/facts.h"
#include "core/param_table.h"
#include "core/units.h"
#include "formats/open_recording.h"
#include "gui/state/dock_list.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

struct GridAxis {
  double first_m, last_m;
  int n;
};

GridAxis parse_axis(const std::string& text, const std::string& whole) {
  const std::string rule =
      "X0:X1:NX,Z0:Z1:NZ in millimetres, X0 < X1, Z0 < Z1, 1 to " + std::to_string(kMaxGridSide) + " pixels per side";
  const std::size_t a = text.find(':');
  const std::size_t b = a == std::string::npos ? a : text.find(':', a + 1);
  if (b == std::string::npos) throw invalid_value("--grid", whole, rule);
  const std::string_view view = text;
  const double first = parse_number(view.substr(0, a), "--grid", rule);
  const double last = parse_number(view.substr(a + 1, b - a - 1), "--grid", rule);
  const double n = parse_number(view.substr(b + 1), "--grid", rule);
  if (!(first < last) || n != std::floor(n) || n < 1 || n > kMaxGridSide) throw invalid_value("--grid", whole, rule);
  return {first * kMetresPerMillimetre, last * kMetresPerMillimetre, static_cast<int>(n)};
}

void add_grid(std::vector<std::string>& settings, const std::string& text) {
  const std::size_t comma = text.find(',');
  const GridAxis x = parse_axis(text.substr(0, comma), text);
  const GridAxis z = parse_axis(comma == std::string::npos ? "" : text.substr(comma + 1), text);
  settings.push_back("grid_kind=cartesian");
  settings.push_back(fmt::format("lateral_min_m={}", x.first_m));
  settings.push_back(fmt::format("lateral_max_m={}", x.last_m));
  settings.push_back(fmt::format("grid_nx={}", x.n));
  settings.push_back(fmt::format("depth_min_m={}", z.first_m));
  settings.push_back(fmt::format("depth_max_m={}", z.last_m));
  settings.push_back(fmt::format("grid_nz={}", z.n));
}

double parse_rate(const std::string& text) {
  if (text == "max") return kRateMax;
  const double rate = parse_number(text, "--rate", "max, or a frame rate above 0 up to 1000000 Hz");
  if (rate <= 0.0 || rate > 1e6) throw out_of_range("--rate", text, "above 0 up to 1000000 Hz, or max");
  return rate;
}

void check_ranges(const Options& o, const OptionTexts& t, const CLI::App& app) {
  if (o.stream.slots < kMinSlots || o.stream.slots > kMaxSlots)
    throw out_of_range("--slots", std::to_string(o.stream.slots), fmt::format("{} to {}", kMinSlots, kMaxSlots));
  if (!(o.stream.pace_ms >= 0.0 && o.stream.pace_ms <= 10'000.0))
    throw out_of_range("--pace", fmt::format("{}", o.stream.pace_ms), "0 to 10000 ms");
  if (o.stream.lanes < 1 || o.stream.lanes > kMaxLanes)
    throw out_of_range("--lanes", std::to_string(o.stream.lanes), fmt::format("1 to {}", kMaxLanes));
  if (o.ui_scale != 0.0 && !(o.ui_scale >= 0.75 && o.ui_scale <= 3.0))
    throw out_of_range("--scale", fmt::format("{}", o.ui_scale), "0.75 to 3, or 0 for automatic");
  if (o.width < 64 || o.width > 16384 || o.height < 64 || o.height > 16384)
    throw out_of_range("--width x --height", fmt::format("{} x {}", o.width, o.height), "64 to 16384 pixels");
  if (t.figure.width_mm && !kFigureWidth_mm.holds(*t.figure.width_mm))
    throw out_of_range("--figure-width", fmt::format("{}", *t.figure.width_mm), "60 to 1000 mm");
  if (t.figure.mm_per_cm && !kFigureScale_mm_per_cm.holds(*t.figure.mm_per_cm))
    throw out_of_range("--figure-scale", fmt::format("{}", *t.figure.mm_per_cm), "1 to 200 mm per cm");
  if (app.count("--figure-pixels") > 0 && (t.figure.pixels < 1 || t.figure.pixels > 4))
    throw out_of_range("--figure-pixels", std::to_string(t.figure.pixels), "1 to 4");
  if (t.figure.width_mm && t.figure.mm_per_cm)
    throw Error("--figure-scale", "found together with --figure-width", "one of the two");
  for (const char* other : {"--figure-width", "--figure-scale", "--figure-dpi"})
    if (t.figure.pixels > 0 && app.count(other) > 0)
      throw Error("--figure-pixels", std::string("found together with ") + other, "one of the two");
  if (!kFigureDpi.holds(t.figure.dpi))
    throw out_of_range("--figure-dpi", fmt::format("{}", t.figure.dpi), "72 to 1200");
  if (app.count("--duration") > 0 && !(o.duration_s > 0.0))
    throw out_of_range("--duration", fmt::format("{}", o.duration_s), "seconds above 0");
}

// Reads --device; several only for render.
void take_device(Options& o, const std::string& text) {
  const bool render = o.command == Command::render;
  if (text.empty() || text == kListDevices || (render && text == "all")) return;
  std::vector<DeviceChoice> devices = {o.backend};
  if (text != "auto") devices.clear();
  for (std::size_t at = 0; text != "auto" && at <= text.size();) {
    const std::size_t comma = std::min(render ? text.find(',', at) : text.npos, text.size());
    DeviceChoice device = device_choice(text.substr(at, comma - at));
    if (o.backend.backend != BackendChoice::automatic) {
      if ((o.backend.backend == BackendChoice::cpu) != (device.backend == BackendChoice::cpu))
        throw Error("--device " + text, "--backend is given, too", "one of both");
      device.backend = o.backend.backend;
    }
    if (std::ranges::find(devices, device) != devices.end()) throw invalid_value("--device", text, "each device once");
    devices.push_back(device);
    at = comma + 1;
  }
  o.backend = devices.front();
  if (render) o.render_devices = std::move(devices);
}

// Reads typed options into values. `app` has the counts of the given options.
void take_stream(Options& o, const OptionTexts& t, const CLI::App& app) {
  StreamSettings& stream = o.stream;
  o.queue_given = o.session != nullptr || app.count("--policy") + app.count("--slots") + app.count("--rate") > 0;
  o.loop_given = app.count("--loop") > 0;
  if (!t.stream.policy.empty())
    stream.policy = static_cast<RingPolicy>(index_of(kPolicyNames, "--policy", t.stream.policy));
  if (!t.stream.memory.empty())
    stream.host_memory = static_cast<HostMemory>(index_of(kHostMemoryNames, "--host-memory", t.stream.memory));
  if (!t.stream.streams.empty())
    stream.streams = static_cast<StreamMode>(index_of(kStreamModeNames, "--streams", t.stream.streams));
  if (!t.stream.frame_wait.empty())
    stream.frame_wait = static_cast<FrameWait>(index_of(kFrameWaitNames, "--frame-wait", t.stream.frame_wait));
  if (!t.backend.empty()) o.backend = backend_choice(t.backend);
  take_device(o, t.device);
  if (!t.stream.inject.empty()) stream.inject = parse_injection(t.stream.inject);
  if (!t.stream.copy.empty()) stream.copy = parse_copy(t.stream.copy);
  if (t.history_mb) {
    if (!(*t.history_mb >= 0.0 && *t.history_mb <= 1e6))
      throw out_of_range("--history-mb", fmt::format("{}", *t.history_mb), "0 to 1000000");
    o.history_bytes = static_cast<std::size_t>(*t.history_mb * 1e6);
  }
  if (!t.stream.rate.empty()) stream.rate_hz = parse_rate(t.stream.rate);
}

void take_figure(Options& o, const OptionTexts& t) {
  FigureSize& size = o.figure_size;
  size.dpi = t.figure.dpi;
  if (t.figure.width_mm) size.value = *t.figure.width_mm;
  if (t.figure.mm_per_cm) size = {.by = FigureSizing::scale, .value = *t.figure.mm_per_cm, .dpi = t.figure.dpi};
  if (t.figure.pixels > 0)
    size = {.by = FigureSizing::factor, .value = static_cast<double>(t.figure.pixels), .dpi = kScreenDpi};
  if (t.figure.dark) o.figure_ground = PageGround::dark;
  const std::string& layout = t.figure.layout;
  constexpr std::string_view kWipe = "wipe";
  if (layout.starts_with("wipe="))
    size.wipe_mm = parse_number(layout.substr(kWipe.size() + 1), "--compare-layout", "wipe=MM, x in millimetres");
  else if (layout == kWipe)
    size.wipe_mm = std::nan("");
  else if (!layout.empty() && layout != "side-by-side")
    throw Error("--compare-layout", "'" + layout + "'", "side-by-side, wipe or wipe=MM");
}

void take_kiosk(Options& o, const OptionTexts& t) {
  if (t.kiosk.empty()) return;
  o.kiosk_idle_s = parse_number(t.kiosk, "--kiosk", "seconds from 1 to 86400");
  if (!(o.kiosk_idle_s >= 1.0 && o.kiosk_idle_s <= 86'400.0)) throw out_of_range("--kiosk", t.kiosk, "1 to 86400 s");
}

void take_igtl(Options& o, const OptionTexts& t) {
  if (!t.igtl.port.empty()) {
    const double port = parse_number(t.igtl.port, "--igtl", "a port from 0 (any) to 65535");
    if (!(port >= 0.0 && port <= 65535.0 && port == std::floor(port)))
      throw out_of_range("--igtl", t.igtl.port, "0 to 65535");
    o.igtl_port = static_cast<std::uint16_t>(port);
  }
  if (!t.igtl.values.empty())
    o.igtl_values = static_cast<ImageValues>(index_of(kImageValueNames, "--igtl-values", t.igtl.values));
}

// Joins an optional value to its option: `--kiosk 30` means `--kiosk=30`.
void join_optional(std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if ((words[i] != "--kiosk" && words[i] != "--igtl") || !finite_number(words[i + 1])) continue;
    words[i] += "=" + words[i + 1];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

// Splits KEY=VALUE,KEY=VALUE; a comma not followed by KEY= belongs to the value.
std::vector<std::string> split_sets(const std::vector<std::string>& given) {
  std::vector<std::string> sets;
  for (const std::string& text : given) {
    std::size_t begin = 0;
    for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
      const std::size_t equals = text.find('=', comma);
      if (equals == std::string::npos || text.find(',', comma + 1) < equals) continue;
      sets.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    sets.push_back(text.substr(begin));
  }
  return sets;
}

// Reads a preset; its values for its own probe follow when the source is open: settings_for().
void take_preset(const std::string& file, std::vector<std::string>& settings, ProbePreset& of_probe) {
  const auto preset = std::make_shared<const Preset>(read_preset(file));
  const std::vector<std::string> values = settings_of(preset->values);
  settings.insert(settings.end(), values.begin(), values.end());
  of_probe = {.preset = preset, .at = settings.size()};
}

// Reads --compare: a preset, or a session of the run's own source, gives parameters for B's frame.
void take_compare(Options& o, const OptionTexts& t) {
  CompareOptions& a = o.compare;
  if (std::filesystem::path(t.compare).extension() == ".toml") {
    o.settings_files.push_back(t.compare);
    take_preset(t.compare, a.settings, a.preset);
  } else if (is_session_file(t.compare)) {
    o.settings_files.push_back(t.compare);
    const SavedSession session = read_session(t.compare);
    a.settings = session.settings;
    if (session.source != o.source || session.facts != o.facts) {
      a.source = session.source;
      a.facts = session.facts;
      if (a.frame == 0) a.frame = session.frame + 1;
    }
  } else {
    a.source = without_last_separator(t.compare);
  }
  std::vector<std::string> sets = split_sets(t.compare_sets);
  const Facts facts = take_facts(sets);
  for (const auto& [key, value] : facts) a.facts[key] = value;
  if (a.source.empty() && !a.facts.empty())
    throw Error("--compare-set", "found " + a.facts.begin()->first + " without a recording of A",
                "properties of the recording of --compare");
  a.settings.insert(a.settings.end(), sets.begin(), sets.end());
}

// Returns the GPU for which own methods are compiled; where they cannot be, the CPU forms the images, aloud.
OwnTarget target_of_method(Options& o) {
  if (o.backend.backend == BackendChoice::automatic) {
    const bool any_gpu = !list_gpus().empty();
    const std::string why = any_gpu ? why_no_own_kernels() : "";
    if (!why.empty()) o.warnings.push_back("--method: images are formed by the CPU: " + why);
    o.backend.backend = any_gpu && why.empty() ? BackendChoice::cuda : BackendChoice::cpu;
  }
  if (o.backend.backend == BackendChoice::cpu) return std::nullopt;
  return std::max(o.backend.gpu, 0);
}

// Adds settings, of which later ones win: a session's, a preset's, a pipeline's, then --recipe and --grid, then --set.
void take_settings(Options& o, const OptionTexts& t) {
  o.method_source = t.method.source;
  if (t.method.limit_ms) {
    if (*t.method.limit_ms < 1.0 || *t.method.limit_ms > 600'000.0)
      throw out_of_range("--method-limit-ms", fmt::format("{:g}", *t.method.limit_ms), "1 to 600000 ms");
    o.method_limit_s = *t.method.limit_ms * 1e-3;
  }
  if (!t.method.name.empty()) {
    if (t.method.name.starts_with(kPythonMethod))
      take_python_method(o.python_method = t.method.name.substr(kPythonMethod.size()), t.method.wait_s);
    else
      take_own_method(t.method.name, target_of_method(o));
    o.settings.emplace_back("adaptive=own");
  }
  if (!t.preset.empty()) {
    o.settings_files.push_back(t.preset);
    take_preset(t.preset, o.settings, o.preset);
  }
  if (!t.pipeline.empty()) {
    PipelineSettings pipeline = read_pipeline(t.pipeline);
    o.settings_files.push_back(t.pipeline);
    for (const auto& [key, value] : take_facts(pipeline.set)) o.facts[key] = value;
    o.settings.insert(o.settings.end(), pipeline.set.begin(), pipeline.set.end());
    for (const std::string& name : pipeline.not_available)
      o.warnings.push_back(t.pipeline + ": not available: " + name);
  }
  if (!t.recipe.empty()) o.settings.push_back("recipe=" + t.recipe);
  if (!t.grid.empty()) add_grid(o.settings, t.grid);
  std::vector<std::string> sets = split_sets(t.sets);
  take_map_settings(sets, o.map);
  const Facts facts = take_facts(sets);
  for (const auto& [key, value] : facts) o.facts[key] = value;
  if (o.command == Command::info && !sets.empty())
    throw Error("info", "found --set " + sets.front(), "properties of the recording: center_hz, frame_rate_hz, ...");
  o.settings.insert(o.settings.end(), sets.begin(), sets.end());
}

// Sets the description used to open the recording: that of the option, otherwise of the session.
void take_description(const Options& o, const std::string& given) {
  constexpr const char* kAccepted = "a JSON description {...}, or a file with one";
  if (given.empty()) {
    if (o.session != nullptr) use_description(o.source, o.session->description);
    return;
  }
  if (!is_file_source(o.source)) throw Error("--description", "not available for " + o.source, "a recording");
  const bool text = given.starts_with('{');
  const std::string json = text ? given : read_small_file(given, 1, kAccepted);
  require_description(text ? "--description" : given, json);
  use_description(o.source, json);
}

// Returns a session's values as defaults of the command line.
Options options_of(const std::filesystem::path& file) {
  Options o;
  const auto session = std::make_shared<const SavedSession>(read_session(file));
  o.stream = session->stream;
  o.settings = session->settings;
  o.facts = session->facts;
  o.map = session->map;
  o.session = session;
  o.settings_files = {file};
  return o;
}

void take_lesson(Options& o) {
  if (o.lesson.empty()) return;
  if (o.source_given) throw Error("--lesson", "found together with the source " + o.source, "one of the two");
  o.source = read_lesson(o.lesson).source;
}

// `o`: the defaults.
Options parse_view(std::vector<std::string> words, Options o) {
  OptionTexts texts;
  CLI::App app("Echoloop: a viewer for live ultrasound cineloops.\nResearch use, not a medical device.", "echoloop");
  add_options(app, o, texts);
  // `info`, `repair`, `render` and `describe` are words before the source, not options: they are removed first.
  const std::vector<std::string> all = words;
  const CommandWord* const command = words.empty() ? nullptr : find_command(words.front());
  if (command != nullptr) {
    o.command = command->command;
    words.erase(words.begin());
  }
  if (o.command == Command::describe && std::ranges::find(words, "--help") != words.end()) {
    o.command = Command::help;
    o.help = description_help();
    return o;
  }
  std::string part;
  if (o.command == Command::render) {
    app.remove_option(app.get_option("source"));
    app.get_option("--device")
        ->description("all (default): every GPU, or else the CPU; or some by name: 0,2, cuda:1, cpu")
        ->type_name("D,...");
    app.add_option("source", o.render_files, "Recordings, and folders of recordings");
    app.add_option("--out", o.render_out, "Folder of the images")->type_name("DIR");
    app.add_flag("--iq", o.render_iq,
                 "Complex pixels too: DIR/NAME.iq.npy ([frame][nz][nx], complex64), metadata in NAME.iq.json");
    app.add_option("--root", o.render_root,
                   "Keep the folders of the recordings below ROOT: DIR/SUB/NAME.npy for ROOT/SUB/NAME.uff")
        ->type_name("ROOT");
    app.add_option("--part", part, "Every N-th recording of the sorted list, from the I-th on: one of N equal runs")
        ->type_name("I/N");
  }
  join_optional(words);
  if (!parse_words(app, words)) {
    if (command != nullptr) describe_command(app, *command);
    o.command = Command::help;
    o.help = app.help();
    return o;
  }
  o.source_given = app.count("source") > 0;
  o.source = without_last_separator(std::move(o.source));
  o.size_given = app.count("--width") + app.count("--height") > 0;
  if (o.session != nullptr)
    o.source = o.session->source;
  else if (o.source_given && o.command != Command::repair && o.command != Command::describe &&
           o.command != Command::render && is_session_file(o.source))
    return parse_view(all, options_of(o.source));
  if (command != nullptr) require_of_command(app, *command);
  if (command != nullptr && !o.source_given && o.render_files.empty())
    throw Error(std::string(command->word), "no file given", std::string(command->usage));
  if (!part.empty()) o.render_part = part_choice(part);
  if (texts.version) o.command = Command::version;
  if (texts.list_params) o.command = Command::list_params;
  if (texts.device == kListDevices) o.command = Command::list_devices;
  if (!texts.image_values.empty())
    o.image_values = static_cast<ImageValues>(index_of(kImageValueNames, "--images-type", texts.image_values));
  if (!texts.record_format.empty())
    o.record_format =
        static_cast<RecordingFormat>(index_of(kRecordingFormatNames, "--record-format", texts.record_format));
  take_stream(o, texts, app);
  take_settings(o, texts);
  take_lesson(o);  // after the method whose parameters it has
  const auto recipe = std::find_if(o.settings.rbegin(), o.settings.rend(),
                                   [](const std::string& setting) { return setting.starts_with("recipe="); });
  if (recipe != o.settings.rend() && *recipe == "recipe=course") o.source = on_linear_probe(o.source);
  take_description(o, texts.description);
  take_compare(o, texts);
  take_kiosk(o, texts);
  take_igtl(o, texts);
  check_ranges(o, texts, app);
  take_figure(o, texts);
  require_needs(app, o);
  return o;
}

// Returns false if the help was requested, which is then in `o`.
bool read_words(CLI::App& app, const std::vector<std::string>& words, Options& o) {
  if (parse_words(app, words)) return true;
  o.command = Command::help;
  o.help = app.help();
  return false;
}

Options parse_send(const std::vector<std::string>& words) {
  Options o;
  o.command = Command::send;
  std::string rate;
  o.stream.loop = false;
  CLI::App app("Send the frames of a recording or phantom to a viewer that waits for a scanner.", "echoloop send");
  app.add_option("source", o.source, source_names_text());
  app.add_option("--to", o.send_to, "Address of the viewer, as it was opened (default live:)")->type_name("ADDRESS");
  app.add_option("--rate", rate, "Frame rate in Hz, or max; default: the rate of the source")->type_name("HZ");
  app.add_flag("--loop", o.stream.loop, "Repeat the recording at the end");
  add_number(app, "--frames", o.frames, "Stop after N frames")->type_name("N");
  app.add_flag("--list", o.list_viewers, "List the viewers of scanners that have a name on this machine");
  if (!read_words(app, words, o)) return o;
  o.source_given = app.count("source") > 0;
  if (!o.source_given && !o.list_viewers) throw Error("send", "no source given", "echoloop send SOURCE --to ADDRESS");
  if (rate == "max") {
    o.stream.rate_hz = kRateMax;
  } else if (!rate.empty()) {
    o.stream.rate_hz = parse_number(rate, "--rate", "max, or a frame rate above 0 up to 1000000 Hz");
    if (o.stream.rate_hz <= 0.0 || o.stream.rate_hz > 1e6)
      throw out_of_range("--rate", rate, "above 0 up to 1000000 Hz, or max");
  }
  return o;
}

Options parse_method(const std::vector<std::string>& words) {
  Options o;
  o.command = Command::method;
  bool list = false;
  CLI::App app("Own methods of image formation, used by --method: write a file to begin with, or list the examples.",
               "echoloop method");
  app.add_option("--new", o.new_method, "Write this file, with comments")->type_name("F.h");
  app.add_flag("--list", list, "List the examples, the built-in methods among them");
  if (!read_words(app, words, o)) return o;
  if (list == !o.new_method.empty())
    throw Error("method", "found " + counted(words.size(), "word"), "--new F.h or --list");
  return o;
}

}  // namespace

const std::filesystem::path& OutputFiles::operator[](std::string_view option) const {
  static const std::filesystem::path kNone;
  const auto found = by_option_.find(option);
  return found == by_option_.end() ? kNone : found->second;
}

std::string default_source() { return std::string(kPhantomPrefix) + PhantomSettings().name; }

Options parse_command_line(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "bench") {
    Options o;
    o.command = Command::bench;
    return o;
  }
  if (!words.empty() && words.front() == "method") return parse_method({words.begin() + 1, words.end()});
  if (!words.empty() && words.front() == "send") return parse_send({words.begin() + 1, words.end()});
  return parse_view(std::move(words), Options());
}

Marks marks_of(const Options& options) {
  if (!options.marks.empty()) return read_marks(options.marks);
  return options.session != nullptr ? options.session->marks : Marks{};
}

ImagingParams apply_settings(const ImagingParams& defaults, const std::vector<std::string>& settings) {
  ImagingParams params = defaults;
  for (const std::string& setting : settings) set_from_text(params, setting);
  return params;
}

std::vector<std::string> settings_for(const Acquisition& acquisition, std::vector<std::string> settings,
                                      const ProbePreset& preset) {
  if (preset.preset == nullptr || !belongs_to(*preset.preset, acquisition)) return settings;
  const std::vector<std::string> of_probe = settings_of(preset.preset->probe_values);
  settings.insert(settings.begin() + static_cast<std::ptrdiff_t>(preset.at), of_probe.begin(), of_probe.end());
  return settings;
}

ImagingParams given_params(const ImagingOptions& options, const ImagingParams& defaults,
                           const Acquisition& acquisition) {
  return apply_settings(defaults, settings_for(acquisition, options.settings, options.preset));
}

}  // namespace echoloop
