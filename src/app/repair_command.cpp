#include "app/repair_command.h"

#include "app/options/terminal.h"
#include "history/uff_repair.h"

namespace echoloop {

int run_repair(const Options& options) {
  const RepairedRecording repaired = repair_recording(options.source);
  print_out("{}: {} frame{}\n", repaired.path.string(), repaired.frames, repaired.frames == 1 ? "" : "s");
  return 0;
}

}  // namespace echoloop
