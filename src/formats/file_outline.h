// What a file of any container holds: its arrays, texts and groups, what is guessed of them, and what a description has
// to add. The reader process looks inside; here are values. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace echoloop {

// A file that opens by a format of its own, as a description: the facts that its reader has read, key by key.
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

struct OutlineEntry {
  std::string path;  // as a description names it
  std::string type;
  std::vector<std::size_t> shape;  // as MATLAB's size() or numpy's shape says it
  bool numeric = false;
  std::string value;  // small ones spelled out, a range, or a text

  friend bool operator==(const OutlineEntry&, const OutlineEntry&) = default;
};

struct FileOutline {
  std::string container;  // "MATLAB v5"
  std::size_t bytes = 0;
  std::size_t n_files = 0;  // of a folder, else 0
  std::vector<OutlineEntry> entries;
  std::vector<OutlineGuess> guesses;
  std::vector<OutlineGuess> missing;  // most important first; `reason`: what it is
  std::string refusal;                // why its data are not imaged; empty: nothing known
  std::string first_bytes;            // of raw bytes: hexadecimal

  std::string format = {};  // that it opens as with nothing beside it: "UFF (USTB)"; empty: it does not open
  bool is_read = false;     // the guesses are what the reader of the format has read
  bool is_partial = false;  // but not all that a description would need: `refusal` is why
  std::vector<std::string> assumptions = {};  // of that reader
};

// Throws Error as open_recording() does, and for files of other kinds.
FileOutline outline_file(const std::filesystem::path& path, std::stop_token stop = {});

// A description to complete: JSON with the outline, guesses and what is missing as // comments
// (description_template.cpp).
std::string description_template(const FileOutline& outline, const std::string& file_name);

}  // namespace echoloop
