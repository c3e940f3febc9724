// Where the program finds what it brings along (shaders, assets) and where it remembers things.
#pragma once

#include <filesystem>
#include <string>

#include "core/frame.h"
#include "gui/state/ui_state.h"

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

// Where files of the user go: the folders for images, videos and documents of the desktop (XDG user directories).

enum class UserFolder { pictures, videos, documents };

// The first that exists and can be written: that of the desktop, the home folder, the folder for temporary files. Never
// the current folder.
std::filesystem::path user_folder(UserFolder kind);

// "~" and "~/..." in the home folder; other text as it is.
std::filesystem::path with_home(const std::string& text);

// Why no file can be made in the folder; empty: one can.
std::string why_not_writable(const std::filesystem::path& folder);

// The chosen folder, else the user's own for the kind of file.
std::filesystem::path save_folder(const SaveChoice& choice, UserFolder kind);

// For the save panel: where the next image goes.
SavePlace describe_place(const SaveChoice& choice, const SourceInfo& source, const FrameStamp& stamp);

// "heart_phantom", "PWI_disk": what a file name may have of the source's name.
std::string file_stem(const SourceInfo& source);
// With frame and acquisition time: "heart_phantom_f1235_24.68s". More decimals where frames come faster.
std::string file_stem(const SourceInfo& source, const FrameStamp& stamp);

// Files that users write and the program reads whole: presets, marks, sessions. Any thread.

// The content. Throws Error with `accepted` for what is no file of at most `most_mb` MB.
std::string read_small_file(const std::filesystem::path& path, std::size_t most_mb, const std::string& accepted);

// The manual that is installed with the program: where its first page is, and the desktop's program that shows it. UI
// thread.

// The index: HTML of the installed program or of the build tree; otherwise the Markdown source. Throws Error like
// share_folder().
std::filesystem::path manual_page();

// Starts xdg-open with the page, in a session of its own that outlives this program. Returns the message for the user:
// the page that is opened, or the folder of the manual and why the page is not opened.
std::string open_manual();

}  // namespace echoloop
