#include "app/manual.h"

#include "app/options/folders.h"
#include "history/child_program.h"

namespace echoloop {

namespace fs = std::filesystem;

fs::path manual_page() {
  const fs::path installed = share_folder() / "assets" / "manual";
  std::error_code ignored;
  for (const fs::path& folder : {installed, program_file().parent_path() / "assets" / "manual"}) {
    if (fs::exists(folder / "README.html", ignored)) return folder / "README.html";
  }
  return installed / "README.md";
}

std::string open_manual() {
  const fs::path page = manual_page();
  std::error_code ignored;
  if (!fs::exists(page, ignored)) return "The manual is not installed: " + page.string() + " does not exist.";
  const std::string folder = " The manual is in the folder " + page.parent_path().string() + ".";
  if (!is_on_path("xdg-open")) return "xdg-open is not installed." + folder;
  // xdg-open may run as long as the program that shows the page; setsid ends at once.
  const bool started =
      is_on_path("setsid") && ChildProgram({"setsid", "--fork", "xdg-open", page.string()}).finish() == 0;
  return started ? "Opening the manual: " + page.string() : "xdg-open cannot be started." + folder;
}

}  // namespace echoloop
