// Chooses the reader by the first bytes of the file.
#include "formats/recording.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "core/error.h"
#include "formats/array_view.h"
#include "formats/library_recording.h"
#include "formats/mat.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/reader.h"
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

bool is_text_pickle(std::string_view start) {
  return start.starts_with("(dp") || start.starts_with("(lp") || start.starts_with("}q") || start.starts_with("]q");
}

// Frames that lie in the file as they are lent are lent in place; others are read once. One at a time: the libraries
// are not safe with threads.
Recording read_by_library(const OpenRequest& request) {
  static std::mutex lock;
  const std::scoped_lock one_at_a_time(lock);
  const LibraryRecording found = open_library_recording(request);
  const std::size_t frame_bytes = found.acquisition->frame_bytes();
  Recording recording{.acquisition = found.acquisition,
                      .frame_count = found.frame_count,
                      .format = found.format,
                      .name = request.path.filename().string(),
                      .frame = {},
                      .memory = {},
                      .owner = request.file};
  if (!found.frame_offsets.empty()) {
    recording.frame = [file = request.file, offsets = found.frame_offsets, frame_bytes,
                       what = request.what()](std::uint64_t index) -> std::span<const std::byte> {
      if (!file->intact()) throw Error(what, "shorter than when it was opened", "a file that nobody changes");
      return file->bytes().subspan(offsets.at(static_cast<std::size_t>(index)), frame_bytes);
    };
    return recording;
  }
  const std::array extents{static_cast<std::size_t>(found.frame_count)};
  const auto total = checked_bytes(extents, frame_bytes);
  const auto block = MemoryBlock::allocate(request.what(), total.value_or(std::numeric_limits<std::size_t>::max()));
  for (std::size_t f = 0; f < found.frame_count; ++f) {
    request.advance(static_cast<double>(f) / static_cast<double>(found.frame_count));
    found.read_frame(f, block->bytes().subspan(f * frame_bytes, frame_bytes));
  }
  recording.frame = [block, frame_bytes, n = found.frame_count](std::uint64_t index) -> std::span<const std::byte> {
    if (index >= n) throw std::out_of_range("frame index");
    return std::span<const std::byte>(block->bytes())
        .subspan(static_cast<std::size_t>(index) * frame_bytes, frame_bytes);
  };
  recording.memory = block->bytes();
  recording.owner = block;
  request.advance(1.0);
  return recording;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string result(text.substr(0, most));
  for (char& c : result) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return result + (text.size() > most ? "..." : "");
}

void OpenRequest::advance(double fraction) const {
  if (stop.stop_requested()) throw Error(what(), "opening was stopped", "to be left to finish");
  if (progress) progress(fraction);
}

Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress, std::stop_token stop) {
  const OpenRequest request{
      .path = path, .file = MappedFile::open(path), .library_path = path, .progress = progress, .stop = stop};
  request.advance(0.0);
  const auto bytes = request.bytes();
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 1024));
  if (looks_like_npy(bytes)) return read_described_npy(request);
  if (looks_like_zip(bytes)) return read_npz(request);
  if (looks_like_mat(bytes) || looks_like_hdf5(bytes)) return read_by_library(request);
  if (start[0] == '\x80' && start.size() > 1 && start[1] >= 0 && start[1] <= 5)
    return read_short_course_pickle(request);
  if (is_text_pickle(start)) {
    throw Error(request.what(), "a pickle of protocol 0 or 1", "a pickle of protocol 2 to 5",
                "save it again with pickle.dump(x, f, 4)");
  }
  const std::size_t first = start.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string_view::npos && start[first] == '{') return read_sidecar_target(request);
  throw Error(request.what(), first_bytes(start), kAcceptedFiles);
}

}  // namespace echoloop
