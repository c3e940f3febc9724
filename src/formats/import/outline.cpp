// What `echoloop describe` and the window show of a file, as JSON: entries with a value or a range, guesses, what is
// missing. Reader process.
#include <algorithm>

#include "formats/base/printable.h"
#include "formats/containers/npy.h"
#include "formats/import/guessed_description.h"
#include "formats/import/import.h"
#include "formats/import/known_lines.h"
#include "formats/import/words.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostShown = 400;               // entries
constexpr std::size_t kSmall = 8, kRanged = 1 << 20;  // numbers spelled out; numbers whose range is looked for

std::string value_text(const ArrayTree& tree, std::size_t k) {
  const TreeEntry& entry = tree.entries()[k];
  if (!entry.text.empty()) return "\"" + entry.text + "\"";
  if (!entry.numeric || entry.complex || entry.count() > kRanged) return "";
  try {
    const std::vector<double> values = tree.numbers(k, kRanged);
    std::string text;
    if (values.size() <= kSmall) {
      for (const double value : values) text += (text.empty() ? "" : ", ") + word(value);
      return text;
    }
    const auto [least, most] = std::ranges::minmax(values);
    return words(least, " ... ", most);
  } catch (const Error&) {
    return "";
  }
}

// A container may know only from the numbers themselves whether they are complex.
std::string type_text(const ArrayTree& tree, std::size_t k, bool samples) {
  const TreeEntry& entry = tree.entries()[k];
  if (!entry.numeric || entry.complex || (!samples && entry.count() > kRanged)) return entry.type;
  try {
    return (tree.is_complex(k) ? "complex " : "") + entry.type;
  } catch (const Error&) {
    return entry.type;
  }
}

}  // namespace

std::string outline_of_file(const OpenRequest& request) {
  const OpenTree open = open_tree(request);
  Json outline = {{"bytes", request.bytes().size()},
                  {"entries", Json::array()},
                  {"guesses", Json::array()},
                  {"missing", Json::array()},
                  {"meta", Json::object()},
                  {"refusal", ""},
                  {"container", ""}};
  if (request.folder != nullptr) {
    outline["files"] = request.folder->files.size();
    outline["bytes"] = request.folder->files.size() * request.bytes().size();
  }
  if (open.tree == nullptr) {
    const OtherKind other = identify_other_kind(request.bytes());
    if (!other.found.empty())
      throw Error(request.what(), other.found, "a file with arrays, or raw samples", other.hint);
    outline["container"] = "raw bytes";
    std::string first;
    for (std::size_t k = 0; k < std::min<std::size_t>(request.bytes().size(), 256); ++k) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = std::to_integer<unsigned>(request.bytes()[k]);
      first += {kHex[byte >> 4], kHex[byte & 15]};
    }
    outline["first_bytes"] = first;
    return outline.dump();
  }
  const ArrayTree& tree = *open.tree;
  outline["container"] = tree.container();
  const auto header = guess_known_lines(request);
  const GuessedDescription guess = header ? *header : guess_description(tree);
  const std::string samples = guess.meta.is_object() && guess.meta.contains("data") && guess.meta["data"].is_string()
                                  ? guess.meta["data"].get<std::string>()
                                  : "";
  for (std::size_t k = 0; k < std::min(tree.entries().size(), kMostShown); ++k) {
    const TreeEntry& entry = tree.entries()[k];
    outline["entries"].push_back({{"path", printable(entry.path, 200)},
                                  {"type", type_text(tree, k, entry.path == samples)},
                                  {"shape", entry.shape},
                                  {"numeric", entry.numeric},
                                  {"value", value_text(tree, k)}});
  }
  outline["meta"] = guess.meta;
  outline["refusal"] = guess.refusal;
  for (const Guess& one : guess.guesses)
    outline["guesses"].push_back({{"key", one.key}, {"reason", printable(one.reason, 200)}, {"assumed", one.assumed}});
  if (guess.measure_center)
    outline["missing"].push_back(
        {{"key", "fc_hz"}, {"text", "centre frequency (without this key: measured in the first frame)"}});
  for (const Missing& one : guess.missing)
    outline["missing"].push_back({{"key", one.key}, {"text", printable(one.text, 200)}});
  return json_dump(outline);
}

}  // namespace echoloop
