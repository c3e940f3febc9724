#include "formats/base/format_table.h"

#include <algorithm>

namespace echoloop {
namespace {

// Returns the words only: code that used a row would link its reader.
consteval auto words_of_formats() {
  std::array<FormatWords, kFormats.size()> words{};
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = kFormats[k].words;
  return words;
}
constexpr auto kWords = words_of_formats();

std::vector<std::string_view> endings_of(const FormatWords& words) {
  std::vector<std::string_view> endings;
  for (std::string_view left = words.endings; !left.empty();) {
    const std::size_t end = std::min(left.find(' '), left.size());
    endings.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return endings;
}

}  // namespace

std::string accepted_files() {
  std::string text;
  std::string_view group;
  for (const FormatWords& words : kWords) {
    if (words.group != group)
      text += (text.empty() ? "" : "), ") + std::string(words.group) + " (";
    else
      text += ", ";
    text += words.name;
    group = words.group;
  }
  return text + ")";
}

std::string format_names() {
  std::string files, lines;
  for (const FormatWords& words : kWords) {
    if (words.group == "arrays with a JSON sidecar" || words.name.starts_with("arrays by ")) continue;
    std::string& list = words.group == "beamformed RF lines" ? lines : files;
    const bool course = words.group == "GPU short-course data";
    const std::string name(course ? words.group : words.name);
    if (!list.ends_with(name)) list += (list.empty() ? "" : ", ") + name;
  }
  return "MATLAB, HDF5 and NumPy files of " + files + "; RF lines of " + lines;
}

std::vector<std::string_view> recording_endings() {
  std::vector<std::string_view> all;
  for (const FormatWords& words : kWords) {
    for (const std::string_view ending : endings_of(words))
      if (std::ranges::find(all, ending) == all.end()) all.push_back(ending);
  }
  return all;
}

std::string formats_markdown() {
  std::string text;
  for (const FormatWords& words : kWords) {
    std::string endings;
    for (const std::string_view ending : endings_of(words))
      endings += (endings.empty() ? "`*" : ", `*") + std::string(ending) + "`";
    text += "| " + endings + " | " + std::string(words.help) + " |\n";
  }
  return text;
}

}  // namespace echoloop
