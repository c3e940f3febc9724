#include "formats/hdf5_file.h"

#include <string_view>

#include "core/error.h"
#include "formats/hdf5_blosc.h"
#include "formats/hdf5_lzf.h"
#include "formats/reader.h"

namespace echoloop::hdf5 {
namespace {

// Unpacked chunks kept of a dataset: a chunk of several frames is unpacked once. IQ has two datasets, and all of it
// counts as memory of the viewer. A prime above 100 times their number.
constexpr std::size_t kCacheBytes = std::size_t{64} << 20, kCacheSlots = 12421;
constexpr std::size_t kMaxLinks = 65536;  // of a group: PyBF keeps a group for each frame

struct LinkNames {
  std::vector<std::string> names;
  std::size_t n_seen = 0;
};

herr_t collect_link(hid_t /*group*/, const char* name, const H5L_info_t* info, void* to) {
  auto& found = *static_cast<LinkNames*>(to);
  if (++found.n_seen > kMaxLinks) return -1;
  const std::string_view text(name);
  if (info->type == H5L_TYPE_HARD && text.find('/') == std::string_view::npos && text != ".")
    found.names.emplace_back(text);
  return 0;
}

struct Reason {
  std::string_view words;
  std::string text;  // the first that contains them
};

herr_t find_reason(unsigned /*n*/, const H5E_error2_t* error, void* to) {
  auto& reason = *static_cast<Reason*>(to);
  const std::string_view text(error->desc == nullptr ? "" : error->desc);
  if (text.find(reason.words) == std::string_view::npos) return 0;
  reason.text = text;
  return 1;
}

std::string reason_with(std::string_view words) {
  Reason reason{.words = words, .text = {}};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &reason);
  return reason.text;
}

// The library has just failed to open something.
Error cannot_open(const std::string& where, const std::string& damaged) {
  const std::string reason = reason_with("version");  // one that it does not know
  if (reason.empty()) return {where, damaged, kUndamaged};
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  const std::string version = std::to_string(major) + "." + std::to_string(minor);
  return {where,
          "written by a newer HDF5 than " + version + "." + std::to_string(release) + ", or damaged (" +
              printable(reason) + ")",
          "data that HDF5 " + version + " can read",
          "convert with the h5repack of the newer HDF5, or write with h5py's libver=('earliest', 'v110')"};
}

}  // namespace

bool failed_for(std::string_view words) { return !reason_with(words).empty(); }

Node::Node(std::string what, std::string path, std::size_t file_size, std::size_t depth, Id id)
    : what_(std::move(what)),
      path_(std::move(path)),
      file_size_(file_size),
      depth_(depth),
      id_(std::make_shared<const Id>(std::move(id))) {}

Node Node::open(const std::string& what, const std::string& path, std::size_t file_size) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // refusals are ours to word
  H5PLset_loading_state(0);                     // a file cannot name a library to load
  register_lzf();
  register_blosc();
  const Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_file_locking(access, 0, 1);  // only read: a read-only disk has no locks to give
  H5Pset_cache(access, 0, kCacheSlots, kCacheBytes, 1.0);
  // A recording whose writer was killed, or still writes, says that it is being written: then as its reader. By default
  // the library tries damaged metadata a hundred times, with pauses.
  H5Pset_metadata_read_attempts(access, 3);
  hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (opened < 0) opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  const Id file(opened);
  if (!file.valid()) throw cannot_open(what, "a damaged or truncated HDF5 file");
  Id root(H5Gopen2(file, "/", H5P_DEFAULT));  // keeps the file open
  if (!root.valid()) throw cannot_open(what, "an HDF5 file without a root group");
  return {what, "", file_size, 0, std::move(root)};
}

bool Node::is_group() const { return H5Iget_type(id()) == H5I_GROUP; }
bool Node::is_dataset() const { return H5Iget_type(id()) == H5I_DATASET; }

std::string Node::where() const { return path_.empty() ? what_ : what_ + " (" + path_ + ")"; }

std::vector<std::string> Node::children() const {
  LinkNames found;
  if (is_group() && H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_link, &found) < 0) {
    throw Error(
        where(),
        found.n_seen > kMaxLinks ? "a group of more than " + std::to_string(kMaxLinks) + " members" : "a damaged group",
        kUndamaged);
  }
  return std::move(found.names);
}

bool Node::has(const std::string& name) const {
  return is_group() && !name.empty() && name.find('/') == std::string::npos &&
         H5Lexists(id(), name.c_str(), H5P_DEFAULT) > 0;
}

std::optional<Node> Node::find(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  std::string path = path_ + "/" + printable(name);
  if (depth_ >= kMaxDepth) {
    throw Error(what_ + " (" + path + ")", "groups nested deeper than " + std::to_string(kMaxDepth),
                "fewer levels of groups");
  }
  H5L_info_t info;
  if (H5Lget_info(id(), name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
    throw Error(what_ + " (" + path + ")", "an external or soft link", "data inside this file");
  Id object(H5Oopen(id(), name.c_str(), H5P_DEFAULT));
  if (!object.valid()) throw cannot_open(what_ + " (" + path + ")", "a damaged object");
  return Node(what_, std::move(path), file_size_, depth_ + 1, std::move(object));
}

Node Node::at(const std::string& name) const {
  auto found = find(name);
  if (!found) throw Error(where(), "no " + printable(name), "a recording with this member");
  return std::move(*found);
}

Node Node::at_path(const std::string& path) const {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos) return at(path);
  return at(path.substr(0, slash)).at_path(path.substr(slash + 1));
}

Node Node::dataset_at(const std::string& path, std::size_t cache_bytes) const {
  const std::size_t slash = path.rfind('/');
  const Node group = slash == std::string::npos ? *this : at_path(path.substr(0, slash));
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (const Node found = group.at(name); cache_bytes <= kCacheBytes || !found.is_dataset()) return found;
  const Id access(H5Pcreate(H5P_DATASET_ACCESS));  // counts for the first that opens it: it is closed by now
  H5Pset_chunk_cache(access, kCacheSlots, cache_bytes, 1.0);
  Id dataset(H5Dopen2(group.id(), name.c_str(), access));
  if (!dataset.valid()) throw cannot_open(where(), "a damaged dataset");
  return {what_, group.path_ + "/" + printable(name), file_size_, group.depth_ + 1, std::move(dataset)};
}

std::vector<std::size_t> Node::extents() const {
  if (!is_dataset()) throw Error(where(), "a group", "an array");
  const Id space(H5Dget_space(id()));
  const int rank = H5Sget_simple_extent_ndims(space);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return {0};
  if (rank < 0 || static_cast<std::size_t>(rank) > kMaxAxes)
    throw Error(where(), "an array of " + std::to_string(rank) + " axes", "up to " + std::to_string(kMaxAxes));
  std::vector<hsize_t> found(static_cast<std::size_t>(rank) + 1);
  H5Sget_simple_extent_dims(space, found.data(), nullptr);
  return {found.begin(), found.end() - 1};
}

}  // namespace echoloop::hdf5
