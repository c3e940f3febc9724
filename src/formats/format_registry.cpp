#include "formats/format_registry.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "formats/base/accepted_files.h"
#include "formats/base/format_table.h"
#include "formats/base/printable.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat_file.h"
#include "formats/containers/npz.h"
#include "formats/containers/zip.h"
#include "formats/readers/sidecar.h"

namespace echoloop {
namespace {

// The members of the root, for a person who has to guess what the file is.
std::string outline_text(const hdf5::Node& root) {
  std::string text;
  std::size_t n_listed = 0;
  for (const std::string& name : root.children()) {
    if (n_listed++ == 8) {
      text += ", ...";
      break;
    }
    text += (text.empty() ? "" : ", ") + printable(name, 30);
  }
  return "an HDF5 file with " + (text.empty() ? "no members" : text);
}

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

// HDF5 allows for other data before its own: 512, 1024, 2048, ... bytes.
bool looks_like_hdf5(std::span<const std::byte> bytes) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  for (std::size_t at = 0; at + kHdf5.size() <= bytes.size(); at = at == 0 ? 512 : 2 * at) {
    if (std::memcmp(bytes.data() + at, kHdf5.data(), kHdf5.size()) == 0) return true;
  }
  return false;
}

// The first row of that container whose format the file looks like; null: none.
template <class Reader, class... Content>
const Reader* find_reader(const Content&... content) {
  for (const FormatRow& row : kFormats) {
    const Reader* const reader = std::get_if<Reader>(&row.reader);
    if (reader != nullptr && (reader->looks_like == nullptr || reader->looks_like(content...))) return reader;
  }
  return nullptr;
}

bool is_text_pickle(std::string_view start) {
  return start.starts_with("(dp") || start.starts_with("(lp") || start.starts_with("}q") || start.starts_with("]q");
}

LibraryRecording open_npz(const OpenRequest& request) {
  const NpzMembers members = read_npz_members(request.what(), request.bytes(), [&request] { request.check_stop(); });
  return find_reader<NpzReader>(request, members)->read(request, members);
}

LibraryRecording open_mat(const OpenRequest& request) {
  const MatFile file(request.what(), request.path_to_open.string(), request.bytes());
  return find_reader<MatReader>(file)->read(request, file);
}

LibraryRecording open_hdf5(const OpenRequest& request) {
  const hdf5::Node root = hdf5::Node::open(request.what(), request.path_to_open.string(), request.bytes().size());
  request.advance(0.05);
  if (const auto* const reader = find_reader<Hdf5Reader>(root)) return reader->read(request, root);
  throw Error(request.what(), outline_text(root), accepted_files());
}

}  // namespace

LibraryRecording open_library_recording(const OpenRequest& request) {
  const auto bytes = request.bytes();
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 1024));
  if (!request.sidecars.empty() && !looks_like_npy(bytes) && !looks_like_zip(bytes)) refuse_described(request);
  if (const auto* const reader = find_reader<BytesReader>(bytes)) return reader->read(request);
  if (looks_like_zip(bytes)) return open_npz(request);
  if (looks_like_mat(bytes)) return open_mat(request);
  if (looks_like_hdf5(bytes)) return open_hdf5(request);
  if (is_text_pickle(start)) {
    throw Error(request.what(), "a pickle of protocol 0 or 1", "a pickle of protocol 2 to 5",
                "save the data with pickle.dump(x, f, 4)");
  }
  const std::size_t first = start.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string_view::npos && start[first] == '{') return read_sidecar_target(request);
  throw Error(request.what(), first_bytes(start), accepted_files());
}

}  // namespace echoloop
