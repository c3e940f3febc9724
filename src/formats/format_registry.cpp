
#include <algorithm>
#include <functional>
#include <string_view>

#include "core/error.h"
#include "formats/base/format_table.h"
#include "formats/base/mapping.h"
#include "formats/containers/archives.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat_file.h"
#include "formats/import/import.h"
#include "formats/readers/description.h"
#include "formats/readers/zea_contents.h"
#include "formats/readers/zea_pipeline.h"

namespace echoloop {
namespace {

// Returns the members of the root, for a user who must identify the file.
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

// Returns the first bytes, for a user who must identify the file.
std::string first_bytes(std::string_view start) {
  std::string text = "unknown content beginning with \"";
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : start.substr(0, 8)) {
    const auto b = static_cast<unsigned char>(c);
    if (b >= 0x20 && b < 0x7f)
      text += c;
    else
      text += {'\\', 'x', kHex[b >> 4], kHex[b & 15]};
  }
  return text + "\"";
}

// Returns the first row of that container whose format matches the file; null: none.
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

// Reads a layout unknown to all readers by a description or by its names.
LibraryRecording or_imported(const OpenRequest& request, const std::optional<Sidecar>& sidecar,
                             const std::function<LibraryRecording()>& read,
                             const std::function<OpenTree()>& open_as_tree) {
  try {
    return read();
  } catch (const UnknownLayout& unknown) {
    return import_tree(request, sidecar, *open_as_tree().tree, unknown);
  }
}

LibraryRecording open_npz(const OpenRequest& request, const std::optional<Sidecar>& sidecar) {
  const NpzMembers members = read_npz_members(request.what(), request.bytes(), [&request] { request.check_stop(); });
  if (members.empty() && !zip_directory(request.what(), request.bytes()).empty()) {
    throw Error(request.what(), "a zip archive without .npy arrays", "an .npz file, or channel data",
                "unpack it and open a file inside");
  }
  if (sidecar && (is_explicit(sidecar->meta) || describes_traces(sidecar->meta)))
    return read_described(request, *sidecar);
  return or_imported(
      request, sidecar, [&] { return find_reader<NpzReader>(request, members)->read(request, members); },
      [&] {
        return OpenTree{nullptr, npz_tree(request, members)};
      });
}

LibraryRecording open_mat(const OpenRequest& request, const std::optional<Sidecar>& sidecar) {
  const MatFile file(request.what(), request.path_to_open.string(), request.bytes());
  return or_imported(
      request, sidecar, [&] { return find_reader<MatReader>(file)->read(request, file); },
      [&] {
        return OpenTree{nullptr, mat_tree(request, file)};
      });
}

LibraryRecording open_hdf5(const OpenRequest& request, const std::optional<Sidecar>& sidecar) {
  const hdf5::Node root = hdf5::Node::open(request.what(), request.path_to_open.string(), request.bytes().size());
  request.advance(0.05);
  if (const auto* const reader = find_reader<Hdf5Reader>(root)) return reader->read(request, root);
  return import_tree(request, sidecar, *hdf5_tree(request, root, AxisCount::stored),
                     Error(request.what(), outline_text(root), accepted_files()));
}

LibraryRecording open_other(const OpenRequest& request, std::string_view start) {
  if (auto lines = read_known_lines(request)) return std::move(*lines);
  if (is_text_pickle(start)) {
    throw Error(request.what(), "a pickle of protocol 0 or 1", "a pickle of protocol 2 to 5",
                "save the data with pickle.dump(x, f, 4)");
  }
  const std::size_t first = start.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string_view::npos && start[first] == '{') return read_sidecar_target(request);
  if (first != std::string_view::npos && start.substr(first).starts_with("//")) return read_sidecar_target(request);
  const OtherKind other = identify_other_kind(request.bytes());
  if (!other.found.empty())
    throw Error(request.what(), other.found, "channel data of an ultrasound scanner", other.hint);
  throw Error(request.what(), first_bytes(start), accepted_files(),
              "raw samples need a description: echoloop describe --help");
}

}  // namespace

namespace {

// Throws Error for a property of reading that the format does not have.
void require_properties(const OpenRequest& request, const LibraryRecording& recording) {
  if (!recording.described_file.empty()) return;
  std::string known;
  for (const std::string& name : recording.properties) known += (known.empty() ? "" : ", ") + name;
  for (const auto& [name, value] : request.properties) {
    if (std::ranges::find(recording.properties, name) != recording.properties.end()) continue;
    throw Error(request.what(), name + " = " + value.text + " has no effect on " + recording.format,
                known.empty() ? "a recording of a format that has it" : known);
  }
}

LibraryRecording open_by_content(const OpenRequest& request) {
  if (request.folder != nullptr) return read_folder(request);
  const auto bytes = request.bytes();
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 1024));
  const bool npy = looks_like_npy(bytes);
  std::optional<Sidecar> sidecar = description_beside(request);
  const bool as_tree =
      sidecar && (is_explicit(sidecar->meta) || describes_lines(sidecar->meta) || describes_traces(sidecar->meta));
  if (npy && !as_tree) sidecar.reset();
  const bool container = looks_like_pickle(bytes) || looks_like_mat(bytes) || looks_like_hdf5(bytes);
  if (sidecar && !looks_like_zip(bytes) && (!container || is_explicit(sidecar->meta)))
    return read_described(request, *sidecar);
  if (const auto* const reader = find_reader<BytesReader>(bytes)) {
    return or_imported(
        request, sidecar, [&] { return reader->read(request); }, [&] { return open_tree(request); });
  }
  if (looks_like_zip(bytes)) return open_npz(request, sidecar);
  if (looks_like_mat(bytes)) return open_mat(request, sidecar);
  if (looks_like_hdf5(bytes)) return open_hdf5(request, sidecar);
  return open_other(request, start);
}

}  // namespace

LibraryRecording open_library_recording(const OpenRequest& request) {
  LibraryRecording recording = open_by_content(request);
  require_properties(request, recording);
  return recording;
}

MapValues library_map(const OpenRequest& request, const MapRequest& wanted) { return read_stored_map(request, wanted); }

std::string library_outline(const OpenRequest& request) {
  return is_pipeline(request) ? pipeline_settings(request) : outline_of_file(request);
}

}  // namespace echoloop
