// Opens a recording in a file of any origin: by content, never by name alone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/base/open_request.h"
#include "formats/base/recording.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// Throws Error: one line with the file, the cause, the accepted content. Executes nothing from the file.
// `facts`: those of the user; the properties of reading among them are passed to the reader.
Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress = {},
                         std::stop_token stop = {}, const Facts& facts = {});

// Opens the file with this JSON description instead of any next to it; several frames are read on demand.
Recording open_recording_as(const std::filesystem::path& path, const std::string& description,
                            const OpenProgress& progress = {}, std::stop_token stop = {});

// Reads frames of a map that the recording of the file lists (SourceContents::maps). Throws Error. Any thread.
MapValues read_map(const std::filesystem::path& path, const MapRequest& wanted, std::stop_token stop = {});

// Opens the file without any description.
Recording open_recording_alone(const std::filesystem::path& path);

// Returns the labels of the tracks of a file that can be chosen, without its frames; empty: not several.
std::vector<std::string> tracks_of(const std::filesystem::path& path);

// Settings KEY=VALUE of a pipeline.yaml of zea, and what is not available. Throws Error. The reader process parses it.
struct PipelineSettings {
  std::vector<std::string> set, not_available;
};
PipelineSettings read_pipeline(const std::filesystem::path& file);

// Returns the active sandbox as text: "static reader: seccomp, Landlock, namespaces". A separate process parses
// untrusted files in it, as far as the system allows. Starts the process.
std::string sandbox_text();
// Allows opening files without a sandbox from now on, if the system has neither seccomp nor Landlock.
void allow_reading_unsandboxed();
// Makes compressed recordings read single frames on demand from now on.
void read_nothing_ahead();

// From now on, ends waits for a reader process soon, with an Error, if `ending` returns true, as the program ends.
void stop_reading_when(std::function<bool()> ending);

// Sources of a file's descriptions: files next to it; those used until the program ends; and those in the user's own
// folder, found by content. Set by the program; read while files are opened. Any thread.

// Sets the user's own folder; empty: none. Call before files are opened.
void keep_descriptions_in(const std::filesystem::path& folder);

// Returns "86704640-0123456789abcdef.json": the file size, and the 64-bit FNV-1a hash of its first and last 65 536
// bytes (of all bytes, if there are no more). Independent of the file name: it may be moved and renamed.
std::string content_name(std::span<const std::byte> file);

// Makes the file open with this description from now on, before any other; empty: removes it.
void use_description(const std::filesystem::path& file, const std::string& json);

// Throws Error, which names `what`, unless the text is a valid description.
void require_description(const std::string& what, const std::string& json);

// Returns a description in memory as a file for a reader process. Throws Error.
SidecarFile sidecar_of_text(const std::filesystem::path& name, const std::string& json);

// Returns true if the JSON text is a description of a file of that name (readers/description_json.h).
bool describes_file(const std::string& json, const std::string& file_name, SidecarKind kind);

// Return the description from use_description(), and the one kept for this content in the user's folder.
std::optional<SidecarFile> used_description(const std::filesystem::path& file);
std::optional<SidecarFile> kept_description(std::span<const std::byte> content);

// Returns, on one line, the description with which a file opens, if it is not next to the file: other computers and
// users lack it. Empty: none. Throws Error if the file cannot be read.
std::string description_from_elsewhere(const std::filesystem::path& file);

// Possible descriptions of a file: the description in use (use_description), X.npy.json, X.json and params.json next to
// it, the .yml of a Clarius scanner, and the user's own description of this content.
std::vector<std::filesystem::path> description_places(const std::filesystem::path& array_file);  // next to it
std::vector<SidecarFile> sidecars_of(const std::filesystem::path& array_file, std::span<const std::byte> content);
void add_descriptions(OpenRequest& request);  // those of sidecars_of(), first

}  // namespace echoloop
