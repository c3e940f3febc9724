// `echoloop describe` and `echoloop repair`.
#include "app/commands.h"
#include "app/options/terminal.h"
#include "core/error.h"
#include "core/number.h"
#include "formats/file_outline.h"
#include "formats/open_recording.h"
#include "history/uff_repair.h"

namespace echoloop {
namespace {

// A description takes precedence over the format: a file with an incomplete one beside it no longer opens.
void say_what_it_opens_as(const std::filesystem::path& file) {
  try {
    print_out("// opens as {} without a description; one with \"data\" takes precedence\n",
              open_recording_alone(file).format);
  } catch (const Error&) {  // for which a description is made
  }
}

}  // namespace

int run_describe(const Options& options) {
  const std::filesystem::path file = options.source;
  const std::string text = description_template(outline_file(file), file.filename().string());
  say_what_it_opens_as(file);
  print_out("{}", text);
  return 0;
}

int run_repair(const Options& options) {
  const RepairedRecording repaired = repair_recording(options.source);
  print_out("{}: {}\n", repaired.path.string(), counted(repaired.frames, "frame"));
  return 0;
}

}  // namespace echoloop
