// Chooses among the readers that stand on a library, by content.
#include "formats/library_recording.h"

#include "core/error.h"
#include "formats/hdf5_file.h"
#include "formats/hdf5_formats.h"
#include "formats/mat.h"

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

}  // namespace

LibraryRecording open_library_recording(const OpenRequest& request) {
  if (looks_like_mat(request.bytes())) return read_mat(request);
  const hdf5::Node root = hdf5::Node::open(request.what(), request.path_to_open.string(), request.bytes().size());
  request.advance(0.05);
  if (looks_like_uff(root)) return read_uff(request, root);
  if (looks_like_picmus(root)) return read_picmus(request, root);
  if (looks_like_pybf(root)) return read_pybf(request, root);
  if (looks_like_zea(root)) return read_zea(request, root);
  throw Error(request.what(), outline_text(root), kAcceptedFiles);
}

}  // namespace echoloop
