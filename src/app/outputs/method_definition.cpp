// Reads a function as its program defines it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/outputs/method_process.h"
#include "core/results/label_mask.h"

namespace echoloop {
namespace {

using nlohmann::json;

bool is_identifier(const std::string& text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, is_word) &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

std::string text_of(const json& from, const char* key, std::size_t most) {
  const auto at = from.find(key);
  if (at == from.end() || !at->is_string()) throw BadMessage(std::string("a definition without '") + key + "'");
  auto text = at->get<std::string>();
  if (text.size() > most)
    throw BadMessage(fmt::format("'{}' of {} bytes; expected {} at most", key, text.size(), most));
  return text;
}

double number_of(const json& from, const char* key) {
  const auto at = from.find(key);
  if (at == from.end() || !at->is_number() || !std::isfinite(at->get<double>()))
    throw BadMessage(std::string("a parameter without a number '") + key + "'");
  return at->get<double>();
}

OwnParameter parameter_of(const json& from) {
  if (!from.is_object()) throw BadMessage("a parameter that is no object");
  OwnParameter p{.name = text_of(from, "name", 63),
                 .unit = text_of(from, "unit", 15),
                 .help = text_of(from, "help", 255),
                 .min = number_of(from, "min"),
                 .max = number_of(from, "max"),
                 .value = number_of(from, "value")};
  if (!is_identifier(p.name)) throw BadMessage("parameter '" + p.name + "'; expected letters, digits and '_'");
  if (!(p.min < p.max) || p.value < p.min || p.value > p.max)
    throw BadMessage("parameter " + p.name + " with limits that do not hold its value");
  return p;
}

void read_labels_of(OwnMethod& method, const json& from) {
  const json& labels = from.contains("labels") ? from["labels"] : json::array();
  if (!labels.is_array() || labels.size() > kMostLabels)
    throw BadMessage(fmt::format("expected {} labels at most", kMostLabels));
  for (const json& each : labels) {
    if (!each.is_string() || each.get<std::string>().empty() || each.get<std::string>().size() > 63)
      throw BadMessage("a label that is no text of 1 to 63 bytes");
    method.labels.push_back(each.get<std::string>());
  }
}

}  // namespace

MethodDefinition read_definition(const std::string& text) {
  const json from = json::parse(text, nullptr, false);
  if (!from.is_object()) throw BadMessage("a definition that is no JSON object");
  MethodDefinition made{.method = {}, .place = text_of(from, "place", 1024)};
  OwnMethod& method = made.method;
  method.name = text_of(from, "name", 63);
  if (!is_identifier(method.name)) throw BadMessage("name '" + method.name + "'; expected letters, digits and '_'");
  const std::string input = text_of(from, "input", 63);
  const auto at = std::ranges::find(kOwnInputs, input);
  if (at == kOwnInputs.end()) throw BadMessage("input '" + input + "'; expected rf, lines, channels, iq or image");
  made.input = static_cast<OwnInput>(at - kOwnInputs.begin());
  made.on_device = from.contains("memory") && from["memory"] == "cuda";
  method.source = text_of(from, "source", kMostDefinition);
  method.sha256 = sha256(method.source);
  const json& parameters = from.contains("parameters") ? from["parameters"] : json::array();
  if (!parameters.is_array() || parameters.size() > static_cast<std::size_t>(kMostOwnParameters))
    throw BadMessage(fmt::format("expected {} parameters at most", kMostOwnParameters));
  for (const json& each : parameters) {
    method.parameters.push_back(parameter_of(each));
    const auto same = [&](const OwnParameter& p) { return p.name == method.parameters.back().name; };
    if (std::ranges::count_if(method.parameters, same) > 1)
      throw BadMessage("two parameters '" + method.parameters.back().name + "'");
  }
  read_labels_of(method, from);
  method.replaces = true;
  return made;
}

}  // namespace echoloop
