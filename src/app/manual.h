// The manual that is installed with the program: where its first page is, and the desktop's program that shows it. UI
// thread.
#pragma once

#include <filesystem>
#include <string>

namespace echoloop {

// The index: HTML of the installed program or of the build tree; otherwise the Markdown source. Throws Error like
// share_folder().
std::filesystem::path manual_page();

// Starts xdg-open with the page, in a session of its own that outlives this program. Returns the message for the user:
// the page that is opened, or the folder of the manual and why the page is not opened.
std::string open_manual();

}  // namespace echoloop
