#include "formats/readers/hdf5_offsets.h"

#include <algorithm>

#include "formats/containers/array_view.h"

namespace echoloop {
namespace {

using hdf5::Id;

// The library (1.10) walks its list of chunks for every question, so that the time grows as the square of their number.
// Four times as many took 2.5 s where the list can grow in the format of version 1.10 (as our own recordings), so this
// many take about 0.15 s; in the oldest format 0.33 s and 0.02 s, both measured. More are read, not mapped.
constexpr std::size_t kMaxChunks = 2048;

// The library counts chunk addresses from the end of a user block; such files are read by it instead.
bool has_user_block(const hdf5::Node& dataset) {
  const Id file(H5Iget_file_id(dataset.id())), plan(H5Fget_create_plist(file));
  hsize_t size = 1;
  return H5Pget_userblock(plan, &size) < 0 || size != 0;
}

// Address of the chunk of frames that begins with `frame`, or HADDR_UNDEF.
haddr_t chunk_address(const hdf5::Node& dataset, std::size_t rank, std::size_t frame, std::size_t chunk_bytes) {
  std::vector<hsize_t> at(rank, 0);
  at[0] = frame;
  unsigned mask = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  const bool found = H5Dget_chunk_info_by_coord(dataset.id(), at.data(), &mask, &address, &size) >= 0;
  return found && mask == 0 && size == chunk_bytes ? address : HADDR_UNDEF;
}

}  // namespace

bool is_natural(const std::vector<Axis>& axes) { return std::is_sorted(axes.begin(), axes.end()); }

std::vector<std::uint64_t> frame_offsets(const hdf5::Node& dataset, const std::vector<Axis>& axes, hid_t memory_type,
                                         std::size_t frame_bytes, std::size_t n_frames, std::size_t file_size) {
  const Id type(H5Dget_type(dataset.id()));
  const std::vector<std::size_t> shape = dataset.extents();
  const auto bytes = checked_bytes(shape, H5Tget_size(type));
  if (!is_natural(axes) || H5Tequal(type, memory_type) <= 0 || !bytes || *bytes != n_frames * frame_bytes ||
      has_user_block(dataset))
    return {};
  const hdf5::Storage storage = dataset.storage(*bytes);
  std::size_t frames_per_piece = n_frames;
  if (storage.layout == hdf5::Layout::chunked) {
    const bool frame_axis = axes[0] == Axis::frame;
    if (storage.filtered || storage.chunk.size() != shape.size()) return {};
    for (std::size_t k = frame_axis ? 1 : 0; k < shape.size(); ++k) {
      if (storage.chunk[k] != shape[k]) return {};
    }
    if (frame_axis) frames_per_piece = storage.chunk[0];
  } else if (storage.layout != hdf5::Layout::contiguous) {
    return {};
  }
  if ((n_frames + frames_per_piece - 1) / frames_per_piece > kMaxChunks) return {};

  std::vector<std::uint64_t> offsets;
  offsets.reserve(n_frames);
  for (std::size_t first = 0; first < n_frames; first += frames_per_piece) {
    const haddr_t address = storage.layout == hdf5::Layout::contiguous
                                ? H5Dget_offset(dataset.id())
                                : chunk_address(dataset, shape.size(), first, frames_per_piece * frame_bytes);
    const std::size_t n_here = std::min(frames_per_piece, n_frames - first);
    if (address == HADDR_UNDEF || address > file_size || n_here * frame_bytes > file_size - address) return {};
    if (address % std::min(H5Tget_size(type), sizeof(float)) != 0) return {};  // pairs are of float32
    for (std::size_t k = 0; k < n_here; ++k) offsets.push_back(address + k * frame_bytes);
  }
  return offsets;
}

}  // namespace echoloop
