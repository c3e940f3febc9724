// Numbers, text and attributes of hdf5_file.h, and what a dataset's storage may be.
#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "formats/array_view.h"
#include "formats/hdf5_blosc.h"
#include "formats/hdf5_file.h"
#include "formats/hdf5_lzf.h"
#include "formats/reader.h"

namespace echoloop::hdf5 {
namespace {

constexpr std::size_t kMaxExpansion = 1032;                      // of deflate, and LZF's is less
constexpr std::size_t kMaxFilteredChunk = std::size_t{1} << 30;  // a chunk is unpacked as a whole
constexpr std::size_t kMaxSpareChunk = std::size_t{64} << 20;    // of an array smaller than its chunk
constexpr const char* kAcceptedFilters =
    "deflate, LZF, Blosc, shuffle and checksum, each at most once (convert with h5repack -f GZIP=4 IN OUT)";

// read(memory type, buffer): of an attribute or a dataset of one text.
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

// Registered numbers that recordings come with.
std::string filter_text(H5Z_filter_t filter) {
  const char* name = filter == H5Z_FILTER_SZIP ? " (szip)"
                     : filter == 32004         ? " (LZ4)"
                     : filter == 32008         ? " (bitshuffle)"
                     : filter == 32015         ? " (Zstandard)"
                     : filter == 32026         ? " (Blosc2)"
                                               : "";
  return std::to_string(filter) + name;
}

std::vector<H5Z_filter_t> known_filters(const std::string& where, hid_t plan) {
  const int n_filters = H5Pget_nfilters(plan);
  std::vector<H5Z_filter_t> seen;
  for (int k = 0; k < n_filters; ++k) {
    unsigned flags = 0, config = 0;
    std::size_t n_values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(plan, static_cast<unsigned>(k), &flags, &n_values, nullptr, 0, nullptr, &config);
    if (filter == kBloscFilter && !kHaveBlosc)
      throw Error(where, "data compressed with Blosc", "an Echoloop built with libblosc (package libblosc-dev)");
    const bool known = filter == H5Z_FILTER_DEFLATE || filter == kLzfFilter || filter == kBloscFilter ||
                       filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
    if (!known || std::count(seen.begin(), seen.end(), filter) > 0)
      throw Error(where, "data compressed with filter " + filter_text(filter), kAcceptedFilters);
    seen.push_back(filter);
  }
  return seen;
}

// Deflate unpacks whatever a chunk holds: none may be packed into more than it unpacks to, but for zlib's overhead.
// The library walks its list of chunks for every question, so only the first are asked for one by one.
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

bool is_half(hid_t type) {
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != 2) return false;
  const Id half(H5Tcopy(H5T_IEEE_F32LE));  // the library (1.10) has none of its own; as h5py makes it
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
        H5T_STD_I32BE,  H5T_STD_U32BE,  H5T_STD_I64BE, H5T_STD_U64BE,  H5T_STD_I8BE,   H5T_STD_U8BE}) {
    if (H5Tequal(type, known) > 0) return true;
  }
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
    throw Error(where(), "damaged numbers", kUndamaged);
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

std::optional<std::string> Node::text_attribute(const char* name) const {
  if (H5Aexists(id(), name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(id(), name, H5P_DEFAULT));
  if (!attribute.valid()) return std::nullopt;
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  return one_text(type, space, kMaxText,
                  [&](hid_t memory, void* buffer) { return H5Aread(attribute, memory, buffer); });
}

std::optional<double> Node::number_attribute(const char* name) const {
  if (H5Aexists(id(), name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(id(), name, H5P_DEFAULT));
  if (!attribute.valid()) return std::nullopt;
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  double value = 0.0;
  if (!is_plain_number(type) || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
    return std::nullopt;
  return value;
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

Storage Node::storage(std::size_t bytes) const {
  const Id plan(H5Dget_create_plist(id())), type(H5Dget_type(id()));
  const H5D_layout_t layout = plan.valid() ? H5Pget_layout(plan) : H5D_LAYOUT_ERROR;
  if ((layout != H5D_CHUNKED && layout != H5D_COMPACT && layout != H5D_CONTIGUOUS) || H5Pget_external_count(plan) != 0)
    throw Error(where(), "data stored in another file", "data inside this file");
  const std::vector<H5Z_filter_t> filters = known_filters(where(), plan);
  Storage found{.layout = layout == H5D_CHUNKED      ? Layout::chunked
                          : layout == H5D_CONTIGUOUS ? Layout::contiguous
                                                     : Layout::compact,
                .chunk = {},
                .filtered = H5Pget_nfilters(plan) > 0,
                .stored_bytes = H5Dget_storage_size(id())};
  const auto packed_by = [&](H5Z_filter_t filter) { return std::count(filters.begin(), filters.end(), filter) > 0; };
  const std::size_t expansion = packed_by(kBloscFilter) ? kBloscExpansion : kMaxExpansion;
  bool plausible = found.stored_bytes <= file_size_ && bytes / expansion <= found.stored_bytes;
  if (found.layout == Layout::chunked) {
    hsize_t chunk[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(plan, H5S_MAX_RANK, chunk);
    if (rank < 0) throw Error(where(), "damaged chunks", kUndamaged);
    found.chunk.assign(chunk, chunk + rank);
    const auto chunk_bytes = checked_bytes(found.chunk, H5Tget_size(type));
    plausible = plausible && chunk_bytes && *chunk_bytes <= std::max(bytes, kMaxSpareChunk) &&
                (!found.filtered || *chunk_bytes <= kMaxFilteredChunk);
    plausible = plausible && (!packed_by(kLzfFilter) || lzf_unpacks_to(plan, *chunk_bytes)) &&
                (!packed_by(kBloscFilter) || blosc_unpacks_to(plan, *chunk_bytes));
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

}  // namespace echoloop::hdf5
