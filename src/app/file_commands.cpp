// `echoloop describe` and `echoloop repair`.
#include "app/commands.h"
#include "app/options/terminal.h"
#include "core/number.h"
#include "formats/file_outline.h"
#include "history/uff_repair.h"

namespace echoloop {

int run_describe(const Options& options) {
  const std::filesystem::path file = options.source;
  print_out("{}", description_template(outline_file(file), file.filename().string()));
  return 0;
}

int run_repair(const Options& options) {
  const RepairedRecording repaired = repair_recording(options.source);
  print_out("{}: {}\n", repaired.path.string(), counted(repaired.frames, "frame"));
  return 0;
}

}  // namespace echoloop
