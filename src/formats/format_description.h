// A file that opens by a format of its own, as a description: the facts that its reader has read, key by key.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace echoloop {

struct OutlineGuess {
  std::string key;     // of a description
  std::string value;   // JSON
  std::string reason;  // empty: a default
  bool assumed = false;
};

struct FormatDescription {
  std::string format;    // that the file opens as with nothing beside it: "UFF (USTB)"; empty: it does not open
  bool is_read = false;  // by the reader of the format, not by the names of its arrays: all else is its
  std::vector<OutlineGuess> facts;
  std::vector<std::string> assumptions;
  // The description is tried. Unless it opens with the same facts and samples, why not; then the keys that name the
  // samples are not among the facts.
  std::string why_not;
};

FormatDescription describe_format(const std::filesystem::path& file);

}  // namespace echoloop
