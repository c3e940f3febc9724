// Folders of the program's data (shaders, assets) and of its settings.
#pragma once

#include <filesystem>
#include <string>

#include "core/frame.h"
#include "gui/state/ui_state.h"

namespace echoloop {

// Returns $ECHOLOOP_SHARE, else share/echoloop next to the installed program's bin folder, else the source tree of the
// build. Throws Error if none of them has the shaders.
std::filesystem::path share_folder();

// Returns this program's own file; empty if the system does not provide it. Tests set the tested program.
std::filesystem::path& program_file();

// Returns this machine's name on its network.
std::string host_name();

// Returns $XDG_CONFIG_HOME/echoloop/window, or ~/.config/echoloop/window; empty without a home folder.
std::filesystem::path settings_file();

// Returns the presets folder in the same folder; empty without a home folder.
std::filesystem::path own_presets_folder();

// Returns the file there with the token of scanners on other machines; empty without a home folder.
std::filesystem::path token_file();
// Writes a random token, readable by this user alone, if there is none. Throws Error.
void make_token_file(const std::filesystem::path& file);
// Returns the folder of descriptions of files whose own folders are read-only; empty without a home folder.
std::filesystem::path own_descriptions_folder();

// Returns a new file in the folder, for which no .json of the same name exists: "name.png", else "name-2.png" and so
// on. Does not check if it can be written.
std::filesystem::path new_file(const std::filesystem::path& folder, const std::string& name, const std::string& ending);

// Folders of the user's files: the desktop's folders for images, videos and documents (XDG user directories).

enum class UserFolder { pictures, videos, documents };

// Returns the first writable one of: the desktop's folder, the home folder, the folder for temporary files. Never the
// current folder.
std::filesystem::path user_folder(UserFolder kind);

// Expands "~" and "~/..." to the home folder; returns other text unchanged.
std::filesystem::path with_home(const std::string& text);

// Returns why no file can be made in the folder; empty: writable.
std::string why_not_writable(const std::filesystem::path& folder);

// Returns the chosen folder, else the user's own for the kind of file.
std::filesystem::path save_folder(const SaveChoice& choice, UserFolder kind);

// Returns the place of the next image, for the save panel.
SavePlace describe_place(const SaveChoice& choice, const SourceInfo& source, const FrameStamp& stamp);

// Returns "heart_phantom", "PWI_disk": the source's name as a valid part of a file name.
std::string file_stem(const SourceInfo& source);
// Returns it with frame and acquisition time: "heart_phantom_f1235_24.68s". Higher frame rates have more decimals.
std::string file_stem(const SourceInfo& source, const FrameStamp& stamp);

// Files written by users and read as a whole: presets, marks, sessions. Any thread.

// Returns the content. Throws Error with `accepted` unless it is a file of at most `most_mb` MB.
std::string read_small_file(const std::filesystem::path& path, std::size_t most_mb, const std::string& accepted);

// Installed manual: its first page, and the desktop's program that shows it. UI thread.

// Returns the index: HTML of the installed program or of the build tree; otherwise the Markdown source. Throws Error as
// share_folder().
std::filesystem::path manual_page();

// Starts xdg-open with the page, in a session of its own that outlives this program. Returns the message for the user:
// the opened page, or the folder of the manual and why the page was not opened.
std::string open_manual();

}  // namespace echoloop
