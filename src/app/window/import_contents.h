// The import assistant's files: what one holds before any answer, and where its description is saved. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "formats/import_draft.h"

namespace echoloop {

// What the assistant knows of a file before any answer.
struct ImportContents {
  FileOutline outline;
  std::optional<RawGuess> raw;  // of a file without a container
  struct Description {
    std::string name, text;  // of its file; empty: none
  };
  Description description = {};  // that the file opens with
  Description example = {};      // of another file in its folder, if it does not open alone
};
// Reads it, by the reader process. Throws Error.
ImportContents read_contents(const std::filesystem::path& file, std::stop_token stop = {});
// Whether a file that did not open could open with a description.
bool could_be_described(const std::filesystem::path& file, const ImportContents& contents);
ImportDraft make_draft(const std::filesystem::path& file, const ImportContents& contents);

// Writes the description beside the file, where its folder can be written, else into `own` under the name of the
// content; a file that is in the way is kept as NAME.bak. Returns the path. Throws Error.
std::filesystem::path save_description(const std::filesystem::path& file, const ImportDraft& draft,
                                       const std::filesystem::path& own);

// Name of the description that would be written beside the file; empty: the folder cannot be written.
std::string name_beside(const std::filesystem::path& file);

bool is_sample_array(const OutlineEntry& entry);  // could hold the samples

}  // namespace echoloop
