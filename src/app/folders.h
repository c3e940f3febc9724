// Where the program finds what it brings along (shaders, assets) and where it remembers things.
#pragma once

#include <filesystem>

namespace echoloop {

// $ECHOLOOP_SHARE, else share/echoloop beside the installed program's bin folder, else the source tree it was built
// from. Throws Error when none of them has the shaders.
std::filesystem::path share_folder();

// $XDG_CONFIG_HOME/echoloop/window, or ~/.config/echoloop/window; empty when there is no home folder.
std::filesystem::path settings_file();

// The presets folder beside it; empty likewise.
std::filesystem::path own_presets_folder();

}  // namespace echoloop
