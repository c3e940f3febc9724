#include "formats/readers/zea_pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/facts.h"
#include "core/units.h"
#include "formats/containers/array_view.h"
#include "formats/readers/description_json.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostBytes = 64'000, kMostLines = 4000, kDeepest = 16;

class Yaml {
 public:
  Yaml(std::string what, std::string_view text) : what_(std::move(what)) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      add(text.substr(0, end), number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Json read() {
    if (lines_.empty()) return Json::object();
    Json value = block(lines_.front().indent, 0);
    if (at_ < lines_.size()) refuse("an indentation that fits no line before");
    return value;
  }

 private:
  struct Line {
    std::size_t indent, number;
    std::string text;
  };

  void add(std::string_view line, std::size_t number) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos) return;
    line = line.substr(indent, comment_of(line.substr(indent)));
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line == "---")) return;
    lines_.push_back({indent, number, std::string(line)});
    at_ = lines_.size() - 1;
    if (lines_.size() > kMostLines) refuse("more than " + std::to_string(kMostLines) + " lines");
    if (line.find('\t') != line.npos) refuse("a tab");
    at_ = 0;
  }

  // Begin of a comment outside quotes; npos: none.
  static std::size_t comment_of(std::string_view line) {
    char quote = 0;
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (quote != 0)
        quote = line[k] == quote ? '\0' : quote;
      else if (line[k] == '"' || line[k] == '\'')
        quote = line[k];
      else if (line[k] == '#' && (k == 0 || line[k - 1] == ' '))
        return k;
    }
    return std::string_view::npos;
  }

  [[noreturn]] void refuse(const std::string& found) const {
    const std::size_t line = lines_.empty() ? 1 : lines_[std::min(at_, lines_.size() - 1)].number;
    throw Error(what_, found + " in line " + std::to_string(line), "maps, lists and scalars of YAML");
  }

  static bool is_item(const std::string& text) { return text == "-" || text.starts_with("- "); }

  // Returns the position of the colon behind a key; npos: none.
  static std::size_t colon_of(std::string_view text) {
    if (text.starts_with('[') || text.starts_with('{') || text.starts_with('"')) return text.npos;
    const std::size_t colon = text.find(": ");
    if (colon != text.npos) return colon;
    return text.ends_with(':') ? text.size() - 1 : text.npos;
  }

  Json block(std::size_t indent, std::size_t depth) {
    if (depth > kDeepest) refuse("nesting deeper than " + std::to_string(kDeepest));
    return is_item(lines_[at_].text) ? list(indent, depth) : map(indent, depth);
  }

  Json list(std::size_t indent, std::size_t depth) {
    Json values = Json::array();
    while (at_ < lines_.size() && lines_[at_].indent == indent && is_item(lines_[at_].text)) {
      Line& line = lines_[at_];
      const std::size_t first = line.text.find_first_not_of(' ', 1);
      if (first == std::string::npos) {
        ++at_;
        values.push_back(nested(indent, depth));
      } else if (colon_of(std::string_view(line.text).substr(first)) != std::string::npos) {
        line.indent += first;  // a map that begins behind the dash
        line.text.erase(0, first);
        values.push_back(block(line.indent, depth + 1));
      } else {
        values.push_back(scalar(line.text.substr(first)));
        ++at_;
      }
    }
    return values;
  }

  Json map(std::size_t indent, std::size_t depth) {
    Json values = Json::object();
    while (at_ < lines_.size() && lines_[at_].indent == indent && !is_item(lines_[at_].text)) {
      const std::string text = lines_[at_].text;
      const std::size_t colon = colon_of(text);
      if (colon == std::string::npos) refuse("'" + printable(text, 40) + "' without a key");
      const std::string key = text.substr(0, colon), value = without_spaces(std::string_view(text).substr(colon + 1));
      if (values.contains(key)) refuse("the key '" + printable(key, 40) + "' twice");
      if (value.empty()) {
        ++at_;
        values[key] = nested(indent, depth);
      } else {
        values[key] = scalar(value);
        ++at_;
      }
    }
    return values;
  }

  // Value on the lines below a key or a dash; a list may have the indentation of its key.
  Json nested(std::size_t indent, std::size_t depth) {
    if (at_ == lines_.size()) return nullptr;
    const Line& next = lines_[at_];
    if (next.indent > indent || (next.indent == indent && is_item(next.text))) return block(next.indent, depth + 1);
    return nullptr;
  }

  Json scalar(std::string_view text) {
    rest_ = text;
    Json value = flow(0);
    skip_spaces();
    if (!rest_.empty()) refuse("'" + printable(std::string(rest_), 40) + "' behind a value");
    return value;
  }

  void skip_spaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  Json flow(std::size_t depth) {
    if (depth > kDeepest) refuse("nesting deeper than " + std::to_string(kDeepest));
    skip_spaces();
    if (rest_.starts_with('[')) return flow_list(depth);
    if (rest_.starts_with('{')) return flow_map(depth);
    if (rest_.starts_with('"') || rest_.starts_with('\'')) return quoted();
    if (!rest_.empty() && std::string_view("&*!|>%@`").find(rest_.front()) != std::string_view::npos)
      refuse("anchor, tag or text over lines");
    const std::size_t end = depth == 0 ? rest_.size() : std::min(rest_.find_first_of(",]}:"), rest_.size());
    const std::string word = without_spaces(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (word.empty()) refuse("no value");
    return plain(word);
  }

  static Json plain(const std::string& word) {
    if (word == "true" || word == "True") return true;
    if (word == "false" || word == "False") return false;
    if (word == "null" || word == "~" || word == "None") return nullptr;
    if (const auto number = finite_number(word.starts_with('+') ? std::string_view(word).substr(1) : word))
      return *number;
    return word;
  }

  Json quoted() {
    const char quote = rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) refuse("an open quote");
    Json value = std::string(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }

  Json flow_list(std::size_t depth) {
    Json values = Json::array();
    rest_.remove_prefix(1);
    while (!ends_with(']')) values.push_back(flow(depth + 1));
    return values;
  }

  Json flow_map(std::size_t depth) {
    Json values = Json::object();
    rest_.remove_prefix(1);
    while (!ends_with('}')) {
      const std::size_t colon = rest_.find(':');
      if (colon == rest_.npos) refuse("an entry without a key");
      const std::string key = without_spaces(rest_.substr(0, colon));
      rest_.remove_prefix(colon + 1);
      values[key] = flow(depth + 1);
    }
    return values;
  }

  // Takes a comma, or the end of a list or map in one line.
  bool ends_with(char end) {
    skip_spaces();
    if (rest_.starts_with(',')) rest_.remove_prefix(1);
    skip_spaces();
    if (rest_.empty()) refuse("an open bracket");
    if (rest_.front() != end) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string what_;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
  std::string_view rest_;
};

std::string short_text(const Json& value) {
  return printable(value.is_string() ? value.get<std::string>() : json_dump(value), 60);
}

class Settings {
 public:
  explicit Settings(std::string what) : what_(std::move(what)) {}

  void take_parameters(const Json& all) {
    if (!all.is_object()) return;
    for (const auto& [key, value] : all.items())
      if (!take_number(key, value) && !take_limits(key, value) && !take_other(key, value)) leave(key, value);
    if (!all.contains("f_number")) set("f_number", 1.0);  // zea's default
  }

  void take_operations(const Json& all) {
    if (!all.is_array()) return;
    for (const Json& one : all) {
      const bool named = one.is_object() && one.contains("name") && one["name"].is_string();
      const std::string name = named ? one["name"].get<std::string>() : one.is_string() ? one.get<std::string>() : "";
      const Json params = named && one.contains("params") ? one["params"] : Json::object();
      static constexpr std::array kImplied{"cast",         "keras.ops.cast", "demodulate", "envelope_detect",
                                           "log_compress", "patched_grid"};
      if (std::ranges::find(kImplied, name) != kImplied.end()) continue;
      if (name == "beamform" || name == "delay_and_sum")
        take_beamformer(params);
      else if (name == "normalize")
        set("reference_db", -999.0);
      else if (name == "refocus")
        set("transmit_decoding", "refocus");
      else if (name == "tissue_suppression")
        set("wall_filter", "svd");
      else
        leave(name.empty() ? "operation" : name, params);
    }
  }

  [[nodiscard]] Json result() const { return {{"set", set_}, {"not_available", left_}}; }

 private:
  void set(const std::string& key, const std::string& value) { set_.push_back(key + "=" + value); }
  void set(const std::string& key, double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    set(key, std::string(text));
  }
  void leave(const std::string& name, const Json& value) {
    const bool bare = value.is_null() || (value.is_object() && value.empty());
    left_.push_back(printable(name, 60) + (bare ? "" : " (" + short_text(value) + ")"));
  }

  bool take_number(const std::string& key, const Json& value) {
    static constexpr std::array kNumbers{std::pair{"sound_speed", "sound_speed_m_s"}, std::pair{"f_number", "f_number"},
                                         std::pair{"grid_size_x", "grid_nx"}, std::pair{"grid_size_z", "grid_nz"},
                                         std::pair{"t_peak", "pulse_peak_s"}};
    const auto* const found = std::ranges::find_if(kNumbers, [&](const auto& row) { return key == row.first; });
    if (found == kNumbers.end() || !value.is_number()) return false;
    set(found->second, value.get<double>());
    return true;
  }

  bool take_limits(const std::string& key, const Json& value) {
    if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number()) return false;
    const double low = value[0].get<double>(), high = value[1].get<double>();
    if (key == "dynamic_range" && high == 0.0) {
      set("dynamic_range_db", -low);
      return true;
    }
    static constexpr std::array kLimits{std::array{"xlims", "lateral_min_m", "lateral_max_m"},
                                        std::array{"zlims", "depth_min_m", "depth_max_m"},
                                        std::array{"polar_limits", "sector_min_rad", "sector_max_rad"}};
    const auto* const found = std::ranges::find_if(kLimits, [&](const auto& row) { return key == row[0]; });
    if (found == kLimits.end()) return false;
    set((*found)[1], low);
    set((*found)[2], high);
    return true;
  }

  bool take_other(const std::string& key, const Json& value) {
    if (key == "apply_lens_correction" && value.is_boolean())
      return set("lens", value.get<bool>() ? "auto" : "off"), true;
    if (key == "grid_type" && value.is_string() && (value == "polar" || value == "cartesian"))
      return set("grid_kind", value.get<std::string>()), true;
    if (key != "selected_transmits") return false;
    if (value == "all") return true;
    return value.is_array() && take_transmits(value);
  }

  // A list of even steps, counted from 0.
  bool take_transmits(const Json& list) {
    std::vector<double> numbers;
    for (const Json& one : list)
      if (one.is_number()) numbers.push_back(one.get<double>());
    if (numbers.empty() || numbers.size() != list.size()) return false;
    const double step = numbers.size() > 1 ? numbers[1] - numbers[0] : 1.0;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (numbers[k] != numbers[0] + step * static_cast<double>(k) || numbers[k] < 0.0) return false;
    if (step < 1.0 || step != std::floor(step) || numbers[0] != std::floor(numbers[0])) return false;
    set("transmit_first", numbers.front() + 1.0);
    set("transmit_last", numbers.back() + 1.0);
    set("transmit_every", step);
    return true;
  }

  void take_beamformer(const Json& params) {
    if (!params.is_object()) return;
    static constexpr std::array kMethods{std::pair{"delay_and_sum", "off"}, std::pair{"coherence_factor", "coherence"},
                                         std::pair{"generalized_coherence_factor", "generalized"},
                                         std::pair{"minimum_variance", "minimum_variance"}};
    for (const auto& [key, value] : params.items()) {
      const auto* const method =
          std::ranges::find_if(kMethods, [&](const auto& row) { return value.is_string() && value == row.first; });
      const bool ignored = key == "num_patches" || (key == "enable_pfield" && value == false);
      if (key == "beamformer" && method != kMethods.end())
        set("adaptive", method->second);
      else if (key == "diagonal_loading" && value.is_number())
        set("mv_loading", value.get<double>());
      else if (!ignored)
        leave(key, value);
    }
  }

  std::string what_;
  std::vector<std::string> set_, left_;
};

}  // namespace

bool is_pipeline(const OpenRequest& request) {
  return request.path.extension() == ".yaml" || request.path.extension() == ".yml";
}

std::string pipeline_settings(const OpenRequest& request) {
  const auto bytes = request.bytes();
  if (bytes.size() > kMostBytes)
    throw Error(request.what(), std::to_string(bytes.size()) + " bytes", "a pipeline of up to 64000 bytes");
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!is_utf8(text)) throw Error(request.what(), "bytes that are no text", "YAML in UTF-8");
  const Json all = Yaml(request.what(), text).read();
  if (!all.is_object() || !(all.contains("parameters") || all.contains("pipeline")))
    throw Error(request.what(), "neither parameters nor pipeline", "a pipeline.yaml of zea");
  Settings settings(request.what());
  if (all.contains("parameters")) settings.take_parameters(all["parameters"]);
  if (all.contains("pipeline") && all["pipeline"].is_object() && all["pipeline"].contains("operations"))
    settings.take_operations(all["pipeline"]["operations"]);
  return json_dump(settings.result());
}

}  // namespace echoloop
