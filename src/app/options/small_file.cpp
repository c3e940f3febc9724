#include "app/options/small_file.h"

#include <fstream>

#include "core/error.h"

namespace echoloop {

std::string read_small_file(const std::filesystem::path& path, std::size_t most_mb, const std::string& accepted) {
  const std::string what = path.string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw Error(what, "the path is a folder", accepted);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(what, "not a regular file", accepted);  // reading a pipe would wait for ever
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(what, "cannot be opened", accepted);
  const std::size_t most_bytes = most_mb * 1'000'000;
  std::string text(most_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most_bytes) throw Error(what, "more than " + std::to_string(most_mb) + " MB", accepted);
  return text;
}

}  // namespace echoloop
