#include "formats/file_outline.h"

#include <algorithm>
#include <utility>

#include "core/plain_text.h"
#include "formats/base/description_keys.h"
#include "formats/base/open_request.h"
#include "formats/own_descriptions.h"
#include "formats/readers/description_json.h"
#include "formats/sandbox/reader_process.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostEntries = 1000, kMostText = 300;

// What a reader process says is believed of no length and no kind.
std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? plain_text(found->get<std::string>()).substr(0, kMostText) : "";
}

bool truth_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

template <class Take>
void each_object(const Json& outline, const char* key, Take&& take) {
  const auto found = outline.find(key);
  if (found == outline.end() || !found->is_array()) return;
  std::size_t n = 0;
  for (const Json& entry : *found) {
    if (n++ == kMostEntries) return;
    if (entry.is_object()) take(entry);
  }
}

std::vector<std::size_t> shape_in(const Json& object) {
  std::vector<std::size_t> shape;
  const auto found = object.find("shape");
  if (found == object.end() || !found->is_array() || found->size() > 32) return shape;
  for (const Json& extent : *found) shape.push_back(extent.is_number_unsigned() ? extent.get<std::size_t>() : 0);
  return shape;
}

FileOutline outline_of(const std::string& what, const std::string& text) {
  constexpr DescriptionLimits kLimits{.bytes = std::size_t{4} << 20, .values = std::size_t{1} << 19};
  const Json json = parse_description(what, std::as_bytes(std::span(text)), kLimits);
  FileOutline outline{
      .container = text_in(json, "container"),
      .bytes = json.value("bytes", Json(0)).is_number_unsigned() ? json["bytes"].get<std::size_t>() : 0,
      .n_files = json.value("files", Json(0)).is_number_unsigned() ? json["files"].get<std::size_t>() : 0,
      .entries = {},
      .guesses = {},
      .missing = {},
      .refusal = text_in(json, "refusal"),
      .first_bytes = json.value("first_bytes", Json("")).is_string() ? text_in(json, "first_bytes") : ""};
  each_object(json, "entries", [&](const Json& entry) {
    outline.entries.push_back({.path = text_in(entry, "path"),
                               .type = text_in(entry, "type"),
                               .shape = shape_in(entry),
                               .numeric = truth_in(entry, "numeric"),
                               .value = text_in(entry, "value")});
  });
  const auto meta = json.find("meta");
  each_object(json, "guesses", [&](const Json& guess) {
    const std::string key = text_in(guess, "key");
    if (meta == json.end() || !meta->is_object() || !meta->contains(key) || find_description_key(key) == nullptr)
      return;
    outline.guesses.push_back({.key = key,
                               .value = meta->at(key).dump(-1, ' ', false, Json::error_handler_t::replace),
                               .reason = text_in(guess, "reason"),
                               .assumed = truth_in(guess, "assumed")});
  });
  each_object(json, "missing", [&](const Json& missing) {
    const std::string key = text_in(missing, "key");
    const DescriptionKey* const row = find_description_key(key);
    if (row != nullptr)
      outline.missing.push_back({.key = key, .value = row->example, .reason = text_in(missing, "text")});
  });
  return outline;
}

// What the reader of the format has read, in place of guesses.
void take_facts(FormatDescription own, FileOutline& outline) {
  outline.format = own.format;
  outline.is_read = own.is_read;
  outline.is_partial = !own.why_not.empty();
  if (!own.is_read) return;
  outline.refusal =
      outline.is_partial ? "a description cannot replace the reader of " + own.format + ": " + own.why_not : "";
  outline.guesses = std::move(own.facts);
  outline.assumptions = std::move(own.assumptions);
  outline.missing.clear();
  if (outline.is_partial) outline.missing.push_back({.key = "axes", .value = {}, .reason = outline.refusal});
}

std::string shape_words(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text.empty() ? "1" : text;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

FileOutline outline_file(const std::filesystem::path& path, std::stop_token stop) {
  OpenRequest request = request_for(path, {}, std::move(stop));
  request.sidecars = sidecars_of(request.path, request.bytes());
  const std::string text = outline_in_reader_process(request);
  require_readable(request.bytes());
  FileOutline outline = outline_of(request.what(), text);
  if (request.folder == nullptr) take_facts(describe_format(path), outline);
  return outline;
}

std::string description_template(const FileOutline& outline, const std::string& file_name) {
  std::string name = file_name;  // one line
  std::ranges::replace_if(
      name, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::string text = "// " + name + ": " + outline.container + ", " + std::to_string(outline.bytes) + " bytes\n";
  if (!outline.refusal.empty()) text += "// " + outline.refusal + "\n";
  for (const std::string& assumption : outline.assumptions) text += "// assumed: " + assumption + "\n";
  std::size_t width = 8, shape_width = 6;
  for (const OutlineEntry& entry : outline.entries) {
    width = std::min<std::size_t>(48, std::max(width, entry.path.size()));
    shape_width = std::min<std::size_t>(28, std::max(shape_width, shape_words(entry.shape).size()));
  }
  for (const OutlineEntry& entry : outline.entries)
    text += "//   " + padded(entry.path, width) + "  " + padded(shape_words(entry.shape), shape_width) + "  " +
            padded(entry.type, 10) + "  " + entry.value + "\n";
  if (!outline.first_bytes.empty()) text += "// first bytes: " + outline.first_bytes.substr(0, 128) + "\n";
  if (!outline.missing.empty() && !outline.is_partial) {
    text += "// missing, most important first:\n";
    for (const OutlineGuess& missing : outline.missing)
      text += "//   " + missing.reason + ", for example \"" + missing.key + "\": " + missing.value + "\n";
  }
  if (outline.entries.empty())
    text += "// missing: \"dtype\", \"shape\", \"axes\" and all that echoloop describe --help lists" +
            std::string(outline.n_files > 0 ? "; the files are the first axis\n" : "\n");
  const std::string begin = "{\n  \"file\": " + Json(file_name).dump(-1, ' ', false, Json::error_handler_t::replace);
  if (outline.is_partial) {  // what is known, for a description of one's own; this one leaves all to the format
    text += "// known:\n";
    for (const OutlineGuess& guess : outline.guesses) text += "//   \"" + guess.key + "\": " + guess.value + "\n";
    return text + begin + "\n}\n";
  }
  text += begin;
  std::string comment;
  for (const OutlineGuess& guess : outline.guesses) {
    text += "," + comment + "\n  \"" + guess.key + "\": " + guess.value;
    comment = guess.reason.empty() ? "" : std::string("  // ") + (guess.assumed ? "assumed: " : "") + guess.reason;
  }
  return text + comment + "\n}\n";
}

}  // namespace echoloop
