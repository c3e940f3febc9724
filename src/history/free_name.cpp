#include "history/free_name.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace echoloop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial";

fs::path numbered(const fs::path& path, int n) {
  fs::path name = path.stem();
  name += "_" + std::to_string(n);
  name += path.extension();
  return path.parent_path() / name;
}

}  // namespace

fs::path rename_to_free_name(const fs::path& from, const fs::path& to) {
  constexpr int kMostTries = 10'000;
  fs::path name = to;
  for (int n = 2; n < kMostTries; ++n) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return name;
    if (errno == EINVAL && !fs::exists(name)) {  // a file system that knows no such flag
      fs::rename(from, name);
      return name;
    }
    if (errno != EEXIST && errno != EINVAL) throw std::system_error(errno, std::generic_category());
    name = numbered(to, n);
  }
  throw std::runtime_error("no free name beside " + to.string());
}

fs::path partial_name(const fs::path& file, int n) {
  fs::path partial = file;
  partial += kPartial;
  if (n > 1) partial += std::to_string(n);
  return partial;
}

bool is_partial_name(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending.starts_with(kPartial) && std::all_of(ending.begin() + kPartial.size(), ending.end(), [](char c) {
           return std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

fs::path name_of_partial(const fs::path& partial) {
  return is_partial_name(partial) ? partial.parent_path() / partial.stem() : partial;
}

}  // namespace echoloop
