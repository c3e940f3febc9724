// Opens a recording in a file that anybody may have made: by content, never by name alone.
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

// Throws Error: one line with the file, what was found, what is accepted. Executes nothing from the file.
Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress = {},
                         std::stop_token stop = {});

// As it would open with this JSON description beside it, whatever lies there; several frames are read as they are
// needed.
Recording open_recording_as(const std::filesystem::path& path, const std::string& description,
                            const OpenProgress& progress = {}, std::stop_token stop = {});

// As it would open with nothing beside it.
Recording open_recording_alone(const std::filesystem::path& path);

// Of files that other people made, an own process reads what is inside, in a sandbox. In words, as far as this system
// offers it: "static reader: seccomp, Landlock, namespaces". Starts the process.
std::string sandbox_text();
// From then on files are opened also where the system offers neither seccomp nor Landlock.
void allow_reading_unsandboxed();
// From then on compressed recordings are read a frame at a time, when it is wanted.
void read_nothing_ahead();

// From then on waits for a reader process end soon, with an Error, when `ending` says that the program is to end.
void stop_reading_when(std::function<bool()> ending);

// Where the descriptions of a file are: beside it; those that hold until the program ends; and those in the user's own
// folder, which are found again by content. Set by the program; read where files are opened. Any thread.

// The user's own folder; empty: there is none. Before files are opened.
void keep_descriptions_in(const std::filesystem::path& folder);

// "86704640-0123456789abcdef.json": the size of the file, and the 64-bit FNV-1a hash of its first and last 65 536 bytes
// (of all bytes, where there are no more). The name of the file plays no part: it may be moved and renamed.
std::string content_name(std::span<const std::byte> file);

// From now on the file opens with this description, whatever lies beside it; empty: no longer.
void use_description(const std::filesystem::path& file, const std::string& json);

// Throws Error, which names `what`, unless the text is that of a description.
void require_description(const std::string& what, const std::string& json);

// A description in memory as a file that a reader process can be given. Throws Error.
SidecarFile sidecar_of_text(const std::filesystem::path& name, const std::string& json);

// Whether the JSON text is a description of a file of that name (description_json.h).
bool describes_file(const std::string& json, const std::string& file_name, SidecarKind kind);

// Those two kinds, for a file with this content.
std::optional<SidecarFile> used_description(const std::filesystem::path& file);
std::optional<SidecarFile> kept_description(std::span<const std::byte> content);

// On one line, the description that a file opens with and that does not lie beside it: another computer or another user
// lacks it. Empty: none. Throws Error where the file cannot be read.
std::string description_from_elsewhere(const std::filesystem::path& file);

// What may describe a file: the description in use (use_description), X.npy.json, X.json and params.json beside it,
// the .yml of a Clarius scanner, and the user's own description of this content.
std::vector<std::filesystem::path> description_places(const std::filesystem::path& array_file);  // beside it
std::vector<SidecarFile> sidecars_of(const std::filesystem::path& array_file, std::span<const std::byte> content);

}  // namespace echoloop
