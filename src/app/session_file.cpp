#include "app/session_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/report.h"
#include "app/outputs/stored_maps.h"
#include "core/error.h"
#include "core/param_table.h"
#include "core/source_properties.h"
#include "core/units.h"
#include "history/part_file.h"
#include "source/phantom_text.h"
#include "version.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kAccepted = "a session saved by Echoloop";
constexpr const char* kMark = "echoloop_session";  // first key of the file: its version
constexpr int kForm = 1;

// One object of the file; every error names file and key.
class Part {
 public:
  Part(const fs::path& file, const json& whole, const char* name) : file_(file.string()), name_(name) {
    const auto found = whole.find(name);
    if (found == whole.end() || !found->is_object()) throw Error(file_, "no object " + name_, kAccepted);
    object_ = &*found;
  }
  [[nodiscard]] const json& object() const { return *object_; }

  [[nodiscard]] double number(const char* key, double least, double most) const {
    const json& value = at(key);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
      refuse(key, fmt::format("a number, {:g} to {:g}", least, most));
    return value.get<double>();
  }
  [[nodiscard]] bool flag(const char* key) const {
    if (!at(key).is_boolean()) refuse(key, "true or false");
    return at(key).get<bool>();
  }
  [[nodiscard]] std::string text(const char* key) const {
    if (!at(key).is_string()) refuse(key, "text");
    return at(key).get<std::string>();
  }
  template <std::size_t N>
  [[nodiscard]] int choice(const char* key, const std::array<std::string_view, N>& names) const {
    const std::string found = text(key);
    const auto at = std::find(names.begin(), names.end(), found);
    if (at == names.end()) refuse(key, "one of the choices in --help");
    return static_cast<int>(at - names.begin());
  }
  [[nodiscard]] bool has(const char* key) const { return object_->contains(key); }

 private:
  [[nodiscard]] const json& at(const char* key) const {
    if (!object_->contains(key)) refuse(key, "a value");
    return (*object_)[key];
  }
  [[noreturn]] void refuse(const char* key, const std::string& accepted) const {
    throw Error(file_, name_ + "." + key + " is missing or not valid", accepted);
  }
  std::string file_, name_;
  const json* object_ = nullptr;
};

json stream_json(const StreamSettings& s) {
  return {{"policy", kPolicyNames[static_cast<std::size_t>(s.policy)]},
          {"slots", s.slots},
          {"lanes", s.lanes},
          {"streams", kStreamModeNames[static_cast<std::size_t>(s.streams)]},
          {"host_memory", kHostMemoryNames[static_cast<std::size_t>(s.host_memory)]},
          {"frame_wait", kFrameWaitNames[static_cast<std::size_t>(s.frame_wait)]},
          {"rate_hz", s.rate_hz == kRateMax ? json("max") : json(s.rate_hz)},
          {"pace_ms", s.pace_ms},
          {"loop", s.loop},
          {"copy", to_text(s.copy)},
          {"inject", to_text(s.inject)}};
}

StreamSettings stream_from(const Part& part) {
  StreamSettings s;
  s.policy = static_cast<RingPolicy>(part.choice("policy", kPolicyNames));
  s.slots = static_cast<int>(part.number("slots", kMinSlots, kMaxSlots));
  s.lanes = static_cast<int>(part.number("lanes", 1, kMaxLanes));
  s.streams = static_cast<StreamMode>(part.choice("streams", kStreamModeNames));
  s.host_memory = static_cast<HostMemory>(part.choice("host_memory", kHostMemoryNames));
  if (part.has("frame_wait")) s.frame_wait = static_cast<FrameWait>(part.choice("frame_wait", kFrameWaitNames));
  const bool unpaced = part.has("rate_hz") && part.object()["rate_hz"] == "max";
  s.rate_hz = unpaced ? kRateMax : part.number("rate_hz", 0.0, 1e6);
  s.pace_ms = part.number("pace_ms", 0.0, 10'000.0);
  s.loop = part.flag("loop");
  if (const std::string inject = part.text("inject"); !inject.empty()) s.inject = parse_injection(inject);
  if (part.has("copy") && !part.text("copy").empty()) s.copy = parse_copy(part.text("copy"));
  return s;
}

json view_json(const SavedSession& s) {
  json view = {{"layout", s.layout}, {"fitted", s.pan_zoom.fitted}};
  if (s.pan_zoom.fitted) return view;
  view["centre_m"] = {s.pan_zoom.centre.x_m, s.pan_zoom.centre.z_m};
  view["logical_px_per_m"] = s.pan_zoom.logical_px_per_m;
  return view;
}

void take_view(const fs::path& file, const Part& part, SavedSession& s) {
  constexpr double kFarthest_m = 10.0;
  const auto layout = part.object().find("layout");
  if (layout != part.object().end() && layout->is_object()) {
    for (const auto& [key, value] : layout->items())
      if (value.is_string()) s.layout[key] = value.get<std::string>();
  }
  s.pan_zoom.fitted = part.flag("fitted");
  if (s.pan_zoom.fitted) return;
  s.pan_zoom.logical_px_per_m = part.number("logical_px_per_m", 1.0, 1e9);
  const json none;
  const json& centre = part.has("centre_m") ? part.object()["centre_m"] : none;
  const auto within = [](const json& v) { return v.is_number() && std::abs(v.get<double>()) <= kFarthest_m; };
  if (!centre.is_array() || centre.size() != 2 || !within(centre[0]) || !within(centre[1]))
    throw Error(file.string(), "view.centre_m is missing or not valid", "[x, z] in metres");
  s.pan_zoom.centre = {centre[0].get<double>(), centre[1].get<double>()};
}

fs::path folder_of(const fs::path& file) { return fs::absolute(file).lexically_normal().parent_path(); }

// Returns the recording's path for the file: relative if in the session's folder or below, else absolute.
std::string portable_source(const std::string& source, const fs::path& file) {
  if (!is_file_source(source)) return source;
  const fs::path whole = fs::absolute(source).lexically_normal();
  const fs::path relative = whole.lexically_relative(folder_of(file));
  const bool below = !relative.empty() && *relative.begin() != "..";
  return (below ? relative : whole).string();
}

std::string source_from(const fs::path& file, const std::string& named) {
  if (!is_file_source(named)) return named;
  const fs::path recording = fs::path(named).is_absolute() ? fs::path(named) : folder_of(file) / named;
  std::error_code error;
  if (!fs::exists(recording, error)) {
    throw Error(file.string(), "recording " + recording.string() + " is missing",
                "that file, or its new place in source.name");
  }
  return recording.string();
}

}  // namespace

std::vector<std::string> settings_from(const std::string& file, const json& object) {
  if (!object.is_object()) throw Error(file, "parameters is not an object", "parameters by their keys");
  std::vector<std::string> settings;
  for (const auto& [key, value] : object.items()) {
    const bool plain = value.is_string() || value.is_number();
    if (!plain) throw Error(file, "parameters." + key + " is neither a number nor text", kAccepted);
    settings.push_back(key + "=" +
                       (value.is_string() ? value.get<std::string>() : fmt::format("{:.17g}", value.get<double>())));
    ImagingParams checked;
    set_from_text(checked, settings.back());
  }
  return settings;
}

StreamSettings patched_stream(const StreamSettings& before, const json& changes) {
  json whole{{"stream", stream_json(before)}};
  if (!changes.is_object()) throw Error("stream", "not an object", "settings of the stream by their keys");
  for (const auto& [key, value] : changes.items()) {
    if (!whole["stream"].contains(key)) {
      std::string known;
      for (const auto& [name, unused] : whole["stream"].items()) known += (known.empty() ? "" : ", ") + name;
      throw Error("stream", "unknown key '" + key + "'", known);
    }
    whole["stream"][key] = value;
  }
  return stream_from(Part("settings", whole, "stream"));
}

bool is_session_file(const fs::path& file) {
  if (file.extension() != ".json") return false;
  if (file.string().ends_with(kSessionEnding)) return true;
  try {
    return read_json_object(file, kAccepted).contains(kMark);
  } catch (const Error&) {
    return false;
  }
}

json session_json(const SavedSession& s, const fs::path& file) {
  json parameters = json::object();
  for (const std::string& setting : s.settings) {
    const std::size_t equals = setting.find('=');
    if (setting.starts_with("own.")) {
      parameters[setting.substr(0, equals)] = json::parse(setting.substr(equals + 1));
      continue;
    }
    const ParamSpec* spec = find_param(setting.substr(0, equals));
    ImagingParams params;
    set_from_text(params, setting);
    parameters[setting.substr(0, equals)] =
        spec->choices.empty() ? json(get_number(params, *spec)) : json(get_text(params, *spec));
  }
  json source = {{"name", portable_source(s.source, file)}, {"facts", given_facts_json(s.facts)}};
  if (!s.description.empty()) source["description"] = json::parse(s.description);
  json session = {{kMark, kForm},
                  {"version", kVersion},
                  {"source", source},
                  {"parameters", parameters},
                  {"stream", stream_json(s.stream)},
                  {"marks", marks_json(s.marks)},
                  {"view", view_json(s)},
                  {"frame",
                   {{"source_index", s.frame},
                    {"frozen", s.moment == SavedMoment::frozen},
                    {"held_reference_db", s.held_reference_db}}}};
  session.update(s.doubts);
  if (!s.map.name.empty()) session["map"] = map_settings(s.map);
  return session;
}

MapChoice map_from(const fs::path& file, const json& settings) {
  if (!settings.is_array() || !std::ranges::all_of(settings, [](const json& one) { return one.is_string(); }))
    throw Error(file.string(), "map", kAccepted);
  auto texts = settings.get<std::vector<std::string>>();
  MapChoice map;
  take_map_settings(texts, map);
  if (!texts.empty()) throw Error(file.string(), "map: " + texts.front(), kAccepted);
  return map;
}

SavedSession read_session(const fs::path& file) {
  const json whole = read_json_object(file, kAccepted);
  if (!whole.contains(kMark) || whole[kMark] != kForm) throw Error(file.string(), "not a session of form 1", kAccepted);
  SavedSession s;
  const Part source(file, whole, "source");
  s.source = source_from(file, source.text("name"));
  std::vector<std::string> facts;
  for (const auto& [key, value] : Part(file, source.object(), "facts").object().items()) {
    const bool number = value.is_number() && find_given(key) != nullptr;
    if (!number && !(value.is_string() && find_source_property(key) != nullptr))
      throw Error(file.string(), "source.facts." + key, kAccepted);
    facts.push_back(key + "=" + (number ? to_text(value.get<double>()) : value.get<std::string>()));
  }
  s.facts = take_facts(facts);
  if (source.has("description")) s.description = Part(file, source.object(), "description").object().dump();
  s.settings = settings_from(file.string(), Part(file, whole, "parameters").object());
  s.stream = stream_from(Part(file, whole, "stream"));
  if (whole.contains("marks")) s.marks = marks_from_json(whole["marks"], file.string());
  take_view(file, Part(file, whole, "view"), s);
  if (!s.layout.contains("mode")) s.source = on_linear_probe(s.source);  // of a version without modes
  const Part frame(file, whole, "frame");
  constexpr double kMostFrames = 1e15;
  s.frame = static_cast<std::uint64_t>(frame.number("source_index", 0.0, kMostFrames));
  s.moment = frame.flag("frozen") ? SavedMoment::frozen : SavedMoment::live;
  s.held_reference_db = frame.number("held_reference_db", kAutoReference, 1000.0);
  for (const char* const key : {"doubts", "doubts_dismissed"})
    if (whole.contains(key)) s.doubts[key] = whole[key];
  if (whole.contains("map")) s.map = map_from(file, whole["map"]);
  return s;
}

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLook_ns = 200'000'000;
constexpr std::size_t kMostFiles = 500;  // limit for a folder with many other files

std::string file_name_for(const std::string& name) {
  std::string stem;
  for (const char c : lower_case(name)) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 && u < 0x80)
      stem += c;
    else if (!stem.empty() && stem.back() != '_')
      stem += '_';
  }
  while (!stem.empty() && stem.back() == '_') stem.pop_back();
  return stem.empty() ? "preset" : stem;
}

void write_file(const fs::path& file, const Preset& preset) {
  PartFile part(file);
  const std::string text = preset_toml(preset);
  part.write(std::as_bytes(std::span(text)));
  part.commit();
}

}  // namespace

PresetStore::PresetStore(fs::path shipped, fs::path own) : shipped_(std::move(shipped)), own_(std::move(own)) {
  read(stamps());
}

PresetStore::Stamps PresetStore::stamps() const {
  Stamps found;
  for (const fs::path& folder : {shipped_, own_}) {
    if (folder.empty()) continue;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() != ".toml" || found.size() >= kMostFiles) continue;
      std::error_code ignored;
      const auto time = fs::last_write_time(it->path(), ignored).time_since_epoch().count();
      found[it->path()] = {static_cast<std::int64_t>(time), fs::file_size(it->path(), ignored)};
    }
  }
  return found;
}

// Reads the presets. An unreadable one keeps its last content, with a message; an unreadable new file is skipped.
void PresetStore::read(Stamps seen) {
  std::vector<PresetItem> items;
  std::map<fs::path, std::string> faulty;
  written_.clear();
  for (const auto& [file, stamp] : seen) {
    const auto before = read_.find(file);
    const auto known = find(file);
    const bool same = before != read_.end() && before->second == stamp;
    if (!same && before != read_.end()) written_.push_back(file);
    if (same) {
      if (known) items.push_back(items_[*known]);
      if (const auto fault = faulty_.find(file); fault != faulty_.end()) faulty.insert(*fault);
      continue;
    }
    try {
      items.push_back(
          {read_preset(file), file, file.parent_path() == shipped_ ? PresetOwner::program : PresetOwner::user});
    } catch (const Error& error) {
      faulty[file] = error.what();
      std::erase(written_, file);
      if (known) items.push_back(items_[*known]);
    }
  }
  items_ = std::move(items);
  faulty_ = std::move(faulty);
  read_ = seen_ = std::move(seen);
  give_slots();
}

void PresetStore::give_slots() {
  const auto rank = [](const PresetItem& item) {
    return std::tuple(item.owner == PresetOwner::program, item.preset.slot == 0 ? 10 : item.preset.slot,
                      lower_case(item.preset.name));
  };
  std::sort(items_.begin(), items_.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::array<bool, 10> taken{};
  const auto take = [&](int slot) { return slot > 0 && !std::exchange(taken[static_cast<std::size_t>(slot)], true); };
  std::vector<PresetItem*> without;
  for (PresetItem& item : items_) {
    if (take(item.preset.slot)) continue;
    item.preset.slot = 0;
    if (item.preset.organ == 0) without.push_back(&item);
  }
  for (PresetItem* item : without) {
    for (int slot = 1; slot <= 9 && item->preset.slot == 0; ++slot)
      if (take(slot)) item->preset.slot = slot;
  }
  std::stable_sort(items_.begin(), items_.end(), [](const PresetItem& a, const PresetItem& b) {
    return (a.preset.slot == 0 ? 10 : a.preset.slot) < (b.preset.slot == 0 ? 10 : b.preset.slot);
  });
}

std::optional<std::size_t> PresetStore::find(const fs::path& file) const {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const PresetItem& i) { return i.file == file; });
  if (found == items_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - items_.begin());
}

bool PresetStore::look(std::int64_t now_ns) {
  if (now_ns - looked_ns_ < kLook_ns) return false;
  looked_ns_ = now_ns;
  Stamps now = stamps();
  const bool rests = now == seen_;  // unchanged since the last call
  seen_ = now;
  if (!rests || now == read_) return false;
  read(std::move(now));
  return true;
}

bool PresetStore::was_written(const fs::path& file) const {
  return std::find(written_.begin(), written_.end(), file) != written_.end();
}

void PresetStore::require_own(std::size_t index) const {
  if (index < items_.size() && items_[index].owner == PresetOwner::user) return;
  throw Error("preset", "built-in presets are read-only", "a user preset", "save the preset under a new name first");
}

void PresetStore::require_free_name(const std::string& name, const fs::path& except) const {
  if (name.find_first_not_of(' ') == std::string::npos) throw Error("preset", "empty name", "a name");
  for (const PresetItem& item : items_)
    if (item.file != except && lower_case(item.preset.name) == lower_case(name))
      throw Error("preset", "the name '" + item.preset.name + "' is already in use", "another name");
}

fs::path PresetStore::add(Preset preset) {
  require_free_name(preset.name, {});
  if (own_.empty()) throw Error("preset", "no home folder for user presets", "a home folder");
  std::error_code error;
  fs::create_directories(own_, error);
  if (error) throw Error(own_.string(), "cannot be created: " + error.message(), "a writable folder");
  const std::string stem = file_name_for(preset.name);
  fs::path file = own_ / (stem + ".toml");
  for (int n = 2; fs::exists(file, error); ++n) file = own_ / (stem + "_" + std::to_string(n) + ".toml");
  for (int slot = 1; slot <= 9 && preset.slot == 0; ++slot) {
    const bool taken = std::any_of(items_.begin(), items_.end(), [&](const auto& i) { return i.preset.slot == slot; });
    if (!taken) preset.slot = slot;
  }
  write_file(file, preset);
  read(stamps());
  return file;
}

void PresetStore::write(std::size_t index, const Preset& preset) {
  require_own(index);
  require_free_name(preset.name, items_[index].file);
  write_file(items_[index].file, preset);
  read(stamps());
}

void PresetStore::remove(std::size_t index) {
  require_own(index);
  std::error_code error;
  fs::remove(items_[index].file, error);
  if (error) throw Error(items_[index].file.string(), "cannot be removed: " + error.message(), "a writable folder");
  read(stamps());
}

void PresetStore::set_default(std::size_t index, const PresetProbe& at_hand) {
  require_own(index);
  Preset chosen = items_[index].preset;
  if (chosen.probe.any()) chosen.probe = at_hand;
  chosen.is_default = true;
  write_file(items_[index].file, chosen);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Preset other = items_[i].preset;
    if (i == index || !other.is_default || other.probe.words() != chosen.probe.words()) continue;
    other.is_default = false;
    if (items_[i].owner == PresetOwner::user) write_file(items_[i].file, other);
  }
  read(stamps());
}

void PresetStore::unset_default(std::size_t index) {
  require_own(index);
  Preset preset = items_[index].preset;
  preset.is_default = false;
  write_file(items_[index].file, preset);
  read(stamps());
}

std::vector<PresetView> preset_views(const PresetStore& store, const ImagingParams& params,
                                     const Acquisition* acquisition) {
  std::vector<PresetView> views;
  for (const PresetItem& item : store.items()) {
    const Preset& p = item.preset;
    views.push_back({.name = p.name,
                     .about = p.about,
                     .probe = p.probe.words(),
                     .no_effect = acquisition != nullptr ? why_no_effect(p, params, *acquisition) : "",
                     .slot = p.slot,
                     .own = item.owner == PresetOwner::user,
                     .fits = acquisition == nullptr || belongs_to(p, *acquisition),
                     .is_default = p.is_default,
                     .organ = p.organ});
  }
  return views;
}

}  // namespace echoloop
