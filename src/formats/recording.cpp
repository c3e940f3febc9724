// Chooses the reader by the first bytes of the file.
#include "formats/recording.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/reader.h"
#include "formats/reader_process.h"
#include "formats/shortcourse.h"
#include "formats/sidecar.h"
#include "formats/zip.h"

namespace echoloop {
namespace {

// The first bytes, for a person who has to guess what the file is.
std::string first_bytes(std::string_view start) {
  std::string text = "unknown content beginning with \"";
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : start.substr(0, 8)) {
    const auto b = static_cast<unsigned char>(c);
    if (b >= 0x20 && b < 0x7f) {
      text += c;
    } else {
      text += {'\\', 'x', kHex[b >> 4], kHex[b & 15]};
    }
  }
  return text + "\"";
}

// MATLAB and HDF5 files; HDF5 allows for other data before its own: 512, 1024, 2048, ... bytes.
bool needs_library(std::string_view start, std::span<const std::byte> bytes) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  if (bytes.size() >= 128 && (start.starts_with("MATLAB 5.") || start.starts_with("MATLAB 7."))) return true;
  for (std::size_t at = 0; at + kHdf5.size() <= bytes.size(); at = at == 0 ? 512 : 2 * at) {
    if (std::memcmp(bytes.data() + at, kHdf5.data(), kHdf5.size()) == 0) return true;
  }
  return false;
}

bool is_text_pickle(std::string_view start) {
  return start.starts_with("(dp") || start.starts_with("(lp") || start.starts_with("}q") || start.starts_with("]q");
}

Recording read_by_content(const OpenRequest& request) {
  const auto bytes = request.bytes();
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 1024));
  if (looks_like_npy(bytes)) return read_described_npy(request);
  if (looks_like_zip(bytes)) return read_npz(request);
  if (needs_library(start, bytes)) return open_in_reader_process(request);
  if (start[0] == '\x80' && start.size() > 1 && start[1] >= 0 && start[1] <= 5)
    return read_short_course_pickle(request);
  if (is_text_pickle(start)) {
    throw Error(request.what(), "a pickle of protocol 0 or 1", "a pickle of protocol 2 to 5",
                "save the data with pickle.dump(x, f, 4)");
  }
  const std::size_t first = start.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string_view::npos && start[first] == '{') return read_sidecar_target(request);
  throw Error(request.what(), first_bytes(start), kAcceptedFiles);
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
  const OpenRequest request{
      .path = path, .file = MappedFile::open(path), .path_to_open = path, .progress = progress, .stop = stop};
  request.advance(0.0);
  try {
    Recording recording = read_by_content(request);
    require_readable(request.bytes());
    return recording;
  } catch (const Error&) {
    require_readable(request.bytes());  // empty pages are the reason for whatever was wrong
    throw;
  }
}

}  // namespace echoloop
