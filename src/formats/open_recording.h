// Opens a recording in a file that anybody may have made: by content, never by name alone.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "formats/base/open_request.h"
#include "formats/base/recording.h"

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

// From then on waits for a reader process end soon, with an Error, when `ending` says that the program is to end.
void stop_reading_when(std::function<bool()> ending);

}  // namespace echoloop
