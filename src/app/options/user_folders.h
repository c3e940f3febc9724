// Where files of the user go: the folders for images, videos and documents of the desktop (XDG user directories).
#pragma once

#include <filesystem>
#include <string>

#include "core/frame.h"
#include "gui/state/ui_state.h"

namespace echoloop {

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

}  // namespace echoloop
