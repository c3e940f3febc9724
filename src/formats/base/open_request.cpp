#include "formats/base/open_request.h"

#include <system_error>

#include "core/error.h"

namespace echoloop {

void OpenRequest::check_stop() const {
  if (stop.stop_requested()) throw Error(what(), "opening was stopped", "a complete read");
}

void OpenRequest::advance(double fraction) const {
  check_stop();
  if (progress) progress(fraction);
}

OpenRequest request_for(const std::filesystem::path& path, const OpenProgress& progress, std::stop_token stop) {
  OpenRequest request{
      .path = path, .file = nullptr, .path_to_open = path, .sidecars = {}, .progress = progress, .stop = stop};
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    if (!path.has_filename()) request.path = path.parent_path();  // a slash at the end
    if (!request.path.has_filename() || request.path.filename() == "." || request.path.filename() == "..")
      request.path = std::filesystem::weakly_canonical(path, ignored);
    request.folder = open_folder(request.path);
    request.path_to_open = request.folder->files.front().path;
  }
  request.file = MappedFile::open(request.path_to_open);
  return request;
}

}  // namespace echoloop
