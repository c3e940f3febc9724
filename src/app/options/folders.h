// Where the program finds what it brings along (shaders, assets) and where it remembers things.
#pragma once

#include <filesystem>
#include <string>

namespace echoloop {

// $ECHOLOOP_SHARE, else share/echoloop beside the installed program's bin folder, else the source tree it was built
// from. Throws Error when none of them has the shaders.
std::filesystem::path share_folder();

// This program's own file; empty where the system does not tell. Tests name the program that they test.
std::filesystem::path& program_file();

// This machine, as others on its network name it.
std::string host_name();

// $XDG_CONFIG_HOME/echoloop/window, or ~/.config/echoloop/window; empty when there is no home folder.
std::filesystem::path settings_file();

// The presets folder beside it; empty likewise.
std::filesystem::path own_presets_folder();

// The word that scanners on other machines have to send, in a file beside it; empty likewise.
std::filesystem::path token_file();
// With a word of chance where there is none yet, for this user alone. Throws Error.
void make_token_file(const std::filesystem::path& file);
// Descriptions of files whose folders cannot be written; likewise.
std::filesystem::path own_descriptions_folder();

// A file in the folder that does not exist yet, nor a .json of that name, which is written beside it: "name.png", else
// "name-2.png" and so on. Whether it can be written is for the writer to say.
std::filesystem::path new_file(const std::filesystem::path& folder, const std::string& name, const std::string& ending);

}  // namespace echoloop
