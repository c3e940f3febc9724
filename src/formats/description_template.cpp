// What `echoloop describe` prints.
#include <algorithm>
#include <vector>

#include "formats/draft_facts.h"
#include "formats/file_outline.h"
#include "formats/readers/description_json.h"

namespace echoloop {
namespace {

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
  const std::string begin = "{\n  \"file\": " + json_dump(Json(file_name));
  if (outline.is_partial) {  // what is known, for a description of one's own; this one leaves all to the format
    text += "// known:\n";
    for (const OutlineGuess& guess : outline.guesses) text += "//   \"" + guess.key + "\": " + guess.value + "\n";
    return text + begin + "\n}\n";
  }
  text += begin;
  std::string comment;
  Json assumed = Json::array();
  for (const OutlineGuess& guess : outline.guesses) {
    if (is_guess(state_of(outline, guess))) assumed.push_back(guess.key);
    text += "," + comment + "\n  \"" + guess.key + "\": " + guess.value;
    comment = guess.reason.empty() ? "" : std::string("  // ") + (guess.assumed ? "assumed: " : "") + guess.reason;
  }
  if (!assumed.empty()) text += "," + comment + "\n  \"assumed\": " + assumed.dump(), comment.clear();
  return text + comment + "\n}\n";
}

}  // namespace echoloop
