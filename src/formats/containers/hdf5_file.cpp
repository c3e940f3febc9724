#include "formats/containers/hdf5_file.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/containers/array_view.h"

namespace echoloop::hdf5 {
namespace {

// Chunk cache of a dataset, so that a chunk of several frames is unpacked once; IQ has two datasets, and all of it
// counts as memory of the viewer. Slots: a prime above 100 times the number of chunks.
constexpr std::size_t kCacheBytes = std::size_t{64} << 20, kCacheSlots = 12421;
constexpr std::size_t kMaxLinks = 65536;  // per group: PyBF stores a group per frame

constexpr const char* kNewerLayout = "version number for layout";  // part of the library's reason

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
  std::string text;  // first reason that contains `words`
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

// Returns the error for a failed open or read of the library.
Error failed(const std::string& where, const std::string& damaged) {
  if (failed_for(kDiskError)) return {where, "unreadable: the disk returns an error", "a sound disk"};
  const std::string reason = reason_with("version");  // unsupported version
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

constexpr std::size_t kMaxFilteredChunk = std::size_t{1} << 30;  // a chunk is unpacked as a whole
constexpr std::size_t kMaxSpareChunk = std::size_t{64} << 20;    // for an array smaller than its chunk
constexpr const char* kAcceptedFilters =
    "deflate, szip, LZF, LZ4, Zstandard, bitshuffle, Blosc, shuffle and checksum, each at most once (convert with "
    "h5repack -f GZIP=4 IN OUT)";

// Reads one text of an attribute or a dataset by read(memory type, buffer).
template <class Read>
std::optional<std::string> one_text(hid_t type, hid_t space, std::size_t most, Read&& read) {
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
  std::string text;
  if (H5Tis_variable_str(type) > 0) {
    const Id memory(H5Tcopy(H5T_C_S1));
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    char* stored = nullptr;
    if (read(memory, &stored) < 0 || stored == nullptr) return std::nullopt;
    text.assign(stored, ::strnlen(stored, most));
    H5free_memory(stored);
  } else {
    text.resize(H5Tget_size(type));
    if (text.empty() || text.size() > most || read(type, text.data()) < 0) return std::nullopt;
    text.resize(std::min(text.find('\0'), text.size()));
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// Returns the rows of a dataset's filters, in their order.
std::vector<const FilterRow*> known_filters(const std::string& where, hid_t plan) {
  const int n_filters = H5Pget_nfilters(plan);
  std::vector<const FilterRow*> seen;
  for (int k = 0; k < n_filters; ++k) {
    unsigned flags = 0, config = 0;
    std::size_t n_values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(plan, static_cast<unsigned>(k), &flags, &n_values, nullptr, 0, nullptr, &config);
    const FilterRow* const row = find_filter(filter);
    const std::string name = row == nullptr ? "filter " + std::to_string(filter)
                             : filter > 255 ? "filter " + std::to_string(filter) + " (" + row->name + ")"
                                            : row->name;
    if (row != nullptr && row->lacks != nullptr) throw Error(where, "data compressed with " + name, row->lacks);
    if (row == nullptr || H5Zfilter_avail(filter) <= 0 || std::ranges::count(seen, row) > 0)
      throw Error(where, "data compressed with " + name, kAcceptedFilters);
    seen.push_back(row);
  }
  return seen;
}

// Throws Error for chunks packed into more bytes than they unpack to, plus zlib's overhead: deflate unpacks all of a
// chunk. The library searches its list of chunks for every query, so only the first 1024 are queried one by one.
void check_packed_chunks(const std::string& where, hid_t dataset, std::size_t chunk_bytes, std::uint64_t stored_bytes) {
  constexpr hsize_t kMaxAsked = 1024;
  const std::uint64_t most = chunk_bytes + chunk_bytes / 64 + 1024;
  const Id space(H5Dget_space(dataset));
  hsize_t n_chunks = 0;
  bool plausible = H5Dget_num_chunks(dataset, space, &n_chunks) >= 0 && stored_bytes / most <= n_chunks;
  for (hsize_t k = 0; plausible && k < std::min(n_chunks, kMaxAsked); ++k) {
    hsize_t at[H5S_MAX_RANK + 1], size = 0;
    unsigned mask = 0;
    haddr_t address = 0;
    plausible = H5Dget_chunk_info(dataset, space, k, at, &mask, &address, &size) >= 0 && size <= most;
  }
  if (!plausible) throw Error(where, "chunks that are larger compressed than uncompressed", kUndamaged);
}

}  // namespace

bool failed_for(std::string_view words) { return !reason_with(words).empty(); }

Node::Node(std::string what, std::string path, std::size_t file_size, std::size_t depth, Id id,
           std::shared_ptr<const Id> of)
    : what_(std::move(what)),
      path_(std::move(path)),
      file_size_(file_size),
      depth_(depth),
      id_(new Id(std::move(id)), [kept = std::move(of)](const Id* object) { delete object; }) {}

Node Node::open(const std::string& what, const std::string& path, std::size_t file_size) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by Error, not printed
  H5PLset_loading_state(0);                     // a file cannot load a plugin library
  register_filters();
  const Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_file_locking(access, 0, 1);  // read only: a read-only disk has no locks
  H5Pset_cache(access, 0, kCacheSlots, kCacheBytes, 1.0);
  // A recording whose writer was killed, or still writes, is marked as being written: opened in SWMR mode then. By
  // default the library retries damaged metadata a hundred times, with pauses.
  H5Pset_metadata_read_attempts(access, 3);
  hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (opened < 0) opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  const Id file(opened);
  if (!file.valid()) throw failed(what, "a damaged or truncated HDF5 file");
  Id root(H5Gopen2(file, "/", H5P_DEFAULT));  // keeps the file open
  if (!root.valid()) throw failed(what, "an HDF5 file without a root group");
  return {what, "", file_size, 0, std::move(root)};
}

bool Node::is_group() const { return H5Iget_type(id()) == H5I_GROUP; }
bool Node::is_dataset() const { return H5Iget_type(id()) == H5I_DATASET; }

std::string Node::where() const { return path_.empty() ? what_ : what_ + " (" + path_ + ")"; }

std::string Node::stored_path() const {
  std::array<char, 4096> name{};
  const ssize_t size = H5Iget_name(id(), name.data(), name.size());
  if (size <= 1 || static_cast<std::size_t>(size) >= name.size())
    throw Error(where(), "an object without a name", kUndamaged);
  return name.data() + 1;
}

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
  if (!object.valid() && failed_for(kNewerLayout)) {
    Id newer = open_newer_dataset(what_ + " (" + path + ")", id(), name, H5P_DEFAULT);
    return Node(what_, std::move(path), file_size_, depth_ + 1, std::move(newer), id_);
  }
  if (!object.valid()) throw failed(what_ + " (" + path + ")", "a damaged object");
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
  const Id access(H5Pcreate(H5P_DATASET_ACCESS));  // applies to the first open only: closed by now
  H5Pset_chunk_cache(access, kCacheSlots, cache_bytes, 1.0);
  Id dataset(H5Dopen2(group.id(), name.c_str(), access));
  if (!dataset.valid() && failed_for(kNewerLayout)) {
    return {what_,
            group.path_ + "/" + printable(name),
            file_size_,
            group.depth_ + 1,
            open_newer_dataset(where(), group.id(), name, access),
            group.id_};
  }
  if (!dataset.valid()) throw failed(where(), "a damaged dataset");
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

// Numbers, text and attributes of hdf5_file.h, and checks of a dataset's storage.

bool is_half(hid_t type) {
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != 2) return false;
  const Id half(H5Tcopy(H5T_IEEE_F32LE));  // the library (1.10) has no predefined one; same as h5py's
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  H5Tset_order(half, H5Tget_order(type));
  return H5Tequal(type, half) > 0;
}

bool is_plain_number(hid_t type) {
  if (H5Tget_class(type) == H5T_ENUM) return is_plain_number(Id(H5Tget_super(type)));
  if (is_half(type)) return true;
  for (const hid_t known :
       {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I8LE,  H5T_STD_U8LE,   H5T_STD_I16LE,  H5T_STD_U16LE, H5T_STD_I32LE,
        H5T_STD_U32LE,  H5T_STD_I64LE,  H5T_STD_U64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE, H5T_STD_I16BE, H5T_STD_U16BE,
        H5T_STD_I32BE,  H5T_STD_U32BE,  H5T_STD_I64BE, H5T_STD_U64BE,  H5T_STD_I8BE,   H5T_STD_U8BE})
    if (H5Tequal(type, known) > 0) return true;
  return false;
}

std::string type_text(hid_t type) {
  const std::string bits = std::to_string(8 * H5Tget_size(type));
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return (H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + bits;
    case H5T_FLOAT:
      return "float" + bits;
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return "a compound";
    case H5T_ENUM:
      return "an enum";
    case H5T_REFERENCE:
      return "references";
    case H5T_ARRAY:
    case H5T_VLEN:
      return "arrays";
    default:
      return "opaque data";
  }
}

std::vector<double> Node::numbers(std::size_t most) const {
  const std::vector<std::size_t> shape = extents();
  const Id type(H5Dget_type(id()));
  if (!is_plain_number(type)) throw Error(where(), type_text(type), "numbers");
  const auto count = checked_bytes(shape, 1);
  if (!count || *count == 0 || *count > most) {
    throw Error(where(), "an array of shape " + shape_text(shape),
                most == 1 ? "one number" : "1 to " + std::to_string(most) + " numbers");
  }
  static_cast<void>(storage(*count * H5Tget_size(type)));
  std::vector<double> values(*count);
  if (H5Dread(id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw failed(where(), "damaged numbers");
  return values;
}

double Node::number() const { return numbers(1).front(); }

std::string Node::text(std::size_t most) const {
  if (!is_dataset()) throw Error(where(), "a group", "text");
  const Id type(H5Dget_type(id())), space(H5Dget_space(id()));
  const auto found = one_text(type, space, most, [&](hid_t memory, void* buffer) {
    return H5Dread(id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
  });
  if (found) return *found;
  std::string text;
  for (const double code : numbers(most)) text += code >= 0x20 && code < 0x7f ? static_cast<char>(code) : '?';
  return text;
}

std::vector<std::string> Node::texts(std::size_t most) const {
  const std::vector<std::size_t> shape = extents();
  const Id type(H5Dget_type(id())), space(H5Dget_space(id()));
  const auto count = checked_bytes(shape, 1);
  if (H5Tget_class(type) != H5T_STRING || !count || *count > most)
    throw Error(where(), type_text(type) + " of shape " + shape_text(shape),
                "up to " + std::to_string(most) + " texts");
  const std::size_t size = H5Tget_size(type);
  static_cast<void>(storage(*count * size));
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> stored(*count, nullptr);
    const Id memory(H5Tcopy(type));
    if (H5Dread(id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()) < 0) throw failed(where(), "damaged texts");
    for (const char* const text : stored) texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, stored.data());
    return texts;
  }
  std::vector<char> stored(*count * size);
  if (H5Dread(id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()) < 0) throw failed(where(), "damaged texts");
  for (std::size_t k = 0; k < *count; ++k)
    texts.emplace_back(stored.data() + k * size, ::strnlen(stored.data() + k * size, size));
  return texts;
}

std::optional<std::string> Node::text_attribute(const char* name) const {
  if (H5Aexists(id(), name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(id(), name, H5P_DEFAULT));
  if (!attribute.valid()) return std::nullopt;
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  return one_text(type, space, kMaxText,
                  [&](hid_t memory, void* buffer) { return H5Aread(attribute, memory, buffer); });
}

std::optional<double> Node::number_attribute(const char* name) const {
  const std::vector<double> values = numbers_attribute(name, 1);
  return values.empty() ? std::nullopt : std::optional(values.front());
}

std::vector<double> Node::numbers_attribute(const char* name, std::size_t most) const {
  if (H5Aexists(id(), name) <= 0) return {};
  const Id attribute(H5Aopen(id(), name, H5P_DEFAULT));
  if (!attribute.valid()) return {};
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  if (!is_plain_number(type) || n < 1 || static_cast<std::size_t>(n) > most) return {};
  std::vector<double> values(static_cast<std::size_t>(n));
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

std::vector<std::size_t> Node::attribute_extents(const char* name) const {
  const Id attribute(H5Aopen(id(), name, H5P_DEFAULT));
  if (!attribute.valid()) return {};
  const Id space(H5Aget_space(attribute));
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.begin() + std::max(rank, 0)};
}

std::optional<std::string> Node::enum_attribute(const char* name) const {
  if (H5Aexists(id(), name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(id(), name, H5P_DEFAULT));
  if (!attribute.valid()) return std::nullopt;
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) > 8 || H5Sget_simple_extent_npoints(space) != 1)
    return std::nullopt;
  std::uint64_t value = 0;
  char member[64] = {};
  if (H5Aread(attribute, type, &value) < 0 || H5Tenum_nameof(type, &value, member, sizeof(member)) < 0)
    return std::nullopt;
  member[sizeof(member) - 1] = '\0';
  return std::string(member);
}

Storage Node::storage(std::size_t bytes, std::size_t least) const {
  const Id plan(H5Dget_create_plist(id())), type(H5Dget_type(id()));
  const H5D_layout_t layout = plan.valid() ? H5Pget_layout(plan) : H5D_LAYOUT_ERROR;
  if ((layout != H5D_CHUNKED && layout != H5D_COMPACT && layout != H5D_CONTIGUOUS) || H5Pget_external_count(plan) != 0)
    throw Error(where(), "data stored in another file", "data inside this file");
  const std::vector<const FilterRow*> filters = known_filters(where(), plan);
  Storage found{.layout = layout == H5D_CHUNKED      ? Layout::chunked
                          : layout == H5D_CONTIGUOUS ? Layout::contiguous
                                                     : Layout::compact,
                .chunk = {},
                .filtered = H5Pget_nfilters(plan) > 0,
                .stored_bytes = H5Dget_storage_size(id())};
  constexpr std::size_t kNeverWritten = 1100;  // chunks without samples have the fill value
  std::size_t expansion = kNeverWritten;
  for (const FilterRow* const filter : filters) expansion = std::max(expansion, filter->expansion);
  bool plausible = found.stored_bytes <= file_size_ && least / expansion <= found.stored_bytes;
  if (found.layout == Layout::chunked) {
    hsize_t chunk[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(plan, H5S_MAX_RANK, chunk);
    if (rank < 0) throw Error(where(), "damaged chunks", kUndamaged);
    found.chunk.assign(chunk, chunk + rank);
    const auto chunk_bytes = checked_bytes(found.chunk, H5Tget_size(type));
    plausible = plausible && chunk_bytes && *chunk_bytes <= std::max(bytes, kMaxSpareChunk) &&
                (!found.filtered || *chunk_bytes <= kMaxFilteredChunk);
    for (const FilterRow* const filter : filters) plausible = plausible && unpacks_to(plan, *filter, *chunk_bytes);
    if (plausible && found.filtered) expect_chunks_of(id());
    if (plausible && found.filtered) check_packed_chunks(where(), id(), *chunk_bytes, found.stored_bytes);
  } else {
    plausible = plausible && found.stored_bytes >= bytes;
  }
  if (!plausible) {
    throw Error(where(),
                "an array of shape " + shape_text(extents()) + " with only " + std::to_string(found.stored_bytes) +
                    " bytes" + (found.chunk.empty() ? "" : " stored in chunks of " + shape_text(found.chunk)),
                "an array stored completely");
  }
  return found;
}

// Object references of hdf5_file.h: storage of cells and arrays of structs in MATLAB files.

void Node::each_target(std::size_t most, const std::function<void(std::size_t, std::optional<Node>)>& take) const {
  const std::vector<std::size_t> shape = extents();
  const Id type(H5Dget_type(id()));
  if (H5Tequal(type, H5T_STD_REF_OBJ) <= 0) throw Error(where(), type_text(type), "references to objects");
  const auto count = checked_bytes(shape, 1);
  if (!count || *count > most) throw Error(where(), "references of shape " + shape_text(shape), kUndamaged);
  if (depth_ >= kMaxDepth)
    throw Error(where(), "objects nested deeper than " + std::to_string(kMaxDepth), "fewer levels of references");
  static_cast<void>(storage(*count * sizeof(hobj_ref_t)));
  std::vector<hobj_ref_t> references(*count);
  if (*count > 0 && H5Dread(id(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data()) < 0)
    throw failed(where(), "damaged references");
  for (std::size_t k = 0; k < references.size(); ++k) {
    Id object(references[k] == 0 ? hid_t{-1} : H5Rdereference2(id(), H5P_DEFAULT, H5R_OBJECT, &references[k]));
    std::optional<Node> target;
    if (object.valid())
      target = Node(what_, path_ + "{" + std::to_string(k + 1) + "}", file_size_, depth_ + 1, std::move(object));
    if (target && !target->is_group() && !target->is_dataset()) target.reset();
    take(k, std::move(target));
  }
}

}  // namespace echoloop::hdf5
