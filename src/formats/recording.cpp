// The viewer's side of opening a file: maps it, and has the reader process look inside.
#include "formats/recording.h"

#include "core/error.h"
#include "formats/npy.h"
#include "formats/reader.h"
#include "formats/reader_process.h"
#include "formats/zip.h"

namespace echoloop {
namespace {

// What may describe a bare array: X.npy.json, X.json and params.json beside it.
std::vector<SidecarFile> files_beside(const std::filesystem::path& array_file) {
  std::filesystem::path whole = array_file, own = array_file;
  whole += ".json";
  own.replace_extension(".json");
  std::vector<SidecarFile> found;
  for (const std::filesystem::path& path : {whole, own, array_file.parent_path() / "params.json"}) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) found.push_back({path, MappedFile::open(path)});
  }
  return found;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string result(text.substr(0, most));
  for (char& c : result) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return result + (text.size() > most ? "..." : "");
}

void OpenRequest::check_stop() const {
  if (stop.stop_requested()) throw Error(what(), "opening was stopped", "a complete read");
}

void OpenRequest::advance(double fraction) const {
  check_stop();
  if (progress) progress(fraction);
}

Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress, std::stop_token stop) {
  OpenRequest request{.path = path,
                      .file = MappedFile::open(path),
                      .path_to_open = path,
                      .sidecars = {},
                      .progress = progress,
                      .stop = stop};
  request.advance(0.0);
  if (looks_like_npy(request.bytes()) || looks_like_zip(request.bytes())) request.sidecars = files_beside(path);
  try {
    Recording recording = open_in_reader_process(request);
    require_readable(request.bytes());
    return recording;
  } catch (const Error&) {
    require_readable(request.bytes());  // empty pages are the reason for whatever was wrong
    throw;
  }
}

}  // namespace echoloop
