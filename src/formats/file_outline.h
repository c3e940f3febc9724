// Content of a file in any container: its arrays, texts and groups, the guesses about them, and the facts that a
// description must add. The reader process parses the file; these are values. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace echoloop {

// A file that opens by a format of its own, as a description: the facts read by its reader, key by key.
struct OutlineGuess {
  std::string key;     // of a description
  std::string value;   // JSON
  std::string reason;  // empty: a default
  bool assumed = false;
};

struct FormatDescription {
  std::string format;    // format of the file when opened alone: "UFF (USTB)"; empty: it does not open
  bool is_read = false;  // by the format's reader, not by array names; so is all below
  std::vector<OutlineGuess> facts;
  std::vector<std::string> assumptions;
  // Result of a trial of the description: empty if it opens with the same facts and samples, else the difference; the
  // keys that name the samples are then not among the facts.
  std::string why_not;
};

FormatDescription describe_format(const std::filesystem::path& file);

struct OutlineEntry {
  std::string path;  // as in a description
  std::string type;
  std::vector<std::size_t> shape;  // as in MATLAB's size() or numpy's shape
  bool numeric = false;
  std::string value;  // small values in full, a range, or a text

  friend bool operator==(const OutlineEntry&, const OutlineEntry&) = default;
};

struct FileOutline {
  std::string container;  // "MATLAB v5"
  std::size_t bytes = 0;
  std::size_t n_files = 0;  // of a folder, else 0
  std::vector<OutlineEntry> entries;
  std::vector<OutlineGuess> guesses;
  std::vector<OutlineGuess> missing;  // most important first; `reason`: its meaning
  std::string refusal;                // reason why its data are not imaged; empty: unknown
  std::string first_bytes;            // of raw bytes: hexadecimal

  std::string format = {};  // format of the file when opened alone: "UFF (USTB)"; empty: it does not open
  bool is_read = false;     // the guesses were read by the format's reader
  bool is_partial = false;  // some facts of a description are missing; reason in `refusal`
  std::vector<std::string> assumptions = {};  // of the format's reader
};

// Throws Error as open_recording() does, and for files of other kinds.
FileOutline outline_file(const std::filesystem::path& path, std::stop_token stop = {});

// Returns a description to complete: JSON with the outline, guesses and missing facts as // comments.
std::string description_template(const FileOutline& outline, const std::string& file_name);

}  // namespace echoloop
