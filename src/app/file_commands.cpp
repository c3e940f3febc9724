// `echoloop describe` and `echoloop repair`.
#include "app/commands.h"
#include "app/options/terminal.h"
#include "core/number.h"
#include "formats/file_outline.h"
#include "history/uff_repair.h"

namespace echoloop {

int run_describe(const std::filesystem::path& file) {
  const FileOutline outline = outline_file(file);
  if (!outline.format.empty())  // a file with an incomplete description beside it no longer opens
    print_out("// opens as {} without a description; one with \"data\" takes precedence\n", outline.format);
  print_out("{}", description_template(outline, file.filename().string()));
  return 0;
}

int run_repair(const std::filesystem::path& file) {
  const RepairedRecording repaired = repair_recording(file);
  print_out("{}: {}\n", repaired.path.string(), counted(repaired.frames, "frame"));
  return 0;
}

}  // namespace echoloop
