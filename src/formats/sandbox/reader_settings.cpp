#include "formats/sandbox/reader_settings.h"

#include <system_error>

namespace echoloop {

ReaderSettings& reader_settings() {
  static ReaderSettings settings;
  return settings;
}

std::filesystem::path reader_program() {
  namespace fs = std::filesystem;
  constexpr const char* kName = "echoloop-reader";
  if (!reader_settings().program.empty()) return reader_settings().program;
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path beside = here / kName;
  return fs::exists(beside, ignored) ? beside : here.parent_path() / "libexec" / "echoloop" / kName;
}

}  // namespace echoloop
