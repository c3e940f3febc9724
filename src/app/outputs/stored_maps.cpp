#include "app/outputs/stored_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "formats/open_recording.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "measure/map_on_grid.h"

namespace echoloop {
namespace {

constexpr std::array<const char*, 5> kMapKinds = {"value", "levels", "picture", "label", "velocity"};

const char* map_kind_name(MapKind kind) { return kMapKinds[static_cast<std::size_t>(kind)]; }

double last_time_s(const Signal& signal) {
  return signal.values.empty() ? 0.0 : signal.time_s(signal.values.size() - 1);
}

nlohmann::json finite_or_null(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json map_json(const StoredMap& map) {
  return {{"name", map.name},
          {"path", map.path},
          {"kind", map_kind_name(map.kind)},
          {"unit", map.unit},
          {"frames", map.frames},
          {"rows", map.rows},
          {"columns", map.columns},
          {"channel", map.channel},
          {"times_s", map.times_s},
          {"min", finite_or_null(map.least)},
          {"max", finite_or_null(map.most)},
          {"description", map.description},
          {"note", map.note}};
}

nlohmann::json signal_json(const Signal& signal) {
  return {{"name", signal.name},
          {"path", signal.path},
          {"unit", signal.unit},
          {"samples", signal.values.size()},
          {"first_s", signal.values.empty() ? signal.start_s : signal.time_s(0)},
          {"last_s", last_time_s(signal)},
          {"rate_hz",
           signal.times_s.empty() && signal.step_s > 0.0 ? nlohmann::json(1.0 / signal.step_s) : nlohmann::json()},
          {"note", signal.note}};
}

// Throws Error unless the value is a number from `least` to `most`.
double number_in(const std::string& key, const std::string& text, double least, double most) {
  const auto value = finite_number(text);
  if (!value) throw invalid_value(key, text, "a number");
  if (*value < least || *value > most) throw out_of_range(key, text, fmt::format("{:g} to {:g}", least, most));
  return *value;
}

struct MapRange {
  double least, most;
};

MapRange range_of(const StoredMap& map, std::vector<float> values) {
  if (map.kind == MapKind::label) return {0.0, 1.0};
  if (map.kind == MapKind::picture) return {0.0, 255.0};
  if (map.kind == MapKind::levels) return {-60.0, 0.0};
  if (map.least < map.most) return {map.least, map.most};
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  if (values.empty()) return {0.0, 1.0};
  const auto quantile = [&](double share) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return static_cast<double>(*at);
  };
  MapRange range{quantile(0.02), quantile(0.98)};
  if (map.kind == MapKind::velocity) {
    range.most = std::max(std::abs(range.least), std::abs(range.most));
    range.least = -range.most;
  }
  if (!(range.least < range.most)) range = {range.least - 0.5, range.least + 0.5};
  return range;
}

std::string joined_names(const std::vector<StoredMap>& maps) {
  std::string names;
  for (const StoredMap& map : maps)
    if (map.note.empty()) names += (names.empty() ? "" : ", ") + map.name;
  return names;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string all = "\"";
  for (const char c : text) all += c == '"' ? "\"\"" : std::string(1, c);
  return all + "\"";
}

void write_values(const std::filesystem::path& file, std::span<const float> values, const Image& image,
                  nlohmann::json about) {
  about["file"] = file.filename().string();
  about["order"] = image.grid.polar() ? "(r, angle)" : "(z, x)";
  about["grid"] = grid_json(image.grid);
  about["image_frame"] = image.stamp.source_index;
  about["time_s"] = image.stamp.time_s;
  const std::string shape = std::to_string(image.grid.nz) + ", " + std::to_string(image.grid.nx);
  write_pair({{{file, npy_text(shape, {values})},
               {std::filesystem::path(file).replace_extension(".json"), json_text(about, 1) + "\n"}}});
}

nlohmann::json about_map(const MapImage& map) {
  return {
      {"map", map.map.name}, {"unit", map.map.unit}, {"kind", map_kind_name(map.map.kind)}, {"map_frame", map.frame}};
}

void require_frame(const MapImage& map, const char* option) {
  if (map.values.empty())
    throw Error(option, "map " + map.map.name + " has no frame at the time of the image", "a frame within its times");
}

}  // namespace

std::string contents_text(const SourceContents* contents) {
  if (contents == nullptr) return {};
  std::string text;
  for (const StoredMap& map : contents->maps) {
    text += fmt::format("map           {}: {}{}, {} x {}{}\n", map.name, map.unit.empty() ? "" : map.unit + ", ",
                        counted(static_cast<std::size_t>(map.frames), "frame"), map.rows, map.columns,
                        map.note.empty() ? "" : ", " + map.note);
  }
  for (const Signal& signal : contents->signals) {
    text += fmt::format("signal        {}: {}{}, {:.6g} to {:.6g} s{}\n", signal.name,
                        signal.unit.empty() ? "" : signal.unit + ", ", counted(signal.values.size(), "sample"),
                        signal.values.empty() ? 0.0 : signal.time_s(0), last_time_s(signal),
                        signal.note.empty() ? "" : ", not drawn: " + signal.note);
  }
  for (const TextEntry& entry : contents->annotations) {
    std::string words;
    for (const std::string& one : entry.texts) words += (words.empty() ? "" : ", ") + one;
    constexpr std::size_t kLine = 200;
    text += fmt::format("annotation    {}: {}\n", entry.name,
                        words.size() > kLine ? words.substr(0, kLine) + "..." : words);
  }
  for (const UnusedEntry& entry : contents->not_used)
    text += fmt::format("not used      {}: {}\n", entry.path, entry.reason);
  return text;
}

nlohmann::json contents_json(const SourceContents* contents) {
  nlohmann::json json = nlohmann::json::object();
  for (const char* const key : {"maps", "signals", "not_used", "used"}) json[key] = nlohmann::json::array();
  json["annotations"] = nlohmann::json::object();
  if (contents == nullptr) return json;
  for (const StoredMap& map : contents->maps) json["maps"].push_back(map_json(map));
  for (const Signal& signal : contents->signals) json["signals"].push_back(signal_json(signal));
  for (const TextEntry& entry : contents->annotations) json["annotations"][entry.name] = entry.texts;
  for (const UnusedEntry& entry : contents->not_used)
    json["not_used"].push_back({{"path", entry.path}, {"reason", entry.reason}});
  for (const std::string& path : contents->used) json["used"].push_back(path);
  return json;
}

void take_map_settings(std::vector<std::string>& settings, MapChoice& map) {
  constexpr double kLargest = 1e30;
  std::erase_if(settings, [&](const std::string& setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) return false;
    const std::string key = setting.substr(0, equals), value = setting.substr(equals + 1);
    if (key == "map") {
      map.name = value == "off" ? "" : value;
    } else if (key == "map_opacity") {
      map.opacity = number_in(key, value, 0.0, 1.0);
    } else if (key == "map_min") {
      map.least = number_in(key, value, -kLargest, kLargest);
    } else if (key == "map_max") {
      map.most = number_in(key, value, -kLargest, kLargest);
    } else if (key == "map_frame") {
      map.frame = static_cast<std::uint64_t>(number_in(key, value, 1.0, 1e9)) - 1;
    } else if (key == "map_on") {
      const auto word = std::ranges::find(kMapOnWords, value);
      if (word == kMapOnWords.end()) throw invalid_value(key, value, "overlay, b_side or difference");
      map.on = static_cast<MapOn>(word - kMapOnWords.begin());
    } else {
      return false;
    }
    return true;
  });
  if (map.least && map.most && !(*map.least < *map.most))
    throw Error("map_min", fmt::format("{:g}, not below map_max {:g}", *map.least, *map.most), "map_min below map_max");
}

std::vector<std::string> map_settings(const MapChoice& map) {
  if (map.name.empty()) return {};
  const MapChoice normal;
  std::vector<std::string> settings{"map=" + map.name};
  if (map.opacity != normal.opacity) settings.push_back(fmt::format("map_opacity={:.6g}", map.opacity));
  if (map.least) settings.push_back(fmt::format("map_min={:.17g}", *map.least));
  if (map.most) settings.push_back(fmt::format("map_max={:.17g}", *map.most));
  if (map.frame > 0) settings.push_back("map_frame=" + std::to_string(map.frame + 1));
  if (map.on != normal.on) settings.push_back("map_on=" + std::string(kMapOnWords[static_cast<std::size_t>(map.on)]));
  return settings;
}

MapOverlayPtr map_overlay(const MapViewPtr& map, const MapChoice& choice, const Image& image, double from) {
  if (map == nullptr) return nullptr;
  return std::make_shared<const MapOverlay>(
      MapOverlay{.map = shown_map(map, choice.on, {.db = image.host(), .grid = image.grid}),
                 .on = choice.on,
                 .opacity = choice.opacity,
                 .from = from});
}

const StoredMap& chosen_map(const SourceInfo& source, const std::string& name) {
  if (source.contents == nullptr || source.contents->maps.empty())
    throw Error("map = " + name, "no maps in " + source.name, "a recording with maps (echoloop info FILE)");
  const std::vector<StoredMap>& maps = source.contents->maps;
  const auto found = std::ranges::find(maps, name, &StoredMap::name);
  if (found == maps.end()) throw invalid_value("map", name, joined_names(maps));
  if (!found->note.empty()) throw Error("map = " + name, found->note, joined_names(maps));
  return *found;
}

MapView read_map_view(const std::string& file, const StoredMap& map, std::uint64_t frame, const Grid& grid) {
  const MapValues values = read_map(file, {.map = map, .first = frame, .count = 1});
  const MapBetween between = map.kind == MapKind::label ? MapBetween::nearest : MapBetween::linear;
  MapView view{
      .map = map, .frame = frame, .grid = grid, .values = map_on_grid(values, 0, map_places(values, 0, grid), between)};
  const MapRange range = range_of(map, values.values);
  view.least = view.own_least = range.least, view.most = view.own_most = range.most;
  return view;
}

Grid map_grid(const Grid& image) {
  constexpr int kMostPixels = 640;  // per side: finer than most maps
  Grid grid{.x0_m = image.x0_m, .x1_m = image.x1_m, .z0_m = image.z0_m, .z1_m = image.z1_m};
  const double step_m = std::max(grid.width_m(), grid.height_m()) / (kMostPixels - 1);
  grid.nx = std::max(2, 1 + static_cast<int>(std::lround(grid.width_m() / step_m)));
  grid.nz = std::max(2, 1 + static_cast<int>(std::lround(grid.height_m() / step_m)));
  return grid;
}

MapViewPtr map_over_image(const SourceInfo& source, const MapChoice& choice, const Image& image) {
  if (choice.name.empty()) return nullptr;
  const StoredMap& map = chosen_map(source, choice.name);
  const auto frame = map_frame(map, {.index = image.stamp.source_index,
                                     .n_frames = source.frame_count,
                                     .time_s = image.stamp.time_s,
                                     .own = choice.frame});
  if (!frame) return nullptr;
  MapView view = read_map_view(source.opened_as, map, *frame, map_grid(image.grid));
  view.least = choice.least.value_or(view.least), view.most = choice.most.value_or(view.most);
  return std::make_shared<const MapView>(std::move(view));
}

MapImage map_on_image(const SourceInfo& source, const MapChoice& choice, const Image& image) {
  MapImage shown{.map = chosen_map(source, choice.name), .frame = 0, .values = {}};
  const auto frame = map_frame(shown.map, {.index = image.stamp.source_index,
                                           .n_frames = source.frame_count,
                                           .time_s = image.stamp.time_s,
                                           .own = choice.frame});
  if (!frame) return shown;
  shown.frame = *frame;
  shown.values = read_map_view(source.opened_as, shown.map, *frame, image.grid).values;
  return shown;
}

void write_map(const std::filesystem::path& file, const MapImage& map, const Image& image) {
  require_frame(map, "--map-out");
  write_values(file, map.values, image, about_map(map));
}

void write_difference(const std::filesystem::path& file, const MapImage& map, const Image& image) {
  require_frame(map, "--difference-out");
  if (map.map.kind != MapKind::levels)
    throw Error("--difference-out", "map " + map.map.name + " holds no levels in dB", "a map of levels, such as image");
  const LevelDifference difference = level_difference(image.host(), map.values);
  nlohmann::json about = about_map(map);
  about["difference"] = "own - stored, dB";
  about["median_db"] = difference.median_db;
  about["rms_db"] = difference.rms_db;
  write_values(file, difference.db, image, about);
}

void write_traces(const std::filesystem::path& file, const SourceInfo& source) {
  if (source.contents == nullptr || source.contents->signals.empty())
    throw Error("--traces-out", "no signals in " + source.name, "a recording with signals (echoloop info FILE)");
  std::string text = "signal,time_s,value\n";
  for (const Signal& signal : source.contents->signals)
    for (std::size_t k = 0; k < signal.values.size(); ++k)
      text += fmt::format("{},{:.9f},{:.9g}\n", csv_text(signal.name), signal.time_s(k), signal.values[k]);
  write_text(file, text);
}

}  // namespace echoloop
