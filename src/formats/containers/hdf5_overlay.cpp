// A dataset of the HDF5 2.0 layout as one of the old layout: the library (1.10 to 1.14) makes it in a file in memory,
// whose driver places each of its chunks where the recording has it. All of the library then applies to it: filters,
// conversion, selections, cache. No sample is copied.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "formats/containers/hdf5_layout.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace echoloop::hdf5 {
namespace {

// Address of the recording's first byte in the file in memory; the library's metadata are below.
constexpr haddr_t kRecording = haddr_t{1} << 40;
constexpr haddr_t kEnd = haddr_t{1} << 60;

struct Recorded {  // the recording's file; also the settings of the driver
  int fd = -1;
  std::uint64_t base = 0;  // size of the user block
};

struct Overlay {
  H5FD_t base;  // first: the library's view of it
  Recorded recorded;
  haddr_t end = 0;  // of metadata
  std::vector<unsigned char> metadata;
};

// Address of the chunk that is being registered, from Recorded::base: the library passes none to allocate().
haddr_t& next_chunk() {
  static thread_local haddr_t address = HADDR_UNDEF;
  return address;
}

Overlay& overlay_of(H5FD_t* file) { return *reinterpret_cast<Overlay*>(file); }

H5FD_t* open_overlay(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*most*/) {
  const auto* const settings = static_cast<const Recorded*>(H5Pget_driver_info(access));
  if (settings == nullptr) return nullptr;
  auto* const overlay = new Overlay{};
  overlay->recorded = *settings;
  return &overlay->base;
}

herr_t close_overlay(H5FD_t* file) {
  delete &overlay_of(file);
  return 0;
}

haddr_t allocate(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, hsize_t size) {
  Overlay& overlay = overlay_of(file);
  if (type == H5FD_MEM_DRAW && next_chunk() != HADDR_UNDEF) return kRecording + next_chunk();
  const haddr_t at = overlay.end;
  if (size > kRecording - at) return HADDR_UNDEF;
  overlay.end += (size + 7) / 8 * 8;
  return at;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return reinterpret_cast<const Overlay*>(file)->end == 0 ? 0 : kEnd;  // 0: the library makes a new file
}

herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  if (end < kRecording) overlay_of(file).end = std::max(overlay_of(file).end, end);
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t size, void* to) {
  const Overlay& overlay = overlay_of(file);
  auto* out = static_cast<unsigned char*>(to);
  if (at < kRecording) {
    const std::size_t has = overlay.metadata.size(), begin = std::min<std::size_t>(at, has);
    const std::size_t n = std::min(size, has - begin);
    std::copy_n(overlay.metadata.begin() + static_cast<std::ptrdiff_t>(begin), n, out);
    std::fill_n(out + n, size - n, static_cast<unsigned char>(0));
    return 0;
  }
  at += overlay.recorded.base - kRecording;
  while (size > 0) {
    const ssize_t got = ::pread(overlay.recorded.fd, out, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EIO)
      H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR, kDiskError);
    if (got <= 0) return -1;
    out += got, at += static_cast<haddr_t>(got), size -= static_cast<std::size_t>(got);
  }
  return 0;
}

// Keeps metadata; chunks are in the recording already.
herr_t write_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t size, const void* from) {
  if (at >= kRecording) return 0;
  std::vector<unsigned char>& metadata = overlay_of(file).metadata;
  if (metadata.size() < at + size) metadata.resize(std::max<std::size_t>(at + size, 2 * metadata.size()));
  std::memcpy(metadata.data() + at, from, size);
  return 0;
}

hid_t overlay_driver() {
  static const hid_t driver = [] {
    H5FD_class_t row{};
#if H5_VERSION_GE(1, 13, 0)
    row.version = H5FD_CLASS_VERSION;
    row.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 1);
#endif
    row.name = "overlay";
    row.maxaddr = 4 * kEnd;
    row.fc_degree = H5F_CLOSE_WEAK;
    row.fapl_size = sizeof(Recorded);
    row.open = open_overlay;
    row.close = close_overlay;
    row.alloc = allocate;
    row.get_eoa = end_of_file;
    row.set_eoa = set_end;
    row.get_eof = end_of_file;
    row.read = read_bytes;
    row.write = write_bytes;
    return H5FDregister(&row);
  }();
  return driver;
}

haddr_t object_address([[maybe_unused]] hid_t file, const H5L_info_t& info) {
#if H5_VERSION_GE(1, 12, 0)
  haddr_t address = HADDR_UNDEF;
  return H5VLnative_token_to_addr(file, info.u.token, &address) < 0 ? HADDR_UNDEF : address;
#else
  return info.u.address;
#endif
}

std::uint64_t user_block(hid_t file) {
  const Id plan(H5Fget_create_plist(file));
  hsize_t size = 0;
  std::size_t address_bytes = 0, length_bytes = 0;
  H5Pget_userblock(plan, &size);
  H5Pget_sizes(plan, &address_bytes, &length_bytes);
  return address_bytes == 8 && length_bytes == 8 ? size : kEnd;
}

// Returns the datatype of a message; text of variable length, references and other types of the file are refused.
Id decoded_type(const std::string& where, const std::vector<unsigned char>& message) {
  constexpr unsigned kVariable = 9, kReference = 7, kOpaque = 5, kDatatypeMessage = 3;
  const unsigned kind = message.empty() ? kOpaque : message[0] & 0x0fU;
  if (kind == kVariable || kind == kReference || kind == kOpaque)
    throw Error(where, "values that are no numbers, in the layout of HDF5 2.0", "numbers or text of fixed length");
  std::vector<unsigned char> encoded{kDatatypeMessage, 0};
  encoded.insert(encoded.end(), message.begin(), message.end());
  encoded.resize(encoded.size() + 65'536);  // H5Tdecode() does not know the length
  Id type(H5Tdecode(encoded.data()));
  if (!type.valid() || H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tdetect_class(type, H5T_REFERENCE) > 0)
    throw Error(where, "a damaged type", kUndamaged);
  return type;
}

Id creation_plan(const ChunkedLayout& layout, hid_t type) {
  Id plan(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(plan, static_cast<int>(layout.chunk.size()), layout.chunk.data());
  for (const StoredFilter& filter : layout.filters)
    H5Pset_filter(plan, filter.id, H5Z_FLAG_OPTIONAL, filter.values.size(), filter.values.data());
  if (layout.fill.size() == H5Tget_size(type)) H5Pset_fill_value(plan, type, layout.fill.data());
  if (layout.raw_edges) H5Pset_chunk_opts(plan, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
  return plan;
}

}  // namespace

Id open_newer_dataset(const std::string& where, hid_t group, const std::string& name, hid_t access) {
  const Id file(H5Iget_file_id(group));
  H5L_info_t info;
  void* handle = nullptr;
  if (H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 ||
      handle == nullptr)
    throw Error(where, "a damaged object", kUndamaged);
  const Recorded recorded{.fd = *static_cast<const int*>(handle), .base = user_block(file)};
  hsize_t size = 0;
  if (H5Fget_filesize(file, &size) < 0 || recorded.base >= size)
    throw Error(where, "a file of a form of its own", kUndamaged);
  const auto read = [&](std::uint64_t at, std::span<unsigned char> out) {
    const auto got = ::pread(recorded.fd, out.data(), out.size(), static_cast<off_t>(recorded.base + at));
    return got >= 0 && static_cast<std::size_t>(got) == out.size();
  };
  const ChunkedLayout layout =
      read_chunked_layout(where, {.read = read, .size = size - recorded.base}, object_address(file, info));
  const Id type = decoded_type(where, layout.type);

  const Id plan(H5Pcreate(H5P_FILE_ACCESS)), links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_driver(plan, overlay_driver(), &recorded);
  H5Pset_libver_bounds(plan, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_create_intermediate_group(links, 1);
  const Id memory(H5Fcreate("overlay", H5F_ACC_TRUNC, H5P_DEFAULT, plan));
  std::vector<hsize_t> limits = layout.extents;
  limits[0] += layout.chunk[0];  // never the index of a single chunk, which the library does not read back
  const Id space(H5Screate_simple(static_cast<int>(limits.size()), layout.extents.data(), limits.data()));
  std::vector<char> parent(4096);
  H5Iget_name(group, parent.data(), parent.size() - 1);
  Id dataset(H5Dcreate2(memory, (std::string(parent.data()) + "/" + name).c_str(), type, space, links,
                        creation_plan(layout, type), access));
  bool made = dataset.valid();
  const unsigned char unused = 0;
  for (const StoredChunk& chunk : layout.chunks) {
    next_chunk() = chunk.address;
    made = made && H5Dwrite_chunk(dataset, H5P_DEFAULT, chunk.mask, chunk.at.data(), chunk.bytes, &unused) >= 0;
  }
  next_chunk() = HADDR_UNDEF;
  if (!made) throw Error(where, "a damaged dataset", kUndamaged);
  return dataset;
}

}  // namespace echoloop::hdf5
