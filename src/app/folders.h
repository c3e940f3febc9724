// Where the program finds what it brings along (shaders, assets) and where it remembers things.
#pragma once

#include <filesystem>
#include <string>

namespace echoloop {

// $ECHOLOOP_SHARE, else share/echoloop beside the installed program's bin folder, else the source tree it was built
// from. Throws Error when none of them has the shaders.
std::filesystem::path share_folder();

// $XDG_CONFIG_HOME/echoloop/window, or ~/.config/echoloop/window; empty when there is no home folder.
std::filesystem::path settings_file();

// The presets folder beside it; empty likewise.
std::filesystem::path own_presets_folder();

// A file in the folder that is not there yet: "echoloop-" with date and time, then `end` ("-frame12.png"), with "-2"
// and so on before its extension where there is one of that name. Whether it can be written is for the writer to say.
std::filesystem::path new_file(const std::filesystem::path& folder, const std::string& end);

}  // namespace echoloop
