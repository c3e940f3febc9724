#include "app/options/preset.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/options/folders.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr const char* kRule = "a preset: TOML with KEY = VALUE lines, up to 1 MB";
constexpr std::size_t kMost_mb = 1;
constexpr std::size_t kMaxName = 40;  // bytes
constexpr std::array<const char*, 3> kPresetKinds = {"linear", "convex", "phased"};

// Returns true for parameters specific to one probe: band, depth, position, level.
bool means_one_probe(const ParamSpec& spec) {
  return spec.from_acquisition && spec.key != "f_number" && spec.key != "sound_speed_m_s";
}

// Returns a word of the file for a message.
std::string excerpt(std::string_view word, std::size_t most = 60) {
  return word.size() <= most ? std::string(word) : std::string(word.substr(0, most)) + "...";
}

PresetValue value_of(const std::string& what, const std::string& key, const toml::node& node) {
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) {
    throw Error(what, "unknown key '" + excerpt(key) + "'",
                "name, about, slot, organ, [probe] and the parameters of --list-params");
  }
  std::string text;
  if (const auto number = node.value<double>()) {
    text = fmt::format("{:.17g}", *number);
  } else if (const auto word = node.value<std::string>()) {
    text = excerpt(*word);
  } else {
    throw Error(what, "'" + excerpt(key) + "' is neither a number nor text", "KEY = VALUE lines");
  }
  ImagingParams checked;
  try {
    set_from_text(checked, key + "=" + text);
  } catch (const Error& error) {
    throw Error::from_line(what + ": " + error.what());
  }
  return {spec, get_number(checked, *spec)};
}

std::string text_at(const std::string& what, const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  const auto text = node->value<std::string>();
  if (!text) throw Error(what, fmt::format("'{}' is not text", key), fmt::format("{} = \"text\"", key));
  return *text;
}

std::vector<PresetValue> values_in(const std::string& what, const toml::table& table) {
  std::vector<PresetValue> values;
  for (const auto& [key, node] : table) values.push_back(value_of(what, std::string(key.str()), node));
  return values;
}

const toml::table& table_at(const std::string& what, const toml::node& node, const std::string& key) {
  const toml::table* table = node.as_table();
  if (table == nullptr)
    throw Error(what, "'" + key + "' is not a table", "[" + key + "] followed by KEY = VALUE lines");
  return *table;
}

void take_probe(Preset& preset, const std::string& what, const toml::table& table) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name == "name") {
      preset.probe.name = text_at(what, table, "name");
    } else if (name == "kind") {
      const std::string kind = text_at(what, table, "kind");
      const auto found = std::find(kPresetKinds.begin(), kPresetKinds.end(), kind);
      if (found == kPresetKinds.end()) throw Error(what, "kind '" + excerpt(kind) + "'", "linear, convex or phased");
      preset.probe.kind = static_cast<ProbeKind>(found - kPresetKinds.begin());
    } else if (name == "center_hz") {
      const auto center = node.value<double>();
      if (!center || !(*center > 0.0 && *center < 1e9))
        throw Error(what, "invalid center_hz", "a frequency above 0 in Hz");
      preset.probe.center_hz = *center;
    } else if (name == "default") {
      const auto on = node.value<bool>();
      if (!on) throw Error(what, "'default' is neither true nor false", "default = true");
      preset.is_default = *on;
    } else if (name == "parameters") {
      preset.probe_values = values_in(what, table_at(what, node, "probe.parameters"));
    } else {
      throw Error(what, "unknown key '" + excerpt(name) + "' in [probe]", "name, kind, center_hz, default, parameters");
    }
  }
}

// Returns one line: control characters become spaces.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return text;
}

std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Returns a name for a file without one, in plain characters only.
std::string name_from(const std::filesystem::path& path) {
  std::string name = path.stem().string().substr(0, kMaxName);
  for (char& c : name) {
    if (static_cast<unsigned char>(c) >= 0x80 || c == '_') c = ' ';
  }
  return printable(name);
}

std::string lines_of(const std::vector<PresetValue>& values) {
  std::string text;
  for (const PresetValue& v : values) {
    ImagingParams p;
    set_number(p, *v.spec, v.value);
    const std::string value = get_text(p, *v.spec);
    text += fmt::format("{} = {}\n", v.spec->key, v.spec->choices.empty() ? value : toml_text(value));
  }
  return text;
}

}  // namespace

std::string PresetProbe::words() const {
  std::string text = name;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
  if (kind) add(kPresetKinds[static_cast<std::size_t>(*kind)]);
  if (center_hz > 0.0) add(fmt::format("{:.3g} MHz", center_hz / kHertzPerMegahertz));
  return text;
}

// Limits nesting: the library's parser recurses for every dot of a key and every bracket, without a limit.
void check_nesting(const std::string& what, std::string_view toml) {
  constexpr int kMostDots = 100;  // of a line; sentences have dots as well
  constexpr int kMostBrackets = 50;
  int dots = 0, depth = 0, line = 1;
  for (const char c : toml) {
    if (c == '\n') {
      dots = 0;
      ++line;
    }
    if (c == '.') ++dots;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') depth = std::max(0, depth - 1);
    if (dots > kMostDots || depth > kMostBrackets) {
      throw Error(what, fmt::format("too many {} (line {})", dots > kMostDots ? "dots" : "brackets", line), kRule);
    }
  }
}

Preset parse_preset(const std::string& what, std::string_view toml) {
  check_nesting(what, toml);
  toml::table file;
  try {
    file = toml::parse(toml, what);
  } catch (const toml::parse_error& error) {
    throw Error(what, fmt::format("{} (line {})", excerpt(error.description(), 160), error.source().begin.line), kRule);
  }
  Preset preset;
  preset.name = printable(text_at(what, file, "name"));
  if (preset.name.size() > kMaxName) throw Error(what, "the name is too long", "up to 40 characters");
  preset.about = printable(text_at(what, file, "about"));
  for (const auto& [key, node] : file) {
    const std::string word(key.str());
    if (word == "name" || word == "about") continue;
    if (word == "slot") {
      const auto slot = node.value_exact<std::int64_t>();  // the library converts reals to integers unchecked
      if (!slot || *slot < 1 || *slot > 9) throw Error(what, "invalid slot", "slot = 1 to 9");
      preset.slot = static_cast<int>(*slot);
    } else if (word == "organ") {
      constexpr std::int64_t kLast = 99;
      const auto organ = node.value_exact<bool>() == true ? kLast : node.value_exact<std::int64_t>();
      if (!organ || *organ < 1 || *organ > kLast) throw Error(what, "invalid organ", "organ = 1 to 99, its place");
      preset.organ = static_cast<int>(*organ);
    } else if (word == "probe") {
      take_probe(preset, what, table_at(what, node, word));
    } else if (word == "parameters") {
      const auto values = values_in(what, table_at(what, node, word));
      preset.values.insert(preset.values.end(), values.begin(), values.end());
    } else {
      preset.values.push_back(value_of(what, word, node));
    }
  }
  return preset;
}

Preset read_preset(const std::filesystem::path& path) {
  Preset preset = parse_preset(path.string(), read_small_file(path, kMost_mb, kRule));
  if (preset.name.empty()) preset.name = name_from(path);
  return preset;
}

std::vector<std::string> settings_of(const std::vector<PresetValue>& values) {
  std::vector<std::string> settings;
  for (const PresetValue& v : values) {
    ImagingParams p;
    set_number(p, *v.spec, v.value);
    settings.push_back(std::string(v.spec->key) + "=" + get_text(p, *v.spec));
  }
  return settings;
}

std::vector<std::string> preset_settings(const Preset& preset) {
  std::vector<std::string> settings = settings_of(preset.values);
  const std::vector<std::string> of_probe = settings_of(preset.probe_values);
  settings.insert(settings.end(), of_probe.begin(), of_probe.end());
  return settings;
}

Preset make_preset(const std::string& name, const ImagingParams& params, const Acquisition& acquisition) {
  Preset preset{.name = name,
                .about = {},
                .probe = {acquisition.probe.name, acquisition.probe.kind, acquisition.center_hz},
                .values = {},
                .probe_values = {}};
  for (const ParamSpec& spec : param_table()) {
    (means_one_probe(spec) ? preset.probe_values : preset.values).push_back({&spec, get_number(params, spec)});
  }
  return preset;
}

std::string preset_toml(const Preset& preset) {
  std::string text = "name = " + toml_text(preset.name) + "\n";
  if (!preset.about.empty()) text += "about = " + toml_text(preset.about) + "\n";
  if (preset.slot > 0) text += fmt::format("slot = {}\n", preset.slot);
  if (preset.organ > 0) text += fmt::format("organ = {}\n", preset.organ);
  text += "\n[parameters]\n" + lines_of(preset.values);
  if (preset.probe.any() && preset.probe_values.empty()) return text;
  text += "\n[probe]\n";
  if (!preset.probe.name.empty()) text += "name = " + toml_text(preset.probe.name) + "\n";
  if (preset.probe.kind)
    text += fmt::format("kind = \"{}\"\n", kPresetKinds[static_cast<std::size_t>(*preset.probe.kind)]);
  if (preset.probe.center_hz > 0.0) text += fmt::format("center_hz = {}\n", preset.probe.center_hz);
  if (preset.is_default) text += "default = true\n";
  return text + "\n[probe.parameters]\n" + lines_of(preset.probe_values);
}

bool belongs_to(const Preset& preset, const Acquisition& acquisition) {
  const PresetProbe& p = preset.probe;
  if (!p.name.empty() && p.name != acquisition.probe.name) return false;
  if (p.kind && *p.kind != acquisition.probe.kind) return false;
  constexpr double kNear = 0.05;
  return p.center_hz == 0.0 || std::abs(acquisition.center_hz / p.center_hz - 1.0) <= kNear;
}

std::string why_not_whole(const Preset& preset, const Acquisition& acquisition) {
  if (preset.probe_values.empty() || belongs_to(preset, acquisition)) return {};
  std::string keys;
  for (const PresetValue& v : preset.probe_values) keys += (keys.empty() ? "" : ", ") + std::string(v.spec->key);
  const PresetProbe here{acquisition.probe.name, acquisition.probe.kind, acquisition.center_hz};
  return fmt::format("Preset {}: [probe.parameters] not applied ({}): the preset is for {}, the probe is {}",
                     preset.name, keys, preset.probe.words(), here.words());
}

ImagingParams apply_preset(const Preset& preset, const ImagingParams& params, const Acquisition& acquisition) {
  ImagingParams result = params;
  for (const PresetValue& v : preset.values) set_number(result, *v.spec, v.value);
  if (belongs_to(preset, acquisition)) {
    for (const PresetValue& v : preset.probe_values) set_number(result, *v.spec, v.value);
  }
  return result;
}

std::string why_no_effect(const Preset& preset, const ImagingParams& params, const Acquisition& acquisition) {
  const ImagingParams applied = apply_preset(preset, params, acquisition);
  const ImagingParams defaults = default_params(acquisition);
  for (const PresetValue& v : preset.values) {
    if (get_number(applied, *v.spec) == get_number(defaults, *v.spec)) continue;
    const std::string_view why = why_no_effect(*v.spec, {.params = applied, .acquisition = &acquisition});
    if (!why.empty()) return fmt::format("{} has no effect. {}", v.spec->label, why);
  }
  return {};
}

StreamSettings start_settings(StreamSettings settings, const StartFacts& facts) {
  const StreamSettings plain;
  settings.policy = plain.policy;
  settings.slots = plain.slots;
  if (!facts.phantom || !facts.on_cpu || facts.every_frame) return settings;
  settings.policy = facts.slow_motion || facts.ensembles ? RingPolicy::block : RingPolicy::drop_oldest;
  settings.slots = kMinSlots;
  return settings;
}

}  // namespace echoloop
