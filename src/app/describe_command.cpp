#include "app/describe_command.h"

#include "app/options/terminal.h"
#include "formats/file_outline.h"

namespace echoloop {

int run_describe(const Options& options) {
  const std::filesystem::path file = options.source;
  print_out("{}", description_template(outline_file(file), file.filename().string()));
  return 0;
}

}  // namespace echoloop
